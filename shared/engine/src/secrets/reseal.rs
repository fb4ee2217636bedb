//! Reseal: secrets of tenants that rest under another key than the current one are sealed again.

use store::secrets::{SecretPlace, TenantSecret};

use crate::engine::Engine;
use crate::error::EngineError;
use crate::webhooks::SealingKeys;

impl Engine {
    /// One bounded step. Answers whether there may be more. Secrets whose key is not there stay as they are.
    pub(crate) async fn reseal_tenants(&self) -> Result<bool, EngineError> {
        let keys = self.sealing_keys().await?;
        let limit = self.policy().upkeep_batch;
        let stale = self.store().tenant_secrets_sealed_otherwise(keys.current(), limit).await?;
        let mut resealed = 0_u32;
        for secret in &stale {
            if let Some(secret) = self.resealed_of_tenant(keys, secret) {
                self.store().reseal_tenant_secret(&secret).await?;
                resealed += 1;
            }
        }
        if resealed > 0 {
            tracing::info!(secrets = resealed, key = keys.current(), "secrets of tenants were sealed again");
        }
        Ok(resealed > 0 && stale.len() >= limit as usize)
    }

    fn resealed_of_tenant(&self, keys: &SealingKeys, secret: &TenantSecret) -> Option<TenantSecret> {
        let SecretPlace::Store { key_id, sealed } = &secret.place else {
            return None;
        };
        let text = keys.open(secret.id, key_id, sealed);
        match text.and_then(|text| keys.seal(secret.id, &text, &self.entropy().secret())) {
            Ok(sealed) => {
                let place = SecretPlace::Store { key_id: keys.current().to_owned(), sealed };
                Some(TenantSecret { place, ..secret.clone() })
            }
            Err(error) => {
                tracing::warn!(
                    secret.name = %secret.name,
                    error = &error as &dyn std::error::Error,
                    "a secret of a tenant cannot be sealed again"
                );
                None
            }
        }
    }
}
