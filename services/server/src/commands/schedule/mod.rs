//! `trunkline schedule`: the verbs of schedules, and the bodies that they send.

mod body;
mod verbs;

pub(crate) use verbs::{ScheduleCommand, run};
