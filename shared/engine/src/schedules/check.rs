//! The check: every schedule that is due fires, whatever was missed before.
//!
//! Any number of checks may run at once, on any number of nodes, and each may be cut off anywhere. What is due stays
//! due until a commit moves the schedule's cursor, and that commit records the slots and creates their executions.
//!
//! Tenants take turns, and each has its share of the work. What is beyond it stays due for a later check.

use std::error::Error;
use std::sync::Arc;

use domain::access::TenantScope;
use domain::id::{ExecutionId, Id};
use domain::queue::QueueName;
use domain::schedule::{CheckShares, in_turn};
use domain::time::Timestamp;
use store::StoreError;
use store::executions::InboxEntry;
use store::schedules::{DueSchedule, Fired, ScheduleFire, ScheduleRecord, SlotAction, SlotDecision};
use store::wakeup::Hint;
use tokio::task::JoinSet;

use super::decide::{Decisions, Plan, Step, decide};
use super::workflows::{Found, Targets};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::metrics;
use crate::traces::Sends;

/// How many bytes of inputs one look takes.
pub(super) const WINDOW_BYTES: u64 = 8 * 1024 * 1024;
/// What one commit takes: so many schedules and slots, and bytes of inputs, with the schedule that reaches beyond. Small
/// ones cost their flushes, and large ones keep what they have locked.
const COMMIT_MAX: usize = 500;
const COMMIT_BYTES: usize = 4 * 1024 * 1024;
/// How many windows one check takes at most, so that it ends.
const WINDOWS_MAX: u32 = 10_000;
/// How often in a row a window may achieve nothing, because others were faster, before the check leaves it to them.
const IDLE_MAX: u32 = 2;
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
    /// How many schedules stay due because their tenants have used their share of the check.
    pub put_off: usize,
}

impl Checked {
    fn add(&mut self, other: Self) {
        self.schedules += other.schedules;
        self.executions += other.executions;
    }
}

/// Answers how many schedules were put off, and tells operators whose.
fn said_put_off(shares: &CheckShares) -> usize {
    let mut all = 0;
    for (tenant, &schedules) in shares.put_off() {
        all += schedules;
        tracing::warn!(
            tenant.name = %tenant, schedules,
            "the workflows and inputs of a tenant's schedules take more than its share of a check; those beyond it fire later"
        );
    }
    all
}

/// How many bytes of input a slot stores.
fn input_bytes(slot: &SlotDecision) -> usize {
    match &slot.action {
        SlotAction::Start(execution) => execution.input.len(),
        SlotAction::Wait | SlotAction::Skip { .. } => 0,
    }
}

impl Engine {
    /// Fires what is due, in bounded windows, until nothing is but what has to stay: the tenant has used its share, or the key of
    /// its payloads is missing here, say.
    pub async fn check_schedules(&self) -> Result<Checked, EngineError> {
        let _turn = self.memory().schedules.turn.lock().await;
        let bounds = self.policy().schedule_checks;
        let (mut checked, mut targets, mut idle) = (Checked::default(), Targets::default(), 0);
        let mut shares = CheckShares::new(bounds);
        for _ in 0..WINDOWS_MAX {
            let now = self.now();
            let (left, left_bytes) = shares.left();
            let (rows, bytes) = (bounds.window + left as u32, WINDOW_BYTES + left_bytes);
            let mut due = self.store().due_schedules(now, rows, bytes, shares.over()).await?;
            let read = due.len();
            shares.keep_due(due.iter().map(|schedule| schedule.record.id));
            if shares.end_turns() {
                // What was read is mostly theirs: what the others have lies behind it.
                idle = 0;
                continue;
            }
            due.retain(|schedule| !shares.is_left(schedule.record.id));
            // Where others were faster, nothing of what was left is due any more.
            let are_others_faster = idle >= IDLE_MAX && due.len() == read;
            if due.is_empty() || are_others_faster {
                break;
            }
            let mut due = in_turn(due, |schedule| &schedule.record.tenant);
            shares.begin_window();
            let mut done = self.fire_window(&due, &mut targets, &mut shares, now).await?;
            // Nobody's schedules wait for what takes long of others'.
            let deferred = shares.end_window();
            due.retain(|schedule| deferred.contains(&schedule.record.id));
            let last = self.fire_window(&due, &mut targets, &mut shares, now).await?;
            done.add(last);
            idle = if done.schedules == 0 { idle + 1 } else { 0 };
            checked.add(done);
        }
        checked.put_off = said_put_off(&shares);
        Ok(checked)
    }

    /// Fires what a look found, in as many commits at once as the store likes: no schedule is in two of them. The next
    /// one is decided while others are under way. Those that it does not move on are left.
    async fn fire_window(
        &self,
        due: &[DueSchedule],
        targets: &mut Targets,
        shares: &mut CheckShares,
        now: Timestamp,
    ) -> Result<Checked, EngineError> {
        let commits_max = self.store().writes_at_once().max(1);
        let (mut rest, mut done, mut failed) = (due.iter(), Checked::default(), None);
        let (mut under_way, mut decisions) = (JoinSet::new(), Decisions::default());
        loop {
            while failed.is_none() && under_way.len() < commits_max && !rest.as_slice().is_empty() {
                match self.next_fires(&mut rest, targets, shares, &mut decisions, now).await {
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
                Some(Ok((fires, Ok(fired)))) => done.add(self.record_fired(&fires, &fired, shares, now)),
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
        shares: &mut CheckShares,
        decisions: &mut Decisions<'a>,
        now: Timestamp,
    ) -> Result<Vec<ScheduleFire>, EngineError> {
        let (mut fires, mut count, mut bytes) = (Vec::new(), 0, 0);
        while count < COMMIT_MAX
            && bytes < COMMIT_BYTES
            && let Some(found) = due.next()
        {
            let (record, plan) = (&found.record, self.plan(found, decisions, now));
            let id = record.id;
            shares.leave(id, &record.tenant, record.input.len() as u64);
            match self.fire_of(found, plan, targets, shares, now).await {
                Ok(None) => self.leave_for_later(record, shares, now),
                Ok(Some(fire)) => {
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
        shares: &mut CheckShares,
        now: Timestamp,
    ) -> Checked {
        let mut done = Checked::default();
        for (fire, fired) in fires.iter().zip(fired) {
            // One without a new cursor and without a slot would be due again at once: no progress.
            let is_step = fire.advance.is_some() || fire.settle_waiting.is_some();
            if let Fired::Done(executions) = fired {
                if is_step {
                    shares.settle(fire.id);
                    self.memory().schedules.put_off.lock().settle(fire.id);
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
    pub(super) fn plan<'a>(
        &self,
        found: &'a DueSchedule,
        decisions: &mut Decisions<'a>,
        now: Timestamp,
    ) -> Plan {
        let record = &found.record;
        let timing = || self.memory().schedules.timings.of(record);
        let as_of = self.decided_as_of(record, now);
        let is_due = record.next_run_at.is_some_and(|next| next <= as_of);
        let decision =
            if is_due { decisions.of(record, timing, as_of).map(Some) } else { timing().map(|_| None) };
        match decision {
            Ok(decision) => decide(found, decision, as_of),
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

    /// A schedule takes long, or its tenant has used its share: it stays due.
    fn leave_for_later(&self, record: &ScheduleRecord, shares: &mut CheckShares, now: Timestamp) {
        let is_put_off = shares.put_off_one(record.id, &record.tenant);
        // A slot that waited for an execution waits on; it is never missed.
        if is_put_off && record.next_run_at.is_some_and(|next| next <= now) {
            self.memory().schedules.put_off.lock().put_off(record.id, record.cursor, now);
        }
    }

    /// As of when the slots of a schedule are decided. One that was put off is as late as it was then.
    fn decided_as_of(&self, record: &ScheduleRecord, now: Timestamp) -> Timestamp {
        let since = self.memory().schedules.put_off.lock().since(record.id, record.cursor);
        // With other time zone data its next slot may be a later one.
        let since = since.filter(|since| record.next_run_at.is_some_and(|next| next <= *since));
        since.map_or(now, |since| since.min(now))
    }

    /// Puts a plan into the store's terms, once it is known what the slots start; `None` where that may not be found out now.
    async fn fire_of(
        &self,
        found: &DueSchedule,
        plan: Plan,
        targets: &mut Targets,
        shares: &mut CheckShares,
        now: Timestamp,
    ) -> Result<Option<ScheduleFire>, EngineError> {
        let record = &found.record;
        let mut slots = Vec::with_capacity(plan.slots.len());
        let mut starts = None;
        for (slot, step) in &plan.slots {
            let action = match step {
                Step::Wait => SlotAction::Wait,
                Step::Skip(reason) => SlotAction::Skip { reason },
                Step::Start => match targets.find(self, record, Some(&mut *shares)).await? {
                    Found::PutOff => return Ok(None),
                    Found::Refuses(reason) => SlotAction::Skip { reason },
                    Found::Starts(workflow) => {
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
        Ok(Some(ScheduleFire {
            id: record.id,
            version: record.version,
            planned_from: Some(record.cursor),
            slots,
            advance: plan.advance,
            settle_waiting: plan.settle_waiting,
        }))
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
