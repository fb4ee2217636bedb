//! Schedules: save, read, start by hand, and check against the clock.
//!
//! When a slot is due and what becomes of it is decided in `domain::schedule`. Here that is put together with what is
//! stored, and committed. Whoever decides, the commit writes each slot once.

mod announce;
mod backfill;
mod change;
mod check;
mod create;
mod decide;
mod delete;
mod edit;
mod memory;
mod pause;
mod preview;
mod read;
mod request;
mod restored;
mod run_now;
mod slot;
mod timing;
mod view;
mod workflows;
mod zones;

pub use announce::JOB_TYPE_SCHEDULE_CHECK;
pub use backfill::Backfilled;
pub use check::Checked;
pub(crate) use memory::ScheduleMemory;
pub use request::{IntervalRequest, ScheduleRequest};
pub use run_now::ManualRun;
pub use view::ScheduleView;
