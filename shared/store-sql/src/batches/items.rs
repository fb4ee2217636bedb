//! Rows of `batch_item`: added in order, settled once, counted.

use domain::bulk::BatchCounts;
use domain::id::BatchId;
use domain::time::Timestamp;
use store::StoreResult;
use store::batches::{BatchEntry, BatchItem, BatchRecord, ItemOutcome, OpenItem};
use store::page::Place;
use uuid::Uuid;

use super::table::{batch_of, item_of, open_item_of};
use crate::SqlStore;
use crate::bind::{self, Cell};
use crate::dialect::Dialect;
use crate::lock_order::begin_upkeep;
use crate::pool::{Pool, commit, rollback};
use crate::rows::Row;
use crate::select::Select;
use crate::sql::Sql;

// $1 id, $2 owner
static LOCK: Sql = Sql::new(
    "prepared_batch",
    "SELECT b.id, (SELECT COALESCE(MAX(i.position), 0) FROM batch_item i WHERE i.batch_id = $1) AS last
     FROM batch b WHERE b.id = $1 AND b.owner = $2 AND b.status = 'preparing' {for_update}",
);

// An object that is named twice is there once. $1 batch
static ADD: Sql = Sql::new(
    "add_batch_items",
    "INSERT INTO batch_item (batch_id, object_id, position)
     SELECT $1, r.object_id, r.position FROM {rows $2: object_id uuid, position bigint} r
     WHERE true ON CONFLICT DO NOTHING",
);

// $1 id, $2 how many more, $3 and $4 the cursor, $5 now, $6 status
static ADDED: Sql = Sql::new(
    "added_batch_items",
    "UPDATE batch SET total = total + $2, cursor_at = $3, cursor_id = $4, updated_at = $5, status = $6
     WHERE id = $1 RETURNING *",
);

// Where PostgreSQL last counted the entries of other batches, or none, it believes that a new one has next to none, and goes through all
// of them for each that it marks.
static ANALYZE: Sql = Sql::new("analyze_batch_items", "ANALYZE batch_item");

/// From how many entries on that matters.
const ANALYZED_FROM: u64 = 2_000;

// A change that was recorded and then turned out to be refused becomes a failed one.
// Index: the key. $1 batch, $2 object, $3 outcome, $4 now, $5 error, $6 owner, $7 result, $8 aftermath
static SETTLE: Sql = Sql::new(
    "settle_batch_item",
    "UPDATE batch_item SET outcome = $3, at = $4, error = $5, result_id = $7, aftermath = $8
     WHERE batch_id = $1 AND object_id = $2 AND (outcome IS NULL OR (outcome = 'done' AND $3 = 'failed'))
       AND EXISTS (SELECT 1 FROM batch b WHERE b.id = $1 AND b.owner = $6)",
);

// Index: batch_item_waiting
static WAITING: Sql = Sql::new(
    "waiting_batch_items",
    "SELECT position, object_id, result_id FROM batch_item
     WHERE batch_id = $1 AND outcome IS NULL AND position > $2 ORDER BY position LIMIT $3",
);

// Index: batch_item_pending
static PENDING: Sql = Sql::new(
    "pending_batch_items",
    "SELECT position, object_id, result_id FROM batch_item
     WHERE batch_id = $1 AND aftermath = 'pending' AND position > $2 ORDER BY position LIMIT $3",
);

// Written so that the index of those that are pending does not fit: for many keys at once it would be all that are.
// Index: the key.
static RESOLVE: Sql = Sql::new(
    "resolve_batch_items",
    "UPDATE batch_item SET aftermath = $3
     WHERE batch_id = $1 AND object_id {any $2 uuid} AND COALESCE(aftermath, '') = 'pending'",
);

static COUNT: Sql = Sql::new(
    "count_batch_items",
    "SELECT count(*) AS total,
       CAST(COALESCE(SUM(CASE WHEN outcome = 'done' THEN 1 ELSE 0 END), 0) AS bigint) AS done,
       CAST(COALESCE(SUM(CASE WHEN outcome = 'failed' THEN 1 ELSE 0 END), 0) AS bigint) AS failed,
       CAST(COALESCE(SUM(CASE WHEN outcome = 'skipped' THEN 1 ELSE 0 END), 0) AS bigint) AS skipped,
       CAST(COALESCE(SUM(CASE WHEN aftermath = 'pending' THEN 1 ELSE 0 END), 0) AS bigint) AS pending,
       CAST(COALESCE(SUM(CASE WHEN aftermath = 'badly' THEN 1 ELSE 0 END), 0) AS bigint) AS ended_badly
     FROM batch_item WHERE batch_id = $1",
);

/// Adds objects behind those that are there.
pub(super) async fn add(
    store: &SqlStore,
    (id, owner): (BatchId, Uuid),
    objects: &[Uuid],
    cursor: Option<Place>,
    now: Timestamp,
) -> StoreResult<Option<BatchRecord>> {
    let transaction = store.pool().begin().await?;
    let Some(row) = LOCK.first(&transaction, vec![id.uuid().into(), owner.into()]).await? else {
        rollback(transaction).await;
        return Ok(None);
    };
    let first = Row::new("batch", &row).long("last")? + 1;
    let mut added = 0_u64;
    if !objects.is_empty() {
        let cells = objects
            .iter()
            .enumerate()
            .map(|(index, object)| [Cell::Uuid(*object), Cell::Long(first + index as i64)]);
        let mut values = vec![id.uuid().into()];
        values.extend(bind::rows(store.dialect(), cells));
        added = ADD.run(&transaction, values).await?;
    }
    let status = if cursor.is_some() { "preparing" } else { "running" };
    let values = vec![
        id.uuid().into(),
        i64::try_from(added).unwrap_or(i64::MAX).into(),
        cursor.map(|place| place.at).into(),
        cursor.map(|place| place.id).into(),
        now.0.into(),
        status.into(),
    ];
    let record = ADDED.first(&transaction, values).await?.as_ref().map(batch_of).transpose()?;
    commit(transaction).await?;
    if cursor.is_none() && record.as_ref().is_some_and(|batch| batch.counts.total >= ANALYZED_FROM) {
        analyze(store.pool()).await;
    }
    Ok(record)
}

/// Has the entries counted. Without it they are slower to find until the database counts them by itself.
async fn analyze(pool: &Pool) {
    if pool.dialect() != Dialect::Postgres {
        return;
    }
    let analyzed = async {
        // Who waited longer for a vacuum would seem to have lost the batch.
        let transaction = begin_upkeep(pool).await?;
        ANALYZE.run(&transaction, vec![]).await?;
        commit(transaction).await
    };
    if let Err(error) = analyzed.await {
        tracing::debug!(
            error = &error as &dyn std::error::Error,
            "the entries of a bulk operation are not analysed"
        );
    }
}

/// Objects that wait for their turn.
pub(super) async fn waiting(pool: &Pool, id: BatchId, after: i64, limit: u32) -> StoreResult<Vec<OpenItem>> {
    let values = vec![id.uuid().into(), after.into(), i64::from(limit).into()];
    WAITING.all(pool.read(), values).await?.iter().map(open_item_of).collect()
}

/// Objects whose change started something that has not ended.
pub(super) async fn pending(pool: &Pool, id: BatchId, after: i64, limit: u32) -> StoreResult<Vec<OpenItem>> {
    let values = vec![id.uuid().into(), after.into(), i64::from(limit).into()];
    PENDING.all(pool.read(), values).await?.iter().map(open_item_of).collect()
}

/// Records what became of an object.
pub(super) async fn settle(
    pool: &Pool,
    entry: &BatchEntry,
    outcome: ItemOutcome,
    error: Option<&str>,
) -> StoreResult<bool> {
    let is_done = outcome == ItemOutcome::Done;
    let values = vec![
        entry.batch.uuid().into(),
        entry.object.into(),
        outcome.as_str().into(),
        entry.now.0.into(),
        error.into(),
        entry.owner.into(),
        entry.result.filter(|_| is_done).into(),
        (is_done && entry.has_aftermath).then_some("pending").into(),
    ];
    Ok(SETTLE.run(pool.write(), values).await? > 0)
}

/// Records how what was started has ended.
pub(super) async fn resolve(pool: &Pool, id: BatchId, ended: &[(Uuid, bool)]) -> StoreResult<()> {
    for is_bad in [false, true] {
        let of: Vec<Uuid> =
            ended.iter().filter(|(_, bad)| *bad == is_bad).map(|(object, _)| *object).collect();
        if !of.is_empty() {
            let objects = bind::uuids(pool.dialect(), of.into_iter());
            let aftermath = if is_bad { "badly" } else { "well" };
            RESOLVE.run(pool.write(), vec![id.uuid().into(), objects, aftermath.into()]).await?;
        }
    }
    Ok(())
}

/// Counts the entries of a batch.
pub(super) async fn count(pool: &Pool, id: BatchId) -> StoreResult<BatchCounts> {
    let Some(row) = COUNT.first(pool.read(), vec![id.uuid().into()]).await? else {
        return Ok(BatchCounts::default());
    };
    let row = Row::new("batch_item", &row);
    let number = |column| row.long(column).map(|long| u64::try_from(long).unwrap_or(0));
    Ok(BatchCounts {
        total: number("total")?,
        done: number("done")?,
        failed: number("failed")?,
        skipped: number("skipped")?,
        pending: number("pending")?,
        ended_badly: number("ended_badly")?,
    })
}

/// Processed objects.
pub(super) async fn list(
    pool: &Pool,
    id: BatchId,
    outcomes: &[ItemOutcome],
    after: i64,
    limit: u32,
) -> StoreResult<Vec<BatchItem>> {
    let mut select = Select::new("batch_items", "SELECT * FROM batch_item WHERE outcome IS NOT NULL");
    select.with("AND batch_id = $?", id.uuid());
    if !outcomes.is_empty() {
        let outcomes = bind::texts(pool.dialect(), outcomes.iter().map(|outcome| outcome.as_str()));
        select.with("AND outcome {any $? text}", outcomes);
    }
    select.with("AND position > $?", after);
    select.with("ORDER BY position LIMIT $?", i64::from(limit));
    select.all(pool.lists()).await?.iter().map(item_of).collect()
}
