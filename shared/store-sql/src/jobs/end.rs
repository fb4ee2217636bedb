//! Cancelling jobs within the transaction of something larger: from `job` to `job_done`, whatever their state.
//!
//! Makes no inbox entries and no dead letters.

use domain::queue::QueueName;
use domain::time::Timestamp;
use store::StoreResult;
use uuid::Uuid;

use super::admit::{Admitted, admit};
use super::finish::Finished;
use crate::SqlStore;
use crate::bind;
use crate::dialect::Dialect;
use crate::rows::Row;
use crate::sql::Sql;
use crate::transaction::DatabaseTransaction;

// In one order for everybody, so that two transactions that end the same jobs do not wait for each other.
static LOCK: Sql = Sql::new(
    "end_jobs_lock",
    "SELECT id, concurrency_key FROM job WHERE id {any $1 uuid} ORDER BY id {for_update}",
);

// The attempt of a leased job ends with it; the last attempt of another one is in `attempt` already. The token of a job
// on `workflow-node` (code 1) stays, so that the worker that holds it is answered that the job was cancelled. That of
// an execution's own job goes: its owner takes a token that it finds for the sign that it ended the execution itself.
// $1 now
static MOVE: Sql = Sql::new(
    "end_jobs",
    "INSERT INTO job_done (id, position, queue, lane, status, attempt, attempt_base, retries_max, run_at, queued_at,
       created_at, started_at, finished_at, lease_token, worker_id, attempt_status, tier, timeout_ms, backoff,
       unique_key, concurrency_key, tags, traceparent, execution_id, node_id, error, result, data)
     SELECT j.id, j.position, j.queue, j.lane, 'CANCELLED', j.attempt, j.attempt_base, j.retries_max, j.run_at,
       j.queued_at, j.created_at, j.started_at, $1, CASE WHEN j.queue = 1 THEN j.lease_token END, j.worker_id,
       CASE WHEN j.state = 'processing' THEN 'CANCELLED' END, j.tier, j.timeout_ms, j.backoff,
       j.unique_key, j.concurrency_key, j.tags, j.traceparent, j.execution_id, j.node_id, j.error, NULL, j.data
     FROM job j WHERE j.id {any $2 uuid}
     ON CONFLICT DO NOTHING",
);

static REMOVE: Sql = Sql::new("end_jobs_remove", "DELETE FROM job WHERE id {any $1 uuid}");

/// What became of jobs that were to end.
#[derive(Debug, Default)]
pub(crate) struct Ended {
    /// How many ended now.
    pub(crate) count: usize,
    /// Jobs whose turn it is with the concurrency keys that became free.
    admitted: Vec<Admitted>,
}

impl Ended {
    /// Records the admitted jobs in the ring. To be called after the commit.
    pub(crate) fn record(&self, store: &SqlStore) {
        for job in &self.admitted {
            store.memory().record_claimable_from(job.queue, job.lane, job.position);
        }
    }

    /// The queues of the admitted jobs, which are older than others of their lanes: to be bumped last in the
    /// transaction.
    pub(crate) fn queues(&self) -> Vec<QueueName> {
        self.admitted.iter().map(|job| job.queue).collect()
    }

    /// Adds jobs that ended otherwise in the same transaction.
    pub(crate) async fn and(
        mut self,
        on: &DatabaseTransaction,
        finished: &[Finished],
        now: Timestamp,
    ) -> StoreResult<Self> {
        let keys: Vec<String> = finished.iter().filter_map(|job| job.concurrency_key.clone()).collect();
        self.count += finished.len();
        self.admitted.extend(admit(on, &keys, now).await?);
        Ok(self)
    }
}

/// Cancels those of these jobs that have not ended.
pub(crate) async fn cancel(
    on: &DatabaseTransaction,
    dialect: Dialect,
    ids: &[Uuid],
    now: Timestamp,
) -> StoreResult<Ended> {
    if ids.is_empty() {
        return Ok(Ended::default());
    }
    let rows = LOCK.all(on, vec![bind::uuids(dialect, ids.iter().copied())]).await?;
    let (mut found, mut keys) = (Vec::with_capacity(rows.len()), Vec::new());
    for row in &rows {
        let row = Row::new("job", row);
        found.push(row.uuid("id")?);
        keys.extend(row.text_or_null("concurrency_key")?);
    }
    if found.is_empty() {
        return Ok(Ended::default());
    }
    cancel_locked(on, dialect, &found, now).await?;
    Ok(Ended { count: found.len(), admitted: admit(on, &keys, now).await? })
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
