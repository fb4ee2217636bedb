//! Put another definition into the place of an endpoint.

use domain::access::Permission;
use domain::id::WebhookId;
use store::webhooks::{SealedSecret, SecretPurpose, WebhookChange, WebhookRecord};

use super::create::{config_text, name_taken};
use super::request::WebhookRequest;
use super::view::SavedWebhook;
use crate::access::SecretText;
use crate::audit::AuditedAction;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

/// How often a change is tried while others change the same endpoint.
const TRIES_MAX: u32 = 5;

impl Engine {
    /// Replaces an endpoint. It keeps its id, its tenant, its deliveries, and its secrets unless others are given: those
    /// count at once, and the old ones no more. With `expected_version` it is replaced only if nobody changed it since.
    pub async fn update_webhook(
        &self,
        caller: &Caller,
        id: WebhookId,
        request: WebhookRequest,
        expected_version: Option<i64>,
    ) -> Result<SavedWebhook, EngineError> {
        caller.require(Permission::Operate)?;
        let (present, secrets) = self.known_webhook(caller, id).await?;
        if request.tenant.as_ref().is_some_and(|asked| *asked != present.tenant) {
            return Err(EngineError::invalid(
                "/tenant",
                "the tenant of a webhook cannot change; create another webhook",
            ));
        }
        let kept = self.opened(&secrets).await?;
        let kept: Vec<&str> = kept.iter().map(|text| text.as_str()).collect();
        let checked = self.checked_webhook(id, &present.tenant, &request, &kept).await?;
        let config = config_text(&checked.config)?;
        let change = |present: WebhookRecord| WebhookRecord {
            name: request.name.clone(),
            config: config.clone(),
            is_paused: request.is_paused.unwrap_or(present.is_paused),
            ..present
        };
        let audited = AuditedAction::new("webhook.edit", &id).of(Some(present.tenant));
        let mut recording = self.recording(caller, audited);
        let record = recording.of(self.change_webhook(caller, id, expected_version, change)).await?;
        self.replace_secrets(caller, &record, &request).await?;
        self.webhooks_changed();
        self.recorded(recording).await;
        self.saved(caller, id, &[], checked.warnings).await
    }

    /// Stores the next version of an endpoint, as `change` makes it out of the present one.
    pub(super) async fn change_webhook(
        &self,
        caller: &Caller,
        id: WebhookId,
        expected_version: Option<i64>,
        change: impl Fn(WebhookRecord) -> WebhookRecord,
    ) -> Result<WebhookRecord, EngineError> {
        for _ in 0..TRIES_MAX {
            let found = self.store().webhook(&caller.scope, id).await?;
            let present = found.ok_or_else(|| EngineError::not_found("webhook", &id))?;
            let version = present.version;
            if expected_version.is_some_and(|expected| expected != version) {
                return Err(changed());
            }
            let next = WebhookRecord { version: version + 1, updated_at: self.now(), ..change(present) };
            match self.store().update_webhook(&caller.scope, &next).await? {
                WebhookChange::Done(record) => return Ok(record),
                WebhookChange::NotFound => return Err(EngineError::not_found("webhook", &id)),
                WebhookChange::NameTaken => return Err(name_taken(&next.name)),
                WebhookChange::VersionConflict => {}
            }
        }
        Err(changed())
    }

    /// Takes the secrets that are given with a request in the place of the ones of the same purpose.
    async fn replace_secrets(
        &self,
        caller: &Caller,
        record: &WebhookRecord,
        request: &WebhookRequest,
    ) -> Result<(), EngineError> {
        let given = request.secrets.iter().flatten().map(|text| (SecretPurpose::Signature, text.clone()));
        let token = request.verify_token.iter().map(|text| (SecretPurpose::VerifyToken, text.clone()));
        let texts: Vec<(SecretPurpose, SecretText)> = given.chain(token).collect();
        if texts.is_empty() {
            return Ok(());
        }
        let now = self.now();
        let sealed = self.sealed_all(caller, &texts, record.version, now).await?;
        match self.store().rotate_secrets(&caller.scope, record.id, &sealed, now, now).await? {
            WebhookChange::NotFound => Err(EngineError::not_found("webhook", &record.id)),
            WebhookChange::Done(_) | WebhookChange::VersionConflict | WebhookChange::NameTaken => Ok(()),
        }
    }

    /// The texts of the signature secrets in force. Those that cannot be opened are left out: they may be replaced.
    async fn opened(&self, sealed: &[SealedSecret]) -> Result<Vec<zeroize::Zeroizing<String>>, EngineError> {
        let keys = self.sealing_keys().await?;
        let now = self.now();
        let in_force = sealed.iter().filter(|secret| {
            secret.purpose == SecretPurpose::Signature && secret.expires_at.is_none_or(|end| end > now)
        });
        Ok(in_force.filter_map(|secret| keys.open(secret.id, &secret.key_id, &secret.sealed).ok()).collect())
    }
}

fn changed() -> EngineError {
    EngineError::Conflict {
        code: "webhook_version_conflict",
        message: "The webhook has changed since it was read; read it again.".to_owned(),
    }
}
