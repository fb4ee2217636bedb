//! Retention of bulk operations, with their entries.

use domain::time::Timestamp;
use store::StoreResult;

use crate::pool::Pool;
use crate::sql::Sql;

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
pub(super) async fn prune(pool: &Pool, before: Timestamp, limit: u32) -> StoreResult<u64> {
    let values = || vec![before.0.into(), i64::from(limit).into()];
    let items = ITEMS.run(pool.write(), values()).await?;
    Ok(items + BATCHES.run(pool.write(), values()).await?)
}
