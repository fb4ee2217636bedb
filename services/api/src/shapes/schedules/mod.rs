//! Schedules: what is sent to save one, how one is shown, and what became of its slots.

mod body;
mod preview;
mod recurrence;
mod runs;
mod shape;
mod words;

pub(crate) use body::ScheduleBody;
pub(crate) use preview::{PreviewBody, PreviewResponse};
pub(crate) use recurrence::RecurrenceBody;
pub(crate) use runs::{BackfillBody, BackfillResponse, ManualRunResponse, ScheduleRunResponse};
pub(crate) use shape::ScheduleResponse;
