//! A signature scheme as a user describes it, and what is wrong with the description.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::config::SchemeConfig;
use super::key::{Algorithm, KeyForm};
use super::locator::{Locator, is_header_name};
use super::preset::preset;
use super::provider::Provider;
use super::scheme::{Content, Encoding, Scheme, TimestampSource, TimestampUnit, UrlForm};
use super::template::{Placeholder, Template};
use crate::error::Fault;
use crate::time::DurationMs;

/// The longest tolerance.
pub const TOLERANCE_MAX: DurationMs = DurationMs::from_secs(24 * 3600);

/// How far a signed time may be from ours if nothing else is said.
pub(super) const TOLERANCE_DEFAULT: DurationMs = DurationMs::from_secs(300);

/// The `scheme` object of an endpoint. The `hmac` provider takes all of it and needs `header`; the others take
/// `tolerance` and `eventType` only, since the rest is theirs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct SchemeSettings {
    /// The header with the signature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
    /// `sha1`, `sha256` (default), `sha384` or `sha512`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub algorithm: Option<Algorithm>,
    /// `hex` (default) or `base64`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<Encoding>,
    /// What stands before each signature, such as `sha256=` or `v1=`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
    /// What separates several signatures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list_separator: Option<char>,
    /// What is signed; `{body}` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signed_content: Option<Template>,
    /// The header with the signed time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp_header: Option<String>,
    /// What stands before the signed time in the list of the signature header, such as `t=`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp_item: Option<String>,
    /// `s` (default) or `ms`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp_unit: Option<TimestampUnit>,
    /// How far the signed time may be from ours, both ways; 5 minutes by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<DurationMs>,
    /// The header with the signed id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id_header: Option<String>,
    /// `text` (default), `hex` or `base64`: how the secret is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret_encoding: Option<KeyForm>,
    /// Where the event type stands: `header:<name>` or `field:<JSON pointer>`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_type: Option<Locator>,
}

impl SchemeConfig {
    /// Checks the settings of an endpoint and puts them together with what its provider does. Every fault is given,
    /// with a pointer into the `scheme` object.
    pub fn new(provider: Provider, settings: &SchemeSettings) -> Result<Self, Vec<Fault>> {
        let mut faults = Vec::new();
        if let Some(tolerance) = settings.tolerance
            && !(1_000..=TOLERANCE_MAX.0).contains(&tolerance.0)
        {
            faults.push(Fault::new("/tolerance", "expected 1s to 24h"));
        }
        let schemes = if provider == Provider::Hmac {
            own_scheme(settings, &mut faults).map(|scheme| Cow::Owned(vec![scheme]))
        } else {
            Some(preset_schemes(provider, settings, &mut faults))
        };
        match schemes {
            Some(schemes) if faults.is_empty() => {
                Ok(Self::of(provider, schemes, settings.event_type.clone()))
            }
            _ => Err(faults),
        }
    }
}

fn preset_schemes(
    provider: Provider,
    settings: &SchemeSettings,
    faults: &mut Vec<Fault>,
) -> Cow<'static, [Scheme]> {
    let own = SchemeSettings { tolerance: None, event_type: None, ..settings.clone() };
    if own != SchemeSettings::default() {
        let message = format!(
            "the provider `{provider}` has its own scheme, of which only `tolerance` and `eventType` can be set; \
             choose the provider `hmac` to describe another"
        );
        faults.push(Fault::new("", message));
    }
    let schemes = preset(provider).schemes;
    let Some(tolerance) = settings.tolerance else { return Cow::Borrowed(schemes) };
    if !schemes.iter().any(Scheme::is_dated) {
        faults.push(Fault::new("/tolerance", format!("the provider `{provider}` signs no time")));
    }
    Cow::Owned(schemes.iter().cloned().map(|scheme| Scheme { tolerance, ..scheme }).collect())
}

/// The scheme that the settings of an `hmac` endpoint describe.
fn own_scheme(settings: &SchemeSettings, faults: &mut Vec<Fault>) -> Option<Scheme> {
    let template = settings.signed_content.clone().unwrap_or(Template::preset("{body}"));
    names(settings, faults);
    list(settings, faults);
    freshness(settings, &template, faults);
    let Some(header) = settings.header.clone() else {
        faults.push(Fault::new("/header", "the name of the signature header is required"));
        return None;
    };
    let timestamp = match (&settings.timestamp_header, &settings.timestamp_item) {
        (Some(name), _) => TimestampSource::Header(name.clone().into()),
        (None, Some(prefix)) => TimestampSource::Item(prefix.clone().into()),
        (None, None) => TimestampSource::Nowhere,
    };
    Some(Scheme {
        header: header.into(),
        algorithm: settings.algorithm.unwrap_or(Algorithm::HmacSha256),
        encoding: settings.encoding.unwrap_or(Encoding::Hex),
        prefix: settings.prefix.clone().unwrap_or_default().into(),
        list_separator: settings.list_separator,
        content: Content::Template(template),
        timestamp,
        timestamp_unit: settings.timestamp_unit.unwrap_or_default(),
        tolerance: settings.tolerance.unwrap_or(TOLERANCE_DEFAULT),
        id_header: settings.id_header.clone().map(Cow::Owned),
        key: settings.secret_encoding.unwrap_or_default(),
        url: UrlForm::Registered,
    })
}

/// Header names are names, and no two of them are the same header.
fn names(settings: &SchemeSettings, faults: &mut Vec<Fault>) {
    let named = [
        ("/header", &settings.header),
        ("/timestampHeader", &settings.timestamp_header),
        ("/idHeader", &settings.id_header),
    ];
    let mut seen: Vec<String> = Vec::new();
    for (pointer, name) in named {
        let Some(name) = name else { continue };
        if !is_header_name(name) {
            faults.push(Fault::new(pointer, "expected the name of a header"));
        } else if seen.contains(&name.to_ascii_lowercase()) {
            faults.push(Fault::new(pointer, "the header is named twice"));
        }
        seen.push(name.to_ascii_lowercase());
    }
}

/// The separator can separate, and prefixes can be distinguished from it and from one another.
fn list(settings: &SchemeSettings, faults: &mut Vec<Fault>) {
    let separator = settings.list_separator;
    if separator.is_some_and(|char| ![',', ';', ' ', '|'].contains(&char)) {
        faults.push(Fault::new("/listSeparator", "expected `,`, `;`, `|` or a space"));
    }
    for (pointer, prefix) in [("/prefix", &settings.prefix), ("/timestampItem", &settings.timestamp_item)] {
        let Some(prefix) = prefix else { continue };
        if prefix.len() > 32 || !prefix.bytes().all(|byte| byte.is_ascii_graphic()) {
            faults.push(Fault::new(pointer, "expected at most 32 visible ASCII characters"));
        } else if separator.is_some_and(|char| prefix.contains(char)) {
            faults.push(Fault::new(pointer, "must not contain the list separator"));
        }
    }
    if let Some(item) = &settings.timestamp_item {
        let prefix = settings.prefix.as_deref().unwrap_or_default();
        if separator.is_none() {
            faults.push(Fault::new("/timestampItem", "needs `listSeparator`"));
        }
        if item.is_empty()
            || prefix.starts_with(item.as_str())
            || (!prefix.is_empty() && item.starts_with(prefix))
        {
            faults.push(Fault::new(
                "/timestampItem",
                "it must differ from `prefix`, such as `t=` beside `v1=`",
            ));
        }
        if settings.timestamp_header.is_some() {
            faults.push(Fault::new(
                "/timestampItem",
                "the timestamp has two locations: remove `timestampHeader`",
            ));
        }
    }
}

/// What is read is signed, and what is signed is read: an unsigned time or id would look safe and not be.
fn freshness(settings: &SchemeSettings, template: &Template, faults: &mut Vec<Fault>) {
    let timed = settings.timestamp_header.is_some() || settings.timestamp_item.is_some();
    let signed_time = template.names(Placeholder::Timestamp);
    if timed && !signed_time {
        faults.push(Fault::new("/signedContent", "a timestamp requires {timestamp} in the signed content"));
    }
    if signed_time && !timed {
        faults.push(Fault::new("/signedContent", "{timestamp} needs `timestampHeader` or `timestampItem`"));
    }
    if !timed && (settings.tolerance.is_some() || settings.timestamp_unit.is_some()) {
        faults.push(Fault::new("/tolerance", "without a signed time there is nothing to tolerate"));
    }
    let signed_id = template.names(Placeholder::Id);
    if settings.id_header.is_some() && !signed_id {
        let message = "the ID header has no effect unless {id} is signed; use `dedupe` for an unsigned ID";
        faults.push(Fault::new("/idHeader", message));
    }
    if signed_id && settings.id_header.is_none() {
        faults.push(Fault::new("/signedContent", "{id} needs `idHeader`"));
    }
}
