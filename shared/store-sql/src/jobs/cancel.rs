//! Cancelling a job that has not ended.

use std::collections::HashMap;

use domain::access::TenantScope;
use domain::id::{ExecutionId, JobId};
use domain::job::JobStatus;
use domain::lane::LaneId;
use domain::names::NodeId;
use domain::queue::QueueName;
use domain::time::Timestamp;
use store::jobs::JobChange;
use store::{StoreError, StoreResult};

use super::completion_effects::{End, apply_completion_effects};
use super::end;
use super::finish::Finished;
use super::locate::locate;
use crate::claim_row::bump_epoch;
use crate::pool::{commit_change, rollback};
use crate::retry::{RetryBudget, with_retry};
use crate::rows::Row;
use crate::sql::Sql;
use crate::store::SqlStore;

static LOCK: Sql = Sql::new(
    "cancel_lock",
    "SELECT id, queue, lane, attempt, tier, created_at, started_at, execution_id, node_id, data FROM job WHERE id = $1 {for_update}",
);

/// `JobStore::cancel_job`.
pub(super) async fn cancel(
    store: &SqlStore,
    scope: &TenantScope,
    id: JobId,
    now: Timestamp,
) -> StoreResult<JobChange> {
    with_retry(RetryBudget::repeatable(), || cancel_once(store, scope, id, now)).await
}

async fn cancel_once(
    store: &SqlStore,
    scope: &TenantScope,
    id: JobId,
    now: Timestamp,
) -> StoreResult<JobChange> {
    let Some(located) = locate(store.pool().read(), scope, id).await? else {
        return Ok(JobChange::NotFound);
    };
    // An execution is cancelled by a command to it, so that its nodes are cancelled with it.
    let queue = located.key.queue;
    if queue == QueueName::Execution || located.status.is_terminal() {
        return Ok(JobChange::Refused(located.status));
    }
    let transaction = store.pool().begin().await?;
    let Some(row) = LOCK.first(&transaction, vec![id.uuid().into()]).await? else {
        rollback(transaction).await;
        return Err(StoreError::Contended { source: "the job moved on while it was being cancelled".into() });
    };
    let job = cancelled(Row::new("job", &row))?;
    let ended = end::cancel(&transaction, store.dialect(), &[id.uuid()], now).await?;
    let execution_id = job.node().map(|(execution, _)| execution);
    let ends = HashMap::from([(id, End::Cancelled)]);
    apply_completion_effects(store, &transaction, &[job], &ends, now).await?;
    // A job that waited for the concurrency key of this one is older than others of its lane.
    let bumps = bump_epoch(&transaction, &ended.queues()).await?;
    commit_change(transaction).await?;
    ended.record(store);
    bumps.record(store);
    Ok(JobChange::Changed { status: JobStatus::Cancelled, queue, execution_id })
}

/// The job as it ends. Its concurrency key was dealt with when it was moved.
fn cancelled(row: Row<'_>) -> StoreResult<Finished> {
    Ok(Finished {
        id: JobId::from_uuid(row.uuid("id")?),
        queue: row.queue("queue")?,
        lane: LaneId(row.int("lane")?),
        status: JobStatus::Cancelled,
        attempt: row.count("attempt")?,
        tier: row.tier("tier")?,
        created_at: row.instant("created_at")?,
        started_at: row.instant_or_null("started_at")?,
        traceparent: None,
        concurrency_key: None,
        execution_id: row.uuid_or_null("execution_id")?.map(ExecutionId::from_uuid),
        node_id: row.name_or_null("node_id", NodeId::trusted)?,
        data: row.text_or_null("data")?,
    })
}
