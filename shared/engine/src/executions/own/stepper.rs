//! One step of an execution: what happened is folded, with all that follows from it.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};

use domain::failure::JobError;
use domain::id::ExecutionId;
use domain::time::{DurationMs, Timestamp};
use domain::workflow::advance::node_job_id;
use domain::workflow::execution::{Event, ExecutionState, ExecutionStatus};
use store::executions::{InboxRow, NewExecution};
use store::jobs::LeaseRef;
use tokio_util::sync::CancellationToken;

use crate::engine::Engine;
use crate::error::EngineError;
use crate::executions::own::commit::{NodeJobTemplate, encode};
use crate::executions::own::running::{Running, StepInputs};
use crate::executions::own::step::Step;
use crate::traces::round_of;

/// How often in a row an evaluation may end with its process before the execution is taken for the cause. The first
/// time is not on record, since nothing is written for an evaluation before an owner was lost.
const EVALUATIONS_LOST_MAX: u32 = 2;

/// When an execution is looked at again whose step is left to an owner, unless one has made it by then.
const LEFT_FOR: DurationMs = DurationMs::from_secs(60);

/// Makes the steps of one execution.
pub(super) struct Stepper<'a> {
    pub(super) engine: &'a Engine,
    pub(super) id: ExecutionId,
    /// Ends waiting for a store that is away.
    pub(super) stop: &'a CancellationToken,
    /// Set where an owner was lost since the last commit.
    pub(super) suspicion: Option<Suspicion>,
    /// Where a step that may take long is not made here: set where that was so. The answer is
    /// [`EngineError::Overloaded`] then.
    pub(super) leaves_long: Option<&'a AtomicBool>,
}

/// An evaluation may end with its process, and has to be on record while it runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Suspicion {
    /// Under what it is recorded.
    pub(super) right: Right,
    /// How often in a row an evaluation ended with its process, as far as is known.
    pub(super) evaluations_lost: u32,
}

/// By what right a step is made.
#[derive(Debug, Clone, Copy)]
pub(super) enum Right {
    /// The lease of the execution's job: an owner was lost since the last commit, maybe by what it evaluated.
    Lease(LeaseRef),
    /// The number of the last step, while nobody owns the execution. There is no owner that could be lost with the
    /// process.
    Step(i64),
}

impl Stepper<'_> {
    /// The entries of the inbox. `None`: `stop` was set.
    pub(super) async fn read_inbox(&self) -> Result<Option<Vec<InboxRow>>, EngineError> {
        self.engine.retry_until_stopped(self.stop, || self.engine.inbox(self.id)).await
    }

    /// Folds what happened, with all that follows from it. Answers the snapshot where it was made.
    pub(super) async fn step(
        &self,
        running: Running,
        template: &NodeJobTemplate,
        inputs: StepInputs,
        now: Timestamp,
    ) -> Result<(Running, Step, Option<Vec<u8>>), EngineError> {
        let (mut running, mut step) = (running, Step::default());
        if self.suspicion.is_some_and(|suspicion| suspicion.evaluations_lost >= EVALUATIONS_LOST_MAX) {
            let message =
                "Processes crashed repeatedly while they evaluated the expressions of the execution.";
            running.fail(&mut step, "evaluation_lost", message, now);
            return Ok((running, step, None));
        }
        (running, step) = self.fold(template, (running, step), inputs, now).await?;
        self.start_children(&mut running, &mut step, template, now).await?;
        // Looks once more before an execution fails: the dead letter that fails it may have been requeued meanwhile, a
        // sibling of it may have completed, and the end of an execution empties its inbox.
        while is_stopped(&running.state, &step) {
            let rows = self.late_entries(&step).await?;
            if rows.is_empty() {
                break;
            }
            (running, step) = self.fold(template, (running, step), StepInputs::of(rows), now).await?;
            self.start_children(&mut running, &mut step, template, now).await?;
        }
        let snapshot = self.bound(&mut running, &mut step, now)?;
        self.start_children(&mut running, &mut step, template, now).await?;
        Ok((running, step, snapshot))
    }

    /// What is in the inbox beside the entries of the step.
    async fn late_entries(&self, step: &Step) -> Result<Vec<InboxRow>, EngineError> {
        let mut rows = self.read_inbox().await?.unwrap_or_default();
        let applied: HashSet<i64> = step.inbox.iter().map(|entry| entry.position).collect();
        rows.retain(|row| !applied.contains(&row.position));
        Ok(rows)
    }

    /// Folds entries and what else is due. Expressions may take their time; then this runs where it blocks nobody.
    async fn fold(
        &self,
        template: &NodeJobTemplate,
        (mut running, mut step): (Running, Step),
        inputs: StepInputs,
        now: Timestamp,
    ) -> Result<(Running, Step), EngineError> {
        let is_new = running.state.status == ExecutionStatus::Pending;
        if !is_new && inputs.len() == 0 && !running.is_due(now) {
            return Ok((running, step));
        }
        let allowance = running.context.allowance.clone();
        allowance.renew();
        if running.is_cheap(inputs.len()) {
            running.fold_all(&mut step, inputs, now);
            return Ok((running, step));
        }
        if let Some(has_left) = self.leaves_long {
            has_left.store(true, Ordering::Relaxed);
            return Err(EngineError::Overloaded { retry_after: LEFT_FOR });
        }
        let fold = move || {
            running.fold_all(&mut step, inputs, now);
            (running, step)
        };
        let tenant = &template.execution.tenant;
        if !self.record_evaluations_lost(0, 1).await? {
            return Err(EngineError::Overloaded { retry_after: LEFT_FOR });
        }
        let folded = self.engine.workbench().evaluate(tenant, &allowance, self.stop, fold).await;
        self.record_evaluations_lost(1, 0).await?;
        folded
    }

    /// Where an owner was lost before, or there is none, an evaluation that does not end is on record. Answers whether the
    /// step is still to be made: nobody else has made it or makes it now.
    async fn record_evaluations_lost(&self, before: u32, after: u32) -> Result<bool, EngineError> {
        let Some(Suspicion { right, evaluations_lost }) = self.suspicion else {
            return Ok(true);
        };
        let [before, after] = [before, after].map(|more| evaluations_lost + more);
        let (store, id) = (self.engine.store(), self.id);
        match right {
            Right::Lease(lease) => {
                let note = move || async move { Ok(store.record_evaluations_lost(id, lease, after).await?) };
                // Without the lease, the commit says so.
                self.engine.retry_until_stopped(self.stop, note).await.map(|_| true)
            }
            Right::Step(step) => Ok(store.record_unowned_evaluations_lost(id, step, before, after).await?),
        }
    }

    /// Looks up the children that the step starts. Those that cannot be started have failed at once, which may start
    /// others; those that were stopped before they started have ended.
    async fn start_children(
        &self,
        running: &mut Running,
        step: &mut Step,
        template: &NodeJobTemplate,
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
            let (mut children, refused) = self.engine.resolve_children(template, depth, starts, now).await?;
            for child in &mut children {
                child.job.traceparent = child_traceparent(template, &running.state, child);
            }
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
}

/// The trace context of a child: the step's that starts it.
fn child_traceparent(
    template: &NodeJobTemplate,
    state: &ExecutionState,
    child: &NewExecution,
) -> Option<String> {
    let node = child.parent.as_ref().map(|parent| &parent.node_id)?;
    let job = node_job_id(template.execution.id, node, round_of(state, node));
    template.traceparent(state, job, node)
}

/// Whether the step ends an execution that may have results in its inbox.
fn is_stopped(state: &ExecutionState, step: &Step) -> bool {
    match state.status {
        ExecutionStatus::Failed => true,
        ExecutionStatus::Cancelled => !step.cancel.is_empty(),
        _ => false,
    }
}
