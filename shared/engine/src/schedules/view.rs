//! A schedule as it is shown: with what its expression says in words.

use domain::time::Timestamp;
use store::schedules::ScheduleRecord;

use crate::engine::Engine;

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
