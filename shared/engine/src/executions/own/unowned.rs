//! Executions that wait for a slot: what came meanwhile is applied without one.
//!
//! A slot is held from an execution's start until it ends or is parked. Time, people, results of children and cancels do
//! not wait for one: where the pools have not taken an execution up after a moment, because its workflow, its tenant or
//! the deployment is at its limit, upkeep applies what there is. It then waits again, ends, or has work to do, which is
//! held until it has a slot; it has the place that it had, before all that have not started.
//!
//! One upkeep serves all tenants. What can be evaluated in a moment is applied by it, many executions in one commit. A
//! step that may take long (a `MAP`, a loop, much data) is made [apart](super::apart), within the share that the
//! execution's tenant has of the workbench. There is no owner that could be lost with the process, so each such evaluation
//! is on record before it begins.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use domain::id::ExecutionId;
use domain::names::TenantName;
use domain::queue::QueueName;
use domain::time::{DurationMs, Timestamp};
use domain::workflow::callback::CallbackBase;
use domain::workflow::execution::{Activity, ExecutionStatus};
use futures::FutureExt as _;
use store::executions::{ExecutionCommit, ExecutionRecord, LoadedExecution, OwnerNext};
use store::jobs::LeaseRef;
use store::queues::QueueMode;
use store::wakeup::Hint;

use super::apart::Joined;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::executions::own::commit::{Outline, PreparedCommit, encode};
use crate::executions::own::counted::StepCounts;
use crate::executions::own::load::LoadedOwner;
use crate::executions::own::running::StepInputs;
use crate::executions::own::stepper::{Right, Stepper, Suspicion};
use crate::halves::{is_sealed, write_by_halves};
use crate::metrics;
use crate::traces::TracedCommit;

/// When an execution is looked at again that could not be moved on: at once it would fail again.
const FAILED_FOR: DurationMs = DurationMs::from_secs(60);

/// When one is looked at again that only could not be moved on now, or waited for its tenant.
const BUSY_FOR: DurationMs = DurationMs::from_secs(1);

/// How long an execution is left to the pools, which take it up at once where a slot is free.
const GRACE: DurationMs = DurationMs(200);
/// How many executions one step of upkeep takes.
const BATCH: u32 = 100;

/// How long the step of one execution may take. What takes longer waits for what its tenant has under way.
const STEP_TIME: Duration = Duration::from_secs(1);
/// When an execution is looked at again that nobody can move on.
const BROKEN_FOR: DurationMs = DurationMs::from_secs(60);
/// When an execution is looked at again whose step is made apart, unless that is done by then: the deadline of an evaluation,
/// twice, and what surrounds it.
const APART_FOR: DurationMs = DurationMs::from_secs(30);
/// How many tenants one step of upkeep waits for before it commits what is ready.
const BUSY_MAX: usize = 3;

/// Executions that are looked at again later, so that those behind them have their turn.
#[derive(Default)]
struct Later {
    by_span: BTreeMap<DurationMs, Vec<ExecutionId>>,
    /// Tenants whose executions wait.
    busy: HashSet<TenantName>,
}

impl Later {
    fn put(&mut self, id: ExecutionId, span: DurationMs) {
        self.by_span.entry(span).or_default().push(id);
    }
}

/// What became of a step.
enum Made {
    /// It is ready to be committed.
    Ready(Box<Ready>),
    /// There is nothing to do.
    Nothing,
    /// It may take long.
    Long,
}

/// A step that is ready to be committed.
struct Ready {
    commit: ExecutionCommit,
    due_at: Option<Timestamp>,
    outline: Outline,
    traced: TracedCommit,
    record: ExecutionRecord,
}

impl Engine {
    /// One bounded step. Answers whether there may be more.
    pub async fn apply_unowned_tick(&self) -> Result<bool, EngineError> {
        let ids = self.store().executions_to_look_at(self.now().minus(GRACE), BATCH).await?;
        // Most often there are none, and then the mode need not be read.
        if ids.is_empty() || self.queue_mode(QueueName::Execution).await? == QueueMode::Paused {
            return Ok(false);
        }
        let callbacks = self.callback_base().await?;
        let loaded = self.store().load_unowned(&ids).await?;
        let now = self.now();
        let mut ready: Vec<Ready> = Vec::with_capacity(ids.len());
        let (mut later, mut apart) = (Later::default(), Vec::new());
        for (id, loaded) in ids.iter().zip(loaded) {
            if self.shutdown_started() || later.busy.len() >= BUSY_MAX {
                break;
            }
            let Some(loaded) = loaded else {
                continue;
            };
            let tenant = loaded.record.tenant.clone();
            if later.busy.contains(&tenant) {
                later.put(*id, BUSY_FOR);
                continue;
            }
            // Nothing is written before the commit, so a step may be given up anywhere.
            let step = Box::pin(self.step_of_unowned(*id, loaded, callbacks.clone(), now, false));
            match tokio::time::timeout(STEP_TIME, step).await {
                Ok(Ok(Made::Ready(step))) => ready.push(*step),
                Ok(Ok(Made::Nothing)) => {}
                Ok(Ok(Made::Long)) => apart.push((*id, tenant)),
                Err(_elapsed) => {
                    later.put(*id, BUSY_FOR);
                    later.busy.insert(tenant);
                }
                Ok(Err(EngineError::Overloaded { retry_after })) => later.put(*id, retry_after),
                Ok(Err(error)) if error.is_retryable() && !error.is_for_another_process() => {
                    return Err(error);
                }
                // Whoever owns it next finds out as well, and says so.
                Ok(Err(error)) => {
                    tracing::debug!(
                        execution.id = %id,
                        error = &error as &dyn std::error::Error,
                        "an execution without an owner could not be advanced"
                    );
                    later.put(*id, BROKEN_FOR);
                }
            }
        }
        let applied = self.commit_unowned(ready, &mut later, now).await?;
        // Put off before they are made: what is committed says itself when they are looked at next.
        for (id, _) in &apart {
            later.put(*id, APART_FOR);
        }
        let put_off = self.put_off(later, now).await?;
        let too_many = apart.into_iter().filter(|(id, tenant)| !self.make_apart(tenant, *id)).count();
        if too_many > 0 {
            tracing::debug!(too_many, "executions without an owner wait to be advanced");
        }
        Ok(applied + put_off >= BATCH as usize)
    }

    /// Answers how many are looked at later.
    async fn put_off(&self, later: Later, now: Timestamp) -> Result<usize, EngineError> {
        let mut put_off = 0;
        for (span, ids) in later.by_span {
            self.store().look_later(&ids, now.plus(span)).await?;
            put_off += ids.len();
        }
        Ok(put_off)
    }

    /// Evaluates and commits the step of one execution, however long it takes.
    pub(super) async fn apply_apart(&self, id: ExecutionId) -> Result<(), EngineError> {
        let callbacks = self.callback_base().await?;
        let Some(loaded) = self.store().load_unowned(&[id]).await?.pop().flatten() else {
            return Ok(());
        };
        let now = self.now();
        let mut later = Later::default();
        if let Made::Ready(step) = self.step_of_unowned(id, loaded, callbacks, now, true).await? {
            self.commit_unowned(vec![*step], &mut later, now).await?;
        }
        self.put_off(later, now).await.map(|_| ())
    }

    async fn step_of_unowned(
        &self,
        id: ExecutionId,
        loaded: LoadedExecution,
        callbacks: CallbackBase,
        now: Timestamp,
        may_take_long: bool,
    ) -> Result<Made, EngineError> {
        if loaded.state.is_none() {
            return Ok(Made::Nothing);
        }
        let LoadedOwner { running, template, steps, evaluations_lost, .. } =
            self.hydrate(loaded, callbacks).await?;
        let is_long = AtomicBool::new(false);
        let stepper = Stepper {
            engine: self,
            id,
            stop: self.shutdown(),
            suspicion: may_take_long.then_some(Suspicion { right: Right::Step(steps), evaluations_lost }),
            leaves_long: (!may_take_long).then_some(&is_long),
        };
        let rows = self.inbox(id).await?;
        let made = stepper.step(running, &template, StepInputs::of(rows), now).await;
        if is_long.load(Ordering::Relaxed) {
            return Ok(Made::Long);
        }
        let (running, mut step, snapshot) = made?;
        let set = std::mem::take(&mut step.attributes);
        let has_left = step.has_left;
        let next = match running.state.activity() {
            _ if running.state.status.is_terminal() => OwnerNext::Finish,
            // The next step goes on with what this one has left.
            _ if has_left => OwnerNext::Keep,
            Activity::Waits { due_at } => OwnerNext::Park { due_at },
            Activity::Busy => OwnerNext::Keep,
        };
        let snapshot = snapshot.map_or_else(|| encode(&running.state), Ok)?;
        let lease = LeaseRef { id: template.execution.job_id, token: self.entropy().token() };
        let prepared = PreparedCommit { number: steps, step, snapshot, next, now };
        let mut commit = template.commit_of(lease, &running.state, prepared);
        self.complete_attributes(&mut commit.enqueue).await;
        self.complete_step(&template.execution, &mut commit, &set).await?;
        let traced = template.traced(&commit, now);
        let due_at = if has_left { Some(now) } else { running.state.next_due_at() };
        let outline = Outline::of(&commit);
        Ok(Made::Ready(Box::new(Ready { outline, traced, commit, due_at, record: template.execution })))
    }

    /// All in one commit; by halves where the key of a tenant is missing, which keeps the steps of no other back. Answers how
    /// many were committed. Those whose payloads cannot be sealed are looked at later.
    async fn commit_unowned(
        &self,
        ready: Vec<Ready>,
        later: &mut Later,
        now: Timestamp,
    ) -> Result<usize, EngineError> {
        let (mut commits, mut due_at, mut others) = (Vec::new(), Vec::new(), Vec::new());
        for step in ready {
            others.push((step.outline, step.traced, step.record, StepCounts::of(&step.commit)));
            commits.push(step.commit);
            due_at.push(step.due_at);
        }
        let write =
            |part: Range<usize>| self.store().commit_unowned(&commits[part.clone()], &due_at[part], now);
        let parts = write_by_halves(commits.len(), is_sealed, write).await;
        let mut applied = 0;
        let mut look_backs = Vec::new();
        for ((commit, (outline, traced, record, counts)), written) in
            commits.iter().zip(others).zip(parts.items)
        {
            let committed = match written {
                Ok(Some(committed)) => committed,
                Ok(None) => continue,
                Err(error) => {
                    tracing::debug!(
                        execution.id = %commit.id,
                        error = &error as &dyn std::error::Error,
                        "a step of an execution without an owner waits for its tenant's payload key"
                    );
                    later.put(commit.id, BROKEN_FOR);
                    continue;
                }
            };
            applied += 1;
            self.wake_committed(commit.id, outline, &committed);
            counts.count(self);
            traced.written(None, self.now());
            if outline.looks_back {
                look_backs.push(commit.id);
            }
            if commit.next == OwnerNext::Finish {
                if !committed.goes_on {
                    self.execution_ended(&record, commit.status, now).await;
                }
            } else if record.status == ExecutionStatus::Waiting && commit.status != ExecutionStatus::Waiting {
                metrics::execution_woken();
            }
        }
        if !look_backs.is_empty() {
            self.look_back(&look_backs).await;
        }
        if applied > 0 {
            self.wake(&[Hint::Freed(QueueName::Execution)]);
        }
        parts.stopped.map_or(Ok(applied), |error| Err(error.into()))
    }
}

impl Engine {
    /// Has the step of an execution made apart. Answers whether that is so, or was before.
    pub(super) fn make_apart(&self, tenant: &TenantName, id: ExecutionId) -> bool {
        match self.memory().apart.join(tenant, id) {
            Joined::Full => return false,
            Joined::Waits => return true,
            Joined::Begin => {}
        }
        let (engine, tenant) = (self.clone(), tenant.clone());
        tokio::spawn(async move {
            let mut done = None;
            while let Some(id) = engine.memory().apart.next(&tenant, done) {
                if !engine.shutdown_started() {
                    // A panic must not cost the tenant a task for good; it is on record like the end of a process.
                    let _ = AssertUnwindSafe(engine.make_one_apart(id)).catch_unwind().await;
                }
                done = Some(id);
            }
        });
        true
    }

    async fn make_one_apart(&self, id: ExecutionId) {
        let made = match self.memory().apart.places.acquire().await {
            Ok(_place) => Box::pin(self.apply_apart(id)).await,
            Err(closed) => Err(EngineError::Fold { source: Box::new(closed) }),
        };
        let Err(error) = made else { return };
        tracing::debug!(
            execution.id = %id,
            error = &error as &dyn std::error::Error,
            "an execution without an owner could not be advanced"
        );
        let span = if error.is_retryable() { BUSY_FOR } else { FAILED_FOR };
        if let Err(error) = self.store().look_later(&[id], self.now().plus(span)).await {
            tracing::debug!(
                error = &error as &dyn std::error::Error,
                "the next attempt of an execution could not be delayed"
            );
        }
    }
}
