//! An endpoint in memory, ready for deliveries: with its secrets opened. Prints none of them.

use std::fmt;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use domain::id::{SecretId, WebhookId};
use domain::time::{DurationMs, Timestamp};
use domain::webhook::{SchemeConfig, Secret, Trigger};
use parking_lot::Mutex;
use store::StoreError;
use store::webhooks::{SealedSecret, SecretPurpose, WebhookRecord};
use zeroize::Zeroizing;

use super::config::{WebhookConfig, path_of, stored_config};
use super::sealing::{OpenFault, SealingKeys};
use crate::policy::Policy;

/// How long an endpoint that is over its rate is believed to be, at most: whoever counts may have forgotten meanwhile.
const REST_MAX: Duration = Duration::from_mins(1);

/// How long an endpoint that holds as much as it may is believed to.
const FULL_FOR: Duration = Duration::from_secs(1);

/// An endpoint that is ready for deliveries.
pub(super) struct Endpoint {
    pub(super) record: WebhookRecord,
    pub(super) config: WebhookConfig,
    pub(super) scheme: SchemeConfig,
    pub(super) public_url: Option<String>,
    pub(super) body_bytes_max: usize,
    pub(super) secrets: Vec<OpenSecret>,
    /// Why one of its secrets cannot be opened. Then no request can be verified, and none is refused for good.
    pub(super) closed: Option<OpenFault>,
    triggers: OnceLock<Vec<Trigger>>,
    rest: Mutex<Option<Throttle>>,
    /// Until when it is believed to hold as much as it may.
    full_until: Mutex<Option<Instant>>,
}

/// An endpoint is over its rate.
#[derive(Clone, Copy)]
struct Throttle {
    until: Instant,
    /// When its rate allows the next delivery.
    next_at: Instant,
}

/// A secret in the clear. Its memory is wiped when it is dropped.
pub(super) struct OpenSecret {
    pub(super) id: SecretId,
    id_text: String,
    pub(super) purpose: SecretPurpose,
    pub(super) text: Zeroizing<String>,
    expires_at: Option<Timestamp>,
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").field("id", &self.record.id).finish_non_exhaustive()
    }
}

impl Endpoint {
    /// Reads a row and opens its secrets.
    pub(super) fn open(
        policy: &Policy,
        now: Timestamp,
        keys: &SealingKeys,
        record: WebhookRecord,
        sealed: &[SealedSecret],
    ) -> Result<Self, StoreError> {
        let config = stored_config(&record)?;
        let scheme = config.scheme_config().map_err(|_faults| StoreError::Corrupt {
            table: "webhook",
            column: "config",
            row: record.id.to_string(),
        })?;
        let (mut secrets, mut closed) = (Vec::with_capacity(sealed.len()), None);
        // One that has ended is not needed: who lost its key gives the endpoint another secret and goes on.
        for secret in sealed.iter().filter(|secret| is_in_force(secret.expires_at, now)) {
            match keys.open(secret.id, &secret.key_id, &secret.sealed) {
                Ok(text) => secrets.push(OpenSecret::new(secret, text)),
                Err(fault) => closed = Some(fault),
            }
        }
        let max_body = config.max_body.unwrap_or(policy.webhooks.max_body_default);
        Ok(Self {
            public_url: registered_url(&policy.public_url, &config, record.id),
            body_bytes_max: usize::try_from(max_body).unwrap_or(usize::MAX),
            scheme,
            secrets,
            closed,
            triggers: OnceLock::new(),
            rest: Mutex::new(None),
            full_until: Mutex::new(None),
            config,
            record,
        })
    }

    /// The secrets by which a signature counts at `now`.
    pub(super) fn active(&self, now: Timestamp) -> Vec<Secret<'_>> {
        self.of(SecretPurpose::Signature, now)
            .map(|secret| Secret { id: &secret.id_text, text: &secret.text })
            .collect()
    }

    /// The token that Meta has to show.
    pub(super) fn verify_token(&self, now: Timestamp) -> Option<&str> {
        self.of(SecretPurpose::VerifyToken, now).last().map(|secret| secret.text.as_str())
    }

    /// The secret that is in force longest: the current one.
    pub(super) fn current(&self, now: Timestamp) -> Option<&OpenSecret> {
        self.of(SecretPurpose::Signature, now)
            .max_by_key(|secret| (secret.expires_at.is_none(), secret.expires_at, secret.id))
    }

    /// The id of the secret that is called so.
    pub(super) fn secret_id(&self, text: &str) -> Option<SecretId> {
        self.secrets.iter().find(|secret| secret.id_text == text).map(|secret| secret.id)
    }

    /// Its triggers, compiled when they are needed first. One that does not compile any more is left out: it was
    /// checked when it was saved.
    pub(super) fn triggers(&self) -> &[Trigger] {
        self.triggers.get_or_init(|| {
            let compiled = self.config.triggers.iter().filter_map(|config| match Trigger::compile(config) {
                Ok(trigger) => Some(trigger),
                Err(faults) => {
                    tracing::error!(webhook.id = %self.record.id, ?faults, "a trigger cannot be read");
                    None
                }
            });
            compiled.collect()
        })
    }

    /// Records that its rate allows the next delivery after `wait` only.
    pub(super) fn throttle(&self, wait: DurationMs) {
        let (now, wait) = (Instant::now(), wait.to_std());
        let next_at = now.checked_add(wait).unwrap_or(now + REST_MAX);
        *self.rest.lock() = Some(Throttle { until: now + wait.min(REST_MAX), next_at });
    }

    /// How long to wait for its rate, if that is known without asking.
    pub(super) fn rests(&self) -> Option<DurationMs> {
        let now = Instant::now();
        let rest = (*self.rest.lock()).filter(|rest| now < rest.until)?;
        let wait_ms = rest.next_at.saturating_duration_since(now).as_millis();
        Some(DurationMs(i64::try_from(wait_ms).unwrap_or(i64::MAX).max(1)))
    }

    /// Records that it holds as much as it may.
    pub(super) fn fill(&self) {
        *self.full_until.lock() = Some(Instant::now() + FULL_FOR);
    }

    /// Whether it holds as much as it may, as far as that is known without asking.
    pub(super) fn is_full(&self) -> bool {
        self.full_until.lock().is_some_and(|until| Instant::now() < until)
    }

    fn of(&self, purpose: SecretPurpose, now: Timestamp) -> impl Iterator<Item = &OpenSecret> {
        self.secrets.iter().filter(move |secret| secret.purpose == purpose && secret.is_active(now))
    }
}

impl OpenSecret {
    fn new(sealed: &SealedSecret, text: Zeroizing<String>) -> Self {
        Self {
            id: sealed.id,
            id_text: sealed.id.to_string(),
            purpose: sealed.purpose,
            text,
            expires_at: sealed.expires_at,
        }
    }

    fn is_active(&self, now: Timestamp) -> bool {
        is_in_force(self.expires_at, now)
    }
}

/// Whether a secret with this end still holds.
pub(super) fn is_in_force(expires_at: Option<Timestamp>, now: Timestamp) -> bool {
    expires_at.is_none_or(|expires_at| expires_at > now)
}

/// Under which address the sender knows an endpoint: what its settings say, else below the server's public address.
pub(super) fn registered_url(base: &str, config: &WebhookConfig, id: WebhookId) -> Option<String> {
    let below_base = || (!base.is_empty()).then(|| format!("{base}{}", path_of(id)));
    config.public_url.clone().or_else(below_base)
}
