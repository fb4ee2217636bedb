//! Everything that is checked of an endpoint before it is saved, so that mistakes show there and not as deliveries that
//! are refused or parked.

use std::collections::HashSet;

use domain::id::WebhookId;
use domain::names::TenantName;
use domain::webhook::{
    Provider, SECRET_BYTES_MAX, SchemeConfig, SecretWarning, Trigger, TriggerConfig, check_secret,
};

use super::config::{WebhookConfig, WebhookRequest};
use super::endpoint::registered_url;
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
            if scheme.needs_public_url() && registered_url(&self.policy().public_url, &config, id).is_none() {
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
        if serde_json::to_vec(config).map_or(usize::MAX, |text| text.len()) > TRIGGER_BYTES_MAX {
            let message = format!("expected a trigger of at most {TRIGGER_BYTES_MAX} bytes of JSON");
            faults.add(&format!("{pointer}/input"), message);
        } else {
            let config = config.clone();
            let compiled = self.workbench().call(Some(tenant), move || Trigger::compile(&config).err());
            faults.extend(compiled.await?.unwrap_or_default(), pointer);
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

/// The largest trigger, in bytes of JSON: all of a tenant are in memory together, for each event is matched against them.
const TRIGGER_BYTES_MAX: usize = 64 * 1024;
