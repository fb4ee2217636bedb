//! How many starts rates leave, as far as that is known.

use std::collections::HashMap;

use crate::claim::RateTable;
use crate::rate::{Rate, RateSubject, StartCount};
use crate::time::{DurationMs, Timestamp};

/// How many more starts fit, by subject. What is not known is asked for by the plan that needs it.
#[derive(Debug, Default, Clone)]
pub struct StartRooms {
    rooms: HashMap<RateSubject, u32>,
    /// Counts of earlier that still hold, for a claim that remembers them.
    counts: HashMap<RateSubject, StartCount>,
    /// The instant that those are judged at.
    now: Timestamp,
    /// Rates of less [tolerance](Rate::tolerance) are not judged by them.
    tolerance_min: DurationMs,
    counting: Counting,
}

/// What a claim can do about starts that count.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Counting {
    /// It starts nothing that counts.
    #[default]
    Never,
    /// It counts what lanes give, but cannot take a part of them.
    WholeLanes,
    /// It counts what it takes, under the lock of the queue.
    Parts,
}

impl StartRooms {
    /// For a claim that counts what it takes.
    pub fn counting() -> Self {
        Self { counting: Counting::Parts, ..Self::default() }
    }

    /// For a claim that cannot count, and has to know which of these subjects have no room for now.
    pub fn held(subjects: impl Iterator<Item = RateSubject>) -> Self {
        Self { rooms: subjects.map(|subject| (subject, 0)).collect(), ..Self::default() }
    }

    /// For claims that go by counts of earlier ([`remember`](Self::remember)), where nobody else has started anything since.
    pub fn remembering() -> Self {
        Self { counting: Counting::WholeLanes, ..Self::default() }
    }

    /// Says how many more starts fit.
    pub fn set(&mut self, subject: RateSubject, room: u32) {
        self.rooms.insert(subject, room);
    }

    /// Says what was counted.
    pub fn remember(&mut self, subject: RateSubject, count: StartCount) {
        self.counts.insert(subject, count);
    }

    /// Subjects without room for the claim under way by what is remembered, and when they have some again.
    pub fn full<'a>(&'a self, table: &'a RateTable) -> impl Iterator<Item = (RateSubject, Timestamp)> + 'a {
        self.counts.iter().filter_map(move |(subject, count)| {
            let rate = table.of(subject)?;
            let count = count.clone().advanced(&rate, self.now);
            (count.room(&rate) == 0).then(|| (subject.clone(), count.free_at(&rate, 0)))
        })
    }

    /// Begins a claim at `now` or later that knows when it starts something only as well as that. Of `held` it is known that
    /// they have no room for a while.
    pub fn begin(
        &mut self,
        now: Timestamp,
        tolerance_min: DurationMs,
        held: impl Iterator<Item = RateSubject>,
    ) {
        (self.now, self.tolerance_min) = (now, tolerance_min);
        self.rooms.clear();
        let unknown = held.filter(|subject| !self.counts.contains_key(subject));
        self.rooms.extend(unknown.map(|subject| (subject, 0)));
    }

    /// What was counted, if that is remembered.
    pub fn remembered(&self, subject: &RateSubject) -> Option<&StartCount> {
        self.counts.get(subject)
    }

    /// Of how many subjects it is remembered what was counted.
    pub fn remembered_len(&self) -> usize {
        self.counts.len()
    }

    /// How many more starts fit; `None` where that was not said.
    pub fn get(&self, subject: &RateSubject) -> Option<u32> {
        self.rooms.get(subject).copied()
    }

    /// Whether a grant cannot be taken: `is_limited` says that job types limit it or only first claims count, `is_cut` that
    /// not all of its lanes may give all that it asks for.
    pub(super) fn refuses(&self, is_limited: bool, is_cut: bool) -> bool {
        match self.counting {
            Counting::Never => is_limited,
            Counting::WholeLanes => is_cut,
            Counting::Parts => false,
        }
    }

    /// The room under a rate, and whether it is known. Without a rate there is no end of it.
    pub(super) fn room(&self, rate: Option<Rate>, subject: impl FnOnce() -> RateSubject) -> (u32, bool) {
        let Some(rate) = rate else {
            return (u32::MAX, true);
        };
        let subject = subject();
        let remembered = || {
            let count = self.counts.get(&subject).filter(|_| rate.tolerance() >= self.tolerance_min)?;
            Some(count.room_at(&rate, self.now))
        };
        match self.rooms.get(&subject).copied().or_else(remembered) {
            Some(room) => (room, true),
            None => (u32::MAX, false),
        }
    }
}
