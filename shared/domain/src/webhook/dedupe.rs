//! The two guards against a delivery that came before. They are keys; the store makes them unique, in the transaction
//! that stores the delivery.
//!
//! The *replay* key is made of what was signed, and so recognises a captured request whatever else of it is changed.
//! The *delivery* key is made of the provider's id, and so recognises a retry that was signed anew. Either one that is
//! already there makes a delivery a duplicate: it is answered as the first was, and starts nothing. Both are kept per
//! endpoint, since one event may go to several endpoints.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::config::SchemeConfig;
use super::locator::{Locator, scalar};
use super::preset::{DeliveryId, ProviderTraits, preset};
use super::request::RequestParts;
use super::verify::Verified;
use crate::error::Fault;
use crate::time::DurationMs;

/// The shortest window of an endpoint.
pub const DEDUPE_WINDOW_MIN: DurationMs = DurationMs::from_secs(60);

/// The longest window of an endpoint.
pub const DEDUPE_WINDOW_MAX: DurationMs = DurationMs::from_secs(30 * 24 * 3600);

/// What a replay guard is kept for beyond the time in which its request would still be let in.
const REPLAY_MARGIN_MS: i64 = 60_000;

/// The most items of a batch that are looked at for ids.
const ITEMS_MAX: usize = 10_000;

/// By what an endpoint knows a repeated delivery. Text form: `auto`, `body`, `none`, `header:<name>` or
/// `field:<JSON pointer>`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum DedupeOn {
    /// By the provider's id: alone if it is signed, else with the body; by the body where there is none.
    #[default]
    Auto,
    /// By the body: for senders that make a new id for each retry.
    Body,
    /// By what stands here; by the body if nothing does.
    At(Locator),
    /// By nothing. Replays of dated signatures are still recognised; where no time is signed, nothing is.
    None,
}

/// The text named no way to know duplicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected auto, body, none, header:<name> or field:<JSON pointer>")]
pub struct DedupeFault;

impl DedupeOn {
    /// Reads the text form.
    pub fn parse(text: &str) -> Result<Self, DedupeFault> {
        match text {
            "auto" => Ok(Self::Auto),
            "body" => Ok(Self::Body),
            "none" => Ok(Self::None),
            other => Locator::parse(other).map(Self::At).map_err(|_| DedupeFault),
        }
    }
}

impl fmt::Display for DedupeOn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Body => f.write_str("body"),
            Self::None => f.write_str("none"),
            Self::At(locator) => write!(f, "{locator}"),
        }
    }
}
impl Serialize for DedupeOn {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
impl<'de> Deserialize<'de> for DedupeOn {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

/// The `dedupe` object of an endpoint.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Dedupe {
    /// By what.
    pub on: DedupeOn,
    /// For how long; by default at least as long as the provider retries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<DurationMs>,
}

impl Dedupe {
    /// Checks the bounds of the window. The pointer of the fault is into the `dedupe` object.
    pub fn check(&self) -> Result<(), Fault> {
        match self.window {
            Some(window) if !(DEDUPE_WINDOW_MIN..=DEDUPE_WINDOW_MAX).contains(&window) => {
                Err(Fault::new("/window", "expected 1m to 30d"))
            }
            _ => Ok(()),
        }
    }
}

/// A key that may be taken once, and for how long it stays taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guard {
    /// SHA-256.
    pub key: [u8; 32],
    /// Milliseconds from the receipt of the delivery.
    pub kept_for_ms: i64,
}

/// The guards of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guards {
    /// Against the same signed request; `None` where nothing is signed, or where [`DedupeOn::None`] says so.
    pub replay: Option<Guard>,
    /// Against the same delivery, signed anew or not; `None` by [`DedupeOn::None`] only.
    pub delivery: Option<Guard>,
}

/// The guards of a verified request at this endpoint.
pub fn guards(
    config: &SchemeConfig,
    dedupe: &Dedupe,
    parts: &RequestParts<'_>,
    verified: &Verified,
    endpoint: Uuid,
) -> Guards {
    let provider_traits = preset(config.provider()).provider_traits;
    let window_ms = dedupe.window.unwrap_or(provider_traits.window).0;
    let replay_ms = match verified.tolerance {
        // A request is let in from one tolerance before its time to one after it.
        Some(tolerance) => Some(tolerance.0.saturating_mul(2).saturating_add(REPLAY_MARGIN_MS)),
        None if dedupe.on == DedupeOn::None => None,
        None => Some(window_ms),
    };
    let replay = verified.signed.zip(replay_ms).map(|(signed, kept_for_ms)| {
        let key = key("replay", endpoint, &[&signed]);
        Guard { key, kept_for_ms }
    });
    let delivery = match &dedupe.on {
        DedupeOn::None => None,
        DedupeOn::Body => Some(by_body(endpoint, &provider_traits, parts)),
        DedupeOn::At(locator) => Some(match locator.read(parts) {
            Some(found) => key("delivery/at", endpoint, &[locator.to_string().as_bytes(), found.as_bytes()]),
            None => by_body(endpoint, &provider_traits, parts),
        }),
        DedupeOn::Auto => Some(match &verified.id {
            Some(id) => key("delivery/id", endpoint, &[id.as_bytes()]),
            None => by_traits(endpoint, &provider_traits, parts),
        }),
    };
    Guards { replay, delivery: delivery.map(|key| Guard { key, kept_for_ms: window_ms }) }
}

fn by_traits(endpoint: Uuid, provider_traits: &ProviderTraits, parts: &RequestParts<'_>) -> [u8; 32] {
    let found = match provider_traits.id {
        DeliveryId::Body => None,
        DeliveryId::Field(pointer) => parts
            .json()
            .and_then(|body| scalar(body, pointer))
            .map(|id| key("delivery/field", endpoint, &[id.as_bytes()])),
        DeliveryId::Items(pointers) => parts.json().and_then(|body| item_ids(body, pointers)).map(|ids| {
            let ids: Vec<&[u8]> = ids.iter().map(String::as_bytes).collect();
            key("delivery/items", endpoint, &ids)
        }),
        DeliveryId::Headers(names) => names.iter().find_map(|name| parts.header_text(name)).map(|id| {
            let body = body_hash(provider_traits, parts);
            key("delivery/header", endpoint, &[id.as_bytes(), &body])
        }),
    };
    found.unwrap_or_else(|| by_body(endpoint, provider_traits, parts))
}

fn by_body(endpoint: Uuid, provider_traits: &ProviderTraits, parts: &RequestParts<'_>) -> [u8; 32] {
    key("delivery/body", endpoint, &[&body_hash(provider_traits, parts)])
}

/// The ids of all items, sorted; `None` unless each has them.
fn item_ids(body: &Value, pointers: &[&str]) -> Option<Vec<String>> {
    let items = body.as_array().filter(|items| (1..=ITEMS_MAX).contains(&items.len()))?;
    let mut ids = Vec::with_capacity(items.len());
    for item in items {
        let fields: Option<Vec<String>> = pointers.iter().map(|pointer| scalar(item, pointer)).collect();
        ids.push(Value::from(fields?).to_string());
    }
    ids.sort();
    Some(ids)
}

/// SHA-256 of the body as received; without the field that a retry changes, where the provider has one.
fn body_hash(provider_traits: &ProviderTraits, parts: &RequestParts<'_>) -> [u8; 32] {
    let without = provider_traits.volatile.and_then(|field| {
        let object = parts.json()?.as_object()?;
        let mut fields: Vec<(&String, &Value)> = object.iter().filter(|(name, _)| *name != field).collect();
        fields.sort_by_key(|(name, _)| *name);
        Some(fields.iter().fold(Sha256::new(), |mut hash, (name, value)| {
            feed(&mut hash, name.as_bytes());
            feed(&mut hash, value.to_string().as_bytes());
            hash
        }))
    });
    without.unwrap_or_else(|| Sha256::new_with_prefix(parts.body)).finalize().into()
}

/// The parts are length-prefixed: `["ab", "c"]` and `["a", "bc"]` are different keys.
fn key(kind: &str, endpoint: Uuid, values: &[&[u8]]) -> [u8; 32] {
    let mut hash = Sha256::new();
    feed(&mut hash, kind.as_bytes());
    feed(&mut hash, endpoint.as_bytes());
    for value in values {
        feed(&mut hash, value);
    }
    hash.finalize().into()
}

fn feed(hash: &mut Sha256, value: &[u8]) {
    hash.update((value.len() as u64).to_be_bytes());
    hash.update(value);
}
