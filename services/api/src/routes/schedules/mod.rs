//! `/v1/schedules`: saved, looked at, paused, started by hand.

mod act;
mod preview;
mod read;
mod save;
mod table;

pub(super) use table::router;
