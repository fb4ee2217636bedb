//! An endpoint as it is shown: never with a secret, but for those that were just made.

use domain::id::{SecretId, WebhookId};
use domain::names::TenantName;
use domain::time::Timestamp;
use domain::webhook::Provider;
use store::webhooks::{SealedSecret, SecretPurpose, WebhookRecord};

use super::config::{WebhookConfig, path_of, stored_config};
use super::endpoint::{is_in_force, registered_url};
use crate::access::SecretText;
use crate::engine::Engine;
use crate::error::EngineError;

/// An endpoint as it is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct WebhookView {
    /// Its id.
    pub id: WebhookId,
    /// Whose it is.
    pub tenant: TenantName,
    /// Its name.
    pub name: String,
    /// How it is set up.
    pub config: WebhookConfig,
    /// Whether it takes deliveries.
    pub is_paused: bool,
    /// Grows with each change.
    pub version: i64,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// Its secrets, without their texts; `None` in lists.
    pub secrets: Option<Vec<SecretView>>,
    /// Whether deliveries are verified at all: not by the provider `none`.
    pub is_verified: bool,
    /// Whether it has no valid secret to verify deliveries with: all deliveries are rejected.
    pub lacks_secret: bool,
    /// Where it is, below the server's address.
    pub path: String,
    /// Where it is for the sender, as far as that is known.
    pub url: Option<String>,
    /// The largest body that it takes, in bytes.
    pub max_body: u64,
    /// What is legal but may not be meant, in sentences.
    pub warnings: Vec<String>,
}

/// A secret as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretView {
    /// Its id.
    pub id: SecretId,
    /// What it is for.
    pub purpose: SecretPurpose,
    /// When it was set.
    pub created_at: Timestamp,
    /// Until when it holds; `None` for the current one.
    pub expires_at: Option<Timestamp>,
    /// Whether this process has the key that it is sealed with.
    pub is_openable: bool,
}

/// An endpoint that was saved.
#[derive(Debug, Clone, PartialEq)]
pub struct SavedWebhook {
    /// How it is now.
    pub view: WebhookView,
    /// The secrets that were made for it, to be shown this once.
    pub made: Vec<MadeSecret>,
}

/// A secret that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MadeSecret {
    /// Its id.
    pub id: SecretId,
    /// What it is for.
    pub purpose: SecretPurpose,
    /// The secret itself.
    pub text: SecretText,
}

impl Engine {
    pub(super) async fn webhook_view(
        &self,
        record: WebhookRecord,
        secrets: &[SealedSecret],
    ) -> Result<WebhookView, EngineError> {
        let config = stored_config(&record)?;
        let keys = self.sealing_keys().await?;
        let shown = |secret: &SealedSecret| SecretView {
            id: secret.id,
            purpose: secret.purpose,
            created_at: secret.created_at,
            expires_at: secret.expires_at,
            is_openable: keys.has(&secret.key_id),
        };
        let secrets: Vec<SecretView> = secrets.iter().map(shown).collect();
        let now = self.now();
        Ok(WebhookView {
            lacks_secret: lacks_secret(&config, &secrets, now),
            warnings: warnings(&config, &secrets, now),
            id: record.id,
            path: path_of(record.id),
            url: registered_url(&self.policy().public_url, &config, record.id),
            is_verified: config.provider != Provider::None,
            max_body: config.max_body.unwrap_or(self.policy().webhooks.max_body_default),
            tenant: record.tenant,
            name: record.name,
            is_paused: record.is_paused,
            version: record.version,
            created_at: record.created_at,
            updated_at: record.updated_at,
            secrets: Some(secrets),
            config,
        })
    }
}

fn lacks_secret(config: &WebhookConfig, secrets: &[SecretView], now: Timestamp) -> bool {
    let verifies = |secret: &SecretView| {
        secret.purpose == SecretPurpose::Signature && is_in_force(secret.expires_at, now)
    };
    config.provider != Provider::None && !secrets.iter().any(verifies)
}

fn warnings(config: &WebhookConfig, secrets: &[SecretView], now: Timestamp) -> Vec<String> {
    let mut warnings = Vec::new();
    if config.provider == Provider::None {
        warnings.push("nothing is verified: everyone who knows the URL can send deliveries".to_owned());
    }
    if config.triggers.is_empty() {
        warnings.push("it has no triggers: deliveries are stored but start nothing".to_owned());
    }
    if lacks_secret(config, secrets, now) {
        warnings.push(
            "it has no secret yet and rejects all deliveries: set the secret that the provider shows"
                .to_owned(),
        );
    }
    if secrets.iter().any(|secret| !secret.is_openable && is_in_force(secret.expires_at, now)) {
        warnings
            .push("a secret is encrypted with a key that is not configured: deliveries get 503".to_owned());
    }
    warnings
}
