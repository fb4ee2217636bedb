//! The port's operations on erasures, each retried where that is safe.

use async_trait::async_trait;
use domain::id::BatchId;
use domain::names::TenantName;
use domain::time::Timestamp;
use store::StoreResult;
use store::audit::AuditRecord;
use store::batches::BatchRecord;
use store::erasure::{Erasure, ErasureBegun, ErasureStore};
use uuid::Uuid;

use super::{Step, begin, history, open, tables};
use crate::SqlStore;
use crate::retry::{RetryBudget, with_retry};

#[async_trait]
impl ErasureStore for SqlStore {
    async fn begin_erasure(
        &self,
        erasure: &Erasure,
        batch: (&BatchRecord, Uuid),
        cancels_open: bool,
        audit: &[AuditRecord],
    ) -> StoreResult<ErasureBegun> {
        let begun = with_retry(RetryBudget::once(), || {
            begin::begin(self.pool(), erasure, batch, cancels_open, audit)
        })
        .await?;
        self.sealer().forget();
        Ok(begun)
    }

    async fn erasures(&self, ended_since: Timestamp) -> StoreResult<Vec<Erasure>> {
        let all = with_retry(RetryBudget::repeatable(), || begin::all(self.pool(), ended_since)).await?;
        // The next first use of such a name makes the tenant anew.
        self.memory().forget_tenants(all.iter().map(|erasure| &erasure.tenant));
        Ok(all)
    }

    async fn erase_step(
        &self,
        (tenant, batch): (&TenantName, BatchId),
        limit: u32,
        now: Timestamp,
    ) -> StoreResult<u64> {
        let step = Step { tenant, batch, limit };
        with_retry(RetryBudget::repeatable(), || async {
            let mut gone = open::executions(self, step, now).await?;
            if gone == 0 {
                gone = open::jobs(self, step, now).await?;
            }
            if gone == 0 {
                gone = history::step(self, step).await?;
            }
            if gone == 0 {
                gone = tables::step(self, step).await?;
            }
            Ok(gone)
        })
        .await
    }

    async fn end_erasure(
        &self,
        erasure: (&TenantName, BatchId),
        audit: &[AuditRecord],
        now: Timestamp,
    ) -> StoreResult<bool> {
        let ended =
            with_retry(RetryBudget::repeatable(), || begin::end(self.pool(), erasure, audit, now)).await?;
        self.sealer().forget();
        Ok(ended)
    }
}
