//! The owner's loop: take up, fold, commit, wait.

use std::time::Duration;

use domain::id::ExecutionId;
use domain::queue::QueueName;
use domain::time::Timestamp;
use domain::workflow::execution::{Event, ExecutionStatus};
use store::executions::{InboxRow, OwnerNext};
use store::jobs::{ClaimedJob, LeaseAnswer, LeaseRef};
use tokio::sync::SemaphorePermit;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::engine::Engine;
use crate::error::EngineError;
use crate::executions::own::commit::{Heritage, commit_of, encode};
use crate::executions::own::load::Taken;
use crate::executions::own::step::{Running, Step};
use crate::jobs::LeaseOutcome;
use crate::metrics;
use crate::waiters::ExecutionWaiter;

/// How many entries of the inbox one step takes.
const INBOX_PAGE: u32 = 500;
/// How long an owner waits before it loads an execution again whose commit failed.
const RELOAD_PAUSE: Duration = Duration::from_millis(500);

/// How ownership of an execution ended.
#[derive(Debug)]
pub enum OwnerEnd {
    /// The execution ended, and its job with it.
    Finished,
    /// Somebody else owns it now, or it was cancelled from outside. Nothing more was written.
    LeaseLost,
    /// `stop` was set: the caller releases the lease.
    Released,
    /// It cannot go on here: the caller lets the lease run out, and another owner tries.
    Failed(EngineError),
}

/// Owns an execution until it ends, the lease is lost, or `stop` is set. The caller renews the lease meanwhile.
pub async fn own_execution(engine: Engine, job: ClaimedJob, stop: CancellationToken) -> OwnerEnd {
    let Some(id) = job.execution_id.filter(|_| job.queue == QueueName::Execution) else {
        return OwnerEnd::Failed(EngineError::not_found("execution of job", &job.id));
    };
    engine.listen();
    let mut owner = Owner {
        engine: &engine,
        id,
        lease: LeaseRef { id: job.id, token: job.token },
        stop: &stop,
        waiter: engine.memory().waiters.watch(id),
        permit: None,
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
    /// Held while the inbox is read without a hint.
    permit: Option<SemaphorePermit<'a>>,
}

/// What comes after a commit.
enum Next {
    GoOn,
    /// The commit failed, and whether it was written is not known.
    Reload,
    End(OwnerEnd),
}

impl Owner<'_> {
    async fn own(&mut self) -> Result<OwnerEnd, EngineError> {
        loop {
            let store = self.engine.store();
            let loaded =
                self.engine.patiently(self.stop, || store.load_execution(self.id, self.lease)).await?;
            let taken = match loaded {
                None => return Ok(OwnerEnd::Released),
                Some(LeaseAnswer::AlreadyDone | LeaseAnswer::LeaseLost) => return Ok(OwnerEnd::LeaseLost),
                Some(LeaseAnswer::Ok(loaded)) => self.engine.take_up(loaded)?,
            };
            if let Some(end) = self.run(taken).await? {
                return Ok(end);
            }
            let pause = RELOAD_PAUSE.mul_f64(0.5 + 0.5 * self.engine.entropy().jitter().0.clamp(0.0, 1.0));
            tokio::select! {
                () = self.stop.cancelled() => return Ok(OwnerEnd::Released),
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    /// Moves the execution on. `None`: it has to be loaded again.
    async fn run(&mut self, taken: Taken) -> Result<Option<OwnerEnd>, EngineError> {
        let Taken { mut running, heritage, mut output_bytes } = taken;
        // Taking up commits even if nothing happened: having got so far is the progress that resets the crash count.
        let mut is_due = true;
        loop {
            let Some(rows) = self.read_inbox().await? else {
                return Ok(Some(OwnerEnd::Released));
            };
            let (is_full, now) = (rows.len() >= INBOX_PAGE as usize, self.engine.now());
            let mut step = Step::default();
            (running, step) = self.fold(running, step, rows, now).await?;
            (running, step) = self.fold_late_news(running, step, now).await?;
            output_bytes += step.output_bytes();
            self.bound(&mut running, &mut step, output_bytes, now)?;
            if is_due || step.is_due() {
                match self.commit(&heritage, &running, step, now).await? {
                    Next::GoOn => is_due = false,
                    Next::Reload => return Ok(None),
                    Next::End(end) => return Ok(Some(end)),
                }
            }
            if !is_full && !self.wait(running.state.deadline_at).await {
                return Ok(Some(OwnerEnd::Released));
            }
        }
    }

    async fn read_inbox(&mut self) -> Result<Option<Vec<InboxRow>>, EngineError> {
        let store = self.engine.store();
        let rows = self.engine.patiently(self.stop, || store.inbox(self.id, INBOX_PAGE)).await;
        self.permit = None;
        rows
    }

    /// Folds what happened. Expressions may take their time, so this runs where it blocks nobody.
    async fn fold(
        &self,
        mut running: Running,
        mut step: Step,
        rows: Vec<InboxRow>,
        now: Timestamp,
    ) -> Result<(Running, Step), EngineError> {
        let is_new = running.state.status == ExecutionStatus::Pending;
        if !is_new && rows.is_empty() && !running.is_overdue(now) {
            return Ok((running, step));
        }
        let folded = tokio::task::spawn_blocking(move || {
            if is_new {
                running.fold(&mut step, Event::Started, now);
            }
            running.fold_inbox(&mut step, rows, now);
            if running.is_overdue(now) {
                running.fold(&mut step, Event::DeadlinePassed, now);
            }
            (running, step)
        });
        folded.await.map_err(|source| EngineError::Fold { source: Box::new(source) })
    }

    /// Looks once more before an execution fails: the dead letter that fails it may have been requeued meanwhile,
    /// and the end of an execution empties its inbox.
    async fn fold_late_news(
        &mut self,
        mut running: Running,
        mut step: Step,
        now: Timestamp,
    ) -> Result<(Running, Step), EngineError> {
        while running.state.status == ExecutionStatus::Failed {
            let Some(mut rows) = self.read_inbox().await? else {
                break;
            };
            let last = step.inbox.last().map(|entry| entry.position);
            rows.retain(|row| last.is_none_or(|last| row.position > last));
            if rows.is_empty() {
                break;
            }
            (running, step) = self.fold(running, step, rows, now).await?;
        }
        Ok((running, step))
    }

    /// Fails an execution that has outgrown the bound on states.
    fn bound(
        &self,
        running: &mut Running,
        step: &mut Step,
        output_bytes: usize,
        now: Timestamp,
    ) -> Result<(), EngineError> {
        if running.state.status.is_terminal() || !step.is_due() {
            return Ok(());
        }
        let bytes_max = self.engine.policy().state_bytes_max;
        if output_bytes + encode(&running.state)?.len() > bytes_max {
            let message =
                format!("The state and the outputs of the execution take more than {bytes_max} bytes.");
            running.fail(step, "state_too_large", message, now);
        }
        Ok(())
    }

    async fn commit(
        &self,
        heritage: &Heritage,
        running: &Running,
        step: Step,
        now: Timestamp,
    ) -> Result<Next, EngineError> {
        let commit = commit_of(heritage, self.lease, &running.state, step, now)?;
        let answer = match self.engine.store().commit_execution(&commit, now).await {
            Ok(answer) => answer,
            Err(error) if error.is_retryable() => {
                tracing::debug!(
                    execution.id = %self.id,
                    error = &error as &dyn std::error::Error,
                    "a step could not be committed; the execution is loaded again"
                );
                return Ok(Next::Reload);
            }
            Err(error) => return Err(error.into()),
        };
        Ok(match answer {
            LeaseAnswer::Ok(committed) => {
                self.engine.wake_committed(&commit, &committed);
                if commit.next == OwnerNext::Keep {
                    return Ok(Next::GoOn);
                }
                metrics::execution_finished(commit.status);
                Next::End(OwnerEnd::Finished)
            }
            // The same lease had ended it before, and the answer was lost.
            LeaseAnswer::AlreadyDone => Next::End(OwnerEnd::Finished),
            LeaseAnswer::LeaseLost => Next::End(OwnerEnd::LeaseLost),
        })
    }

    /// Waits for a reason to look at the inbox. `false`: `stop` was set.
    async fn wait(&mut self, deadline_at: Option<Timestamp>) -> bool {
        let reread_at = self.engine.reread_at();
        let now = self.engine.now();
        let deadline_at = deadline_at.map(|at| Instant::now() + at.since(now).to_std());
        let wake_at = deadline_at.map_or(reread_at, |at| at.min(reread_at));
        let is_hinted = tokio::select! {
            () = self.stop.cancelled() => return false,
            () = self.waiter.inbox() => true,
            () = tokio::time::sleep_until(wake_at) => false,
        };
        if !is_hinted {
            let rereads = &self.engine.memory().rereads;
            self.permit = tokio::select! {
                () = self.stop.cancelled() => return false,
                permit = rereads.take() => permit,
            };
        }
        true
    }
}
