//! Secrets of endpoints: the keys under which they rest, sealing them anew, and giving an endpoint another one.

use domain::access::Permission;
use domain::id::{SecretId, WebhookId};
use domain::time::{DurationMs, Timestamp};
use domain::webhook::{Provider, SchemeConfig, check_secret, make_secret};
use store::webhooks::{SealedSecret, SecretPurpose, WebhookChange};

use super::check::token_fault;
use super::config::{SECRETS_MAX, stored_config};
use super::sealing::{OpenFault, SealingKeys};
use super::view::SavedWebhook;
use crate::access::SecretText;
use crate::audit::AuditedAction;
use crate::bounds::Faults;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

/// The name of the cluster's key for secrets.
const KEY_NAME: &str = "secrets";

impl Engine {
    /// Whether secrets are sealed with the key that the database keeps: then a copy of the database holds its own key.
    pub fn uses_database_key(&self) -> bool {
        self.secret_keys().is_none()
    }

    /// The keys of this process, for secrets of webhooks and of tenants.
    pub(crate) async fn sealing_keys(&self) -> Result<&SealingKeys, EngineError> {
        let keys = self.memory().webhooks.keys.get_or_try_init(|| async {
            let database = self.store().server_key(KEY_NAME, self.entropy().secret(), self.now()).await?;
            Ok::<_, EngineError>(match self.secret_keys() {
                Some(keys) => keys.clone().and_database(&database),
                None => SealingKeys::of_database(&database),
            })
        });
        keys.await
    }

    /// A secret as it rests.
    pub(super) async fn sealed(
        &self,
        id: SecretId,
        purpose: SecretPurpose,
        text: &str,
        now: Timestamp,
    ) -> Result<SealedSecret, EngineError> {
        let keys = self.sealing_keys().await?;
        let sealed = keys.seal(id, text, &self.entropy().secret()).map_err(unusable)?;
        let key_id = keys.current().to_owned();
        Ok(SealedSecret { id, purpose, key_id, sealed, created_at: now, expires_at: None })
    }
}

/// A secret that cannot be sealed or opened, as the fault of ours that it is. Holds no secret.
pub(crate) fn unusable(fault: OpenFault) -> EngineError {
    EngineError::Encoding { what: "a secret", source: Box::new(fault) }
}

// Reseal: secrets that rest under another key than the current one are sealed again, so that an old key can be dropped.

impl Engine {
    /// One bounded step. Answers whether there may be more. Secrets whose key is not there stay as they are.
    pub async fn reseal_tick(&self) -> Result<bool, EngineError> {
        let keys = self.sealing_keys().await?;
        let limit = self.policy().upkeep_batch;
        let stale = self.store().secrets_sealed_otherwise(keys.current(), limit).await?;
        let resealed: Vec<SealedSecret> =
            stale.iter().filter_map(|secret| self.resealed(keys, secret)).collect();
        let has_more = self.reseal_tenants().await? | self.reseal_payload_keys().await?;
        if resealed.is_empty() {
            return Ok(has_more);
        }
        self.store().reseal_secrets(&resealed).await?;
        tracing::info!(secrets = resealed.len(), key = keys.current(), "webhook secrets were re-encrypted");
        Ok(has_more || stale.len() >= limit as usize)
    }

    fn resealed(&self, keys: &SealingKeys, secret: &SealedSecret) -> Option<SealedSecret> {
        let text = keys.open(secret.id, &secret.key_id, &secret.sealed);
        let sealed = text.and_then(|text| keys.seal(secret.id, &text, &self.entropy().secret()));
        match sealed {
            Ok(sealed) => Some(SealedSecret { key_id: keys.current().to_owned(), sealed, ..secret.clone() }),
            Err(error) => {
                tracing::warn!(
                    secret.id = %secret.id,
                    error = &error as &dyn std::error::Error,
                    "a webhook secret cannot be re-encrypted"
                );
                None
            }
        }
    }
}

// Give an endpoint another secret; the old ones hold for a while.

/// For how long old secrets hold where nothing else is said.
const OVERLAP_DEFAULT: DurationMs = DurationMs::from_secs(24 * 3600);
/// For how long they may hold.
const OVERLAP_MAX: DurationMs = DurationMs::from_secs(30 * 24 * 3600);

/// Which secret, and for how long both hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RotateSecret {
    /// What the secret is for.
    pub purpose: SecretPurpose,
    /// The new one; one is made where it is absent and the provider takes any.
    pub secret: Option<SecretText>,
    /// For how long the present ones hold beside it; a day where absent.
    pub overlap: Option<DurationMs>,
}

impl Engine {
    /// Adds a secret. The present ones of the purpose hold until the overlap is over.
    pub async fn rotate_webhook_secret(
        &self,
        caller: &Caller,
        id: WebhookId,
        rotation: RotateSecret,
    ) -> Result<SavedWebhook, EngineError> {
        caller.require(Permission::Operate)?;
        let (record, secrets) = self.known_webhook(caller, id).await?;
        let scheme = stored_config(&record)?.scheme_config().map_err(EngineError::Invalid)?;
        let now = self.now();
        let overlap = rotation.overlap.unwrap_or(OVERLAP_DEFAULT);
        let mut faults = Faults::default();
        faults.within("/overlap", overlap, DurationMs::ZERO, OVERLAP_MAX);
        if in_force(&secrets, rotation.purpose, now) >= SECRETS_MAX {
            let message =
                format!("the webhook has {SECRETS_MAX} valid secrets: wait until some of them expire");
            faults.add("/secret", message);
        }
        faults.check()?;
        let (text, warning) = self.next_secret(&scheme, &rotation)?;
        let is_made = rotation.secret.is_none();
        let sealed = self.sealed_all(caller, &[(rotation.purpose, text)], record.version, now).await?;
        let old_expires_at = now.plus(overlap);
        let ids: Vec<_> = sealed.iter().map(|secret| secret.id).collect();
        let detail = serde_json::json!({ "secrets": ids, "overlap": overlap });
        let audited = AuditedAction::new("webhook.rotate_secret", &id).of(Some(record.tenant)).with(detail);
        let mut recording = self.recording(caller, audited);
        let rotated = self.store().rotate_secrets(&caller.scope, id, &sealed, old_expires_at, now);
        match recording.of(rotated).await? {
            WebhookChange::NotFound => return Err(EngineError::not_found("webhook", &id)),
            WebhookChange::Done(_) | WebhookChange::VersionConflict | WebhookChange::NameTaken => {}
        }
        self.webhooks_changed();
        self.recorded(recording).await;
        let made = if is_made { ids } else { Vec::new() };
        self.saved(caller, id, &made, warning.into_iter().collect()).await
    }

    /// The secret that is given, checked, or one that is made.
    fn next_secret(
        &self,
        scheme: &SchemeConfig,
        rotation: &RotateSecret,
    ) -> Result<(SecretText, Option<String>), EngineError> {
        if rotation.purpose == SecretPurpose::VerifyToken {
            if scheme.provider() != Provider::Meta {
                return Err(EngineError::invalid(
                    "/purpose",
                    "only the provider `meta` shows a verify token",
                ));
            }
            let token = rotation.secret.clone().unwrap_or_else(|| self.fresh_verify_token());
            return match token_fault(token.reveal()) {
                Some(message) => Err(EngineError::invalid("/secret", message)),
                None => Ok((token, None)),
            };
        }
        let made = || make_secret(scheme.provider(), &self.entropy().secret()).map(SecretText::new);
        let text = rotation.secret.clone().or_else(made).ok_or_else(|| {
            let message = if scheme.provider() == Provider::None {
                "the provider `none` signs nothing: the endpoint has no secret"
            } else {
                "the provider generates the secret: enter the one that it shows"
            };
            EngineError::invalid("/secret", message)
        })?;
        match check_secret(scheme, text.reveal()) {
            Ok(warning) => Ok((text, warning.map(|warning| warning.as_str().to_owned()))),
            // What is made is of letters and digits; a scheme that reads secrets as base64 takes it, too.
            Err(fault) => Err(EngineError::invalid("/secret", fault.to_string())),
        }
    }
}

fn in_force(secrets: &[SealedSecret], purpose: SecretPurpose, now: Timestamp) -> usize {
    let holds = |secret: &&SealedSecret| {
        secret.purpose == purpose && secret.expires_at.is_none_or(|expires_at| expires_at > now)
    };
    secrets.iter().filter(holds).count()
}
