//! The port's operations on secrets of tenants, each retried where that is safe.

use async_trait::async_trait;
use domain::names::TenantName;
use domain::secret::SecretName;
use store::StoreResult;
use store::audit::AuditRecord;
use store::secrets::{SecretPut, SecretStore, TenantSecret};

use super::table;
use crate::SqlStore;
use crate::retry::{RetryBudget, with_retry};

#[async_trait]
impl SecretStore for SqlStore {
    async fn put_secret(
        &self,
        secret: &TenantSecret,
        secrets_max: u32,
        audit: &[AuditRecord],
    ) -> StoreResult<SecretPut> {
        with_retry(RetryBudget::repeatable(), || table::put(self.pool(), secret, secrets_max, audit)).await
    }

    async fn list_secrets(
        &self,
        tenant: &TenantName,
        after: Option<&str>,
        limit: u32,
    ) -> StoreResult<Vec<TenantSecret>> {
        with_retry(RetryBudget::repeatable(), || table::list(self.pool(), tenant, after, limit)).await
    }

    async fn secrets_of(&self, tenant: &TenantName, names: &[SecretName]) -> StoreResult<Vec<TenantSecret>> {
        with_retry(RetryBudget::repeatable(), || table::of_names(self.pool(), tenant, names)).await
    }

    async fn delete_secret(
        &self,
        tenant: &TenantName,
        name: &SecretName,
        audit: &[AuditRecord],
    ) -> StoreResult<bool> {
        with_retry(RetryBudget::once(), || table::delete(self.pool(), tenant, name, audit)).await
    }

    async fn tenant_secrets_sealed_otherwise(
        &self,
        key_id: &str,
        limit: u32,
    ) -> StoreResult<Vec<TenantSecret>> {
        with_retry(RetryBudget::repeatable(), || table::sealed_otherwise(self.pool(), key_id, limit)).await
    }

    async fn reseal_tenant_secret(&self, secret: &TenantSecret) -> StoreResult<()> {
        with_retry(RetryBudget::repeatable(), || table::reseal(self.pool(), secret)).await
    }
}
