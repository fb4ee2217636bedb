//! Endpoints, for those who manage them: create, replace, remove, pause, resume, look.

use std::collections::HashMap;

use domain::access::Permission;
use domain::id::{SecretId, WebhookId};
use domain::names::TenantName;
use domain::problem::ProblemCode;
use domain::quota::QuotaKind;
use domain::time::Timestamp;
use domain::webhook::{Provider, SchemeConfig, make_secret};
use serde_json::{Value, json};
use store::webhooks::{SealedSecret, SecretPurpose, WebhookChange, WebhookRecord};
use store::{Page, PageRequest};

use super::config::{WebhookConfig, WebhookRequest};
use super::view::{MadeSecret, SavedWebhook, WebhookView};
use crate::access::SecretText;
use crate::audit::{self, AuditedAction, SECRET};
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
        let more = [(QuotaKind::Webhooks, 1), (QuotaKind::DefinitionBytes, record.config.len() as u64)];
        self.refuse_over_quota(&record.tenant, &more).await?;
        let detail = serde_json::json!({ "name": record.name, "provider": checked.config.provider });
        let audited = AuditedAction::new("webhook.create", &id)
            .of(Some(record.tenant.clone()))
            .with(detail)
            .differing(&json!(null), &document(&record));
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
            let text =
                keys.open(secret.id, &secret.key_id, &secret.sealed).map_err(super::secrets::unusable)?;
            let text = SecretText::new(text.as_str());
            Ok(MadeSecret { id: secret.id, purpose: secret.purpose, text })
        });
        let made = opened.collect::<Result<Vec<_>, EngineError>>()?;
        let mut view = self.webhook_view(record, &sealed).await?;
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

/// An endpoint as the audit log compares it.
fn document(webhook: &WebhookRecord) -> Value {
    audit::document(&webhook.config, &webhook.name, webhook.is_paused)
}

/// The tenant has another endpoint of the name.
pub(super) fn name_taken(name: &str) -> EngineError {
    EngineError::Conflict {
        code: ProblemCode::WebhookNameTaken,
        message: format!("The tenant has another webhook with the name {name}."),
    }
}

// Put another definition into the place of an endpoint.

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
        let more = config.len().saturating_sub(present.config.len()) as u64;
        self.refuse_over_quota(&present.tenant, &[(QuotaKind::DefinitionBytes, more)]).await?;
        let change = |present: WebhookRecord| WebhookRecord {
            name: request.name.clone(),
            config: config.clone(),
            is_paused: request.is_paused.unwrap_or(present.is_paused),
            ..present
        };
        let audited = AuditedAction::new("webhook.edit", &id).of(Some(present.tenant.clone()));
        let (before, mut after) = (document(&present), document(&change(present)));
        if request.secrets.is_some() || request.verify_token.is_some() {
            after["secrets"] = SECRET.into();
        }
        let audited = audited.differing(&before, &after);
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
        code: ProblemCode::WebhookVersionConflict,
        message: "The webhook has changed since it was read; read it again.".to_owned(),
    }
}

// Remove an endpoint with its secrets. Its deliveries stay until retention takes them.

impl Engine {
    /// Removes an endpoint. Deliveries that wait to be matched are parked.
    pub async fn delete_webhook(&self, caller: &Caller, id: WebhookId) -> Result<(), EngineError> {
        caller.require(Permission::Operate)?;
        let (record, _) = self.known_webhook(caller, id).await?;
        let detail = serde_json::json!({ "name": record.name });
        let before = document(&record);
        let audited = AuditedAction::new("webhook.delete", &id)
            .of(Some(record.tenant))
            .with(detail)
            .differing(&before, &json!(null));
        let mut recording = self.recording(caller, audited);
        if !recording.of(self.store().delete_webhook(&caller.scope, id)).await? {
            return Err(EngineError::not_found("webhook", &id));
        }
        self.webhooks_changed();
        self.recorded(recording).await;
        Ok(())
    }
}

// Pause and resume an endpoint. While it is paused, handshakes are answered and deliveries held.

impl Engine {
    /// Pauses or resumes an endpoint. One that is so already is left alone.
    pub async fn pause_webhook(
        &self,
        caller: &Caller,
        id: WebhookId,
        is_paused: bool,
    ) -> Result<WebhookView, EngineError> {
        caller.require(Permission::Operate)?;
        let (present, secrets) = self.known_webhook(caller, id).await?;
        if present.is_paused == is_paused {
            return self.webhook_view(present, &secrets).await;
        }
        let change = |present: WebhookRecord| WebhookRecord { is_paused, ..present };
        let action = if is_paused { "webhook.pause" } else { "webhook.resume" };
        let audited = AuditedAction::new(action, &id)
            .of(Some(present.tenant))
            .changing(json!({ "paused": !is_paused }), json!({ "paused": is_paused }));
        let mut recording = self.recording(caller, audited);
        let record = recording.of(self.change_webhook(caller, id, None, change)).await?;
        self.webhooks_changed();
        self.recorded(recording).await;
        self.webhook_view(record, &secrets).await
    }
}

// Look at endpoints.

impl Engine {
    /// An endpoint.
    pub async fn webhook(&self, caller: &Caller, id: WebhookId) -> Result<WebhookView, EngineError> {
        caller.require(Permission::Read)?;
        let (record, secrets) = self.known_webhook(caller, id).await?;
        self.webhook_view(record, &secrets).await
    }

    /// Endpoints, newest first, without their secrets, but with what follows from these.
    pub async fn list_webhooks(
        &self,
        caller: &Caller,
        tenant: Option<&TenantName>,
        page: PageRequest,
    ) -> Result<Page<WebhookView>, EngineError> {
        caller.require(Permission::Read)?;
        let page = self.store().list_webhooks(&caller.scope, tenant, page).await?;
        let ids: Vec<WebhookId> = page.items.iter().map(|record| record.id).collect();
        let mut secrets: HashMap<WebhookId, Vec<SealedSecret>> = HashMap::new();
        for (id, secret) in self.store().secrets_of_webhooks(&ids).await? {
            secrets.entry(id).or_default().push(secret);
        }
        let mut items = Vec::with_capacity(page.items.len());
        for record in page.items {
            let own = secrets.remove(&record.id).unwrap_or_default();
            items.push(WebhookView { secrets: None, ..self.webhook_view(record, &own).await? });
        }
        Ok(Page { items, next: page.next })
    }

    /// An endpoint that the caller may know of, whatever its role.
    pub(super) async fn known_webhook(
        &self,
        caller: &Caller,
        id: WebhookId,
    ) -> Result<(WebhookRecord, Vec<SealedSecret>), EngineError> {
        let found = self.store().webhook_with_secrets(&caller.scope, id).await?;
        found.ok_or_else(|| EngineError::not_found("webhook", &id))
    }
}
