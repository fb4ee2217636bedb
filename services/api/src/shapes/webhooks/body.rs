//! An endpoint as it is sent.

use domain::names::TenantName;
use domain::time::DurationMs;
use domain::webhook::{Provider, SchemeSettings};
use engine::{WebhookRateLimit, WebhookRequest};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::byte_count::ByteCount;
use super::dedupe::DedupeBody;
use super::scheme::SchemeSchema;
use super::secret::{SecretInput, SecretInputs};
use super::trigger::TriggerBody;
use crate::json::present;
use crate::problem::{ApiResult, Problem};
use crate::shapes::ProviderSchema;
use crate::shapes::needed::RequiredFields;

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
    /// Expected version of the endpoint; otherwise the update is rejected. Not for a new endpoint.
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
