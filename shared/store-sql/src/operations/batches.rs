//! Bulk operations: what was asked, how far it is, and who goes on with it.

use domain::access::TenantScope;
use domain::id::BatchId;
use domain::names::TenantName;
use domain::time::Timestamp;
use sea_orm::QueryResult;
use store::StoreResult;
use store::operations::BatchRecord;

use crate::pool::{Pool, commit_change, rollback};
use crate::rows::Row;
use crate::select::Select;
use crate::sql::Sql;

static CREATE: Sql = Sql::new(
    "create_batch",
    "INSERT INTO batch (id, tenant, kind, request, status, total, done, failed, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING",
);

// Answers the row whatever its status, and moves it only while it runs.
static ADVANCE: Sql = Sql::new(
    "advance_batch",
    "UPDATE batch SET
       done = done + CASE WHEN status = 'running' THEN $2 ELSE 0 END,
       failed = failed + CASE WHEN status = 'running' THEN $3 ELSE 0 END,
       updated_at = CASE WHEN status = 'running' THEN $4 ELSE updated_at END
     WHERE id = $1 RETURNING *",
);

static END: Sql = Sql::new(
    "end_batch",
    "UPDATE batch SET status = $2, updated_at = $3 WHERE id = $1 AND status = 'running'",
);

static TAKE_UP: Sql = Sql::new(
    "take_up_batches",
    "UPDATE batch SET updated_at = $2 WHERE status = 'running' AND updated_at < $1 RETURNING *",
);

/// Stores a new bulk operation.
pub(super) async fn create(pool: &Pool, batch: &BatchRecord) -> StoreResult<()> {
    let values = vec![
        batch.id.uuid().into(),
        batch.tenant.as_ref().map(TenantName::as_str).into(),
        batch.kind.as_str().into(),
        batch.request.as_str().into(),
        batch.status.as_str().into(),
        bound(batch.total).into(),
        bound(batch.done).into(),
        bound(batch.failed).into(),
        batch.created_at.0.into(),
        batch.updated_at.0.into(),
    ];
    CREATE.run(pool.write(), values).await.map(|_| ())
}

/// A bulk operation.
pub(super) async fn one(pool: &Pool, scope: &TenantScope, id: BatchId) -> StoreResult<Option<BatchRecord>> {
    let mut select = Select::new("batch", "SELECT * FROM batch WHERE true");
    select.with("AND id = $?", id.uuid());
    select.with_some("AND tenant = $?", scope.tenant().map(TenantName::as_str));
    select.first(pool.read()).await?.as_ref().map(batch_of).transpose()
}

/// Adds progress while it runs; answers its record.
pub(super) async fn advance(
    pool: &Pool,
    id: BatchId,
    done: u64,
    failed: u64,
    now: Timestamp,
) -> StoreResult<Option<BatchRecord>> {
    let values = vec![id.uuid().into(), bound(done).into(), bound(failed).into(), now.0.into()];
    ADVANCE.first(pool.write(), values).await?.as_ref().map(batch_of).transpose()
}

/// Ends a running one; answers whether it was running.
pub(super) async fn end(pool: &Pool, id: BatchId, status: &str, now: Timestamp) -> StoreResult<bool> {
    let transaction = pool.begin().await?;
    if END.run(&transaction, vec![id.uuid().into(), status.into(), now.0.into()]).await? == 0 {
        rollback(transaction).await;
        return Ok(false);
    }
    commit_change(transaction).await?;
    Ok(true)
}

/// Running ones that have not moved for a while, marked as moved now: two that ask get different ones.
pub(super) async fn take_up(pool: &Pool, before: Timestamp, now: Timestamp) -> StoreResult<Vec<BatchRecord>> {
    TAKE_UP.all(pool.write(), vec![before.0.into(), now.0.into()]).await?.iter().map(batch_of).collect()
}

fn bound(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn batch_of(row: &QueryResult) -> StoreResult<BatchRecord> {
    let row = Row::new("batch", row);
    let count = |column| row.long(column).and_then(|long| u64::try_from(long).map_err(|_| row.fault(column)));
    Ok(BatchRecord {
        id: BatchId::from_uuid(row.uuid("id")?),
        tenant: row.name_or_null("tenant", TenantName::trusted)?,
        kind: row.text("kind")?,
        request: row.text("request")?,
        status: row.text("status")?,
        total: count("total")?,
        done: count("done")?,
        failed: count("failed")?,
        created_at: row.instant("created_at")?,
        updated_at: row.instant("updated_at")?,
    })
}
