//! The port's operations on figures, each retried where that is safe.

use async_trait::async_trait;
use domain::stats::{Counts, Levels, Step};
use domain::time::Timestamp;
use store::StoreResult;
use store::stats::{StatFilter, StatPoint, StatRow, StatStore};

use super::table;
use crate::SqlStore;
use crate::retry::{RetryBudget, with_retry};

#[async_trait]
impl StatStore for SqlStore {
    async fn add_counts(&self, rows: &[StatRow<Counts>]) -> StoreResult<()> {
        for part in rows.chunks(table::ROWS_PER_STATEMENT) {
            with_retry(RetryBudget::once(), || table::add_counts(self.pool(), part)).await?;
        }
        Ok(())
    }

    async fn set_levels(&self, rows: &[StatRow<Levels>]) -> StoreResult<()> {
        for part in rows.chunks(table::ROWS_PER_STATEMENT) {
            with_retry(RetryBudget::repeatable(), || table::set_levels(self.pool(), part)).await?;
        }
        Ok(())
    }

    async fn stats(&self, filter: &StatFilter) -> StoreResult<Vec<StatPoint>> {
        with_retry(RetryBudget::repeatable(), || table::series(self.pool(), filter)).await
    }

    async fn prune_stats(&self, step: Step, before: Timestamp, limit: u32) -> StoreResult<u64> {
        with_retry(RetryBudget::repeatable(), || table::prune(self.pool(), step, before, limit)).await
    }
}
