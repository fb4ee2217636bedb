//! The port's operations on usage, each retried where that is safe.

use async_trait::async_trait;
use domain::names::TenantName;
use domain::time::Timestamp;
use store::StoreResult;
use store::usage::{Measured, QuotaChange, QuotaRecord, UsageStore};

use super::{measure, quotas};
use crate::SqlStore;
use crate::retry::{RetryBudget, with_retry};

#[async_trait]
impl UsageStore for SqlStore {
    async fn measure(&self, what: &Measured) -> StoreResult<u64> {
        measure::measure(self.pool(), what).await
    }

    async fn quotas(&self) -> StoreResult<Vec<QuotaRecord>> {
        with_retry(RetryBudget::repeatable(), || quotas::all(self.pool())).await
    }

    async fn change_quotas(
        &self,
        tenant: &TenantName,
        changes: &[QuotaChange],
        now: Timestamp,
    ) -> StoreResult<()> {
        with_retry(RetryBudget::repeatable(), || quotas::change(self.pool(), tenant, changes, now)).await
    }

    async fn has_idempotency_key(&self, owner: &str, key: &str) -> StoreResult<bool> {
        with_retry(RetryBudget::repeatable(), || measure::has_idempotency_key(self.pool(), owner, key)).await
    }
}
