//! Ending jobs within the transaction of something larger: from `job` to `job_done`, whatever their state.

use domain::access::TenantScope;
use domain::failure::JobError;
use domain::id::{ExecutionId, JobId};
use domain::job::JobStatus;
use domain::names::NodeId;
use domain::queue::{LaneId, QueueName, Tier};
use domain::time::Timestamp;
use sea_orm::ConnectionTrait;
use store::jobs::{JobChange, LeaseAnswer, LeaseRef};
use store::{StoreError, StoreResult};
use uuid::Uuid;

use super::admit::admit;
use super::completion_effects::apply_cancellation_effects;
use super::finish::EndedJob;
use super::read::locate;
use super::revive::Revived;
use super::status;
use crate::SqlStore;
use crate::bind::{self, Cell};
use crate::claim_row::bump_epoch;
use crate::dialect::Dialect;
use crate::pool::{commit_change, rollback};
use crate::rows::Row;
use crate::sql::{DatabaseTransaction, Sql};

pub(super) static SETTLED_BEFORE: Sql =
    Sql::new("settled_before", include_str!("../../sql/settled_before.sql"));

// In one order for everybody, so that two transactions that end the same jobs do not wait for each other.
static LOCK: Sql = Sql::new(
    "end_jobs_lock",
    "SELECT id, queue, tier, concurrency_key FROM job WHERE id {any $1 uuid} ORDER BY id {for_update}",
);

// The attempt of a leased job ends with it; the last attempt of another one is in `attempt` already. The token of a job
// on `workflow-node` stays, so that the worker that holds it is answered that the job was cancelled. That of
// an execution's own job goes: its owner takes a token that it finds for the sign that it ended the execution itself.
// $1 now
static MOVE: Sql = Sql::new(
    "end_jobs",
    "INSERT INTO job_done ({done_columns}, error, result, data)
     SELECT {ended j:
       status 'CANCELLED';
       finished_at $1;
       lease_token CASE WHEN j.queue = {queue workflow-node} THEN j.lease_token END;
       attempt_status CASE WHEN j.state = 'processing' THEN 'CANCELLED' END
     }, j.error, NULL, j.data
     FROM job j WHERE j.id {any $2 uuid}
     ON CONFLICT DO NOTHING",
);

static REMOVE: Sql = Sql::new("end_jobs_remove", "DELETE FROM job WHERE id {any $1 uuid}");

/// Cancels those of these jobs that have not ended. Answers of which queues and tiers they are, and the jobs whose turn it
/// is with the concurrency keys that became free.
pub(crate) async fn cancel(
    on: &DatabaseTransaction,
    dialect: Dialect,
    ids: &[Uuid],
    now: Timestamp,
) -> StoreResult<(Vec<(QueueName, Tier)>, Revived)> {
    let none = || Ok((Vec::new(), Revived::in_place(Vec::new())));
    if ids.is_empty() {
        return none();
    }
    let rows = LOCK.all(on, vec![bind::uuids(dialect, ids.iter().copied())]).await?;
    let (mut found, mut kinds, mut keys) = (Vec::with_capacity(rows.len()), Vec::new(), Vec::new());
    for row in &rows {
        let row = Row::new("job", row);
        found.push(row.uuid("id")?);
        kinds.push((row.queue("queue")?, row.tier("tier")?));
        keys.extend(row.text_or_null("concurrency_key")?);
    }
    if found.is_empty() {
        return none();
    }
    cancel_locked(on, dialect, &found, now).await?;
    Ok((kinds, Revived::admitted(&admit(on, &keys, now).await?)))
}

/// Cancels jobs whose rows the transaction has locked. Their concurrency keys are the caller's to free.
pub(super) async fn cancel_locked(
    on: &DatabaseTransaction,
    dialect: Dialect,
    ids: &[Uuid],
    now: Timestamp,
) -> StoreResult<()> {
    let list = || bind::uuids(dialect, ids.iter().copied());
    MOVE.run(on, vec![now.0.into(), list()]).await?;
    REMOVE.run(on, vec![list()]).await?;
    Ok(())
}

// Telling the holder of a lease that its job was cancelled, and not just that the lease is gone.

/// Changes `LeaseLost` to `Cancelled` where the job was cancelled under that lease. Answers are in the order of the leases.
pub(crate) async fn mark_cancelled<C: ConnectionTrait, T>(
    on: &C,
    dialect: Dialect,
    leases: impl Iterator<Item = LeaseRef>,
    answers: &mut [LeaseAnswer<T>],
) -> StoreResult<()> {
    let lost = leases.enumerate().filter(|(place, _)| matches!(answers[*place], LeaseAnswer::LeaseLost));
    let cells: Vec<[Cell<'_>; 3]> = lost
        .map(|(place, lease)| {
            [Cell::Int(place as i32), Cell::Uuid(lease.id.uuid()), Cell::Uuid(lease.token.0)]
        })
        .collect();
    if cells.is_empty() {
        return Ok(());
    }
    for row in &SETTLED_BEFORE.all(on, bind::rows(dialect, cells.into_iter())).await? {
        let row = Row::new("job_done", row);
        if status::status(row, "state")? == JobStatus::Cancelled {
            answers[row.int("ord")? as usize] = LeaseAnswer::Cancelled;
        }
    }
    Ok(())
}

// Cancelling a job that has not ended.

static CANCEL_LOCK: Sql = Sql::new(
    "cancel_lock",
    "SELECT id, queue, lane, attempt, tier, created_at, started_at, execution_id, node_id, data FROM job WHERE id = $1 {for_update}",
);

static CANCELLED: Sql = Sql::new(
    "execution_of_cancelled_job",
    "SELECT execution_id FROM job_done WHERE id = $1 AND node_id IS NOT NULL AND execution_id IS NOT NULL",
);

/// `JobStore::cancel_job`. `may_be_done`: whether the call was made before and its answer was lost. Then a job that is cancelled
/// was cancelled by it, and whoever waits for that is still to be notified.
pub(super) async fn cancel_one(
    store: &SqlStore,
    scope: &TenantScope,
    id: JobId,
    (now, may_be_done): (Timestamp, bool),
) -> StoreResult<JobChange> {
    let Some(located) = locate(store.pool().read(), scope, id).await? else {
        return Ok(JobChange::NotFound);
    };
    // An execution is cancelled by a command to it, so that its nodes are cancelled with it.
    let queue = located.key.queue;
    if may_be_done && queue != QueueName::Execution && located.status == JobStatus::Cancelled {
        let row = CANCELLED.first(store.pool().read(), vec![id.uuid().into()]).await?;
        let execution_id = row.map(|row| Row::new("job_done", &row).uuid("execution_id")).transpose()?;
        let execution_id = execution_id.map(ExecutionId::from_uuid);
        return Ok(JobChange::Changed { status: JobStatus::Cancelled, queue, execution_id });
    }
    if queue == QueueName::Execution || located.status.is_terminal() {
        return Ok(JobChange::Refused(located.status));
    }
    let transaction = store.pool().begin().await?;
    let Some(row) = CANCEL_LOCK.first(&transaction, vec![id.uuid().into()]).await? else {
        rollback(transaction).await;
        return Err(StoreError::Contended { source: "the job moved on while it was being cancelled".into() });
    };
    let job = cancelled(Row::new("job", &row))?;
    let (_, admitted) = cancel(&transaction, store.dialect(), &[id.uuid()], now).await?;
    let execution_id = job.node().map(|(execution, _)| execution);
    let error = JobError::coded("cancelled", "The job was cancelled.");
    apply_cancellation_effects(&transaction, &[job], &error, now).await?;
    // A job that waited for the concurrency key of this one is older than others of its lane.
    let bumps = bump_epoch(&transaction, admitted.older()).await?;
    commit_change(transaction).await?;
    admitted.record(store);
    bumps.record(store);
    Ok(JobChange::Changed { status: JobStatus::Cancelled, queue, execution_id })
}

/// The job as it ends, of a row with the columns of `cancel_lock`. Its concurrency key was dealt with when it was moved.
pub(super) fn cancelled(row: Row<'_>) -> StoreResult<EndedJob> {
    Ok(EndedJob {
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
