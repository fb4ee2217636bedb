//! An endpoint's configuration as it is stored and shown: everything but its name, its pause and its secrets.

use domain::time::DurationMs;
use domain::webhook::{Dedupe, Provider, SchemeConfig, SchemeSettings, TriggerConfig};
use rate_limits::Quota;
use serde::{Deserialize, Serialize};

use super::request::WebhookRequest;

/// The answer to an accepted delivery where nothing else is said.
const RESPOND_WITH_DEFAULT: u16 = 202;

/// An endpoint's configuration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookConfig {
    /// Who sends.
    pub provider: Provider,
    /// What is changed of the provider's scheme, or the whole of it.
    #[serde(default)]
    pub scheme: SchemeSettings,
    /// Under which address the sender knows the endpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub public_url: Option<String>,
    /// How repetitions are known.
    #[serde(default)]
    pub dedupe: Dedupe,
    /// How many requests it takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<WebhookRateLimit>,
    /// The largest body in bytes; the setting's where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_body: Option<u64>,
    /// The status of the answer to an accepted delivery.
    pub respond_with: u16,
    /// What deliveries start. Each has an id.
    #[serde(default)]
    pub triggers: Vec<TriggerConfig>,
}

/// So many requests in each span of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookRateLimit {
    /// How many.
    pub requests: u32,
    /// The span.
    pub per: DurationMs,
    /// How many at once after a pause; as many as `requests` where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub burst: Option<u32>,
}

impl WebhookRateLimit {
    pub(super) fn quota(self) -> Quota {
        Quota::new(self.requests, self.per, self.burst.unwrap_or(self.requests))
    }
}

impl WebhookConfig {
    /// The configuration that a checked request asks for.
    pub(super) fn of(request: &WebhookRequest) -> Self {
        let mut triggers = request.triggers.clone();
        domain::webhook::fill_ids(&mut triggers);
        Self {
            provider: request.provider,
            scheme: request.scheme.clone(),
            public_url: request.public_url.clone(),
            dedupe: request.dedupe.clone(),
            rate_limit: request.rate_limit,
            max_body: request.max_body,
            respond_with: request.respond_with.unwrap_or(RESPOND_WITH_DEFAULT),
            triggers,
        }
    }

    /// What it verifies by.
    pub(super) fn scheme_config(&self) -> Result<SchemeConfig, Vec<domain::error::Fault>> {
        SchemeConfig::new(self.provider, &self.scheme)
    }
}
