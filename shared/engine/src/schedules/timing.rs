//! When a schedule fires: its interval, or what its expression and its time zone say, read once and kept.

use domain::access::TenantScope;
use domain::schedule::tzdb_version;
use domain::time::Timestamp;
use store::schedules::{ScheduleRecord, ScheduleSaved};

use super::memory::next_run_at;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::metrics;

// New time zone data: what comes next is computed again. What was due under the old data stays due.

/// How many schedules one step takes.
const BATCH: u32 = 200;

impl Engine {
    /// One bounded step. Answers whether there may be more.
    pub async fn zones_tick(&self) -> Result<bool, EngineError> {
        let version = tzdb_version();
        metrics::tzdb(&version);
        let stale = self.store().schedules_of_other_tzdb(&version, BATCH).await?;
        let mut stored = 0;
        for present in &stale {
            let next = self.in_new_zone(present, &version);
            if next.next_run_at != present.next_run_at {
                tracing::info!(
                    schedule.id = %present.id, schedule.timezone = present.timezone, tzdb.version = version,
                    schedule.next_was = present.next_run_at.map(tracing::field::display),
                    schedule.next_is = next.next_run_at.map(tracing::field::display),
                    "new time zone data changed the next fire of a schedule"
                );
            }
            let saved = self.store().replace_schedule(&TenantScope::All, &next).await?;
            stored += u32::from(saved == ScheduleSaved::Saved);
        }
        Ok(stale.len() >= BATCH as usize && stored > 0)
    }

    /// One whose slot has come already is decided from its cursor, as it would have been in time. For any other only
    /// what is to come counts: what the new data say about the past must not fire.
    fn in_new_zone(&self, present: &ScheduleRecord, version: &str) -> ScheduleRecord {
        let now = self.now();
        let is_due = present.next_run_at.is_some_and(|next| next <= now);
        let from: Timestamp = if is_due { present.cursor } else { present.cursor.max(now) };
        let timings = &self.memory().schedules.timings;
        // One that cannot be read any more keeps its next slot: the check will say so when it is due.
        let next = timings
            .of(present)
            .map_or_else(|_| present.next_run_at, |timing| next_run_at(&timing, present, from));
        ScheduleRecord {
            version: present.version + 1,
            cursor: from,
            next_run_at: next,
            tzdb_version: version.to_owned(),
            ..present.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedules::memory::{Timing, Timings};
    use domain::schedule::SchedulePolicy;
    use std::sync::Arc;

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
