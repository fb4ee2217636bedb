//! Making a job that waits for its time due now.

use domain::access::TenantScope;
use domain::id::JobId;
use domain::job::JobStatus;
use domain::lane::LaneId;
use domain::time::Timestamp;
use store::StoreResult;
use store::jobs::JobChange;

use super::admit::admit;
use super::locate::locate;
use crate::claim_row::bump_epoch;
use crate::pool::{commit_change, rollback};
use crate::retry::{RetryBudget, with_retry};
use crate::rows::Row;
use crate::sql::Sql;
use crate::store::SqlStore;

// $1 id, $2 now
static RUN_NOW: Sql = Sql::new(
    "run_job_now",
    "UPDATE job SET run_at = $2, queued_at = $2,
       state = CASE WHEN concurrency_key IS NULL THEN 'queued' ELSE 'blocked' END
     WHERE id = $1 AND state IN ('scheduled', 'retry_wait')
     RETURNING id, queue, lane, concurrency_key",
);

/// `JobStore::run_job_now`.
pub(super) async fn run_now(
    store: &SqlStore,
    scope: &TenantScope,
    id: JobId,
    now: Timestamp,
) -> StoreResult<JobChange> {
    with_retry(RetryBudget::once(), || run_now_once(store, scope, id, now)).await
}

async fn run_now_once(
    store: &SqlStore,
    scope: &TenantScope,
    id: JobId,
    now: Timestamp,
) -> StoreResult<JobChange> {
    let Some(located) = locate(store.pool().read(), scope, id).await? else {
        return Ok(JobChange::NotFound);
    };
    let transaction = store.pool().begin().await?;
    let Some(row) = RUN_NOW.first(&transaction, vec![id.uuid().into(), now.0.into()]).await? else {
        rollback(transaction).await;
        return Ok(JobChange::Refused(located.status));
    };
    let row = Row::new("job", &row);
    let (queue, lane) = (row.queue("queue")?, LaneId(row.int("lane")?));
    let claimable = match row.text_or_null("concurrency_key")? {
        None => vec![(queue, lane, 1)],
        Some(key) => admit(&transaction, &[key], now)
            .await?
            .iter()
            .map(|job| (job.queue, job.lane, job.position))
            .collect(),
    };
    let bumps = bump_epoch(&transaction, &[queue]).await?;
    commit_change(transaction).await?;
    for (queue, lane, position) in claimable {
        store.memory().record_claimable_from(queue, lane, position);
    }
    bumps.record(store);
    Ok(JobChange::Changed { status: JobStatus::Queued, queue, execution_id: None })
}
