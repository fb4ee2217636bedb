//! Create an endpoint.

use domain::access::Permission;
use domain::id::{SecretId, WebhookId};
use domain::time::Timestamp;
use domain::webhook::{Provider, SchemeConfig, make_secret};
use store::webhooks::{SealedSecret, SecretPurpose, WebhookChange, WebhookRecord};

use super::config::WebhookConfig;
use super::request::WebhookRequest;
use super::view::{MadeSecret, SavedWebhook};
use crate::access::SecretText;
use crate::audit::AuditedAction;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

impl Engine {
    /// Creates an endpoint. Where no secret is given and the provider lets the receiver choose, one is made; it is in
    /// this answer and nowhere else.
    pub async fn create_webhook(
        &self,
        caller: &Caller,
        request: WebhookRequest,
    ) -> Result<SavedWebhook, EngineError> {
        caller.require(Permission::Operate)?;
        let tenant = caller.tenant_or_default(request.tenant.clone())?;
        let now = self.now();
        let id: WebhookId = self.make_id(caller, &["webhook"], now);
        let checked = self.checked_webhook(id, &tenant, &request, &[]).await?;
        let texts = self.first_secrets(&request, &checked.scheme);
        let mut sealed = Vec::with_capacity(texts.len());
        for (index, (purpose, text, _)) in texts.iter().enumerate() {
            let secret_id: SecretId = self.make_id(caller, &["webhook-secret", &index.to_string()], now);
            sealed.push(self.sealed(secret_id, *purpose, text.reveal(), now).await?);
        }
        let record = WebhookRecord {
            id,
            tenant,
            name: request.name,
            config: config_text(&checked.config)?,
            is_paused: request.is_paused.unwrap_or(false),
            version: 1,
            created_at: now,
            updated_at: now,
        };
        let detail = serde_json::json!({ "name": record.name, "provider": checked.config.provider });
        let audited = AuditedAction::new("webhook.create", &id).of(Some(record.tenant.clone())).with(detail);
        let mut recording = self.recording(caller, audited);
        match recording.of(self.store().create_webhook(&record, &sealed)).await? {
            WebhookChange::NameTaken => return Err(name_taken(&record.name)),
            WebhookChange::Done(_) | WebhookChange::NotFound | WebhookChange::VersionConflict => {}
        }
        self.webhooks_changed();
        self.recorded(recording).await;
        let made =
            texts.iter().zip(&sealed).filter(|((_, _, is_made), _)| *is_made).map(|(_, sealed)| sealed.id);
        self.saved(caller, id, &made.collect::<Vec<_>>(), checked.warnings).await
    }

    /// The secrets of a new endpoint, and whether each was made here.
    fn first_secrets(
        &self,
        request: &WebhookRequest,
        scheme: &SchemeConfig,
    ) -> Vec<(SecretPurpose, SecretText, bool)> {
        let given = request.secrets.iter().flatten();
        let mut texts: Vec<_> = given.map(|text| (SecretPurpose::Signature, text.clone(), false)).collect();
        if texts.is_empty() && scheme.needs_secret() {
            let made = make_secret(request.provider, &self.entropy().secret());
            texts.extend(made.map(|text| (SecretPurpose::Signature, SecretText::new(text), true)));
        }
        if let Some(token) = &request.verify_token {
            texts.push((SecretPurpose::VerifyToken, token.clone(), false));
        } else if request.provider == Provider::Meta {
            texts.push((SecretPurpose::VerifyToken, self.fresh_verify_token(), true));
        }
        texts
    }

    pub(super) fn fresh_verify_token(&self) -> SecretText {
        SecretText::new(hex::encode(self.entropy().secret()))
    }

    /// The answer to whoever saved an endpoint. What was made is read back, so that a repeated request is answered with
    /// what the first one stored.
    pub(super) async fn saved(
        &self,
        caller: &Caller,
        id: WebhookId,
        made: &[SecretId],
        warnings: Vec<String>,
    ) -> Result<SavedWebhook, EngineError> {
        let (record, sealed) = self.known_webhook(caller, id).await?;
        let keys = self.sealing_keys().await?;
        let is_made = |secret: &&SealedSecret| made.contains(&secret.id);
        let opened = sealed.iter().filter(is_made).map(|secret| {
            let text = keys.open(secret.id, &secret.key_id, &secret.sealed).map_err(super::keys::unusable)?;
            let text = SecretText::new(text.as_str());
            Ok(MadeSecret { id: secret.id, purpose: secret.purpose, text })
        });
        let made = opened.collect::<Result<Vec<_>, EngineError>>()?;
        let mut view = self.webhook_view(record, Some(&sealed)).await?;
        view.warnings.extend(warnings);
        Ok(SavedWebhook { view, made })
    }

    /// Secrets that were given with a request, sealed.
    pub(super) async fn sealed_all(
        &self,
        caller: &Caller,
        texts: &[(SecretPurpose, SecretText)],
        version: i64,
        now: Timestamp,
    ) -> Result<Vec<SealedSecret>, EngineError> {
        let mut sealed = Vec::with_capacity(texts.len());
        for (index, (purpose, text)) in texts.iter().enumerate() {
            let parts = ["webhook-secret", &version.to_string(), &index.to_string()];
            let id: SecretId = self.make_id(caller, &parts, now);
            sealed.push(self.sealed(id, *purpose, text.reveal(), now).await?);
        }
        Ok(sealed)
    }
}

/// The stored form of a configuration.
pub(super) fn config_text(config: &WebhookConfig) -> Result<String, EngineError> {
    serde_json::to_string(config)
        .map_err(|source| EngineError::Encoding { what: "a webhook", source: Box::new(source) })
}

/// The tenant has another endpoint of the name.
pub(super) fn name_taken(name: &str) -> EngineError {
    EngineError::Conflict {
        code: "webhook_name_taken",
        message: format!("The tenant has another webhook with the name {name}."),
    }
}
