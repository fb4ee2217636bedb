//! Preview what an expression, or a schedule, will do.

use domain::access::Permission;
use domain::id::ScheduleId;
use domain::schedule::{PREVIEW_MAX, Preview, Recurrence, preview_by};
use domain::time::{DurationMs, Timestamp};

use super::request::IntervalRequest;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

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
        Ok(preview_by(Recurrence::Interval(interval), from.unwrap_or(now), count))
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
        Ok(preview_by(timing.recurrence(), from, count))
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
        let mut shown = preview_by(timing.recurrence(), from, count);
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
