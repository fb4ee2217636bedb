//! Schedules: save, read, start by hand, and check against the clock.
//!
//! When a slot is due and what becomes of it is decided in `domain::schedule`. Here that is put together with what is
//! stored, and committed. Whoever decides, the commit writes each slot once.

mod announce;
mod backfill;
mod change;
mod check;
mod decide;
mod memory;
mod request;
mod restored;
mod run_now;
mod timing;
mod workflows;

use domain::access::Permission;
use domain::id::ScheduleId;
use domain::schedule::{PREVIEW_MAX, Preview, Recurrence, preview};
use domain::time::{DurationMs, Timestamp};
use store::schedules::{DueSchedule, ScheduleRecord};

use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

pub use announce::JOB_TYPE_SCHEDULE_CHECK;
pub use backfill::Backfilled;
pub use check::Checked;
pub(crate) use memory::ScheduleMemory;
pub use request::{IntervalRequest, ScheduleRequest};
pub use run_now::ManualRun;

// Look at schedules.

impl Engine {
    /// A schedule.
    pub async fn schedule(&self, caller: &Caller, id: ScheduleId) -> Result<ScheduleView, EngineError> {
        caller.require(Permission::Read)?;
        let found = self.known_schedule(caller, id).await?;
        Ok(self.view(found.record, self.now()))
    }

    /// A schedule that the caller may know of, whatever its role.
    async fn known_schedule(&self, caller: &Caller, id: ScheduleId) -> Result<DueSchedule, EngineError> {
        let found = self.store().schedule(&caller.scope, id).await?;
        found.ok_or_else(|| EngineError::not_found("schedule", &id))
    }
}

// A schedule as it is shown: with what its expression says in words.

/// A schedule as it is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct ScheduleView {
    /// The schedule.
    pub record: ScheduleRecord,
    /// Its expression in plain English.
    pub description: String,
    /// What is legal but often not meant, in sentences.
    pub warnings: Vec<String>,
}

impl Engine {
    pub(crate) fn view(&self, record: ScheduleRecord, now: Timestamp) -> ScheduleView {
        let timings = &self.memory().schedules.timings;
        let Ok(timing) = timings.of(&record) else {
            return ScheduleView {
                record,
                description: String::new(),
                warnings: vec![
                    "this version of Trunkline cannot read the expression or the time zone".to_owned(),
                ],
            };
        };
        let mut warnings = timing.warnings();
        if !record.is_paused && record.next_run_at.is_none() {
            warnings.push("it never fires again: endAt leaves no slot".to_owned());
        }
        if record.policy.end_at.is_some_and(|end| end < now) {
            warnings.push("endAt is in the past".to_owned());
        }
        ScheduleView { description: timing.description(), warnings, record }
    }
}

// Preview what an expression, or a schedule, will do.

impl Engine {
    /// The first `count` slots of an interval after `from`, or after now, from which it is counted without an anchor.
    pub fn preview_interval(
        &self,
        caller: &Caller,
        interval: IntervalRequest,
        from: Option<Timestamp>,
        count: usize,
    ) -> Result<Preview, EngineError> {
        caller.require(Permission::Read)?;
        check_count(count)?;
        let now = self.now();
        let interval = interval.of(now).map_err(|fault| EngineError::Invalid(vec![fault]))?;
        Ok(preview(Recurrence::Interval(interval), from.unwrap_or(now), count))
    }

    /// The first `count` slots of an expression after `from`, or after now.
    pub fn preview_cron(
        &self,
        caller: &Caller,
        cron: &str,
        timezone: &str,
        from: Option<Timestamp>,
        count: usize,
    ) -> Result<Preview, EngineError> {
        caller.require(Permission::Read)?;
        check_count(count)?;
        let timings = &self.memory().schedules.timings;
        let timing = timings.get(cron, timezone).map_err(EngineError::Invalid)?;
        let from = from.unwrap_or_else(|| self.now());
        Ok(preview(timing.recurrence(), from, count))
    }

    /// The next `count` slots of a schedule, within its bounds. A paused one is shown as if it were resumed now.
    pub async fn preview_schedule(
        &self,
        caller: &Caller,
        id: ScheduleId,
        count: usize,
    ) -> Result<Preview, EngineError> {
        caller.require(Permission::Read)?;
        check_count(count)?;
        let record = self.known_schedule(caller, id).await?.record;
        let timings = &self.memory().schedules.timings;
        let timing = timings.of(&record).map_err(EngineError::Invalid)?;
        let now = self.now();
        // The slot at the start itself is within the bounds.
        let start = record.policy.start_at.map(|start| start.minus(DurationMs(1)));
        let from = start.map_or(now, |start| start.max(now));
        let mut shown = preview(timing.recurrence(), from, count);
        if let Some(end) = record.policy.end_at {
            shown.next.retain(|slot| *slot <= end);
        }
        Ok(shown)
    }
}

fn check_count(count: usize) -> Result<(), EngineError> {
    if (1..=PREVIEW_MAX).contains(&count) {
        return Ok(());
    }
    Err(EngineError::invalid("/count", format!("expected 1 to {PREVIEW_MAX}")))
}
