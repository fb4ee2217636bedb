//! The port's operations on keys of payloads, each retried where that is safe.

use std::sync::Arc;

use async_trait::async_trait;
use domain::id::ServerId;
use domain::names::TenantName;
use domain::time::Timestamp;
use store::StoreResult;
use store::audit::AuditRecord;
use store::payload_keys::{AddedKey, KeyUse, OpenPayloadKey, PayloadKey, PayloadKeyStore};

use super::table;
use crate::SqlStore;
use crate::retry::{RetryBudget, with_retry};

#[async_trait]
impl PayloadKeyStore for SqlStore {
    fn unlock_payloads(&self, opener: Arc<dyn OpenPayloadKey>) {
        self.sealer().unlock(opener);
    }

    fn forget_payload_keys(&self) {
        self.sealer().forget();
    }

    async fn payload_keys(&self, tenant: Option<&TenantName>) -> StoreResult<Vec<PayloadKey>> {
        with_retry(RetryBudget::repeatable(), || table::of(self.pool(), tenant)).await
    }

    async fn add_payload_key(
        &self,
        key: &PayloadKey,
        to: KeyUse,
        audit: &[AuditRecord],
    ) -> StoreResult<AddedKey> {
        let added = with_retry(RetryBudget::repeatable(), || table::add(self.pool(), key, to, audit)).await?;
        self.sealer().forget();
        Ok(added)
    }

    async fn stop_sealing(&self, tenant: &TenantName, audit: &[AuditRecord]) -> StoreResult<bool> {
        let did = with_retry(RetryBudget::once(), || table::stop(self.pool(), tenant, audit)).await?;
        self.sealer().forget();
        Ok(did)
    }

    async fn payload_keys_sealed_otherwise(&self, key_id: &str, limit: u32) -> StoreResult<Vec<PayloadKey>> {
        with_retry(RetryBudget::repeatable(), || table::sealed_otherwise(self.pool(), key_id, limit)).await
    }

    async fn reseal_payload_key(&self, key: &PayloadKey) -> StoreResult<()> {
        with_retry(RetryBudget::repeatable(), || table::reseal(self.pool(), key)).await?;
        self.sealer().forget();
        Ok(())
    }

    async fn servers_without_encryption(&self, since: Timestamp, beside: ServerId) -> StoreResult<u64> {
        with_retry(RetryBudget::repeatable(), || table::unaware(self.pool(), since, beside)).await
    }
}
