//! The owner's loop: take up, fold, commit, then wait or park.

use std::time::Duration;

use domain::failure::JobError;
use domain::id::ExecutionId;
use domain::queue::QueueName;
use domain::time::Timestamp;
use domain::workflow::execution::{Event, ExecutionState, ExecutionStatus, Rest};
use store::StoreError;
use store::executions::{InboxRow, OwnerNext};
use store::jobs::{ClaimedJob, LeaseAnswer, LeaseRef};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::engine::Engine;
use crate::error::EngineError;
use crate::executions::own::commit::{Heritage, Made, Outline, encode};
use crate::executions::own::handed::HANDED_MAX;
use crate::executions::own::load::Taken;
use crate::executions::own::running::{News, Running};
use crate::executions::own::share::INBOX_PAGE;
use crate::executions::own::step::Step;
use crate::jobs::LeaseOutcome;
use crate::metrics;
use crate::waiters::ExecutionWaiter;

/// How long an owner waits before it loads an execution again whose commit failed.
const RELOAD_PAUSE: Duration = Duration::from_millis(500);
/// How long an owner goes without a look at the clock of the deployment, which may move otherwise than its own.
const CLOCK_INTERVAL: Duration = Duration::from_secs(1);

/// How ownership of an execution ended.
#[derive(Debug)]
pub enum OwnerEnd {
    /// The execution ended, and its job with it.
    Finished,
    /// The execution only waits: its job is parked, and the lease is over. Nothing is left to settle.
    Parked,
    /// Somebody else owns it now, or it was cancelled from outside. Nothing more was written.
    LeaseLost,
    /// `stop` was set, or the outcome of a commit is not known: the caller releases the lease.
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
        lease: job.lease(),
        stop: &stop,
        waiter: engine.memory().waiters.own(id),
        is_first: job.facts.attempt <= 1,
    };
    let end = Box::pin(owner.own()).await.unwrap_or_else(OwnerEnd::Failed);
    if matches!(end, OwnerEnd::LeaseLost) {
        metrics::lost(QueueName::Execution, &[LeaseOutcome::LeaseLost]);
    }
    end
}

struct Owner<'a> {
    engine: &'a Engine,
    id: ExecutionId,
    lease: LeaseRef,
    stop: &'a CancellationToken,
    waiter: ExecutionWaiter,
    /// Nobody has owned it before.
    is_first: bool,
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
    Handed,
    Clock,
}

impl Owner<'_> {
    async fn own(&self) -> Result<OwnerEnd, EngineError> {
        loop {
            let Some(callbacks) = self.engine.patiently(self.stop, || self.engine.callback_base()).await?
            else {
                return Ok(OwnerEnd::Released);
            };
            let loaded = self.engine.patiently(self.stop, || self.engine.load(self.id, self.lease)).await?;
            let taken = match loaded {
                None => return Ok(OwnerEnd::Released),
                Some(LeaseAnswer::AlreadyDone | LeaseAnswer::Cancelled | LeaseAnswer::LeaseLost) => {
                    return Ok(OwnerEnd::LeaseLost);
                }
                Some(LeaseAnswer::Ok(loaded)) => self.engine.take_up(loaded, callbacks)?,
            };
            if let Some(end) = self.run(taken).await? {
                return Ok(end);
            }
            tokio::select! {
                () = self.stop.cancelled() => return Ok(OwnerEnd::Released),
                () = tokio::time::sleep(self.reload_pause()) => {}
            }
        }
    }

    /// Moves the execution on. `None`: it has to be loaded again.
    async fn run(&self, taken: Taken) -> Result<Option<OwnerEnd>, EngineError> {
        let Taken { mut running, heritage, is_new, mut steps } = taken;
        // Taking up commits even if nothing happened: having got so far is the progress that resets the crash count.
        let mut is_due = true;
        // The first step of an execution is its start; what has come before is looked at after it.
        let begins = is_new && self.is_first;
        let mut looks = !begins;
        loop {
            let rows = if looks { self.read_inbox().await? } else { Some(Vec::new()) };
            let Some(rows) = rows else {
                return Ok(Some(OwnerEnd::Released));
            };
            let (had_rows, is_full) = (!rows.is_empty(), rows.len() >= INBOX_PAGE as usize);
            let news = News { rows, handed: self.waiter.take_handed(HANDED_MAX) };
            let now = self.engine.now();
            let (moved, step, snapshot) = self.step(running, &heritage, news, now).await?;
            running = moved;
            // The step in which an execution ends is its last one, whatever else is in its inbox: its output goes to its
            // parent with it.
            let is_over = running.state.status.is_terminal();
            let next = if is_full && !is_over { OwnerNext::Keep } else { self.next(&running.state, now) };
            let mut looks_again = is_full || (is_due && begins) || step.changes_children();
            if is_due || step.is_due() || next != OwnerNext::Keep {
                let snapshot = snapshot.map_or_else(|| encode(&running.state), Ok)?;
                self.waiter.note_state(snapshot.len());
                let made = Made { number: steps, step, snapshot, next, now };
                match self.commit(&heritage, &running.state, made).await? {
                    Next::GoOn => {}
                    Next::LookAgain => looks_again |= had_rows || !looks,
                    Next::Reload => return Ok(None),
                    Next::GiveBack => return Ok(Some(self.give_back().await)),
                    Next::End(end) => return Ok(Some(end)),
                }
                steps += 1;
                is_due = false;
            }
            looks = looks_again
                || match self.wait(running.state.next_due_at()).await {
                    Reason::Stop => return Ok(Some(OwnerEnd::Released)),
                    Reason::Inbox => true,
                    Reason::Handed | Reason::Clock => false,
                };
        }
    }

    /// `None`: `stop` was set.
    async fn read_inbox(&self) -> Result<Option<Vec<InboxRow>>, EngineError> {
        self.engine.patiently(self.stop, || self.engine.inbox(self.id)).await
    }

    /// Folds what happened, with all that follows from it. Answers the snapshot where it was made.
    async fn step(
        &self,
        running: Running,
        heritage: &Heritage,
        news: News,
        now: Timestamp,
    ) -> Result<(Running, Step, Option<Vec<u8>>), EngineError> {
        let (mut running, mut step) = (running, Step::default());
        (running, step) = fold(running, step, news, now).await?;
        self.start_children(&mut running, &mut step, heritage, now).await?;
        // Looks once more before an execution fails: the dead letter that fails it may have been requeued meanwhile, a
        // sibling of it may have completed, and the end of an execution empties its inbox.
        while is_stopped(&running.state, &step) {
            let rows = self.late_news(&step).await?;
            if rows.is_empty() {
                break;
            }
            (running, step) = fold(running, step, News::of(rows), now).await?;
            self.start_children(&mut running, &mut step, heritage, now).await?;
        }
        let snapshot = self.bound(&mut running, &mut step, now)?;
        self.start_children(&mut running, &mut step, heritage, now).await?;
        Ok((running, step, snapshot))
    }

    /// What has come into the inbox after the entries of the step.
    async fn late_news(&self, step: &Step) -> Result<Vec<InboxRow>, EngineError> {
        let mut rows = self.read_inbox().await?.unwrap_or_default();
        let last = step.inbox.iter().map(|entry| entry.position).max();
        rows.retain(|row| last.is_none_or(|last| row.position > last));
        Ok(rows)
    }

    /// Looks up the children that the step starts. Those that cannot be started have failed at once, which may start
    /// others; those that were stopped before they started have ended.
    async fn start_children(
        &self,
        running: &mut Running,
        step: &mut Step,
        heritage: &Heritage,
        now: Timestamp,
    ) -> Result<(), EngineError> {
        loop {
            for (node, child_id) in std::mem::take(&mut step.never_started) {
                let error = JobError::coded("cancelled", "The child execution was cancelled.");
                running.fold(step, Event::ChildSettled { node, child_id, result: Err(error) }, now);
            }
            if step.starts.is_empty() {
                break;
            }
            let starts = std::mem::take(&mut step.starts);
            let depth = running.context.depth;
            let (children, refused) = self.engine.resolve_children(heritage, depth, starts, now).await?;
            step.children.extend(children);
            for event in refused {
                running.fold(step, event, now);
            }
        }
        Ok(())
    }

    /// Fails an execution that has outgrown the bound on states. Answers the snapshot if it is still the state's.
    fn bound(
        &self,
        running: &mut Running,
        step: &mut Step,
        now: Timestamp,
    ) -> Result<Option<Vec<u8>>, EngineError> {
        running.count(step);
        let is_bounded = matches!(running.state.status, ExecutionStatus::Pending | ExecutionStatus::Running);
        if !is_bounded || !step.is_due() {
            return Ok(None);
        }
        let (snapshot, bytes_max) = (encode(&running.state)?, self.engine.policy().state_bytes_max);
        if running.sizes.total + snapshot.len() <= bytes_max {
            return Ok(Some(snapshot));
        }
        let message = format!("The state and the outputs of the execution take more than {bytes_max} bytes.");
        running.fail(step, "state_too_large", message, now);
        Ok(None)
    }

    /// An execution that only waits is parked, unless it goes on by itself in a moment.
    fn next(&self, state: &ExecutionState, now: Timestamp) -> OwnerNext {
        if state.status.is_terminal() {
            return OwnerNext::Finish;
        }
        let park_after = self.engine.policy().park_after;
        match state.rest() {
            Rest::Waits { due_at } if due_at.is_none_or(|at| at.since(now) >= park_after) => {
                OwnerNext::Park { due_at }
            }
            Rest::Waits { .. } | Rest::Busy => OwnerNext::Keep,
        }
    }

    async fn commit(
        &self,
        heritage: &Heritage,
        state: &ExecutionState,
        mut made: Made,
    ) -> Result<Next, EngineError> {
        let told = std::mem::take(&mut made.step.told);
        let commit = heritage.commit_of(self.lease, state, made);
        let (outline, next) = (Outline::of(&commit), commit.next.clone());
        let answer = match self.engine.commit_step(commit).await {
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
        self.engine.wake_committed(self.id, outline, &committed);
        metrics::completed(QueueName::Node, told.len());
        for waiting in told {
            // Whoever stopped waiting finds out by settling.
            let _ = waiting.send(());
        }
        Ok(match next {
            OwnerNext::Keep => Next::GoOn,
            OwnerNext::Park { .. } if committed.parked => Next::End(OwnerEnd::Parked),
            OwnerNext::Park { .. } => Next::LookAgain,
            OwnerNext::Finish => {
                metrics::execution_finished(state.status);
                Next::End(OwnerEnd::Finished)
            }
        })
    }

    /// What comes after a commit that failed. Where the database was unavailable, the statement may be on its way, or wait for a
    /// lock in there: it is fenced out by the end of the lease, before anybody reads the state again.
    fn after_failure(&self, error: &EngineError) -> Next {
        let is_unknown =
            matches!(error, EngineError::Store(StoreError::Unavailable { .. } | StoreError::Unknown { .. }));
        tracing::debug!(
            execution.id = %self.id,
            error = error as &dyn std::error::Error,
            is_unknown,
            "a step could not be committed; the execution is loaded again"
        );
        if is_unknown { Next::GiveBack } else { Next::Reload }
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
                () = self.waiter.handed() => return Reason::Handed,
                () = tokio::time::sleep_until(wake_at) => {}
            }
        }
    }
}

/// Whether the step ends an execution that may have results in its inbox.
fn is_stopped(state: &ExecutionState, step: &Step) -> bool {
    match state.status {
        ExecutionStatus::Failed => true,
        ExecutionStatus::Cancelled => !step.cancel.is_empty(),
        _ => false,
    }
}

/// Folds entries and what else is due. Expressions may take their time; then this runs where it blocks nobody.
async fn fold(
    mut running: Running,
    mut step: Step,
    news: News,
    now: Timestamp,
) -> Result<(Running, Step), EngineError> {
    let is_new = running.state.status == ExecutionStatus::Pending;
    if !is_new && news.len() == 0 && !running.is_due(now) {
        return Ok((running, step));
    }
    if running.is_cheap(news.len()) {
        running.fold_all(&mut step, news, now);
        return Ok((running, step));
    }
    let folded = tokio::task::spawn_blocking(move || {
        running.fold_all(&mut step, news, now);
        (running, step)
    });
    folded.await.map_err(|source| EngineError::Fold { source: Box::new(source) })
}
