//! Schedules: when a workflow is due, decided from an expression, a time zone, a policy and the time given.
//!
//! [`CronExpression`] is what people write, [`Zone`] is where their clock hangs, [`next_after`] puts the two
//! together, and [`due`] says which slots of a schedule start now. A schedule by [`Interval`] has neither; [`Recurrence`] is
//! one or the other. Nothing here reads a clock, a file or a database:
//! the shell records each slot and starts its execution.

mod calendar;
mod cron;
mod describe;
mod due;
mod interval;
mod next;
mod policy;
mod preview;
mod share;
mod zone;

pub use cron::{
    CronExpression, CronFault, CronField, DayOfMonth, DayOfWeek, EXPRESSION_MAX_BYTES, Fields, Term, Values,
};
pub use describe::describe;
pub use due::{DROPPED_RECORDED_MAX, DueDecision, Slot, due};
pub use interval::{INTERVAL_MAX, INTERVAL_MIN, Interval, LATENESS_MAX, Recurrence};
pub use next::{HORIZON, fires_between, next_after};
pub use policy::{
    CATCH_UP_LIMIT, FireReason, Misfire, Overlap, OverlapDecision, SchedulePolicy, SkipReason, jitter_of,
    overlap,
};
pub use preview::{PREVIEW_MAX, Preview, preview};
pub use share::{CheckBounds, CheckShares, PutOffSchedules, in_turn};
pub use zone::{Zone, tzdb_version};
