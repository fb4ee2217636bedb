//! The end of executions: their jobs end with them, their inboxes close, and their parents are notified. Jobs of nodes
//! end here too, where the owner got their results first.

use std::collections::{HashMap, HashSet};

use domain::failure::JobError;
use domain::id::{ExecutionId, JobId};
use domain::queue::LaneId;
use domain::time::Timestamp;
use domain::workflow::execution::ExecutionStatus;
use store::executions::{ExecutionCommit, OwnerNext};
use store::jobs::LeaseRef;
use store::{StoreError, StoreResult};
use uuid::Uuid;

use super::super::inbox;
use super::super::lock::{Family, Locked, Moves};
use super::super::parents::{ChildEnd, notify_parent, result_of};
use super::super::wake::{Resumed, resume};
use crate::bind::{self, Cell};
use crate::dialect::Dialect;
use crate::jobs::admit::admit;
use crate::jobs::finish::{EndedJob, JobEnd, finish};
use crate::jobs::revive::Revived;
use crate::rows::Row;
use crate::sql::{DatabaseTransaction, Sql};

/// Ends the jobs of the executions that end, and the jobs of nodes that were completed.
pub(super) async fn finish_jobs(
    on: &DatabaseTransaction,
    steps: &[&ExecutionCommit],
    now: Timestamp,
) -> StoreResult<Vec<EndedJob>> {
    let mut executions: HashMap<JobId, ExecutionId> = HashMap::new();
    let mut batch: Vec<(LeaseRef, JobEnd<'_>)> = Vec::new();
    for step in steps {
        for job in &step.completed {
            if executions.insert(job.lease.id, step.id).is_some() {
                return Err(OUTDATED);
            }
            batch.push((job.lease, JobEnd::Completed(job.result.as_deref())));
        }
    }
    // No job is named twice, and the job of an execution ends with it alone.
    if steps.iter().any(|step| executions.contains_key(&step.lease.id)) {
        return Err(OUTDATED);
    }
    let ends = steps.iter().filter(|step| step.next == OwnerNext::Finish);
    batch.extend(ends.map(|step| (step.lease, end_of(step))));
    let finished = finish(on, &batch, now).await?;
    for job in &finished {
        if let Some((execution, _)) = job.node()
            && executions.remove(&job.id) != Some(execution)
        {
            return Err(OUTDATED);
        }
    }
    if executions.is_empty() { Ok(finished) } else { Err(OUTDATED) }
}

/// A job of a node that is not leased under its token, or not one of the execution.
const OUTDATED: StoreError = StoreError::Outdated { what: "a job that ends with a step" };

/// How the execution's job ends with it.
fn end_of(step: &ExecutionCommit) -> JobEnd<'static> {
    debug_assert!(step.status.is_terminal(), "an owner finishes with a status that is final");
    let error = step.error.as_ref().map(|error| JobError {
        message: error.message.clone(),
        code: error.code.clone(),
        details: None,
    });
    JobEnd::WithExecution(step.status, error)
}

/// Closes the inboxes of the executions that end, and notifies their parents; answers which they are. One that failed
/// goes on instead if somebody requeued a node of it after the owner's last look, and so does one that was stopped if a
/// result came: both were answered, and must not be lost. To be called after what the steps settle is settled, and the
/// jobs that they cancel are.
pub(super) async fn end(
    on: &DatabaseTransaction,
    dialect: Dialect,
    steps: &[&ExecutionCommit],
    family: &Family,
    now: Timestamp,
    moves: &mut Moves,
) -> StoreResult<Vec<Uuid>> {
    let mut ended: Vec<(Uuid, ExecutionStatus)> = Vec::new();
    let mut ends: Vec<ChildEnd<'_>> = Vec::new();
    for step in steps.iter().filter(|step| step.next == OwnerNext::Finish) {
        let Some(locked) = family.locked.get(&step.id.uuid()) else {
            continue;
        };
        if goes_on(on, locked, step.status, now, moves).await? {
            continue;
        }
        ended.push((locked.id, step.status));
        let result = result_of(step.status, step.output.as_deref(), step.error.as_ref());
        ends.push(ChildEnd { locked, result });
    }
    inbox::close(on, dialect, &ended).await?;
    moves.revive(notify_parent(on, dialect, &family.locked, &ends, now).await?);
    Ok(ended.into_iter().map(|(id, _)| id).collect())
}

async fn goes_on(
    on: &DatabaseTransaction,
    locked: &Locked,
    status: ExecutionStatus,
    now: Timestamp,
    moves: &mut Moves,
) -> StoreResult<bool> {
    let is_outdated = match status {
        ExecutionStatus::Failed => {
            inbox::has_requeued(on, locked.id).await? || inbox::has_results(on, locked.id).await?
        }
        ExecutionStatus::Cancelled => inbox::has_results(on, locked.id).await?,
        _ => false,
    };
    if !is_outdated {
        return Ok(false);
    }
    match resume(on, locked, ExecutionStatus::Running, now).await? {
        Resumed::Running(revived) => {
            // Nobody has seen it end, so it is none that is resumed.
            moves.revive(revived.uncounted());
            Ok(true)
        }
        Resumed::Refused(_) => Ok(false),
    }
}

// Parking: the job of an execution that only waits gives lease, slot and attempt back.

// Whoever appends to an inbox holds the row of the execution, as this transaction does: what is not seen here is
// appended after the commit, and finds the job parked. As in a release, the attempt is as if it had not been started.
// The state is written so that no partial index fits.
// $1 the entries that the same commit settles
static PARK: Sql = Sql::new(
    "park_executions",
    "UPDATE job SET state = 'waiting', attempt = job.attempt - 1, is_resumed = 1, crashes = 0, run_at = r.due, started_at = NULL,
       worker_id = NULL, lease_token = NULL, lease_until = NULL, reap_at = 0, lease_ms = NULL, deadline_at = NULL,
       progress = NULL, look_at = NULL
     FROM {rows $2: key uuid, token uuid, execution uuid, due bigint} r
     WHERE job.id = r.key AND job.lease_token = r.token AND job.state || '' = 'processing'
       AND NOT EXISTS (
         SELECT 1 FROM inbox i
         WHERE i.execution_id = r.execution AND i.status = 'pending' AND NOT (i.position {any $1 bigint}))
     RETURNING job.execution_id, job.queue, job.lane, job.concurrency_key",
);

/// When a job is due that only its inbox takes up: 9999-12-30, as late as an instant can be written out.
pub(crate) const NEVER: i64 = 253_402_128_000_000;

/// The executions that were parked.
pub(super) type Parked = HashSet<Uuid>;

/// Parks those of these executions that ask for it and have nothing else in their inboxes.
pub(super) async fn park(
    on: &DatabaseTransaction,
    dialect: Dialect,
    steps: &[&ExecutionCommit],
    now: Timestamp,
    moves: &mut Moves,
) -> StoreResult<Parked> {
    let mut parked = Parked::new();
    let mut rows: Vec<[Cell<'_>; 4]> = Vec::new();
    let mut settled: Vec<i64> = Vec::new();
    for step in steps {
        if let OwnerNext::Park { due_at } = step.next {
            rows.push([
                Cell::Uuid(step.lease.id.uuid()),
                Cell::Uuid(step.lease.token.0),
                Cell::Uuid(step.id.uuid()),
                Cell::Long(due_at.map_or(NEVER, |instant| instant.0)),
            ]);
            settled.extend(step.inbox.iter().map(|result| result.position));
        }
    }
    if rows.is_empty() {
        return Ok(parked);
    }
    let mut values = vec![bind::longs(dialect, settled.into_iter())];
    values.extend(bind::rows(dialect, rows.into_iter()));
    let mut keys: Vec<String> = Vec::new();
    for row in &PARK.all(on, values).await? {
        let row = Row::new("job", row);
        parked.insert(row.uuid("execution_id")?);
        moves.give_back(row.queue("queue")?, LaneId(row.int("lane")?));
        keys.extend(row.text_or_null("concurrency_key")?);
    }
    let admitted = admit(on, &keys, now).await?;
    moves.revive(Revived::admitted(&admitted));
    Ok(parked)
}
