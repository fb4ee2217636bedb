//! An endpoint as it is sent.

use std::fmt;

use domain::names::TenantName;
use domain::time::DurationMs;
use domain::webhook::{Provider, SchemeSettings};
use engine::{SecretText, WebhookRateLimit, WebhookRequest};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::trigger::{DedupeBody, SchemeSchema, TriggerBody};
use crate::json::present;
use crate::problem::{ApiResult, Problem};
use crate::shapes::ProviderSchema;
use crate::shapes::list::RequiredFields;

/// An endpoint to save.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = WebhookRequest)]
pub(crate) struct WebhookBody {
    /// Unique within the tenant.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, required = true, max_length = 200)]
    name: Option<String>,
    /// Provider. `none` verifies nothing.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = ProviderSchema, required = true)]
    provider: Option<Provider>,
    /// Signature scheme, if it differs from the provider's default.
    #[schema(value_type = Option<SchemeSchema>)]
    scheme: Option<SchemeSettings>,
    /// Signing secrets, or public keys of the provider. Never shown again. Default: a generated secret for a new
    /// endpoint whose provider accepts any secret; unchanged for an existing one.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Vec<String>, required = false)]
    secrets: Option<SecretInputs>,
    /// Verify token of Meta subscriptions. Never shown again.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, required = false)]
    verify_token: Option<SecretInput>,
    /// Exact URL that the sender calls. Required if the provider signs the URL.
    #[schema(example = "https://example.com/hooks/whk_0193456789ab7def8123456789abcdef")]
    public_url: Option<String>,
    /// Deduplication of deliveries.
    dedupe: Option<DedupeBody>,
    /// Rate limit. Excess requests are held up to a server limit; beyond it they get 429.
    rate_limit: Option<RateLimitBody>,
    /// Maximum body size, up to 25MiB: bytes, or text such as `1MiB` (default: the server's setting).
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, required = false, example = "1MiB")]
    max_body: Option<ByteCount>,
    /// Status code of responses to accepted deliveries: 200, 202 (default) or 204.
    respond_with: Option<u16>,
    /// Whether the endpoint is paused (default: false for a new one, unchanged for an existing one).
    paused: Option<bool>,
    /// Triggers that start workflows.
    #[serde(default)]
    #[schema(required = false)]
    triggers: Vec<TriggerBody>,
    /// Tenant (default: the key's tenant, or `default`). It cannot change later.
    #[schema(value_type = Option<String>)]
    tenant: Option<TenantName>,
    /// Expected current version of the endpoint; the update is rejected if it differs. Not allowed for a new endpoint.
    version: Option<i64>,
}

/// A rate limit.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = WebhookRateLimit)]
pub(super) struct RateLimitBody {
    /// Number of requests.
    requests: u32,
    /// Time window.
    #[schema(value_type = String, example = "1s")]
    per: DurationMs,
    /// Burst size (default: `requests`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    burst: Option<u32>,
}

impl WebhookBody {
    /// The request for a new endpoint.
    pub(crate) fn into_new(self) -> ApiResult<WebhookRequest> {
        if self.version.is_some() {
            return Err(Problem::fault("/version", "must be absent for a new endpoint"));
        }
        Ok(self.into_replacement()?.0)
    }

    /// The request to replace an endpoint, and the version that it has to have.
    pub(crate) fn into_replacement(self) -> ApiResult<(WebhookRequest, Option<i64>)> {
        let mut needed = RequiredFields::default();
        let name = needed.field("name", self.name);
        let provider = needed.field("provider", self.provider);
        let triggers = self.triggers.into_iter().enumerate();
        let triggers: Vec<_> =
            triggers.filter_map(|(index, trigger)| trigger.into_config(index, &mut needed)).collect();
        let (Some(name), Some(provider), false) = (name, provider, needed.any()) else {
            return Err(needed.problem());
        };
        let request = WebhookRequest {
            tenant: self.tenant,
            scheme: self.scheme.unwrap_or_default(),
            secrets: self.secrets.map(SecretInputs::into_texts),
            verify_token: self.verify_token.map(SecretInput::into_text),
            public_url: self.public_url,
            dedupe: self.dedupe.map(Into::into).unwrap_or_default(),
            rate_limit: self.rate_limit.map(Into::into),
            max_body: self.max_body.map(|count| count.0),
            respond_with: self.respond_with,
            is_paused: self.paused,
            triggers,
            ..WebhookRequest::new(name, provider)
        };
        Ok((request, self.version))
    }
}

impl From<RateLimitBody> for WebhookRateLimit {
    fn from(shape: RateLimitBody) -> Self {
        Self { requests: shape.requests, per: shape.per, burst: shape.burst }
    }
}

impl From<WebhookRateLimit> for RateLimitBody {
    fn from(limit: WebhookRateLimit) -> Self {
        Self { requests: limit.requests, per: limit.per, burst: limit.burst }
    }
}

// A number of bytes as it is sent: a whole number, or text with a unit as in the settings.

const EXPECTED: &str = "a number of bytes such as 1048576, \"512KiB\" or \"1MiB\"";
const UNITS: [(&str, u64); 3] = [("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)];

/// A number of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ByteCount(pub(super) u64);

impl ByteCount {
    fn parse(text: &str) -> Option<Self> {
        let (digits, bytes) =
            UNITS.iter().find_map(|(unit, bytes)| text.strip_suffix(unit).map(|digits| (digits, *bytes)))?;
        let digits = digits.trim_end();
        let is_plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let count = if is_plain { digits.parse::<u64>().ok() } else { None };
        count?.checked_mul(bytes).map(Self)
    }
}

struct ByteCountVisitor;

impl Visitor<'_> for ByteCountVisitor {
    type Value = ByteCount;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(EXPECTED)
    }

    fn visit_u64<E: Error>(self, count: u64) -> Result<ByteCount, E> {
        Ok(ByteCount(count))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<ByteCount, E> {
        ByteCount::parse(text).ok_or_else(|| E::custom(format!("expected {EXPECTED}")))
    }
}

impl<'de> Deserialize<'de> for ByteCount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ByteCountVisitor)
    }
}

// Secrets as they are sent. No fault about one holds any of it.

/// A secret. `Debug` does not print it.
#[derive(Debug)]
pub(super) struct SecretInput(SecretText);

/// Several secrets.
#[derive(Debug)]
pub(super) struct SecretInputs(Vec<SecretText>);

impl SecretInput {
    pub(super) fn into_text(self) -> SecretText {
        self.0
    }
}

impl SecretInputs {
    pub(super) fn into_texts(self) -> Vec<SecretText> {
        self.0
    }
}

// serde's own message about a value of another type would show the value.
impl<'de> Deserialize<'de> for SecretInput {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(text) => Ok(Self(SecretText::new(text))),
            _ => Err(serde::de::Error::custom("expected a string")),
        }
    }
}

impl<'de> Deserialize<'de> for SecretInputs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let expected = || serde::de::Error::custom("expected a list of strings");
        let Value::Array(items) = Value::deserialize(deserializer)? else {
            return Err(expected());
        };
        let texts = items.into_iter().map(|item| match item {
            Value::String(text) => Ok(SecretText::new(text)),
            _ => Err(expected()),
        });
        texts.collect::<Result<_, _>>().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_and_units_are_read() {
        let read = |text: &str| serde_json::from_str::<ByteCount>(text).ok().map(|count| count.0);
        for (text, bytes) in [("1024", 1_024), ("\"512KiB\"", 524_288), ("\"1 MiB\"", 1 << 20), ("\"7B\"", 7)]
        {
            assert_eq!(read(text), Some(bytes), "{text}");
        }
        for text in
            ["\"MiB\"", "\"1024\"", "\"-1B\"", "-1", "1.5", "\"1MB\"", "null", "\"99999999999999999MiB\""]
        {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn i11_no_fault_shows_a_secret() {
        for value in [json!("canary"), json!({"canary": 1}), json!(["canary", 7]), json!(4_711)] {
            let error = serde_json::from_value::<SecretInputs>(value).expect_err("no list of strings");
            assert_eq!(error.to_string(), "expected a list of strings");
        }
        let error = serde_json::from_value::<SecretInput>(json!(4_711)).expect_err("no string");
        assert_eq!(error.to_string(), "expected a string");
        let secret = serde_json::from_value::<SecretInput>(json!("canary")).expect("a secret");
        assert!(!format!("{secret:?}").contains("canary"));
        assert_eq!(secret.into_text().reveal(), "canary");
    }
}
