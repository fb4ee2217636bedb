//! Schedules: their rows, which of them are due, and what became of each slot.
//!
//! What a slot comes to is decided in `domain`. Here it is recorded, together with the execution that it starts and
//! the place up to which the schedule is decided. The key of `schedule_run` is what keeps a slot from being started
//! twice, whoever tries; the lock on the schedule's row only spares them the work.

mod rows;

mod create;
mod delete;
mod replace;

mod due;
mod list;
mod one;
mod other_tzdb;

mod fire;
mod recorded;
mod slots;
mod work;

mod verbs;

pub(crate) use rows::{record_of, run_of};
