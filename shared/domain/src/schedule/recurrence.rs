//! When a schedule has slots: at the times of an expression in a time zone, or every so often.

use super::cron::CronExpression;
use super::due::LATENESS_MAX;
use super::interval::Interval;
use super::next::next_after;
use super::zone::Zone;
use crate::time::{DurationMs, Timestamp};

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
