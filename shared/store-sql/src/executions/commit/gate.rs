//! The gate of a step: the lease of its execution's job.

use std::collections::HashMap;

use domain::time::Timestamp;
use store::executions::{Committed, ExecutionCommit, OwnerNext};
use store::jobs::LeaseAnswer;
use store::{StoreError, StoreResult};
use uuid::Uuid;

use crate::bind::{self, Cell};
use crate::dialect::Dialect;
use crate::rows::Row;
use crate::sql::{DatabaseTransaction, Sql};

use super::super::lock::{Family, lock_family};

static RESET_CRASHES: Sql = Sql::new("reset_crashes", "UPDATE job SET crashes = 0 WHERE id {any $1 uuid}");

static RESET_EVALUATIONS: Sql = Sql::new(
    "reset_evaluations",
    "UPDATE execution SET evaluations_lost = 0 WHERE id {any $1 uuid} AND evaluations_lost > 0",
);

static FINISHED: Sql = Sql::new(
    "commit_executions_done",
    "SELECT r.ord FROM {rows $1: ord int, id uuid, token uuid} r
     JOIN job_done d ON d.id = r.id AND d.lease_token = r.token",
);

/// Locks the executions of these steps with the parents of those that end, the children that are to be cancelled, the
/// leases, and the jobs that end with the steps.
pub(super) async fn lock(
    on: &DatabaseTransaction,
    dialect: Dialect,
    commits: &[ExecutionCommit],
) -> StoreResult<Family> {
    let own = commits.iter().map(|commit| commit.id);
    let children = commits.iter().flat_map(|commit| {
        let retried = commit.retry_children.iter().map(|(_, child)| *child);
        commit.cancel_children.iter().chain(&commit.undo_children).copied().chain(retried)
    });
    let ids: Vec<Uuid> = own.chain(children).map(domain::id::Id::uuid).collect();
    let ends = commits.iter().filter(|commit| commit.next == OwnerNext::Finish);
    let ends: Vec<Uuid> = ends.map(|commit| commit.id.uuid()).collect();
    let completed = commits.iter().flat_map(|commit| commit.completed.iter().map(|job| job.lease));
    let leases = commits.iter().map(|commit| commit.lease).chain(completed);
    let jobs: Vec<Uuid> = leases.map(|lease| lease.id.uuid()).collect();
    lock_family(on, dialect, &ids, &ends, &jobs).await
}

/// Fails where a step whose gate is open was made from a state that is not the last one: another step of the same owner, given
/// up as lost, was committed since.
pub(super) fn check_steps(commits: &[ExecutionCommit], places: &[usize], family: &Family) -> StoreResult<()> {
    let is_next = |commit: &ExecutionCommit| {
        family.locked.get(&commit.id.uuid()).is_some_and(|locked| locked.step == commit.step)
    };
    if places.iter().all(|&place| is_next(&commits[place])) {
        return Ok(());
    }
    Err(StoreError::Outdated { what: "the state of an execution" })
}

/// The places of the steps whose lease is that of their execution's job. An execution that is named twice passes once.
pub(super) fn passed(commits: &[ExecutionCommit], family: &Family) -> Vec<usize> {
    let mut seen: HashMap<Uuid, usize> = HashMap::with_capacity(commits.len());
    for (place, commit) in commits.iter().enumerate() {
        let id = commit.id.uuid();
        let is_own = family.locked.get(&id).is_some_and(|locked| locked.job_id == commit.lease.id.uuid());
        let holds = family.leases.get(&id).is_some_and(|lease| lease.token == commit.lease.token.0);
        if is_own && holds {
            seen.entry(id).or_insert(place);
        }
    }
    let mut places: Vec<usize> = seen.into_values().collect();
    places.sort_unstable();
    places
}

/// Answers for all steps, as if those at `passed` had lost their lease as well: the same lease ended the execution
/// before, or it is gone.
pub(super) async fn explain(
    on: &DatabaseTransaction,
    dialect: Dialect,
    commits: &[ExecutionCommit],
    passed: &[usize],
) -> StoreResult<Vec<LeaseAnswer<Committed>>> {
    let mut answers: Vec<LeaseAnswer<Committed>> = vec![LeaseAnswer::LeaseLost; commits.len()];
    if passed.len() == commits.len() {
        return Ok(answers);
    }
    let shut: Vec<usize> = (0..commits.len()).filter(|place| passed.binary_search(place).is_err()).collect();
    let cells = shut.iter().map(|&place| {
        let lease = commits[place].lease;
        [Cell::Int(place as i32), Cell::Uuid(lease.id.uuid()), Cell::Uuid(lease.token.0)]
    });
    for row in &FINISHED.all(on, bind::rows(dialect, cells)).await? {
        answers[Row::new("job_done", row).int("ord")? as usize] = LeaseAnswer::AlreadyDone;
    }
    Ok(answers)
}

/// A step that nobody owns is progress, too.
pub(super) async fn reset_evaluations(
    on: &DatabaseTransaction,
    dialect: Dialect,
    steps: &[&ExecutionCommit],
) -> StoreResult<()> {
    let ids = bind::uuids(dialect, steps.iter().map(|step| step.id.uuid()));
    RESET_EVALUATIONS.run(on, vec![ids]).await.map(|_| ())
}

/// A step is progress: owners and evaluations that were lost before it do not count any more.
pub(super) async fn reset_crashes(
    on: &DatabaseTransaction,
    dialect: Dialect,
    steps: &[&ExecutionCommit],
    family: &Family,
) -> StoreResult<()> {
    let has_crashed = |id: &Uuid| family.leases.get(id).is_some_and(|lease| lease.crashes > 0);
    let crashed = || steps.iter().filter(|step| has_crashed(&step.id.uuid()));
    let executions: Vec<Uuid> = crashed().map(|step| step.id.uuid()).collect();
    if executions.is_empty() {
        return Ok(());
    }
    RESET_EVALUATIONS.run(on, vec![bind::uuids(dialect, executions.into_iter())]).await?;
    let goes_on = crashed().filter(|step| step.next != OwnerNext::Finish);
    let jobs: Vec<Uuid> = goes_on.map(|step| step.lease.id.uuid()).collect();
    if jobs.is_empty() {
        return Ok(());
    }
    RESET_CRASHES.run(on, vec![bind::uuids(dialect, jobs.into_iter())]).await.map(|_| ())
}

/// The instant of something that may not have come, as a cell.
pub(super) fn instant_or_null(instant: Option<Timestamp>) -> Cell<'static> {
    Cell::LongOrNull(instant.map(|instant| instant.0))
}
