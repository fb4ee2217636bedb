//! The owner of an execution: the one writer, as long as it holds the lease of the execution's job.
//!
//! It keeps the state in memory, folds what arrives in the inbox through `domain`, and commits each step in one
//! transaction that is gated by the lease. Results of jobs that run in its process come to it without the inbox. All
//! owners of a process share their commits, their looks into inboxes and their loads (`share`). An execution that only
//! waits is parked: it leaves memory and gives its slot back. An owner that dies is replaced by another, which loads
//! the last commit and goes on; nothing that completed runs again. It does not renew its lease: the pool does, for all
//! its jobs.

mod apart;
mod calls;
mod commit;
mod counted;
mod delivered;
mod load;
mod running;
mod share;
mod step;
mod stepper;
mod unowned;

use std::time::Duration;

use domain::id::ExecutionId;
use domain::job::JobStatus;
use domain::queue::QueueName;
use domain::time::Timestamp;
use domain::trace::TraceContext;
use domain::workflow::callback::CallbackBase;
use domain::workflow::execution::{Activity, ExecutionState, ExecutionStatus};
use store::StoreError;
use store::executions::{ExecutionRecord, OwnerNext};
use store::jobs::{ClaimedJob, LeaseAnswer, LeaseRef};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::engine::Engine;
use crate::error::EngineError;
use crate::executions::fresh::FreshStart;
use crate::time_skip::WaitingOwner;
use crate::waiters::ExecutionWaiter;
use crate::{metrics, traces};
use commit::{NodeJobTemplate, Outline, PreparedCommit, encode};
use counted::StepCounts;
use load::LoadedOwner;
use running::StepInputs;
use share::{DELIVERED_MAX, is_page};
use stepper::{Right, Stepper, Suspicion};

pub(crate) use apart::Apart;
pub(crate) use delivered::DeliveredResult;
pub(crate) use share::OwnerBatches;

// The owner's loop: take up, fold, commit, then wait or park.

/// How long an owner waits before it loads an execution again whose commit failed.
const RELOAD_PAUSE: Duration = Duration::from_millis(500);
/// How long an owner goes without a look at the clock of the deployment, which may move otherwise than its own.
const CLOCK_INTERVAL: Duration = Duration::from_secs(1);

/// How ownership of an execution ended.
#[derive(Debug)]
pub enum OwnerEnd {
    /// The execution ended, and its job with it; or it goes on with what came at the last moment, with its next owner.
    Finished,
    /// The execution only waits: its job is parked, and the lease is over. Nothing is left to settle.
    Parked,
    /// Somebody else owns it now, or it was cancelled from outside. Nothing more was written.
    LeaseLost,
    /// `stop` was set, there was no place for what a step needs, or the outcome of a commit is not known: the caller
    /// releases the lease.
    Released,
    /// It cannot go on here: the caller lets the lease run out, and another owner tries.
    Failed(EngineError),
}

/// Owns an execution until it ends or is parked, the lease is lost, or `stop` is set. The caller renews the lease
/// meanwhile.
pub async fn own_execution(engine: Engine, job: ClaimedJob, stop: CancellationToken) -> OwnerEnd {
    let Some(id) = job.execution_id.filter(|_| job.queue == QueueName::Execution) else {
        return OwnerEnd::Failed(EngineError::not_found("execution of job", &job.id));
    };
    engine.listen();
    engine.sweep();
    let owner = Owner {
        engine: &engine,
        id,
        job: &job,
        lease: job.lease(),
        stop: &stop,
        waiter: engine.memory().waiters.own(id),
        is_first: job.facts.attempt <= 1,
        is_suspicious: job.facts.crashes > 0,
        turn: traces::turn_context(&job),
    };
    // A step that was not made, because of `stop` or because there was no place for what it needs, is made by the next
    // owner.
    let end = match Box::pin(owner.own()).await {
        Ok(end) => end,
        Err(EngineError::Overloaded { .. }) => OwnerEnd::Released,
        Err(error) => OwnerEnd::Failed(error),
    };
    match &end {
        OwnerEnd::Finished | OwnerEnd::Parked => traces::turn_ended(job.lease(), None, engine.now()),
        OwnerEnd::LeaseLost => traces::turn_ended(job.lease(), Some("lease_lost"), engine.now()),
        // The next owner goes on with the same turn; a lease that runs out is settled by whoever finds it.
        OwnerEnd::Released | OwnerEnd::Failed(_) => {}
    }
    if matches!(end, OwnerEnd::LeaseLost) {
        metrics::lost(QueueName::Execution, &[LeaseAnswer::<()>::LeaseLost]);
    }
    end
}

/// How the turn ends in which an execution ends like this.
const fn last_outcome(status: ExecutionStatus) -> JobStatus {
    match status {
        ExecutionStatus::Completed => JobStatus::Completed,
        ExecutionStatus::Cancelled => JobStatus::Cancelled,
        _ => JobStatus::Failed,
    }
}

struct Owner<'a> {
    engine: &'a Engine,
    id: ExecutionId,
    job: &'a ClaimedJob,
    lease: LeaseRef,
    stop: &'a CancellationToken,
    waiter: ExecutionWaiter,
    /// Nobody has owned it before.
    is_first: bool,
    /// Owners were lost since its last commit.
    is_suspicious: bool,
    /// The span of this turn.
    turn: Option<TraceContext>,
}

/// What comes after a commit.
enum Next {
    GoOn,
    /// It was to be parked, but something has come in meanwhile.
    LookAgain,
    /// The commit was not written.
    Reload,
    /// Whether the commit was written is not known, and it may still be: nothing is loaded under this lease any more.
    GiveBack,
    End(OwnerEnd),
}

/// Why an owner goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reason {
    Stop,
    Inbox,
    DeliveredResult,
    Clock,
}

impl Owner<'_> {
    async fn own(&self) -> Result<OwnerEnd, EngineError> {
        // An owner that was lost has counted it.
        let mut is_counted = self.is_suspicious;
        loop {
            let Some(callbacks) =
                self.engine.retry_until_stopped(self.stop, || self.engine.callback_base()).await?
            else {
                return Ok(OwnerEnd::Released);
            };
            let taken = match self.take_up(callbacks).await? {
                Ok(taken) => taken,
                Err(end) => return Ok(end),
            };
            let was_parked = taken.template.execution.status == ExecutionStatus::Waiting;
            if !std::mem::replace(&mut is_counted, true) && was_parked {
                metrics::execution_woken();
            }
            if let Some(end) = self.run(taken).await? {
                return Ok(end);
            }
            tokio::select! {
                () = self.stop.cancelled() => return Ok(OwnerEnd::Released),
                () = tokio::time::sleep(self.reload_pause()) => {}
            }
        }
    }

    /// Takes the execution up: from what this process has just stored of it, or from the store.
    async fn take_up(&self, callbacks: CallbackBase) -> Result<Result<LoadedOwner, OwnerEnd>, EngineError> {
        if let Some(FreshStart { definition, loaded, .. }) =
            self.engine.memory().fresh.take(self.id, self.lease)
        {
            return self.engine.hydrate_with(definition, loaded, callbacks).map(Ok);
        }
        let loaded =
            self.engine.retry_until_stopped(self.stop, || self.engine.load(self.id, self.lease)).await?;
        match loaded {
            None => Ok(Err(OwnerEnd::Released)),
            Some(LeaseAnswer::AlreadyDone | LeaseAnswer::Cancelled | LeaseAnswer::LeaseLost) => {
                Ok(Err(OwnerEnd::LeaseLost))
            }
            Some(LeaseAnswer::Ok(loaded)) => self.engine.hydrate(loaded, callbacks).await.map(Ok),
        }
    }

    /// Moves the execution on. `None`: it has to be loaded again.
    async fn run(&self, taken: LoadedOwner) -> Result<Option<OwnerEnd>, EngineError> {
        let LoadedOwner { mut running, template, is_new, mut steps, mut has_held, evaluations_lost } = taken;
        // Taking up commits even if nothing happened: having got so far is the progress that resets the crash count.
        let mut is_due = true;
        let mut suspicion =
            self.is_suspicious.then_some(Suspicion { right: Right::Lease(self.lease), evaluations_lost });
        // The first step of an execution is its start; what has come before is looked at after it.
        let begins = is_new && self.is_first;
        let mut looks = !begins;
        loop {
            let rows = if looks { self.stepper(None).read_inbox().await? } else { Some(Vec::new()) };
            let Some(rows) = rows else {
                return Ok(Some(OwnerEnd::Released));
            };
            let (had_rows, is_page) = (!rows.is_empty(), is_page(&rows));
            let inputs = StepInputs { rows, delivered: self.waiter.take_delivered(DELIVERED_MAX) };
            let now = self.engine.now();
            let (moved, mut step, snapshot) =
                self.stepper(suspicion).step(running, &template, inputs, now).await?;
            step.releases_held = std::mem::take(&mut has_held);
            running = moved;
            let is_full = is_page || step.has_left;
            // The step in which an execution ends is its last one, whatever else is in its inbox: its output goes to
            // its parent with it.
            let is_over = running.state.status.is_terminal();
            let next = if is_full && !is_over { OwnerNext::Keep } else { self.next(&running.state, now) };
            let mut looks_again = is_full || (is_due && begins) || step.changes_children();
            if is_due || step.is_due() || next != OwnerNext::Keep {
                let snapshot = snapshot.map_or_else(|| encode(&running.state), Ok)?;
                self.waiter.record_state(snapshot.len());
                let made = PreparedCommit { number: steps, step, snapshot, next, now };
                match self.commit(&template, &running.state, made).await? {
                    Next::GoOn => {}
                    Next::LookAgain => looks_again |= had_rows || !looks,
                    Next::Reload => return Ok(None),
                    Next::GiveBack => return Ok(Some(self.give_back().await)),
                    Next::End(end) => return Ok(Some(end)),
                }
                steps += 1;
                (is_due, suspicion) = (false, None);
            }
            looks = looks_again
                || match self.wait(running.state.next_due_at()).await {
                    Reason::Stop => return Ok(Some(OwnerEnd::Released)),
                    Reason::Inbox => true,
                    Reason::DeliveredResult | Reason::Clock => false,
                };
        }
    }

    fn stepper(&self, suspicion: Option<Suspicion>) -> Stepper<'_> {
        Stepper { engine: self.engine, id: self.id, stop: self.stop, suspicion, leaves_long: None }
    }

    /// An execution that only waits is parked, unless it goes on by itself in a moment.
    fn next(&self, state: &ExecutionState, now: Timestamp) -> OwnerNext {
        if state.status.is_terminal() {
            return OwnerNext::Finish;
        }
        let park_after = self.engine.policy().park_after;
        match state.activity() {
            Activity::Waits { due_at } if due_at.is_none_or(|at| at.since(now) >= park_after) => {
                OwnerNext::Park { due_at }
            }
            Activity::Waits { .. } | Activity::Busy => OwnerNext::Keep,
        }
    }

    async fn commit(
        &self,
        template: &NodeJobTemplate,
        state: &ExecutionState,
        mut made: PreparedCommit,
    ) -> Result<Next, EngineError> {
        let acks = std::mem::take(&mut made.step.acks);
        let set = std::mem::take(&mut made.step.attributes);
        let made_at = made.now;
        let mut commit = template.commit_of(self.lease, state, made);
        self.engine.complete_attributes(&mut commit.enqueue).await;
        if let Err(error) = self.engine.complete_step(&template.execution, &mut commit, &set).await {
            return if error.is_retryable() { Ok(self.after_failure(&error)) } else { Err(error) };
        }
        let traced = template.traced(&commit, made_at);
        let (outline, next, counts) = (Outline::of(&commit), commit.next.clone(), StepCounts::of(&commit));
        let awaited = self.waiter.is_awaited();
        let completed = awaited.then(|| commit.completes(&template.execution, made_at)).flatten();
        let (answer, written_at) = match self.engine.commit_step(commit).await {
            Ok(Some(answer)) => answer,
            Ok(None) => return Ok(Next::Reload),
            Err(error) if error.is_retryable() => {
                return Ok(self.after_failure(&error));
            }
            Err(error) => return Err(error),
        };
        let committed = match answer {
            LeaseAnswer::Ok(committed) => committed,
            // The same lease had ended it before, and the answer was lost.
            LeaseAnswer::AlreadyDone => return Ok(Next::End(OwnerEnd::Finished)),
            LeaseAnswer::Cancelled | LeaseAnswer::LeaseLost => {
                return Ok(Next::End(OwnerEnd::LeaseLost));
            }
        };
        if let Some(record) = completed {
            self.waiter.complete(ExecutionRecord { completed_at: Some(written_at), ..record });
        }
        self.engine.wake_committed(self.id, outline, &committed);
        counts.count(self.engine);
        let now = self.engine.now();
        traced.written(self.turn, now);
        for ack in acks {
            ack.send(&self.engine.memory().stats, now);
        }
        if outline.looks_back {
            self.engine.look_back(&[self.id]).await;
        }
        Ok(match next {
            OwnerNext::Keep => Next::GoOn,
            OwnerNext::Park { .. } if committed.parked => {
                metrics::execution_parked();
                self.count_turn(JobStatus::Waiting, now);
                Next::End(OwnerEnd::Parked)
            }
            OwnerNext::Park { .. } => Next::LookAgain,
            // The turn is over all the same: the next owner applies what came.
            OwnerNext::Finish if committed.goes_on => {
                self.count_turn(last_outcome(state.status), now);
                Next::End(OwnerEnd::Finished)
            }
            OwnerNext::Finish => {
                self.count_turn(last_outcome(state.status), now);
                self.engine.execution_ended(&template.execution, state.status, now).await;
                Next::End(OwnerEnd::Finished)
            }
        })
    }

    /// Counts this turn, whose lease ended with its last commit.
    fn count_turn(&self, outcome: JobStatus, now: Timestamp) {
        metrics::turn_ended(&self.engine.memory().stats, self.job, outcome, now);
    }

    /// What comes after a commit that failed. Where the database was unavailable, the statement may be on its way, or
    /// wait for a lock in there: it is fenced out by the end of the lease, before anybody reads the state again.
    fn after_failure(&self, error: &EngineError) -> Next {
        let is_unknown =
            matches!(error, EngineError::Store(StoreError::Unavailable { .. } | StoreError::Unknown { .. }));
        tracing::debug!(
            execution.id = %self.id,
            error = error as &dyn std::error::Error,
            is_unknown,
            "a step could not be committed; the execution is reloaded"
        );
        if is_unknown || error.is_for_another_process() { Next::GiveBack } else { Next::Reload }
    }

    async fn give_back(&self) -> OwnerEnd {
        let _ = tokio::time::timeout(self.reload_pause(), self.stop.cancelled()).await;
        OwnerEnd::Released
    }

    fn reload_pause(&self) -> Duration {
        RELOAD_PAUSE.mul_f64(0.5 + 0.5 * self.engine.entropy().jitter().0.clamp(0.0, 1.0))
    }

    /// Waits for a reason to go on. Lost hints are made up for by the sweep.
    async fn wait(&self, due_at: Option<Timestamp>) -> Reason {
        let mut idle = self.engine.time_skip().map(|skip| skip.owner_waits(self.id, due_at));
        loop {
            let now = self.engine.now();
            let rest = due_at.map(|at| at.since(now).to_std());
            if rest.is_some_and(|rest| rest.is_zero()) {
                return Reason::Clock;
            }
            let wake_at = Instant::now() + rest.unwrap_or(CLOCK_INTERVAL).min(CLOCK_INTERVAL);
            tokio::select! {
                () = self.stop.cancelled() => return Reason::Stop,
                () = self.waiter.inbox() => return Reason::Inbox,
                () = self.waiter.delivered() => return Reason::DeliveredResult,
                () = time_jumped(&mut idle) => {}
                () = tokio::time::sleep_until(wake_at) => {}
            }
        }
    }
}

/// Resolves when time has jumped; never where it does not.
async fn time_jumped(idle: &mut Option<WaitingOwner>) {
    match idle {
        Some(idle) => idle.time_jumped().await,
        None => std::future::pending().await,
    }
}
