//! Jobs that nobody starts in time: the instant is kept with the job, claims leave out what has expired, and upkeep ends it.

use std::collections::HashMap;

use domain::expiry;
use domain::id::{ExecutionId, JobId};
use domain::job::JobStatus;
use domain::lane::LaneId;
use domain::names::NodeId;
use domain::queue::QueueName;
use domain::time::Timestamp;
use sea_orm::ConnectionTrait;
use store::StoreResult;
use store::jobs::{Enqueued, ExpiredJob, ExpiredStarts, NewJob};
use uuid::Uuid;

use super::completion_effects::{End, apply_completion_effects};
use super::end;
use super::finish::{Finished, error_text};
use crate::bind::{self, Cell};
use crate::claim_row::bump_epoch;
use crate::dialect::Dialect;
use crate::executions::expire_execution;
use crate::lock_order::begin_upkeep;
use crate::pool::{commit, rollback};
use crate::rows::Row;
use crate::sql::Sql;
use crate::store::SqlStore;

static SET: Sql = Sql::new(
    "set_job_expiry",
    "UPDATE job SET expires_at = r.ends FROM {rows $1: key uuid, ends bigint} r
     WHERE job.id = r.key AND job.expires_at IS NULL",
);

// Index: job_expiry.
pub(super) static DUE: Sql = Sql::new(
    "expired_jobs",
    "SELECT id, queue, execution_id FROM job
     WHERE expires_at IS NOT NULL AND started_at IS NULL AND expires_at <= $1
     ORDER BY expires_at LIMIT $2",
);

// The state is written so that no partial index fits: what is left is a probe by id.
// $2 now
static LOCK: Sql = Sql::new(
    "lock_unstarted_jobs",
    "SELECT id, queue, lane, attempt, tier, created_at, execution_id, node_id, data FROM job
     WHERE id {any $1 uuid} AND expires_at <= $2 AND started_at IS NULL
       AND state || '' IN ('scheduled', 'queued', 'blocked')
     ORDER BY id {for_update_skip}",
);

static EXPLAIN: Sql =
    Sql::new("explain_expired_jobs", "UPDATE job_done SET error = $2 WHERE id {any $1 uuid}");

/// Keeps until when new jobs may be started. To be called in the transaction that inserted them.
pub(super) async fn set<C: ConnectionTrait>(
    on: &C,
    jobs: &[NewJob],
    answers: &[Enqueued],
) -> StoreResult<()> {
    let new = jobs.iter().zip(answers).filter(|(_, answer)| !answer.existing);
    let cells: Vec<[Cell<'_>; 2]> =
        new.filter_map(|(job, _)| Some([Cell::Uuid(job.id.uuid()), Cell::Long(job.expires_at?.0)])).collect();
    if cells.is_empty() {
        return Ok(());
    }
    let dialect = Dialect::of(on.get_database_backend());
    SET.run(on, bind::rows(dialect, cells.into_iter())).await.map(|_| ())
}

/// `JobStore::expire_unstarted`. May be repeated: what has ended is not found again.
pub(super) async fn expire(store: &SqlStore, now: Timestamp, limit: u32) -> StoreResult<ExpiredStarts> {
    let rows = DUE.all(store.pool().read(), vec![now.0.into(), i64::from(limit).into()]).await?;
    let mut expired = ExpiredStarts { more: rows.len() >= limit as usize, ..ExpiredStarts::default() };
    let mut jobs: Vec<Uuid> = Vec::with_capacity(rows.len());
    let mut executions: Vec<ExecutionId> = Vec::new();
    for row in &rows {
        let row = Row::new("job", row);
        match (row.queue("queue")?, row.uuid_or_null("execution_id")?) {
            (QueueName::Execution, Some(id)) => executions.push(ExecutionId::from_uuid(id)),
            _ => jobs.push(row.uuid("id")?),
        }
    }
    if !jobs.is_empty() {
        end_jobs(store, &jobs, now, &mut expired).await?;
    }
    for id in executions {
        if let Some(parent) = expire_execution(store, id, now).await? {
            expired.executions.push(id);
            expired.inboxes.extend(parent);
        }
    }
    // Where somebody else was at work on all of them, the next call is soon enough.
    expired.more &= !expired.jobs.is_empty() || !expired.executions.is_empty();
    Ok(expired)
}

async fn end_jobs(
    store: &SqlStore,
    ids: &[Uuid],
    now: Timestamp,
    expired: &mut ExpiredStarts,
) -> StoreResult<()> {
    let dialect = store.dialect();
    let transaction = begin_upkeep(store.pool()).await?;
    let values = vec![bind::uuids(dialect, ids.iter().copied()), now.0.into()];
    let rows = LOCK.all(&transaction, values).await?;
    let found: Vec<Finished> =
        rows.iter().map(|row| finished(Row::new("job", row))).collect::<Result<_, _>>()?;
    if found.is_empty() {
        rollback(transaction).await;
        return Ok(());
    }
    let ids: Vec<Uuid> = found.iter().map(|job| job.id.uuid()).collect();
    let ended = end::cancel(&transaction, dialect, &ids, now).await?;
    let error = error_text(Some(&expiry::job_error()));
    EXPLAIN.run(&transaction, vec![bind::uuids(dialect, ids.iter().copied()), error.into()]).await?;
    let ends: HashMap<JobId, End> = found.iter().map(|job| (job.id, End::Expired)).collect();
    apply_completion_effects(store, &transaction, &found, &ends, now).await?;
    let bumps = bump_epoch(&transaction, &ended.queues()).await?;
    commit(transaction).await?;
    ended.record(store);
    bumps.record(store);
    expired.inboxes.extend(found.iter().filter_map(|job| job.node().map(|(execution, _)| execution)));
    let seen = found.iter().map(|job| ExpiredJob { queue: job.queue, lane: job.lane, tier: job.tier });
    expired.jobs.extend(seen);
    Ok(())
}

/// The job as it ends. Its concurrency key was dealt with when it was moved.
fn finished(row: Row<'_>) -> StoreResult<Finished> {
    Ok(Finished {
        id: JobId::from_uuid(row.uuid("id")?),
        queue: row.queue("queue")?,
        lane: LaneId(row.int("lane")?),
        status: JobStatus::Cancelled,
        attempt: row.count("attempt")?,
        tier: row.tier("tier")?,
        created_at: row.instant("created_at")?,
        started_at: None,
        traceparent: None,
        concurrency_key: None,
        execution_id: row.uuid_or_null("execution_id")?.map(ExecutionId::from_uuid),
        node_id: row.name_or_null("node_id", NodeId::trusted)?,
        data: row.text_or_null("data")?,
    })
}
