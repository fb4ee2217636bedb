//! When a schedule fires: its interval, or what its expression and its time zone say, read once and kept.

use std::collections::HashMap;
use std::sync::Arc;

use domain::access::TenantScope;
use domain::error::Fault;
use domain::schedule::{
    CronExpression, Interval, Recurrence, SchedulePolicy, Zone, describe, due_by, tzdb_version,
};
use domain::time::Timestamp;
use parking_lot::Mutex;
use store::schedules::{ScheduleRecord, ScheduleSaved};
use uuid::Uuid;

use super::change::next_run_at;
use super::request::ScheduleRequest;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::metrics;

/// How many are kept. Most deployments have far fewer pairs of expression and zone than schedules.
const TIMINGS_MAX: usize = 4_096;

/// When a schedule has slots, with its texts read.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "each is kept once, behind an Arc")]
pub(super) enum Timing {
    /// An expression in a time zone.
    Cron(CronExpression, Zone),
    /// Every so often.
    Interval(Interval),
}

impl Timing {
    /// Reads both texts; every fault points at its field.
    pub(super) fn read(cron: &str, timezone: &str) -> Result<Self, Vec<Fault>> {
        let cron = CronExpression::parse(cron).map_err(|fault| Fault::from(fault).under("/cron"));
        let zone = Zone::parse(timezone).map_err(|fault| fault.under("/timezone"));
        match (cron, zone) {
            (Ok(cron), Ok(zone)) => Ok(Self::Cron(cron, zone)),
            (cron, zone) => Err(cron.err().into_iter().chain(zone.err()).collect()),
        }
    }

    /// When there are slots.
    pub(super) fn recurrence(&self) -> Recurrence<'_> {
        match self {
            Self::Cron(cron, zone) => Recurrence::Cron(cron, zone),
            Self::Interval(interval) => Recurrence::Interval(*interval),
        }
    }

    /// The name of the time zone as it is shown: that of UTC for an interval, which knows none.
    pub(super) fn zone_name(&self) -> &str {
        match self {
            Self::Cron(_, zone) => zone.name(),
            Self::Interval(_) => "UTC",
        }
    }

    /// The interval, where it is one.
    pub(super) fn interval(&self) -> Option<Interval> {
        match self {
            Self::Cron(..) => None,
            Self::Interval(interval) => Some(*interval),
        }
    }

    /// What it says in plain English.
    pub(super) fn description(&self) -> String {
        match self {
            Self::Cron(cron, _) => describe(cron),
            Self::Interval(interval) => interval.describe(),
        }
    }

    /// What is legal but often not meant.
    pub(super) fn warnings(&self) -> Vec<String> {
        match self {
            Self::Cron(cron, _) => cron.warnings(),
            Self::Interval(_) => Vec::new(),
        }
    }

    /// The first slot after an instant, within the bounds of a policy.
    pub(super) fn next(&self, policy: &SchedulePolicy, after: Timestamp) -> Option<Timestamp> {
        // Nothing lies between an instant and itself: only what comes next is left to decide.
        due_by(self.recurrence(), policy, Uuid::nil(), after, after).next_run_at
    }
}

/// Timings that were read already. Nothing here goes stale: the same texts say the same for ever.
#[derive(Debug, Default)]
pub(super) struct Timings(Mutex<HashMap<(String, String), Arc<Timing>>>);

impl Timings {
    /// The timing of a schedule.
    pub(super) fn of(&self, schedule: &ScheduleRecord) -> Result<Arc<Timing>, Vec<Fault>> {
        match schedule.interval {
            Some(interval) => Ok(Arc::new(Timing::Interval(interval))),
            None => self.get(&schedule.cron, &schedule.timezone),
        }
    }

    /// The timing that a request asks for, of a schedule that was created then.
    pub(super) fn asked(
        &self,
        request: &ScheduleRequest,
        created_at: Timestamp,
    ) -> Result<Arc<Timing>, Vec<Fault>> {
        match request.interval {
            Some(interval) => match interval.of(created_at) {
                Ok(interval) => Ok(Arc::new(Timing::Interval(interval))),
                Err(fault) => Err(vec![fault]),
            },
            None => self.get(&request.cron, &request.timezone),
        }
    }

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
                    "new time zone data move the next slot of a schedule"
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
