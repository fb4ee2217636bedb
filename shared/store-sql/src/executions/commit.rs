//! Committing steps of executions: of each everything that follows from it, or nothing; of many in one transaction.
//!
//! The rows of the executions are locked first and the jobs' rows after them, as everywhere. The lease of each
//! execution's job is its gate: a step without it is left out, and the others go through. On PostgreSQL steps that only
//! advance are one statement (`fast`), and so are those that only end their executions; where that does
//! not fit, they go the way of the others.

mod ending;
mod fast;
mod gate;
mod spawn;
mod unowned;
mod write;

use std::collections::HashMap;

use domain::id::ExecutionId;
use domain::queue::QueueName;
use domain::time::Timestamp;
use store::StoreResult;
use store::events::EventWaitChange;
use store::executions::{Committed, EagerlyCommitted, ExecutionCommit, OwnerNext, UserTaskChange};
use store::jobs::{ClaimRequest, LeaseAnswer};
use uuid::Uuid;

use super::cancel::{Cancel, Touched, cancel_down, settled_at_once};
use super::inbox;
use super::lock::{Family, Locked, Moves};
use crate::dialect::Dialect;
use crate::events::waits;
use crate::jobs::admit::admit;
use crate::jobs::end;
use crate::jobs::revive::Revived;
use crate::pool::{self, rollback};
use crate::retry::{RetryBudget, with_retry};
use crate::sql::{DatabaseTransaction, Sql};
use crate::user_tasks::change;
use crate::{SqlStore, attributes, bind};
use ending::{Parked, park};
use gate::{check_steps, explain, lock, passed, reset_crashes};
use spawn::{Spawn, Spawned};

pub(crate) use ending::NEVER;
pub(super) use unowned::commit_unowned;

// The transaction around a batch of steps.

/// Commits steps for the holders of the leases; answers in order. New jobs may be leased for a claim, where there is one.
pub(crate) async fn commit(
    store: &SqlStore,
    commits: &[ExecutionCommit],
    (now, claim): (Timestamp, Option<&ClaimRequest>),
) -> StoreResult<EagerlyCommitted> {
    if commits.is_empty() {
        return Ok(EagerlyCommitted::default());
    }
    let spawn = Spawn::prepare(store, commits, now).await?;
    // The end of an execution is recognised when it is repeated. A step before it is not: over a broken connection
    // its caller decides.
    let are_ends = commits.iter().all(|commit| commit.next == OwnerNext::Finish);
    let tries = if are_ends { RetryBudget::repeatable() } else { RetryBudget::once() };
    let is_plain = fast::is_eligible(store, commits);
    let is_plain_end = are_ends && fast::can_end(store, commits);
    with_retry(tries, || async {
        if is_plain_end && let Some(answers) = fast::commit_end(store, commits, now).await? {
            return Ok(EagerlyCommitted { answers, leased: Vec::new() });
        }
        if is_plain && let Some(committed) = fast::commit(store, commits, &spawn, (now, claim)).await? {
            return Ok(committed);
        }
        let answers = commit_once(store, commits, &spawn, now).await?;
        Ok(EagerlyCommitted { answers, leased: Vec::new() })
    })
    .await
}

async fn commit_once(
    store: &SqlStore,
    commits: &[ExecutionCommit],
    spawn: &Spawn<'_>,
    now: Timestamp,
) -> StoreResult<Vec<LeaseAnswer<Committed>>> {
    let mut moves = Moves::none(store);
    let transaction = store.pool().begin().await?;
    let family = lock(&transaction, store.dialect(), commits).await?;
    let places = passed(commits, &family);
    let mut answers = explain(&transaction, store.dialect(), commits, &places).await?;
    if places.is_empty() {
        rollback(transaction).await;
        return Ok(answers);
    }
    if let Err(outdated) = check_steps(commits, &places, &family) {
        rollback(transaction).await;
        return Err(outdated);
    }
    let batch = Batch {
        store,
        on: &transaction,
        steps: places.iter().map(|&place| &commits[place]).collect(),
        family,
        now,
    };
    let done = batch.carry_out(spawn, &places, &mut moves).await?;
    moves.bump(&transaction, &done.spawned.inserted).await?;
    let committed = batch.answers(&done);
    drop(batch);
    pool::commit(transaction).await?;
    moves.record(store, &done.spawned.inserted);
    for (place, answer) in places.into_iter().zip(committed) {
        answers[place] = LeaseAnswer::Ok(answer);
    }
    Ok(answers)
}

/// The steps whose gates are open.
struct Batch<'a> {
    store: &'a SqlStore,
    on: &'a DatabaseTransaction,
    steps: Vec<&'a ExecutionCommit>,
    family: Family,
    now: Timestamp,
}

/// What the steps did.
struct Done {
    spawned: Spawned,
    has_ended_jobs: bool,
    parked: Parked,
    touched: Vec<Touched>,
    ended: Vec<Uuid>,
}

impl Batch<'_> {
    /// Carries the steps out. What may bring entries into the inboxes comes before the parking, which looks into them.
    async fn carry_out(&self, spawn: &Spawn<'_>, places: &[usize], moves: &mut Moves) -> StoreResult<Done> {
        let (on, dialect, now) = (self.on, self.store.dialect(), self.now);
        moves.revive(release_held(on, dialect, &self.steps, now).await?);
        reset_crashes(on, dialect, &self.steps, &self.family).await?;
        let finished = ending::finish_jobs(on, &self.steps, now).await?;
        for job in &finished {
            moves.give_back(job.queue, job.lane);
        }
        let touched = self.change_children(moves).await?;
        let cancel: Vec<Uuid> =
            self.steps.iter().flat_map(|step| &step.cancel).map(|job| job.uuid()).collect();
        let (cancelled, admitted) = end::cancel(on, dialect, &cancel, now).await?;
        moves.revive(admitted);
        let has_cancelled = !cancelled.is_empty();
        moves.cancel(cancelled);
        let keys: Vec<String> = finished.iter().filter_map(|job| job.concurrency_key.clone()).collect();
        moves.revive(Revived::admitted(&admit(on, &keys, now).await?));
        let parked = park(on, dialect, &self.steps, now, moves).await?;
        write::write(on, dialect, &self.steps, &parked, now).await?;
        for step in self.steps.iter().filter(|step| !step.attributes.is_empty()) {
            attributes::replace(on, step.id.uuid(), &step.attributes).await?;
        }
        let changes: Vec<(Uuid, &UserTaskChange)> = self
            .steps
            .iter()
            .flat_map(|step| step.user_tasks.iter().map(|change| (step.id.uuid(), change)))
            .collect();
        change::change(on, &changes, now).await?;
        let waits: Vec<(Uuid, &EventWaitChange)> = self
            .steps
            .iter()
            .flat_map(|step| step.event_waits.iter().map(|change| (step.id.uuid(), change)))
            .collect();
        waits::change(on, dialect, &waits).await?;
        let spawned = spawn.insert(on, places, now).await?;
        let ended = ending::end(on, dialect, &self.steps, &self.family, now, moves).await?;
        Ok(Done { spawned, has_ended_jobs: has_cancelled, parked, touched, ended })
    }

    /// Stops children, or lets them go on.
    async fn change_children(&self, moves: &mut Moves) -> StoreResult<Vec<Touched>> {
        let mut touched = Vec::new();
        for undoes in [false, true] {
            touched.extend(self.cancel_children(undoes, moves).await?);
        }
        for step in &self.steps {
            let changes = spawn::Retry { on: self.on, step, family: &self.family, now: self.now };
            touched.extend(changes.retry(moves).await?);
        }
        Ok(touched)
    }

    async fn cancel_children(&self, undoes: bool, moves: &mut Moves) -> StoreResult<Vec<Touched>> {
        let of = |step: &&'_ ExecutionCommit| {
            if undoes { step.undo_children.clone() } else { step.cancel_children.clone() }
        };
        let children: Vec<Locked> = self
            .steps
            .iter()
            .flat_map(of)
            .filter_map(|id| self.family.locked.get(&id.uuid()))
            .filter(|locked| !locked.status.is_terminal())
            .cloned()
            .collect();
        if children.is_empty() {
            return Ok(Vec::new());
        }
        let (on, dialect, now) = (self.on, self.store.dialect(), self.now);
        let cancel = Cancel { reason: None, undoes };
        let touched = cancel_down(on, dialect, children.clone(), cancel, now, moves).await?;
        if undoes {
            // Their parent waits for them.
            inbox::append_all(on, dialect, &settled_at_once(&children, &touched), now).await?;
        }
        Ok(touched)
    }

    fn answers(&self, done: &Done) -> Vec<Committed> {
        let mut by_root: HashMap<Uuid, Vec<ExecutionId>> = HashMap::new();
        for touched in &done.touched {
            by_root.entry(touched.root).or_default().push(touched.id);
        }
        let answer = |(place, step): (usize, &&ExecutionCommit)| {
            let has_ended_jobs =
                !step.completed.is_empty() || (done.has_ended_jobs && !step.cancel.is_empty());
            let id = step.id.uuid();
            let locked = self.family.locked.get(&id).filter(|_| done.ended.contains(&id));
            Committed {
                enqueued: done.spawned.answers[place].clone(),
                freed_node_slots: has_ended_jobs,
                parked: done.parked.contains(&id),
                goes_on: step.next == OwnerNext::Finish && !done.ended.contains(&id),
                parent: locked.and_then(|locked| locked.parent.as_ref()).map(|parent| parent.execution_id),
                touched_children: step
                    .cancel_children
                    .iter()
                    .chain(&step.undo_children)
                    .chain(step.retry_children.iter().map(|(_, child)| child))
                    .flat_map(|child| by_root.get(&child.uuid()).cloned().unwrap_or_default())
                    .collect(),
            }
        };
        self.steps.iter().enumerate().map(answer).collect()
    }
}

// $1 now, $2 the queue of nodes
static RELEASE: Sql = Sql::new(
    "release_held_jobs",
    "UPDATE job SET state = 'queued', queued_at = $1
     WHERE execution_id {any $3 uuid} AND queue = $2 AND state || '' = 'blocked' AND concurrency_key IS NULL
     RETURNING state, queue, lane, position",
);

/// Makes the held jobs claimable whose executions have slots now.
async fn release_held(
    on: &DatabaseTransaction,
    dialect: Dialect,
    steps: &[&ExecutionCommit],
    now: Timestamp,
) -> StoreResult<Revived> {
    let ids: Vec<Uuid> = steps.iter().filter(|step| step.releases_held).map(|step| step.id.uuid()).collect();
    if ids.is_empty() {
        return Ok(Revived::in_place(Vec::new()));
    }
    let values =
        vec![now.0.into(), i32::from(QueueName::Node.code()).into(), bind::uuids(dialect, ids.into_iter())];
    Revived::queued(&RELEASE.all(on, values).await?)
}

#[cfg(test)]
mod plans;
