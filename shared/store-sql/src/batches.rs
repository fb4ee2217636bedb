//! Bulk operations: their rows, the entries of their objects, and changes that commit with an entry.

pub(crate) mod items;
pub(crate) mod mark;
mod table;

use std::borrow::Cow;

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::bulk::BatchCounts;
use domain::id::{BatchId, DeadLetterId};
use domain::time::Timestamp;
use store::StoreResult;
use store::batches::{
    BatchEntry, BatchItem, BatchRecord, BatchStatus, BatchStore, ItemOutcome, OpenItem, RequeuedLetter,
};
use store::page::Place;
use uuid::Uuid;

use crate::SqlStore;
use crate::dead_letters::requeue_together;
use crate::pool::Pool;
use crate::retry::{RetryBudget, with_retry};
use crate::sealing::Place as SealedPlace;
use crate::sql::Sql;

pub(crate) use table::{batch_of, create};

// Retention of bulk operations, with their entries.

// Index: batch_finished
static ITEMS: Sql = Sql::new(
    "prune_batch_items",
    "DELETE FROM batch_item WHERE (batch_id, object_id) IN (
       SELECT i.batch_id, i.object_id FROM batch b JOIN batch_item i ON i.batch_id = b.id
       WHERE b.finished_at < $1 LIMIT $2)",
);

static BATCHES: Sql = Sql::new(
    "prune_batches",
    "DELETE FROM batch WHERE id IN (
       SELECT b.id FROM batch b WHERE b.finished_at < $1
         AND NOT EXISTS (SELECT 1 FROM batch_item i WHERE i.batch_id = b.id) LIMIT $2)",
);

/// Removes entries of what ended before an instant, and what has none left.
async fn prune(pool: &Pool, before: Timestamp, limit: u32) -> StoreResult<u64> {
    let values = || vec![before.0.into(), i64::from(limit).into()];
    let items = ITEMS.run(pool.write(), values()).await?;
    Ok(items + BATCHES.run(pool.write(), values()).await?)
}

// The port's bulk operations, each retried where that is safe.

#[async_trait]
impl BatchStore for SqlStore {
    async fn create_batch(&self, batch: &BatchRecord, owner: Uuid) -> StoreResult<()> {
        let place = SealedPlace::batch_request(batch.id.uuid());
        let request = self.sealed_text(batch.tenant.as_ref(), place, &batch.request).await?;
        let sealed = match request {
            Cow::Borrowed(_) => None,
            Cow::Owned(request) => Some(BatchRecord { request, ..batch.clone() }),
        };
        let batch = sealed.as_ref().unwrap_or(batch);
        with_retry(RetryBudget::repeatable(), || table::add(self.pool(), batch, owner)).await
    }

    async fn batch(&self, scope: &TenantScope, id: BatchId) -> StoreResult<Option<BatchRecord>> {
        let found = with_retry(RetryBudget::repeatable(), || table::one(self.pool(), scope, id)).await?;
        self.opened(found).await
    }

    async fn add_batch_items(
        &self,
        batch: (BatchId, Uuid),
        objects: &[Uuid],
        cursor: Option<Place>,
        now: Timestamp,
    ) -> StoreResult<Option<BatchRecord>> {
        let found = with_retry(RetryBudget::once(), || items::add(self, batch, objects, cursor, now)).await?;
        self.opened(found).await
    }

    async fn waiting_items(&self, id: BatchId, after: i64, limit: u32) -> StoreResult<Vec<OpenItem>> {
        with_retry(RetryBudget::repeatable(), || items::waiting(self.pool(), id, after, limit)).await
    }

    async fn pending_items(&self, id: BatchId, after: i64, limit: u32) -> StoreResult<Vec<OpenItem>> {
        with_retry(RetryBudget::repeatable(), || items::pending(self.pool(), id, after, limit)).await
    }

    async fn settle_item(
        &self,
        entry: &BatchEntry,
        outcome: ItemOutcome,
        error: Option<&str>,
    ) -> StoreResult<bool> {
        with_retry(RetryBudget::once(), || items::settle(self.pool(), entry, outcome, error)).await
    }

    async fn requeue_together(
        &self,
        scope: &TenantScope,
        batch: (BatchId, Uuid),
        letters: &[DeadLetterId],
        retries_max: Option<u32>,
        now: Timestamp,
    ) -> StoreResult<Vec<RequeuedLetter>> {
        requeue_together(self, scope, batch, letters, retries_max, now).await
    }

    async fn resolve_items(&self, id: BatchId, ended: &[(Uuid, bool)]) -> StoreResult<()> {
        with_retry(RetryBudget::repeatable(), || items::resolve(self.pool(), id, ended)).await
    }

    async fn count_items(&self, id: BatchId) -> StoreResult<BatchCounts> {
        with_retry(RetryBudget::repeatable(), || items::count(self.pool(), id)).await
    }

    async fn report_batch(
        &self,
        batch: (BatchId, Uuid),
        counts: &BatchCounts,
        now: Timestamp,
    ) -> StoreResult<Option<BatchRecord>> {
        let found =
            with_retry(RetryBudget::repeatable(), || table::report(self.pool(), batch, counts, now)).await?;
        self.opened(found).await
    }

    async fn move_batch(
        &self,
        id: BatchId,
        from: &[BatchStatus],
        to: (BatchStatus, Option<&str>),
        now: Timestamp,
    ) -> StoreResult<bool> {
        with_retry(RetryBudget::once(), || table::set_status(self.pool(), id, from, to, now)).await
    }

    async fn take_over_batches(
        &self,
        before: Timestamp,
        owner: Uuid,
        now: Timestamp,
    ) -> StoreResult<Vec<BatchRecord>> {
        let found =
            with_retry(RetryBudget::once(), || table::take_over(self.pool(), before, owner, now)).await?;
        self.openable("a bulk operation", found).await
    }

    async fn batch_items(
        &self,
        id: BatchId,
        outcomes: &[ItemOutcome],
        after: i64,
        limit: u32,
    ) -> StoreResult<Vec<BatchItem>> {
        with_retry(RetryBudget::repeatable(), || items::list(self.pool(), id, outcomes, after, limit)).await
    }

    async fn prune_batches(&self, before: Timestamp, limit: u32) -> StoreResult<u64> {
        with_retry(RetryBudget::repeatable(), || prune(self.pool(), before, limit)).await
    }
}
