//! The port's operations on the intake, each retried where that is safe.

use async_trait::async_trait;
use domain::names::TenantName;
use domain::time::Timestamp;
use store::StoreResult;
use store::intake::{IntakeBounds, IntakeLease, IntakeOverQuota, IntakeRefusal, IntakeRow, IntakeStore};
use uuid::Uuid;

use super::table;
use crate::SqlStore;
use crate::retry::{RetryBudget, with_retry};

#[async_trait]
impl IntakeStore for SqlStore {
    fn has_intake(&self) -> bool {
        self.is_postgres()
    }

    async fn read_intake(&self, bounds: IntakeBounds, without: &[TenantName]) -> StoreResult<Vec<IntakeRow>> {
        with_retry(RetryBudget::repeatable(), || table::read(self.pool(), bounds, without)).await
    }

    async fn lease_intake(&self, lease: &IntakeLease, now: Timestamp) -> StoreResult<Option<Timestamp>> {
        with_retry(RetryBudget::repeatable(), || table::lease(self.pool(), lease, now)).await
    }

    async fn settle_intake(
        &self,
        holder: Uuid,
        taken: &[i64],
        refused: &[IntakeRefusal],
        now: Timestamp,
    ) -> StoreResult<bool> {
        with_retry(RetryBudget::repeatable(), || table::settle(self.pool(), holder, taken, refused, now))
            .await
    }

    async fn close_intake(&self, over: &IntakeOverQuota) -> StoreResult<()> {
        with_retry(RetryBudget::repeatable(), || table::close(self.pool(), over)).await
    }

    async fn reopen_intake(&self, tenant: &TenantName, quota: &str) -> StoreResult<()> {
        with_retry(RetryBudget::repeatable(), || table::reopen(self.pool(), tenant, quota)).await
    }

    async fn closed_intakes(&self) -> StoreResult<Vec<IntakeOverQuota>> {
        with_retry(RetryBudget::repeatable(), || table::closed(self.pool())).await
    }
}
