//! When schedules fire next, as this process computed it.

use std::collections::HashMap;
use std::sync::Arc;

use domain::error::Fault;
use domain::schedule::{
    CronExpression, Interval, PutOffSchedules, Recurrence, SchedulePolicy, Zone, describe, due,
};
use domain::time::Timestamp;
use parking_lot::Mutex;
use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, UnitWeighter};
use store::schedules::ScheduleRecord;
use uuid::Uuid;

use super::request::ScheduleRequest;

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
        due(self.recurrence(), policy, Uuid::nil(), after, after).next_run_at
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

/// The next slot of a schedule after an instant; a paused one has none.
pub(super) fn next_run_at(timing: &Timing, schedule: &ScheduleRecord, after: Timestamp) -> Option<Timestamp> {
    if schedule.is_paused { None } else { timing.next(&schedule.policy, after) }
}

/// Of how many inputs is remembered whether their workflows take them; about 10 MB.
const CHECKED_MAX: usize = 100_000;

/// The hash of a definition and an input.
pub(super) type InputKey = [u8; 32];

/// Whether definitions take inputs. Nothing here goes stale: the content of both is in the key. Those that are seldom asked for
/// make room.
pub(super) struct CheckedInputs(Cache<InputKey, bool>);

impl CheckedInputs {
    /// What is remembered of an input.
    pub(super) fn get(&self, key: &InputKey) -> Option<bool> {
        self.0.get(key)
    }

    /// Remembers what was found out.
    pub(super) fn insert(&self, key: InputKey, is_taken: bool) {
        self.0.insert(key, is_taken);
    }
}

impl Default for CheckedInputs {
    fn default() -> Self {
        let options = OptionsBuilder::new()
            .estimated_items_capacity(CHECKED_MAX / 100)
            .weight_capacity(CHECKED_MAX as u64)
            .build()
            .unwrap_or_else(|_| unreachable!("both capacities are given"));
        let (hasher, lifecycle) = (DefaultHashBuilder::default(), DefaultLifecycle::default());
        Self(Cache::with_options(options, UnitWeighter, hasher, lifecycle))
    }
}

impl std::fmt::Debug for CheckedInputs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CheckedInputs").finish_non_exhaustive()
    }
}

/// What the engine remembers of schedules.
#[derive(Debug, Default)]
pub(crate) struct ScheduleMemory {
    /// Expressions and zones that were read already.
    pub(super) timings: Timings,
    /// Inputs whose checks take long.
    pub(super) checked: CheckedInputs,
    /// Schedules whose tenants had used their share of a check.
    pub(super) put_off: Mutex<PutOffSchedules>,
    /// Held by the check under way: two at once would do the same work twice.
    pub(super) turn: tokio::sync::Mutex<()>,
}
