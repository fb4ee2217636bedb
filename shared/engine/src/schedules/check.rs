//! The check: every schedule that is due fires, whatever was missed before.
//!
//! Any number of checks may run at once, on any number of nodes, and each may be cut off anywhere. What is due stays
//! due until a commit moves the schedule's cursor, and that commit records the slots and creates their executions.

use std::collections::HashMap;
use std::error::Error;
use std::sync::Arc;

use domain::access::TenantScope;
use domain::id::{ExecutionId, Id, ScheduleId};
use domain::queue::QueueName;
use domain::time::Timestamp;
use store::StoreError;
use store::executions::InboxEntry;
use store::schedules::{DueSchedule, Fired, ScheduleFire, SlotAction, SlotDecision};
use store::wakeup::Hint;
use tokio::task::JoinSet;

use super::decide::{Decisions, Plan, Step, decide};
use super::workflows::Targets;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::metrics;
use crate::traces::Sends;

/// How many schedules one look takes, and how many bytes of inputs.
const WINDOW: u32 = 2_000;
const WINDOW_BYTES: u64 = 8 * 1024 * 1024;
/// What one commit takes: so many schedules and slots, and bytes of inputs, with the schedule that reaches beyond. Small
/// ones cost their flushes, and large ones keep what they have locked.
const COMMIT_MAX: usize = 500;
const COMMIT_BYTES: usize = 4 * 1024 * 1024;
/// How many windows one check takes at most, so that it ends.
const WINDOWS_MAX: u32 = 10_000;
/// How often in a row a window may achieve nothing, because others were faster, before the check leaves it to them.
const IDLE_MAX: u32 = 2;
/// How many schedules may stay due in one check before it leaves the others to the next: all of them are read again with each
/// window.
const LEFT_MAX: usize = 5_000;
/// Why an execution is cancelled that a later slot does not wait for.
const CANCELLED_FOR: &str = "the next slot of its schedule was due";
/// The expression or the zone can no longer be read.
const UNREADABLE: &str = "schedule_unreadable";

/// What a check did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Checked {
    /// How many schedules were decided.
    pub schedules: usize,
    /// How many executions were created.
    pub executions: usize,
}

impl Checked {
    fn add(&mut self, other: Self) {
        self.schedules += other.schedules;
        self.executions += other.executions;
    }
}

/// How many bytes of input a slot stores.
fn input_bytes(slot: &SlotDecision) -> usize {
    match &slot.action {
        SlotAction::Start(execution) => execution.input.len(),
        SlotAction::Wait | SlotAction::Skip { .. } => 0,
    }
}

/// Schedules that had their turn in a check and are due all the same: the key of their tenant's payloads is missing here, say.
/// They are the longest overdue, and keep nobody from theirs: each window is so much larger.
#[derive(Debug, Default)]
struct Left {
    /// How long the input of each is, in bytes.
    inputs: HashMap<ScheduleId, u64>,
}

impl Left {
    fn bytes(&self) -> u64 {
        self.inputs.values().sum()
    }
}

impl Engine {
    /// Fires what is due, in bounded windows, until nothing is.
    pub async fn check_schedules(&self) -> Result<Checked, EngineError> {
        let _turn = self.memory().schedules.turn.lock().await;
        let (mut checked, mut targets, mut idle) = (Checked::default(), Targets::of_check(), 0);
        let mut left = Left::default();
        for _ in 0..WINDOWS_MAX {
            let now = self.now();
            let (rows, bytes) = (WINDOW + left.inputs.len() as u32, WINDOW_BYTES + left.bytes());
            let mut due = self.store().due_schedules(now, rows, bytes, &[]).await?;
            let read = due.len();
            due.retain(|schedule| !left.inputs.contains_key(&schedule.record.id));
            // Where others were faster, nothing of what was left is due any more.
            let are_others_faster = idle >= IDLE_MAX && due.len() == read;
            if due.is_empty() || are_others_faster || left.inputs.len() > LEFT_MAX {
                break;
            }
            let done = self.fire_window(&due, &mut targets, &mut left, now).await?;
            idle = if done.schedules == 0 { idle + 1 } else { 0 };
            checked.add(done);
        }
        Ok(checked)
    }

    /// Fires what a look found, in as many commits at once as the store likes: no schedule is in two of them. The next
    /// one is decided while others are under way. Adds those to `left` that it did not move on.
    async fn fire_window(
        &self,
        due: &[DueSchedule],
        targets: &mut Targets,
        left: &mut Left,
        now: Timestamp,
    ) -> Result<Checked, EngineError> {
        let commits_max = self.store().writes_at_once().max(1);
        let (mut rest, mut done, mut failed) = (due.iter(), Checked::default(), None);
        let (mut under_way, mut decisions) = (JoinSet::new(), Decisions::default());
        loop {
            while failed.is_none() && under_way.len() < commits_max && !rest.as_slice().is_empty() {
                match self.next_fires(&mut rest, targets, left, &mut decisions, now).await {
                    Ok(fires) if fires.is_empty() => {}
                    Ok(fires) => {
                        let store = Arc::clone(self.store());
                        under_way.spawn(async move {
                            let fired = store.fire_schedules(&fires, now).await;
                            (fires, fired)
                        });
                    }
                    Err(error) => failed = Some(error),
                }
            }
            match under_way.join_next().await {
                Some(Ok((fires, Ok(fired)))) => done.add(self.record_fired(&fires, &fired, left, now)),
                Some(Ok((_, Err(error)))) => failed = Some(error.into()),
                Some(Err(lost)) => failed = Some(StoreError::Unknown { source: Box::new(lost) }.into()),
                None => return failed.map_or(Ok(done), Err),
            }
        }
    }

    /// What the next commit is to do: at least one schedule, while there are any.
    async fn next_fires<'a>(
        &self,
        due: &mut std::slice::Iter<'a, DueSchedule>,
        targets: &mut Targets,
        left: &mut Left,
        decisions: &mut Decisions<'a>,
        now: Timestamp,
    ) -> Result<Vec<ScheduleFire>, EngineError> {
        let (mut fires, mut count, mut bytes) = (Vec::new(), 0, 0);
        while count < COMMIT_MAX
            && bytes < COMMIT_BYTES
            && let Some(found) = due.next()
        {
            let (id, plan) = (found.record.id, self.plan(found, decisions, now));
            left.inputs.insert(id, found.record.input.len() as u64);
            match self.fire_of(found, plan, targets, now).await {
                Ok(fire) => {
                    count += fire.slots.len().max(1);
                    bytes += fire.slots.iter().map(input_bytes).sum::<usize>();
                    fires.push(fire);
                }
                Err(error) if error.is_retryable() && !error.is_for_another_process() => return Err(error),
                Err(error) => tracing::error!(
                    schedule.id = %id,
                    error = &error as &dyn Error,
                    "the workflow of a schedule cannot be read; the schedule stays due"
                ),
            }
        }
        Ok(fires)
    }

    /// Counts what was committed, and says that there is something to do.
    fn record_fired(
        &self,
        fires: &[ScheduleFire],
        fired: &[Fired],
        left: &mut Left,
        now: Timestamp,
    ) -> Checked {
        let mut done = Checked::default();
        for (fire, fired) in fires.iter().zip(fired) {
            // One without a new cursor and without a slot would be due again at once: no progress.
            let is_step = fire.advance.is_some() || fire.settle_waiting.is_some();
            if let Fired::Done(executions) = fired {
                if is_step {
                    left.inputs.remove(&fire.id);
                    done.schedules += 1;
                }
                done.executions += executions.len();
                metrics::schedule_fired(fire, executions, now);
                self.memory().stats.enqueued(metrics::jobs_of_fire(fire, executions), now);
                Sends::of_fire(fire, executions, now).durable(&[], self.now());
            }
        }
        if done.executions > 0 {
            self.wake(&[Hint::Enqueued(QueueName::Execution)]);
        }
        done
    }

    /// A schedule that cannot be read must not hold up the others: its slot is skipped, and it fires no more.
    fn plan<'a>(&self, found: &'a DueSchedule, decisions: &mut Decisions<'a>, now: Timestamp) -> Plan {
        let record = &found.record;
        let timing = || self.memory().schedules.timings.of(record);
        let is_due = record.next_run_at.is_some_and(|next| next <= now);
        let decision =
            if is_due { decisions.of(record, timing, now).map(Some) } else { timing().map(|_| None) };
        match decision {
            Ok(decision) => decide(found, decision, now),
            Err(faults) => {
                tracing::error!(
                    schedule.id = %record.id, schedule.cron = record.cron, schedule.timezone = record.timezone,
                    fault = faults.first().map_or("", |fault| fault.message.as_str()),
                    "a schedule cannot be read and no longer fires"
                );
                Plan::end(record.next_run_at.unwrap_or(now), UNREADABLE, now)
            }
        }
    }

    /// Puts a plan into the store's terms, once it is known what the slots start.
    async fn fire_of(
        &self,
        found: &DueSchedule,
        plan: Plan,
        targets: &mut Targets,
        now: Timestamp,
    ) -> Result<ScheduleFire, EngineError> {
        let record = &found.record;
        let mut slots = Vec::with_capacity(plan.slots.len());
        let mut starts = None;
        for (slot, step) in &plan.slots {
            let action = match step {
                Step::Wait => SlotAction::Wait,
                Step::Skip(reason) => SlotAction::Skip { reason },
                Step::Start => match targets.find(self, record).await? {
                    Err(reason) => SlotAction::Skip { reason },
                    Ok(workflow) => {
                        starts = Some(slot.nominal);
                        SlotAction::Start(Box::new(self.slot_execution(record, slot, workflow, now)))
                    }
                },
            };
            slots.push(SlotDecision { nominal: slot.nominal, reason: slot.reason.as_str(), action });
        }
        if let Some(nominal) = starts {
            // Before the slot is recorded: a check that is cut off in between is done again, and cancels them again.
            self.cancel_previous(&plan.cancel, nominal, now).await?;
        }
        Ok(ScheduleFire {
            id: record.id,
            version: record.version,
            planned_from: Some(record.cursor),
            slots,
            advance: plan.advance,
            settle_waiting: plan.settle_waiting,
        })
    }

    async fn cancel_previous(
        &self,
        executions: &[ExecutionId],
        nominal: Timestamp,
        now: Timestamp,
    ) -> Result<(), EngineError> {
        let entry = InboxEntry::Cancel { reason: Some(CANCELLED_FOR.to_owned()), compensate: false };
        for &id in executions {
            // A check that is done again finds its command. The next slot has another one: what could not be cancelled for this
            // one, because it had failed, may run again by then.
            let command = Id::derive(id.uuid(), &["cancelled for the next run", &nominal.0.to_string()]);
            let appended = self.store().append_command(&TenantScope::All, id, command, &entry, now);
            if let Err(error) = appended.await {
                tracing::warn!(execution.id = %id, error = &error as &dyn Error, "an execution could not be cancelled");
                return Err(error.into());
            }
            self.wake(&[Hint::Inbox(id), Hint::Finished(id), Hint::Freed(QueueName::Execution)]);
        }
        Ok(())
    }
}

// Slots that passed between the moment to which a database was restored and now. They fired then; they are recorded as
// skipped, so that the history shows which, and can be run by a backfill.

/// Why the slots are skipped.
const RESTORED: &str = "restored";
/// How many schedules one commit takes.
const RESTORED_BATCH: u32 = 200;
/// How many batches there are at most, so that it ends.
const RESTORED_BATCHES_MAX: u32 = 10_000;

impl Engine {
    /// Moves the cursor of each due schedule to the present instant, without starting anything. Answers how many there were.
    pub(crate) async fn skip_slots_of_restored(&self) -> Result<u32, EngineError> {
        let _turn = self.memory().schedules.turn.lock().await;
        let mut skipped = 0;
        for _ in 0..RESTORED_BATCHES_MAX {
            let now = self.now();
            let due = self.store().due_schedules(now, RESTORED_BATCH, WINDOW_BYTES, &[]).await?;
            if due.is_empty() {
                break;
            }
            let fires: Vec<ScheduleFire> = due.iter().map(|found| self.skip_all(found)).collect();
            let fired = self.store().fire_schedules(&fires, now).await?;
            let done = fired.iter().filter(|fired| matches!(fired, Fired::Done(_))).count();
            skipped += u32::try_from(done).unwrap_or(u32::MAX);
            if done == 0 {
                break;
            }
        }
        Ok(skipped + self.give_up_waiting_of_restored().await?)
    }

    /// What waits for an execution that has not ended here may have fired when it ended.
    async fn give_up_waiting_of_restored(&self) -> Result<u32, EngineError> {
        let mut given_up = 0;
        for _ in 0..RESTORED_BATCHES_MAX {
            let waiting = self.store().waiting_schedules(RESTORED_BATCH).await?;
            if waiting.is_empty() {
                break;
            }
            let fires: Vec<ScheduleFire> = waiting.iter().filter_map(give_up).collect();
            let fired = self.store().fire_schedules(&fires, self.now()).await?;
            let done = fired.iter().filter(|fired| matches!(fired, Fired::Done(_))).count();
            given_up += u32::try_from(done).unwrap_or(u32::MAX);
            if done == 0 {
                break;
            }
        }
        Ok(given_up)
    }

    fn skip_all(&self, found: &DueSchedule) -> ScheduleFire {
        let record = &found.record;
        let plan = self.plan(found, &mut Decisions::default(), self.now());
        let slots = plan.slots.iter().map(|(slot, _)| SlotDecision {
            nominal: slot.nominal,
            reason: slot.reason.as_str(),
            action: SlotAction::Skip { reason: RESTORED },
        });
        ScheduleFire {
            id: record.id,
            version: record.version,
            planned_from: Some(record.cursor),
            slots: slots.collect(),
            advance: plan.advance,
            // One that waited is given up with them.
            settle_waiting: found.waiting,
        }
    }
}

/// The slot that waits is skipped, and nothing else of the schedule changes.
fn give_up(found: &DueSchedule) -> Option<ScheduleFire> {
    let record = &found.record;
    let slot = SlotDecision {
        nominal: found.waiting?,
        // The one that is recorded stays.
        reason: "",
        action: SlotAction::Skip { reason: RESTORED },
    };
    Some(ScheduleFire {
        id: record.id,
        version: record.version,
        planned_from: Some(record.cursor),
        slots: vec![slot],
        advance: None,
        settle_waiting: found.waiting,
    })
}
