//! Schedules that fire every so often: slots at a fixed distance from each other, whatever the calendar says. And what
//! a schedule recurs by: an interval or an expression.

use super::cron::CronExpression;
use super::next::next_after;
use super::zone::Zone;
use crate::time::{DurationMs, Timestamp};

/// A slot decided no later than this is on time.
pub const LATENESS_MAX: DurationMs = DurationMs::from_secs(60);

/// The shortest interval.
pub const INTERVAL_MIN: DurationMs = DurationMs::from_secs(10);
/// The longest interval.
pub const INTERVAL_MAX: DurationMs = DurationMs::from_secs(366 * 86_400);

/// An interval and the instant that it is counted from, which is the first slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interval {
    /// The distance of two slots, from [`INTERVAL_MIN`] to [`INTERVAL_MAX`].
    pub every: DurationMs,
    /// The first slot; others are a whole number of intervals later.
    pub anchor: Timestamp,
}

impl Interval {
    /// Whether slots may lie this far apart.
    pub const fn is_valid(every: DurationMs) -> bool {
        every.0 >= INTERVAL_MIN.0 && every.0 <= INTERVAL_MAX.0
    }

    /// The first slot after an instant, always later than it; the anchor where the instant is before that. `None` where
    /// time ends.
    pub fn next_after(self, after: Timestamp) -> Option<Timestamp> {
        if after < self.anchor {
            return Some(self.anchor);
        }
        let every = self.every.0.max(1);
        let passed = after.0.checked_sub(self.anchor.0)?.div_euclid(every);
        let next = passed.checked_add(1)?.checked_mul(every)?.checked_add(self.anchor.0)?;
        Some(Timestamp(next))
    }

    /// In plain English.
    pub fn describe(self) -> String {
        format!("Every {}, counted from {}", self.every, self.anchor)
    }
}

// When a schedule has slots: at the times of an expression in a time zone, or every so often.

/// When a schedule has slots.
#[derive(Debug, Clone, Copy)]
pub enum Recurrence<'a> {
    /// At the times of an expression in a time zone.
    Cron(&'a CronExpression, &'a Zone),
    /// Every so often.
    Interval(Interval),
}

impl Recurrence<'_> {
    /// The first slot after an instant, always later than it. `None` when there is none any more.
    pub fn next_after(self, after: Timestamp) -> Option<Timestamp> {
        match self {
            Self::Cron(cron, zone) => next_after(cron, zone, after),
            Self::Interval(interval) => interval.next_after(after),
        }
    }

    /// The slots after `from` up to and including `to`, oldest first, at most `max` of them.
    pub fn between(self, from: Timestamp, to: Timestamp, max: usize) -> Vec<Timestamp> {
        self.after(from).take_while(|slot| *slot <= to).take(max).collect()
    }

    /// The slots after an instant, oldest first.
    pub fn after(self, from: Timestamp) -> impl Iterator<Item = Timestamp> {
        std::iter::successors(self.next_after(from), move |last| self.next_after(*last))
    }

    /// How late a slot may be decided and be on time. Of slots that lie close to each other only the newest is.
    pub(super) fn lateness_max(self) -> DurationMs {
        match self {
            Self::Cron(..) => LATENESS_MAX,
            Self::Interval(interval) => DurationMs(LATENESS_MAX.0.min(interval.every.0 - 1).max(0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;
    use crate::schedule::{FireReason, Misfire, Recurrence, SchedulePolicy, due, preview};

    proptest! {
        #[test]
        fn slots_lie_on_the_grid_and_none_is_left_out(
            every in INTERVAL_MIN.0..INTERVAL_MAX.0,
            anchor in 0_i64..4_000_000_000_000,
            after in 0_i64..4_000_000_000_000,
        ) {
            let interval = Interval { every: DurationMs(every), anchor: Timestamp(anchor) };
            let next = interval.next_after(Timestamp(after)).expect("time goes on");
            prop_assert!(next.0 > after && next.0 >= anchor);
            prop_assert_eq!((next.0 - anchor) % every, 0);
            let before = next.0 - every;
            prop_assert!(before <= after || before < anchor, "{before} would have been the next");
            prop_assert_eq!(interval.next_after(next), Some(Timestamp(next.0 + every)));
        }
    }

    fn decide(every_secs: i64, misfire: Misfire, now_secs: i64) -> (Vec<(i64, FireReason)>, usize, i64) {
        let interval = Interval { every: DurationMs::from_secs(every_secs), anchor: Timestamp(0) };
        let policy = SchedulePolicy { misfire, ..SchedulePolicy::default() };
        let now = Timestamp(now_secs * 1_000);
        let decision = due(Recurrence::Interval(interval), &policy, Uuid::nil(), Timestamp(0), now);
        let slots = decision.slots.iter().map(|slot| (slot.nominal.0 / 1_000, slot.reason));
        (slots.collect(), decision.dropped.len(), decision.next_run_at.map_or(0, |next| next.0 / 1_000))
    }

    /// As with expressions, but of slots close to each other only the newest is on time.
    #[test]
    fn missed_slots_follow_the_policy() {
        use FireReason::{CatchUp, Tick};
        assert_eq!(decide(10, Misfire::Latest, 10), (vec![(10, Tick)], 0, 20));
        assert_eq!(decide(10, Misfire::Latest, 35), (vec![(30, Tick)], 2, 40));
        assert_eq!(decide(10, Misfire::All, 35), (vec![(10, CatchUp), (20, CatchUp), (30, Tick)], 0, 40));
        assert_eq!(decide(90, Misfire::Skip, 5 * 90 + 60), (vec![(450, Tick)], 4, 540));
        assert_eq!(decide(90, Misfire::Skip, 5 * 90 + 61), (vec![], 5, 540), "a minute late is missed");
        let (slots, dropped, next) = decide(10, Misfire::Latest, 30 * 86_400 + 5);
        assert_eq!((slots, next), (vec![(30 * 86_400, Tick)], 30 * 86_400 + 10));
        assert_eq!(dropped, crate::schedule::DROPPED_RECORDED_MAX);
    }

    #[test]
    fn a_preview_shows_slots_and_no_changes_of_the_clock() {
        let interval = Interval { every: DurationMs::from_secs(90), anchor: Timestamp(1_795_176_000_000) };
        let shown = preview(Recurrence::Interval(interval), Timestamp(1_795_176_000_000), 2);
        assert_eq!(shown.next, [Timestamp(1_795_176_090_000), Timestamp(1_795_176_180_000)]);
        assert_eq!(shown.notes, Vec::<String>::new());
        assert!(shown.description.starts_with("Every 1m30s, counted from 20"), "{}", shown.description);
    }

    #[test]
    fn it_ends_with_time() {
        let interval = Interval { every: INTERVAL_MIN, anchor: Timestamp(0) };
        assert_eq!(interval.next_after(Timestamp(i64::MAX)), None);
        assert_eq!(interval.next_after(Timestamp(-5)), Some(Timestamp(0)));
    }
}
