//! How far this node has come with what it walks through bit by bit.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use domain::queue::QueueName;
use domain::time::{DurationMs, Timestamp};
use parking_lot::Mutex;
use store::retention::RetentionLag;
use uuid::Uuid;

/// How many windows one call looks at, while it has not found as much as it may remove.
pub(super) const WINDOWS_MAX: u32 = 10;

/// After how long a call begins no further window: rows that stay may each lie on pages of their own, which a database that has
/// just started reads from its disk. The next call goes on from there.
pub(super) const LOOKS_WITHIN: Duration = Duration::from_millis(500);

/// After a round of more than one call the rows that stayed are not looked at again for so many times as long.
const REST: u32 = 20;

/// Nor for longer than this.
const REST_MAX: Duration = Duration::from_mins(10);

/// What is walked through: the kind of thing, the part of its table, and the class of the tenants.
type Course = (&'static str, Option<(QueueName, &'static str)>, i64);

/// How far each walk has come.
#[derive(Debug, Default)]
pub(crate) struct Walks(pub(super) Mutex<HashMap<Course, Progress>>);

/// How far one walk has come.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Progress {
    pub(super) place: Place,
    /// When the round began, while one is under way.
    begun: Option<Instant>,
    /// How many windows it has had.
    windows: u32,
    /// Until when rows that were passed are not looked at again.
    rests_until: Option<Instant>,
    /// How long ago the row at `place` should have gone, while a round is under way.
    pub(super) lag: DurationMs,
}

/// A row that was looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// When it ended.
    pub(super) at: i64,
    /// Its id, or the first part of it.
    pub(super) id: Uuid,
    /// The second part of its id, where there is one.
    pub(super) also: i64,
}

impl Walks {
    /// How far they are behind, the furthest of each kind of thing.
    pub(crate) fn lag(&self) -> Vec<RetentionLag> {
        let mut by_kind: HashMap<&'static str, DurationMs> = HashMap::new();
        for (&(kind, ..), progress) in self.0.lock().iter() {
            let lag = by_kind.entry(kind).or_default();
            *lag = (*lag).max(progress.lag);
        }
        let mut all: Vec<RetentionLag> =
            by_kind.into_iter().map(|(kind, lag)| RetentionLag { kind, lag }).collect();
        all.sort_unstable_by_key(|lag| lag.kind);
        all
    }
}

impl Progress {
    /// Where the walk goes on: from the beginning once its rest is over.
    pub(super) fn resumed(self, now: Instant) -> Self {
        if self.rests_until.is_some_and(|until| until <= now) { Self::default() } else { self }
    }

    /// A window was looked at, of which `last` was the last row.
    pub(super) fn advance(&mut self, last: Option<Place>, before: Timestamp, now: Instant) {
        self.windows += 1;
        self.begun.get_or_insert(now);
        if let Some(last) = last {
            self.place = last;
        }
        self.lag = before.since(Timestamp(self.place.at));
    }

    /// There are no more rows.
    pub(super) fn end_round(&mut self, now: Instant) {
        let took = self.begun.map(|begun| now.saturating_duration_since(begun)).unwrap_or_default();
        self.lag = DurationMs::ZERO;
        if self.rests_until.is_none() && self.windows <= WINDOWS_MAX {
            *self = Self::default();
            return;
        }
        self.rests_until.get_or_insert(now + (took * REST).min(REST_MAX));
        (self.begun, self.windows) = (None, 0);
    }
}
