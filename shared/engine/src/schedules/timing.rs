//! What a schedule's two texts say: its expression and its time zone, read once and kept.

use std::collections::HashMap;
use std::sync::Arc;

use domain::error::Fault;
use domain::schedule::{CronExpression, SchedulePolicy, Zone, due};
use domain::time::Timestamp;
use parking_lot::Mutex;
use uuid::Uuid;

/// How many are kept. Most deployments have far fewer pairs of expression and zone than schedules.
const TIMINGS_MAX: usize = 4_096;

/// An expression in a time zone.
#[derive(Debug)]
pub(super) struct Timing {
    pub(super) cron: CronExpression,
    pub(super) zone: Zone,
}

impl Timing {
    /// Reads both; every fault points at its field.
    pub(super) fn read(cron: &str, timezone: &str) -> Result<Self, Vec<Fault>> {
        let cron = CronExpression::parse(cron).map_err(|fault| Fault::from(fault).under("/cron"));
        let zone = Zone::parse(timezone).map_err(|fault| fault.under("/timezone"));
        match (cron, zone) {
            (Ok(cron), Ok(zone)) => Ok(Self { cron, zone }),
            (cron, zone) => Err(cron.err().into_iter().chain(zone.err()).collect()),
        }
    }

    /// The first slot after an instant, within the bounds of a policy.
    pub(super) fn next(&self, policy: &SchedulePolicy, after: Timestamp) -> Option<Timestamp> {
        // Nothing lies between an instant and itself: only what comes next is left to decide.
        due(&self.cron, &self.zone, policy, Uuid::nil(), after, after).next_run_at
    }
}

/// Timings that were read already. Nothing here goes stale: the same texts say the same for ever.
#[derive(Debug, Default)]
pub(super) struct Timings(Mutex<HashMap<(String, String), Arc<Timing>>>);

impl Timings {
    /// The timing of two texts.
    pub(super) fn get(&self, cron: &str, timezone: &str) -> Result<Arc<Timing>, Vec<Fault>> {
        let key = (cron.to_owned(), timezone.to_owned());
        if let Some(found) = self.0.lock().get(&key) {
            return Ok(Arc::clone(found));
        }
        let timing = Arc::new(Timing::read(cron, timezone)?);
        let mut kept = self.0.lock();
        if kept.len() >= TIMINGS_MAX {
            kept.clear();
        }
        kept.insert(key, Arc::clone(&timing));
        Ok(timing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_texts_are_read_before_one_is_refused() {
        let faults = Timing::read("0 0 31 2 *", "Europe/Nowhere").expect_err("both are wrong");
        let pointers: Vec<&str> = faults.iter().map(|fault| fault.pointer.as_str()).collect();
        assert_eq!(pointers, ["/cron", "/timezone"]);
        let faults = Timing::read("0 0 * * * *", "UTC").expect_err("six fields");
        assert!(faults[0].message.contains("seconds"), "{faults:?}");
    }

    #[test]
    fn the_next_slot_is_within_bounds() {
        let timings = Timings::default();
        let timing = timings.get("0 * * * *", "UTC").expect("valid");
        assert!(Arc::ptr_eq(&timing, &timings.get("0 * * * *", "UTC").expect("valid")));
        let hour = 3_600_000;
        let policy = SchedulePolicy {
            start_at: Some(Timestamp(2 * hour)),
            end_at: Some(Timestamp(3 * hour)),
            ..SchedulePolicy::default()
        };
        let next = |after| timing.next(&policy, Timestamp(after));
        assert_eq!(next(0), Some(Timestamp(2 * hour)));
        assert_eq!(next(2 * hour), Some(Timestamp(3 * hour)));
        assert_eq!(next(3 * hour), None);
    }
}
