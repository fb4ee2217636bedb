//! Everything that is checked of an endpoint before it is saved, so that mistakes show there and not as deliveries that
//! are refused or parked.

use std::collections::HashSet;

use domain::id::WebhookId;
use domain::names::TenantName;
use domain::time::DurationMs;
use domain::webhook::{
    Dedupe, Provider, SECRET_BYTES_MAX, SchemeConfig, SchemeSettings, SecretWarning, Trigger, TriggerConfig,
    check_secret,
};

use super::cache::BODY_BYTES_MAX;
use super::endpoint::{WebhookConfig, WebhookRateLimit, registered_url};
use crate::access::SecretText;
use crate::bounds::Faults;
use crate::engine::Engine;
use crate::error::EngineError;

/// A request that may be saved.
pub(super) struct CheckedWebhook {
    pub(super) config: WebhookConfig,
    pub(super) scheme: SchemeConfig,
    /// Sentences for the answer.
    pub(super) warnings: Vec<String>,
}

impl Engine {
    /// Checks a request for the endpoint `id`. Every fault is given. `kept` are the texts of the secrets that the
    /// endpoint keeps.
    pub(super) async fn checked_webhook(
        &self,
        id: WebhookId,
        tenant: &TenantName,
        request: &WebhookRequest,
        kept: &[&str],
    ) -> Result<CheckedWebhook, EngineError> {
        let mut faults = request.faults();
        let config = WebhookConfig::of(request);
        let mut warnings = Vec::new();
        let scheme = match config.scheme_config() {
            Ok(scheme) => Some(scheme),
            Err(found) => {
                faults.extend(found, "/scheme");
                None
            }
        };
        if let Some(scheme) = &scheme {
            secrets(scheme, request, kept, &mut faults, &mut warnings);
            if scheme.needs_public_url() && registered_url(self, &config, id).is_none() {
                faults.add(
                    "/publicUrl",
                    "the sender signs the address that it calls: give it as it is registered there",
                );
            }
        }
        verify_token(request, &mut faults);
        self.triggers(tenant, &config.triggers, &mut faults).await?;
        faults.check()?;
        let scheme = scheme.ok_or_else(|| EngineError::invalid("/scheme", "it cannot be used"))?;
        Ok(CheckedWebhook { config, scheme, warnings })
    }

    async fn triggers(
        &self,
        tenant: &TenantName,
        triggers: &[TriggerConfig],
        faults: &mut Faults,
    ) -> Result<(), EngineError> {
        let mut ids = HashSet::new();
        for (index, config) in triggers.iter().enumerate() {
            let pointer = format!("/triggers/{index}");
            if !config.id.as_ref().is_none_or(|id| ids.insert(id)) {
                faults.add(&format!("{pointer}/id"), "another trigger has this id");
            }
            self.trigger_faults(tenant, config, &pointer, faults).await?;
        }
        Ok(())
    }

    /// What is wrong with a trigger, below a pointer.
    pub(crate) async fn trigger_faults(
        &self,
        tenant: &TenantName,
        config: &TriggerConfig,
        pointer: &str,
        faults: &mut Faults,
    ) -> Result<(), EngineError> {
        if let Err(found) = Trigger::compile(config) {
            faults.extend(found, pointer);
        }
        if serde_json::to_vec(config).map_or(usize::MAX, |text| text.len()) > TRIGGER_BYTES_MAX {
            let message = format!("expected a trigger of at most {TRIGGER_BYTES_MAX} bytes of JSON");
            faults.add(&format!("{pointer}/input"), message);
        }
        match self.known_workflow(Some(tenant), &config.workflow, None).await {
            Ok(_) => {}
            Err(EngineError::NotFound { .. }) => {
                let message = format!("there is no workflow {}: register it first", config.workflow);
                faults.add(&format!("{pointer}/workflow"), message);
                return Ok(());
            }
            Err(error) => return Err(error),
        }
        let Some(version) = config.version else { return Ok(()) };
        match self.known_workflow(Some(tenant), &config.workflow, Some(version)).await {
            Ok(_) => {}
            Err(EngineError::NotFound { .. }) => {
                let message = format!("the workflow {} has no version {version}", config.workflow);
                faults.add(&format!("{pointer}/version"), message);
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

fn secrets(
    scheme: &SchemeConfig,
    request: &WebhookRequest,
    kept: &[&str],
    faults: &mut Faults,
    warnings: &mut Vec<String>,
) {
    let given = request.secrets.as_deref().unwrap_or_default();
    let mut seen = HashSet::new();
    for (index, secret) in given.iter().enumerate() {
        let pointer = format!("/secrets/{index}");
        match check_secret(scheme, secret.reveal()) {
            Ok(warning) => warnings.extend(warning.map(SecretWarning::as_str).map(str::to_owned)),
            Err(fault) => faults.add(&pointer, fault.to_string()),
        }
        if !seen.insert(secret.reveal()) {
            faults.add(&pointer, "the secret is there twice");
        }
    }
    let is_unfit = |text: &&str| check_secret(scheme, text).is_err();
    if request.secrets.is_none() && scheme.needs_secret() && kept.iter().any(is_unfit) {
        faults.add("/secrets", "the endpoint's secrets are not of this provider's form: give the new ones");
    }
}

fn verify_token(request: &WebhookRequest, faults: &mut Faults) {
    let Some(token) = &request.verify_token else { return };
    if request.provider != Provider::Meta {
        faults.add("/verifyToken", "only the provider `meta` shows a verify token");
    } else if let Some(message) = token_fault(token.reveal()) {
        faults.add("/verifyToken", message);
    }
}

/// What is wrong with a verify token.
pub(super) fn token_fault(token: &str) -> Option<&'static str> {
    let is_good =
        (1..=SECRET_BYTES_MAX).contains(&token.len()) && token.bytes().all(|byte| byte.is_ascii_graphic());
    (!is_good).then_some("expected 1 to 1024 visible ASCII characters without spaces")
}

// What a caller asks for when it saves an endpoint.

/// The longest name, in characters.
const NAME_CHARS_MAX: usize = 200;
/// The longest public URL, in bytes.
const URL_BYTES_MAX: usize = 2_000;
/// The largest trigger, in bytes of JSON: all of a tenant are in memory together, for each event is matched against them.
const TRIGGER_BYTES_MAX: usize = 64 * 1024;
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
