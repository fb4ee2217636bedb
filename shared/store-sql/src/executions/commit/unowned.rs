//! Steps of executions that nobody owns: time, people, results and cancels are applied although no slot is free.
//!
//! The transaction leases the jobs of the executions for itself, so that everything is written as in a step of an owner.
//! Nobody else sees those leases: when it commits, each job is parked, ended, or in the queue at the place that it had.
//! Such a step takes no slot, so the work that follows from it is held until its execution has one: jobs of nodes are
//! blocked without a concurrency key, and an owner's first commit releases them.

use crate::sql::{DatabaseTransaction, Sql};
use domain::time::Timestamp;
use store::StoreResult;
use store::executions::{Committed, ExecutionCommit, OwnerNext};
use uuid::Uuid;

use crate::SqlStore;
use crate::bind::{self, Cell};
use crate::dialect::Dialect;
use crate::jobs::revive::Revived;
use crate::pool::{self, rollback};

use super::super::lock::Moves;
use super::gate::{lock, passed, reset_evaluations};
use super::spawn::Spawn;
use super::{Batch, Done};

/// How long the lease would last if anybody saw it.
const LEASE_MS: i64 = 30_000;

// The number says that nobody else has committed a step since the execution was read.
// $1 now, $2 length of the lease
static LEASE: Sql = Sql::new(
    "lease_unowned",
    "UPDATE job SET state = 'processing', attempt = job.attempt + 1,
       started_at = {postgres:GREATEST}{sqlite:max}($1, job.queued_at), worker_id = 'upkeep', lease_token = r.token, lease_ms = $2, lease_until = $1 + $2, reap_at = $1 + $2, deadline_at = NULL, progress = NULL
     FROM {rows $3: key uuid, token uuid, execution uuid, step bigint} r
     WHERE job.id = r.key AND job.state || '' IN ('queued', 'waiting') AND EXISTS (
       SELECT 1 FROM execution e WHERE e.id = r.execution AND e.job_id = job.id AND e.step = r.step)",
);

// The attempt is as if it had not been started.
// $1 now
static GIVE_BACK: Sql = Sql::new(
    "give_back_unowned",
    "UPDATE job SET state = 'queued', attempt = job.attempt - 1, queued_at = $1, run_at = $1, started_at = NULL,
       worker_id = NULL, lease_token = NULL, lease_until = NULL, reap_at = 0, lease_ms = NULL, look_at = r.look
     FROM {rows $2: key uuid, token uuid, look bigint?} r
     WHERE job.id = r.key AND job.lease_token = r.token AND job.state || '' = 'processing'
     RETURNING job.state, job.queue, job.lane, job.position",
);

static HOLD: Sql = Sql::new(
    "hold_jobs",
    "UPDATE job SET state = 'blocked'
     WHERE id {any $1 uuid} AND state || '' = 'queued' AND concurrency_key IS NULL",
);

/// Commits steps of executions of which no other step was committed since; answers in order.
pub(crate) async fn commit_unowned(
    store: &SqlStore,
    commits: &[ExecutionCommit],
    due_at: &[Option<Timestamp>],
    now: Timestamp,
) -> StoreResult<Vec<Option<Committed>>> {
    let mut answers: Vec<Option<Committed>> = commits.iter().map(|_| None).collect();
    if commits.is_empty() {
        return Ok(answers);
    }
    let (dialect, spawn) = (store.dialect(), Spawn::prepare(store, commits, now).await?);
    let mut moves = Moves::without_leases(store);
    let transaction = store.pool().begin().await?;
    lock(&transaction, dialect, commits).await?;
    lease(&transaction, dialect, commits, now).await?;
    let family = lock(&transaction, dialect, commits).await?;
    let places = passed(commits, &family);
    if places.is_empty() {
        rollback(transaction).await;
        return Ok(answers);
    }
    let steps = places.iter().map(|&place| &commits[place]).collect();
    let batch = Batch { store, on: &transaction, steps, family, now };
    reset_evaluations(&transaction, dialect, &batch.steps).await?;
    let done = batch.carry_out(&spawn, &places, &mut moves).await?;
    let looks: Vec<Option<Timestamp>> = places.iter().map(|&place| due_at[place]).collect();
    moves.revive(wait_for_slots(&batch, &done, &looks).await?);
    moves.bump(&transaction, &done.spawned.inserted).await?;
    let committed = batch.answers(&done);
    drop(batch);
    pool::commit(transaction).await?;
    moves.record(store, &done.spawned.inserted);
    for (place, answer) in places.into_iter().zip(committed) {
        answers[place] = Some(answer);
    }
    Ok(answers)
}

async fn lease(
    on: &DatabaseTransaction,
    dialect: Dialect,
    commits: &[ExecutionCommit],
    now: Timestamp,
) -> StoreResult<()> {
    let cells = commits.iter().map(|commit| {
        [
            Cell::Uuid(commit.lease.id.uuid()),
            Cell::Uuid(commit.lease.token.0),
            Cell::Uuid(commit.id.uuid()),
            Cell::Long(commit.step),
        ]
    });
    let mut values = vec![now.0.into(), LEASE_MS.into()];
    values.extend(bind::rows(dialect, cells));
    LEASE.run(on, values).await.map(|_| ())
}

/// Executions that are neither over nor parked wait for a slot, and the new jobs of their nodes wait with them.
async fn wait_for_slots(batch: &Batch<'_>, done: &Done, looks: &[Option<Timestamp>]) -> StoreResult<Revived> {
    let (on, dialect, now) = (batch.on, batch.store.dialect(), batch.now);
    let new = done.spawned.answers.iter().flatten().filter(|job| !job.existing);
    let new: Vec<Uuid> = new.map(|job| job.id.uuid()).collect();
    if !new.is_empty() {
        HOLD.run(on, vec![bind::uuids(dialect, new.into_iter())]).await?;
    }
    let mut rows: Vec<[Cell<'_>; 3]> = Vec::new();
    for (step, due_at) in batch.steps.iter().zip(looks) {
        let is_parked = done.parked.contains(&step.id.uuid());
        if is_parked || step.next == OwnerNext::Finish {
            continue;
        }
        // What was to be parked has got something else to apply meanwhile.
        let look = if step.next == OwnerNext::Keep { *due_at } else { Some(now) };
        rows.push([
            Cell::Uuid(step.lease.id.uuid()),
            Cell::Uuid(step.lease.token.0),
            Cell::LongOrNull(look.map(|look| look.0)),
        ]);
    }
    if rows.is_empty() {
        return Ok(Revived::in_place(Vec::new()));
    }
    let mut values = vec![now.0.into()];
    values.extend(bind::rows(dialect, rows.into_iter()));
    Revived::queued(&GIVE_BACK.all(on, values).await?)
}
