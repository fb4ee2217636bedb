//! The first key of a deployment.

use domain::access::Role;
use domain::id::KeyId;
use store::access::{KeyRecord, KeySource};

use crate::access::authenticate::digest;
use crate::access::keys::{KeyRequest, new_key};
use crate::access::secret_text::SecretText;
use crate::audit::AuditedAction;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

/// The shortest secret that is accepted from the settings.
const SECRET_CHARS_MIN: usize = 32;
const NAME: &str = "bootstrap";

impl Engine {
    /// Stores the given secret as an admin key if it is not there, and retires the one that was given before; without
    /// one, makes a key if there are none. Answers the secret when it was made now, for showing it once.
    pub async fn bootstrap_key(&self, given: Option<&str>) -> Result<Option<String>, EngineError> {
        if let Some(secret) = given {
            self.take_given(secret).await?;
            return Ok(None);
        }
        if self.has_keys().await? {
            return Ok(None);
        }
        let secret = self.fresh_secret();
        let key = self.bootstrap_record(&secret, KeySource::FirstStart);
        let line = self.audit_line(&Caller::system(), audited("key.bootstrap", &key));
        self.store().create_key(&key, &[line]).await?;
        Ok(Some(secret.reveal().to_owned()))
    }

    async fn take_given(&self, secret: &str) -> Result<(), EngineError> {
        if secret.chars().count() < SECRET_CHARS_MIN {
            return Err(EngineError::invalid(
                "",
                format!("expected a key of at least {SECRET_CHARS_MIN} characters"),
            ));
        }
        if let Some(known) = self.store().key_by_digest(&digest(secret)).await? {
            if !known.opens(&digest(secret), self.now()) {
                // A node that still has the settings of before must not bring a retired key back.
                tracing::warn!(
                    key.id = %known.id,
                    "the bootstrap key of the settings was revoked or retired and opens nothing; set another one"
                );
            }
            return Ok(());
        }
        let key = self.bootstrap_record(&SecretText::new(secret), KeySource::Settings);
        let line = self.audit_line(&Caller::system(), audited("key.bootstrap", &key));
        let retired = self.store().replace_given_key(&key, &[line]).await?;
        if retired > 0 {
            tracing::info!(retired, "the settings give another bootstrap key; the previous one was retired");
            self.forget_keys();
        }
        Ok(())
    }

    fn bootstrap_record(&self, secret: &SecretText, source: KeySource) -> KeyRecord {
        let now = self.now();
        let id = KeyId::from_uuid(self.entropy().uuid(now));
        new_key(id, KeyRequest::new(NAME, Role::Admin, None), secret, source, now)
    }
}

fn audited(action: &'static str, key: &KeyRecord) -> AuditedAction {
    let from = if key.source == KeySource::Settings { "settings" } else { "first start" };
    AuditedAction::new(action, &key.id).with(serde_json::json!({ "from": from }))
}
