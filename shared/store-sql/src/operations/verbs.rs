//! The port's operations for operators and upkeep, each retried where that is safe.

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::names::{TenantName, WorkerId};
use domain::sqlite_maintenance::FileBounds;
use domain::time::Timestamp;
use store::StoreResult;
use store::audit::AuditRecord;
use store::operations::{
    FileReport, LaneRemoval, LaneRemovalPace, OperationsStore, Retention, Standstill, WorkerRecord,
};

use super::{compact_file, idle_lanes, prune, standstill, workers};
use crate::SqlStore;
use crate::retry::{RetryBudget, with_retry};

#[async_trait]
impl OperationsStore for SqlStore {
    async fn record_workers(&self, records: &[WorkerRecord]) -> StoreResult<()> {
        with_retry(RetryBudget::repeatable(), || workers::record(self.pool(), records)).await
    }

    async fn list_workers(
        &self,
        scope: &TenantScope,
        since: Timestamp,
        limit: u32,
    ) -> StoreResult<Vec<WorkerRecord>> {
        with_retry(RetryBudget::repeatable(), || workers::list(self.pool(), scope, since, limit)).await
    }

    async fn drain_worker(
        &self,
        tenant: Option<&TenantName>,
        id: &WorkerId,
        since: Timestamp,
        now: Timestamp,
        audit: &[AuditRecord],
    ) -> StoreResult<bool> {
        with_retry(RetryBudget::repeatable(), || workers::drain(self.pool(), tenant, id, since, now, audit))
            .await
    }

    async fn draining_workers(&self, since: Timestamp) -> StoreResult<Vec<(Option<TenantName>, WorkerId)>> {
        with_retry(RetryBudget::repeatable(), || workers::draining(self.pool(), since)).await
    }

    async fn prune(&self, retention: &Retention, limit: u32) -> StoreResult<u64> {
        with_retry(RetryBudget::repeatable(), || prune::prune(self, retention, limit)).await
    }

    async fn remove_idle_lanes(&self, pace: &LaneRemovalPace, now: Timestamp) -> StoreResult<LaneRemoval> {
        idle_lanes::step(self, pace, now).await
    }

    async fn standstill(&self) -> StoreResult<Standstill> {
        with_retry(RetryBudget::repeatable(), || standstill::standstill(self.pool())).await
    }

    async fn compact_file(&self, bounds: &FileBounds) -> StoreResult<Option<FileReport>> {
        with_retry(RetryBudget::repeatable(), || compact_file::tend(self, bounds)).await
    }
}
