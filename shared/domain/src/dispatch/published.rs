//! In which order a relay asks about the offers that the broker has: which of them stand, and which were taken.
//!
//! Offers are taken about in the order in which they were published, so that those that are gone are among the oldest. A walk
//! begins there and asks in chunks that grow. Where many of a chunk are gone it goes on behind it. Where few are, what comes
//! behind is too young, or a consumer stands still that has the oldest: the walk looks at one more place, another one each time,
//! goes on there in the same way, and is over. What was overtaken by offers that were published long after it goes to the end.
//! So a look costs about what was taken since the one before, however many offers stand.

use std::collections::BTreeMap;

use crate::id::JobId;
use crate::names::JobType;

/// How many offers a walk asks about first. Each chunk is twice as large as the one before it, up to what the caller allows.
const FIRST_CHUNK: usize = 256;

/// A walk goes on where at least one of so many in a chunk is gone.
const ONE_OF: usize = 4;

/// An offer that stands was overtaken where one is gone that was published so many later.
const OVERTAKEN_BY: u64 = 1_000;

/// Spreads the places at which walks look beside the beginning.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// The offers of a type that the broker has, by their places: the order in which it acknowledged them.
#[derive(Debug, Default)]
pub(super) struct Published {
    offers: BTreeMap<u64, JobId>,
    next: u64,
    newest_gone: u64,
    walks: u64,
}

impl Published {
    /// Adds an offer at the end. Answers its place.
    pub(super) fn push(&mut self, id: JobId) -> u64 {
        let place = self.next;
        self.next += 1;
        self.offers.insert(place, id);
        place
    }

    /// Removes the offer at a place.
    pub(super) fn remove(&mut self, place: u64) {
        self.offers.remove(&place);
    }

    /// The offer at a place is gone.
    pub(super) fn gone(&mut self, place: u64) {
        self.newest_gone = self.newest_gone.max(place);
        self.remove(place);
    }

    /// Puts the offer at a place to the end where it was overtaken. Answers its new place.
    pub(super) fn put_off(&mut self, place: u64) -> Option<u64> {
        if place + OVERTAKEN_BY > self.newest_gone {
            return None;
        }
        let id = self.offers.remove(&place)?;
        Some(self.push(id))
    }

    /// Forgets all offers.
    pub(super) fn clear(&mut self) {
        self.offers.clear();
    }

    /// A walk through the offers that are there now.
    pub(super) fn walk(&mut self, job_type: JobType) -> Walk {
        self.walks += 1;
        let from = self.offers.first_key_value().map_or(self.next, |(&place, _)| place);
        let elsewhere = Some(self.walks.wrapping_mul(SPREAD) >> 32);
        Walk { job_type, from, to: self.next, chunk: FIRST_CHUNK, elsewhere }
    }

    /// The next offers of a walk, at most so many.
    pub(super) fn chunk(&self, walk: &Walk, most: usize) -> impl Iterator<Item = JobId> {
        self.offers.range(walk.from..walk.to.max(walk.from)).take(most.min(walk.chunk)).map(|(_, &id)| id)
    }
}

/// A walk through the offers of a type that the broker has, the oldest first.
#[derive(Debug)]
pub struct Walk {
    pub(super) job_type: JobType,
    from: u64,
    to: u64,
    chunk: usize,
    /// Where else it looks, before it is over: to be divided by what is left.
    elsewhere: Option<u64>,
}

impl Walk {
    /// A chunk was answered that ended before a place: so many were asked about, so many are gone, and so many were put off.
    pub(super) fn step(&mut self, behind: u64, asked: usize, gone: usize, put_off: usize) {
        self.from = behind.max(self.from + 1);
        if (gone + put_off) * ONE_OF >= asked {
            self.chunk *= 2;
            return;
        }
        let left = self.to.saturating_sub(self.from);
        let place = self.elsewhere.take().and_then(|place| place.checked_rem(left));
        self.from = place.map_or(self.to, |place| self.from + place);
        self.chunk = FIRST_CHUNK;
    }
}
