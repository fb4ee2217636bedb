//! Executions that wait for a slot: what came meanwhile is applied without one.
//!
//! A slot is held from an execution's start until it ends or is parked. Time, people, results of children and cancels do
//! not wait for one: where the pools have not taken an execution up after a moment, because its workflow, its tenant or
//! the deployment is at its limit, upkeep applies what there is. It then waits again, ends, or has work to do, which is
//! held until it has a slot; it has the place that it had, before all that have not started.

use domain::id::ExecutionId;
use domain::queue::QueueName;
use domain::time::{DurationMs, Timestamp};
use domain::workflow::execution::{Activity, CallbackBase};
use store::executions::{ExecutionCommit, LoadedExecution, OwnerNext};
use store::jobs::LeaseRef;
use store::queues::QueueMode;
use store::wakeup::Hint;
use tokio_util::sync::CancellationToken;

use crate::engine::Engine;
use crate::error::EngineError;
use crate::executions::own::commit::{Outline, PreparedCommit, encode};
use crate::executions::own::load::LoadedOwner;
use crate::executions::own::running::StepInputs;
use crate::executions::own::stepper::Stepper;
use crate::metrics;

/// How long an execution is left to the pools, which take it up at once where a slot is free.
const GRACE: DurationMs = DurationMs(200);
/// How many executions one step of upkeep takes.
const BATCH: u32 = 100;

/// A step that is ready to be committed.
struct Ready {
    commit: ExecutionCommit,
    due_at: Option<Timestamp>,
    outline: Outline,
}

impl Engine {
    /// One bounded step. Answers whether there may be more.
    pub async fn apply_unowned_tick(&self) -> Result<bool, EngineError> {
        if self.queue_mode(QueueName::Execution).await? == QueueMode::Paused {
            return Ok(false);
        }
        let ids = self.store().executions_to_look_at(self.now().minus(GRACE), BATCH).await?;
        if ids.is_empty() {
            return Ok(false);
        }
        let callbacks = self.callback_base().await?;
        let loaded = self.store().load_unowned(&ids).await?;
        let now = self.now();
        let mut ready: Vec<Ready> = Vec::with_capacity(ids.len());
        for (id, loaded) in ids.iter().zip(loaded) {
            let Some(loaded) = loaded else {
                continue;
            };
            match self.step_of_unowned(*id, loaded, callbacks.clone(), now).await {
                Ok(step) => ready.extend(step),
                Err(error) if error.is_retryable() => return Err(error),
                // Whoever owns it next finds out as well, and says so.
                Err(error) => tracing::debug!(
                    execution.id = %id,
                    error = &error as &dyn std::error::Error,
                    "an execution could not be moved on without a slot"
                ),
            }
        }
        let applied = self.commit_unowned(ready, now).await?;
        Ok(applied >= BATCH as usize)
    }

    async fn step_of_unowned(
        &self,
        id: ExecutionId,
        loaded: LoadedExecution,
        callbacks: CallbackBase,
        now: Timestamp,
    ) -> Result<Option<Ready>, EngineError> {
        if loaded.state.is_none() {
            return Ok(None);
        }
        let LoadedOwner { running, heritage, steps, .. } = self.hydrate(loaded, callbacks).await?;
        let stop = CancellationToken::new();
        let stepper = Stepper { engine: self, id, stop: &stop, suspicion: None };
        let rows = self.inbox(id).await?;
        let (running, step, snapshot) = stepper.step(running, &heritage, StepInputs::of(rows), now).await?;
        let next = match running.state.activity() {
            _ if running.state.status.is_terminal() => OwnerNext::Finish,
            Activity::Waits { due_at } => OwnerNext::Park { due_at },
            Activity::Busy => OwnerNext::Keep,
        };
        let snapshot = snapshot.map_or_else(|| encode(&running.state), Ok)?;
        let lease = LeaseRef { id: heritage.execution.job_id, token: self.entropy().token() };
        let commit = heritage.commit_of(
            lease,
            &running.state,
            PreparedCommit { number: steps, step, snapshot, next, now },
        );
        let due_at = running.state.next_due_at();
        Ok(Some(Ready { outline: Outline::of(&commit), commit, due_at }))
    }

    /// Answers how many were committed.
    async fn commit_unowned(&self, ready: Vec<Ready>, now: Timestamp) -> Result<usize, EngineError> {
        let (mut commits, mut due_at, mut outlines) = (Vec::new(), Vec::new(), Vec::new());
        for step in ready {
            commits.push(step.commit);
            due_at.push(step.due_at);
            outlines.push(step.outline);
        }
        let answers = self.store().commit_unowned(&commits, &due_at, now).await?;
        let mut applied = 0;
        for ((commit, outline), answer) in commits.iter().zip(outlines).zip(answers) {
            let Some(committed) = answer else {
                continue;
            };
            applied += 1;
            self.wake_committed(commit.id, outline, &committed);
            if commit.next == OwnerNext::Finish {
                metrics::execution_finished(commit.status);
            }
        }
        if applied > 0 {
            self.wake(&[Hint::Freed(QueueName::Execution)]);
        }
        Ok(applied)
    }
}
