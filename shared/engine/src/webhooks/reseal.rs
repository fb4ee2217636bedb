//! Reseal: secrets that rest under another key than the current one are sealed again, so that an old key can be dropped.

use store::webhooks::SealedSecret;

use super::sealing::SealingKeys;
use crate::engine::Engine;
use crate::error::EngineError;

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
        tracing::info!(
            secrets = resealed.len(),
            key = keys.current(),
            "secrets of webhooks were sealed again"
        );
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
                    "a secret of a webhook cannot be sealed again"
                );
                None
            }
        }
    }
}
