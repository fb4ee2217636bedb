//! Rows of `batch`: made, listed, moved, taken over.

use domain::access::TenantScope;
use domain::bulk::BatchCounts;
use domain::id::BatchId;
use domain::names::TenantName;
use domain::time::Timestamp;
use sea_orm::{ConnectionTrait, QueryResult};
use store::StoreResult;
use store::batches::{BatchItem, BatchRecord, BatchStatus, ItemOutcome, OpenItem};
use store::page::Place;
use uuid::Uuid;

use crate::bind;
use crate::pool::{Pool, commit_change, rollback};
use crate::rows::Row;
use crate::select::Select;
use crate::sql::Sql;

static CREATE: Sql = Sql::new(
    "create_batch",
    "INSERT INTO batch (id, tenant, kind, request, status, total, done, failed, reason, actor, owner, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, 0, 0, 0, $6, $7, $8, $9, $9) ON CONFLICT DO NOTHING",
);

// Where nothing counts the objects before their turns, there are as many as have had theirs.
static REPORT: Sql = Sql::new(
    "report_batch",
    "UPDATE batch SET done = $3, failed = $4, skipped = $5, pending = $6, ended_badly = $7, updated_at = $8,
       total = CASE WHEN total < $3 + $4 + $5 THEN $3 + $4 + $5 ELSE total END
     WHERE id = $1 AND owner = $2 RETURNING *",
);

// $1 id, $2 the statuses from which, $3 status, $4 reason, $5 now, $6 whether it has ended, $7 whether it goes on
static MOVE: Sql = Sql::new(
    "move_batch",
    "UPDATE batch SET
       is_past_canary = CASE WHEN $7 = 1 AND status_reason = 'canary' THEN 1 ELSE is_past_canary END,
       status = $3, status_reason = $4, updated_at = $5,
       finished_at = CASE WHEN $6 = 1 THEN $5 ELSE finished_at END
     WHERE id = $1 AND status {any $2 text}",
);

// Index: batch_open. $1 before, $2 owner, $3 now, $4 since when outcomes are still looked for
static TAKE_OVER: Sql = Sql::new(
    "take_over_batches",
    "UPDATE batch SET owner = $2, updated_at = $3
     WHERE updated_at < $1 AND (finished_at IS NULL OR pending > 0) AND (finished_at IS NULL OR finished_at > $4)
     RETURNING *",
);

/// For how long outcomes of an ended batch are looked for.
const FOLLOWED_FOR_MS: i64 = 24 * 3_600_000;

/// Stores a new batch with the line of the audit log of its call. An id that is there already changes nothing.
pub(super) async fn add(pool: &Pool, batch: &BatchRecord, owner: Uuid) -> StoreResult<()> {
    let transaction = pool.begin().await?;
    if !create(&transaction, batch, owner).await? {
        rollback(transaction).await;
        return Ok(());
    }
    commit_change(transaction).await
}

/// Stores a new batch. Answers whether it is new.
pub(crate) async fn create<C: ConnectionTrait>(
    on: &C,
    batch: &BatchRecord,
    owner: Uuid,
) -> StoreResult<bool> {
    let values = vec![
        batch.id.uuid().into(),
        batch.tenant.as_ref().map(TenantName::as_str).into(),
        batch.kind.as_str().into(),
        batch.request.as_str().into(),
        batch.status.as_str().into(),
        batch.reason.as_deref().into(),
        batch.actor.as_str().into(),
        owner.into(),
        batch.created_at.0.into(),
    ];
    Ok(CREATE.run(on, values).await? > 0)
}

/// A batch.
pub(super) async fn one(pool: &Pool, scope: &TenantScope, id: BatchId) -> StoreResult<Option<BatchRecord>> {
    let mut select = Select::new("batch", "SELECT * FROM batch WHERE true");
    select.with("AND id = $?", id.uuid());
    select.with_some("AND tenant = $?", scope.tenant().map(TenantName::as_str));
    select.first(pool.read()).await?.as_ref().map(batch_of).transpose()
}

/// Writes down how far a batch is.
pub(super) async fn report(
    pool: &Pool,
    (id, owner): (BatchId, Uuid),
    counts: &BatchCounts,
    now: Timestamp,
) -> StoreResult<Option<BatchRecord>> {
    let values = vec![
        id.uuid().into(),
        owner.into(),
        bound(counts.done).into(),
        bound(counts.failed).into(),
        bound(counts.skipped).into(),
        bound(counts.pending).into(),
        bound(counts.ended_badly).into(),
        now.0.into(),
    ];
    REPORT.first(pool.write(), values).await?.as_ref().map(batch_of).transpose()
}

/// Moves a batch to another status.
pub(super) async fn set_status(
    pool: &Pool,
    id: BatchId,
    from: &[BatchStatus],
    (to, reason): (BatchStatus, Option<&str>),
    now: Timestamp,
) -> StoreResult<bool> {
    let from = bind::texts(pool.dialect(), from.iter().map(|status| status.as_str()));
    let values = vec![
        id.uuid().into(),
        from,
        to.as_str().into(),
        reason.into(),
        now.0.into(),
        i64::from(to.is_ended()).into(),
        i64::from(to == BatchStatus::Running).into(),
    ];
    let transaction = pool.begin().await?;
    if MOVE.run(&transaction, values).await? == 0 {
        rollback(transaction).await;
        return Ok(false);
    }
    commit_change(transaction).await?;
    Ok(true)
}

/// Batches that have not moved: two that ask get different ones.
pub(super) async fn take_over(
    pool: &Pool,
    before: Timestamp,
    owner: Uuid,
    now: Timestamp,
) -> StoreResult<Vec<BatchRecord>> {
    let since = now.0.saturating_sub(FOLLOWED_FOR_MS);
    let values = vec![before.0.into(), owner.into(), now.0.into(), since.into()];
    TAKE_OVER.all(pool.write(), values).await?.iter().map(batch_of).collect()
}

pub(super) fn bound(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

// Rows of `batch` and `batch_item`.

/// Reads a batch.
pub(crate) fn batch_of(row: &QueryResult) -> StoreResult<BatchRecord> {
    let row = Row::new("batch", row);
    let count = |column| row.long(column).and_then(|long| u64::try_from(long).map_err(|_| row.fault(column)));
    let cursor = match (row.long_or_null("cursor_at")?, row.uuid_or_null("cursor_id")?) {
        (Some(at), Some(id)) => Some(Place { at, id }),
        _ => None,
    };
    Ok(BatchRecord {
        id: BatchId::from_uuid(row.uuid("id")?),
        tenant: row.name_or_null("tenant", TenantName::trusted)?,
        kind: row.text("kind")?,
        request: row.text("request")?,
        status: row.parsed("status", BatchStatus::parse)?,
        status_reason: row.text_or_null("status_reason")?,
        is_past_canary: row.count("is_past_canary")? > 0,
        counts: BatchCounts {
            total: count("total")?,
            done: count("done")?,
            failed: count("failed")?,
            skipped: count("skipped")?,
            pending: count("pending")?,
            ended_badly: count("ended_badly")?,
        },
        reason: row.text_or_null("reason")?,
        actor: row.text("actor")?,
        cursor,
        created_at: row.instant("created_at")?,
        updated_at: row.instant("updated_at")?,
        finished_at: row.instant_or_null("finished_at")?,
    })
}

/// Reads an object that waits.
pub(super) fn open_item_of(row: &QueryResult) -> StoreResult<OpenItem> {
    let row = Row::new("batch_item", row);
    Ok(OpenItem {
        position: row.long("position")?,
        object: row.uuid("object_id")?,
        result: row.uuid_or_null("result_id")?,
    })
}

/// Reads an object that has had its turn.
pub(super) fn item_of(row: &QueryResult) -> StoreResult<BatchItem> {
    let row = Row::new("batch_item", row);
    Ok(BatchItem {
        position: row.long("position")?,
        object: row.uuid("object_id")?,
        outcome: row.parsed("outcome", ItemOutcome::parse)?,
        at: row.instant("at")?,
        result: row.uuid_or_null("result_id")?,
        error: row.text_or_null("error")?,
    })
}
