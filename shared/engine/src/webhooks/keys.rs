//! The keys under which secrets rest: the configured ones, and the one that the database keeps.

use domain::id::SecretId;
use domain::time::Timestamp;
use store::webhooks::{SealedSecret, SecretPurpose};

use super::sealing::{OpenFault, SealingKeys};
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
