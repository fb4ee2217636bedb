//! What a webhook is asked to be, and how that is stored.

use domain::id::WebhookId;
use domain::names::TenantName;
use domain::time::DurationMs;
use domain::webhook::{Dedupe, Provider, SchemeConfig, SchemeSettings, TriggerConfig};
use rate_limits::Quota;
use serde::{Deserialize, Serialize};
use store::StoreError;
use store::webhooks::WebhookRecord;

use crate::access::SecretText;
use crate::bounds::Faults;
use crate::policy::BODY_BYTES_MAX;

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

/// The longest name, in characters.
const NAME_CHARS_MAX: usize = 200;

/// The longest public URL, in bytes.
const URL_BYTES_MAX: usize = 2_000;

/// The most triggers.
const TRIGGERS_MAX: usize = 100;

/// The most secrets that may be given at once.
pub(super) const SECRETS_MAX: usize = 10;

/// The most requests of a rate limit.
const REQUESTS_MAX: u32 = 1_000_000;

/// The longest span of a rate limit.
const SPAN_MAX: DurationMs = DurationMs::from_secs(24 * 3600);

/// An endpoint to create, or to put into the place of one.
#[derive(Debug, Clone, PartialEq)]
pub struct WebhookRequest {
    /// Its name, unique in the tenant.
    pub name: String,
    /// The tenant; the key's own or `default` where absent. An update cannot change it.
    pub tenant: Option<TenantName>,
    /// Who sends.
    pub provider: Provider,
    /// What is changed of the provider's scheme, or the whole of it for `hmac`.
    pub scheme: SchemeSettings,
    /// Secrets, or public keys of the provider. Absent: one is made where the provider takes any, and an update leaves
    /// them as they are.
    pub secrets: Option<Vec<SecretText>>,
    /// The token that Meta shows when it subscribes.
    pub verify_token: Option<SecretText>,
    /// Under which address the sender knows the endpoint.
    pub public_url: Option<String>,
    /// How repetitions are known.
    pub dedupe: Dedupe,
    /// How many requests it takes.
    pub rate_limit: Option<WebhookRateLimit>,
    /// The largest body in bytes.
    pub max_body: Option<u64>,
    /// The status of the answer to an accepted delivery: 200, 202 or 204.
    pub respond_with: Option<u16>,
    /// Whether it is paused; an update leaves that as it is where absent.
    pub is_paused: Option<bool>,
    /// What deliveries start.
    pub triggers: Vec<TriggerConfig>,
}

impl WebhookRequest {
    /// An endpoint of which nothing else is said.
    pub fn new(name: impl Into<String>, provider: Provider) -> Self {
        Self {
            name: name.into(),
            tenant: None,
            provider,
            scheme: SchemeSettings::default(),
            secrets: None,
            verify_token: None,
            public_url: None,
            dedupe: Dedupe::default(),
            rate_limit: None,
            max_body: None,
            respond_with: None,
            is_paused: None,
            triggers: Vec::new(),
        }
    }

    /// Faults that show without secrets, workflows and expressions.
    pub(super) fn faults(&self) -> Faults {
        let mut faults = Faults::default();
        let name_chars = self.name.chars().count();
        if !(1..=NAME_CHARS_MAX).contains(&name_chars) || self.name.chars().any(char::is_control) {
            faults.add("/name", format!("expected 1 to {NAME_CHARS_MAX} printable characters"));
        }
        if self.public_url.as_deref().is_some_and(|url| !is_url(url)) {
            faults.add(
                "/publicUrl",
                "expected the address that the sender calls, such as https://example.com/hooks/x",
            );
        }
        if let Err(fault) = self.dedupe.check() {
            faults.extend(vec![fault], "/dedupe");
        }
        if let Some(limit) = &self.rate_limit {
            let count = |count: u32| (1..=REQUESTS_MAX).contains(&count);
            if !count(limit.requests) {
                faults.add("/rateLimit/requests", format!("expected 1 to {REQUESTS_MAX}"));
            }
            if !limit.burst.is_none_or(count) {
                faults.add("/rateLimit/burst", format!("expected 1 to {REQUESTS_MAX}"));
            }
            faults.within("/rateLimit/per", limit.per, DurationMs(1), SPAN_MAX);
        }
        if self.max_body.is_some_and(|bytes| !(1..=BODY_BYTES_MAX).contains(&bytes)) {
            faults.add("/maxBody", "expected 1B to 25MiB");
        }
        if self.respond_with.is_some_and(|status| ![200, 202, 204].contains(&status)) {
            faults.add("/respondWith", "expected 200, 202 or 204");
        }
        if self.triggers.len() > TRIGGERS_MAX {
            faults.add("/triggers", format!("expected at most {TRIGGERS_MAX} triggers"));
        }
        if self.secrets.as_ref().is_some_and(|secrets| secrets.len() > SECRETS_MAX) {
            faults.add("/secrets", format!("expected at most {SECRETS_MAX} secrets"));
        }
        faults
    }
}

/// An absolute address of HTTP without spaces and control characters. Otherwise it is the sender's, letter by letter.
fn is_url(url: &str) -> bool {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    url.len() <= URL_BYTES_MAX
        && rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/'))
        && url.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Where an endpoint is, below the server's address.
pub(super) fn path_of(id: WebhookId) -> String {
    format!("/hooks/{id}")
}

/// The configuration of a row.
pub(super) fn stored_config(record: &WebhookRecord) -> Result<WebhookConfig, StoreError> {
    serde_json::from_str(&record.config).map_err(|_error| StoreError::Corrupt {
        table: "webhook",
        column: "config",
        row: record.id.to_string(),
    })
}
