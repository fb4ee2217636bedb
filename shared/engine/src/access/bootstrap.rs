//! The first key of a deployment.

use domain::access::Role;
use domain::id::KeyId;

use crate::access::authenticate::digest;
use crate::access::secret_text::SecretText;
use crate::engine::Engine;
use crate::error::EngineError;

/// The shortest secret that is accepted from the settings.
const SECRET_CHARS_MIN: usize = 16;
const NAME: &str = "bootstrap";

impl Engine {
    /// Stores the given secret as an admin key if it is not there; without one, makes a key if there are none.
    /// Answers the secret when it was made now, for showing it once.
    pub async fn bootstrap_key(&self, given: Option<&str>) -> Result<Option<String>, EngineError> {
        if let Some(secret) = given {
            if secret.chars().count() < SECRET_CHARS_MIN {
                return Err(EngineError::invalid(
                    "",
                    format!("expected a key of at least {SECRET_CHARS_MIN} characters"),
                ));
            }
            if self.store().key_by_digest(&digest(secret)).await?.is_none() {
                self.store_bootstrap(&SecretText::new(secret)).await?;
            }
            return Ok(None);
        }
        if self.has_keys().await? {
            return Ok(None);
        }
        let secret = self.fresh_secret();
        self.store_bootstrap(&secret).await?;
        Ok(Some(secret.reveal().to_owned()))
    }

    async fn store_bootstrap(&self, secret: &SecretText) -> Result<(), EngineError> {
        let id = KeyId::from_uuid(self.entropy().uuid(self.now()));
        self.store_key(id, NAME, Role::Admin, None, secret).await?;
        Ok(())
    }
}
