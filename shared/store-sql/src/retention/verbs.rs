//! The port's operations on retention, each retried where that is safe.

use async_trait::async_trait;
use domain::names::TenantName;
use domain::time::Timestamp;
use store::StoreResult;
use store::audit::AuditRecord;
use store::retention::{RetentionChange, RetentionLag, RetentionOverride, RetentionStore};

use super::table;
use crate::SqlStore;
use crate::retry::{RetryBudget, with_retry};

#[async_trait]
impl RetentionStore for SqlStore {
    async fn retention_overrides(&self) -> StoreResult<Vec<RetentionOverride>> {
        with_retry(RetryBudget::repeatable(), || table::all(self.pool())).await
    }

    async fn change_retention(
        &self,
        tenant: Option<&TenantName>,
        changes: &[RetentionChange],
        audit: &[AuditRecord],
        now: Timestamp,
    ) -> StoreResult<()> {
        with_retry(RetryBudget::once(), || table::change(self.pool(), tenant, changes, audit, now)).await
    }

    fn retention_lag(&self) -> Vec<RetentionLag> {
        self.memory().pruned.lag()
    }
}
