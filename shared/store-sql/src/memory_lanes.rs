//! What a node remembers of the lanes of a queue: their numbers and keys, which of them are not empty, and how fresh
//! that is.
//!
//! Whatever makes a job claimable through this store records it in the ring, and other nodes notify this one of theirs.
//! What no node announced (a notification that was lost) is found by listings: rings of few lanes are read again as a
//! whole, at intervals; those of many lanes are looked through part by part (see `claim/net.rs`).

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use domain::claim::{Depth, Lanes, Replaced, Ring, compact};
use domain::names::{JobType, TenantName};
use domain::queue::LaneId;

use crate::memory_counts::Counts;

/// The shortest time between two listings of the lanes of a queue that nobody asked for.
const LISTING_INTERVAL_MIN: Duration = Duration::from_millis(100);

/// For so long an empty listing is believed while nobody says otherwise. Pools look once a second.
const EMPTY_TRUST: Duration = Duration::from_secs(2);

/// For so long those who only look in case a hint was lost believe what the last look found.
const LOOK_TRUST: Duration = Duration::from_millis(100);

/// A listing of the lanes may take this share of the time.
const LISTING_SHARE: u32 = 20;

/// A ring with more lanes is not read again as a whole.
pub(crate) const LANES_LISTED_MAX: usize = 1_000;

/// Listings that take so much longer than to look at each known lane read the entries of many jobs that are gone: looking at
/// the lanes past those is cheaper.
const LISTING_SLOW: Duration = Duration::from_millis(2);

/// The same where lanes are too many for that.
const LISTING_DEAR: Duration = Duration::from_millis(10);

/// What a listing may take for each lane that it finds before it counts as reading the entries of jobs that are gone. One
/// step takes half of that.
const LANE_DEAR: Duration = Duration::from_micros(10);

/// For so long it is believed that listings are dear. Until then many lanes are looked through from where they were served.
const DEAR_FOR: Duration = Duration::from_mins(10);

/// Time between two looks at known lanes from their beginnings, at least.
const RELOOK_INTERVAL: Duration = Duration::from_millis(500);

/// So many such times looks at known lanes stand for a listing, without one that was read from the beginnings.
const RELOOKS_MISSED_MAX: u32 = 4;

/// Time between two looks at a part of the lanes.
const NET_INTERVAL: Duration = Duration::from_millis(800);

/// Time between two of them while claims find lanes empty.
const NET_HURRY: Duration = Duration::from_millis(100);

/// Lanes that were not used for one to two such times, and are empty, are forgotten.
const LANES_KEPT_FOR: Duration = Duration::from_mins(1);

/// Fewer lanes are not worth it.
const LANES_KEPT_MIN: usize = 1_000;

/// So many lanes are remembered as heard of; beyond that a listing is cheaper.
const UNHEARD_MAX: usize = 10_000;

/// The known lanes of a queue, those of them that are not empty, and how fresh that is.
#[derive(Debug, Default)]
pub(crate) struct LaneMemory {
    /// Numbers and keys.
    pub(crate) lanes: Lanes,
    /// The lanes that are not empty.
    pub(crate) ring: Ring,
    /// How many jobs are leased, as far as that is known.
    pub(crate) counts: Counts,
    /// How the parts of many lanes are looked through.
    pub(crate) net: Net,
    /// Whether anything may have happened to the queue that is not recorded in the ring.
    is_stale: bool,
    /// Whether numbers may stand for other lanes than they did.
    is_lost: bool,
    /// Lanes of which was heard that they are not empty, and whose keys are not known; with the first position.
    unheard: BTreeMap<LaneId, i64>,
    /// `None` while a listing is under way.
    listed_at: Option<Instant>,
    /// When the last listing ended, also while the next one is under way; `None` where anything was doubted since.
    known_at: Option<Instant>,
    /// When the look began that ended then.
    look_began_at: Option<Instant>,
    /// When the last look began that failed.
    failed_look_at: Option<Instant>,
    /// The listing that began last.
    listing: u64,
    listing_cost: Duration,
    /// When a listing, or one of a part, took much longer than for what it found.
    dear_since: Option<Instant>,
    /// When all floors were dropped last at the end of a round of looks at parts.
    floors_dropped_at: Option<Instant>,
    /// When the last listing ended, or the last look at all lanes from their beginnings.
    read_at: Option<Instant>,
    /// When the last such look began.
    relook_at: Option<Instant>,
    /// All lanes of the queue up to this number are known; `None` where that is not known, or they are too many.
    complete_up_to: Option<i32>,
    /// When lanes were forgotten last.
    compacted_at: Option<Instant>,
}

/// Where looks at parts of the lanes have come to.
#[derive(Debug, Default)]
pub(crate) struct Net {
    /// When the last one began that looked for new lanes, too.
    looked_at: Option<Instant>,
    /// When the last one began.
    part_at: Option<Instant>,
    /// Whether claims found lanes empty of which another part of the ring may be full.
    is_hurried: bool,
    /// Lanes with higher numbers are new.
    pub(crate) known_up_to: i32,
    /// The highest number there was at the last look. Whoever had a lower one by then has committed by the next.
    pub(crate) highest: i32,
    /// The last lane of the highest tier that was looked at in this round.
    pub(crate) after_high: i32,
    /// The last lane of any tier that was looked at in this round.
    pub(crate) after: i32,
    /// Whether the round was to begin anew since the part began that is being read.
    is_restarted: bool,
}

/// How the ring is to be made fresh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    /// It is fresh enough.
    Nothing,
    /// It has to be read before a claim is planned.
    ListFirst,
    /// One claim is to read it, while the others use the old one.
    List,
    /// It has to be known whether the lanes are still empty that were, and whether there are new ones.
    Probe,
    /// One claim is to look at a part of the lanes.
    Part,
}

impl LaneMemory {
    /// What has to be looked at before a claim.
    pub(crate) fn look(&self) -> Look {
        if self.ring.is_empty() && self.may_probe() {
            return Look::Probe;
        }
        if self.goes_by_parts() {
            return if self.net.is_due() { Look::Part } else { Look::Nothing };
        }
        if self.ring.is_empty() || (self.is_stale && self.ring.len() <= LANES_LISTED_MAX) {
            return Look::ListFirst;
        }
        if self.ring.len() > LANES_LISTED_MAX {
            return if self.net.is_due() { Look::Part } else { Look::Nothing };
        }
        let interval = (self.listing_cost * LISTING_SHARE).max(LISTING_INTERVAL_MIN);
        match self.listed_at {
            Some(at) if at.elapsed() < interval => Look::Nothing,
            _ if self.may_probe() => Look::Probe,
            _ => Look::List,
        }
    }

    /// Whether a listing is dear, and one of a short while ago, together with looks at the known lanes, as good:
    /// whoever makes a job claimable before a floor announces it or moves the epoch, and what is lost of that the next
    /// listing finds.
    fn may_probe(&self) -> bool {
        !self.is_stale
            && !self.is_lost
            && self.complete_up_to.is_some()
            && self.lanes.len() <= LANES_LISTED_MAX
            && !has_passed(self.read_at, self.relook_interval() * RELOOKS_MISSED_MAX)
    }

    /// Time between two looks at known lanes from their beginnings.
    fn relook_interval(&self) -> Duration {
        (self.listing_cost * LISTING_SHARE).max(RELOOK_INTERVAL)
    }

    /// Whether the known lanes are to be read from their beginnings. Records that this begins.
    pub(crate) fn begin_relook_if_due(&mut self) -> bool {
        let is_due = self.complete_up_to.is_some() && has_passed(self.relook_at, self.relook_interval());
        if is_due {
            self.relook_at = Some(Instant::now());
        }
        is_due
    }

    /// Records what was read of these lanes from their beginnings: see [`Counts::end_look`]. Answers whether there is a job
    /// that nobody announced.
    pub(crate) fn end_relook(
        &mut self,
        look: u64,
        read: &[LaneId],
        (heads, highest): (&HashMap<LaneId, i64>, Option<i64>),
        cost: Duration,
    ) -> bool {
        self.read_at = Some(Instant::now());
        self.listing_cost = cost;
        if !self.is_listing_dear() {
            // The snapshot is gone, or nothing is left that it keeps.
            self.complete_up_to = None;
        }
        let mut is_late = self.counts.end_look(look, read, heads, highest);
        for &lane in heads.keys() {
            if !self.ring.contains(lane) {
                is_late = true;
                self.add(lane, 1);
                self.ring.record_depth(lane, Depth::UNKNOWN);
            }
        }
        is_late
    }

    /// Whether lanes are looked through part by part although few of them are in the ring: they are many, and a listing reads
    /// the entries of many jobs that are gone.
    fn goes_by_parts(&self) -> bool {
        self.is_dear() && !self.is_stale && !self.is_lost && self.lanes.len() > LANES_LISTED_MAX
    }

    /// Whether lanes are looked through part by part, because there are many.
    pub(crate) fn has_many(&self) -> bool {
        self.ring.len() > LANES_LISTED_MAX || self.goes_by_parts()
    }

    /// Whether lanes are to be looked at from where they were served, one by one.
    pub(crate) fn is_dear(&self) -> bool {
        self.dear_since.is_some() && !has_passed(self.dear_since, DEAR_FOR)
    }

    /// Records what it took to find so many lanes.
    pub(crate) fn record_cost(&mut self, lanes: usize, cost: Duration) {
        let usual = LISTING_DEAR + LANE_DEAR * u32::try_from(lanes).unwrap_or(u32::MAX);
        if cost > usual && !self.is_dear() {
            self.dear_since = Some(Instant::now());
            // Floors that are kept because listings are dear are dropped after as long.
            self.floors_dropped_at.get_or_insert_with(Instant::now);
        }
    }

    /// The known lanes with their floors, and the number after which others may have come; `None` where some are not
    /// known.
    pub(crate) fn to_probe(&self) -> Option<(Vec<(LaneId, i64)>, i32)> {
        let known = self.lanes.ids().map(|lane| (lane, self.counts.floor(lane))).collect();
        self.complete_up_to.map(|last| (known, last))
    }

    /// Records that the known lanes are about to be probed; answers the number to pass when they were.
    pub(crate) fn begin_probe(&mut self) -> u64 {
        self.doubt_what_is_known();
        self.listed_at = None;
        self.look_began_at = Some(Instant::now());
        self.listing = self.ring.begin_listing();
        self.listing
    }

    /// Says that the look that began last has failed.
    pub(crate) fn record_failed_look(&mut self) {
        self.failed_look_at = self.look_began_at;
    }

    /// Whether a look that began at this instant or later has failed.
    pub(crate) fn has_failed_since(&self, instant: Instant) -> bool {
        self.failed_look_at.is_some_and(|at| at >= instant)
    }

    /// Whether a look that began at this instant or later has ended, and nothing came to be doubted since.
    pub(crate) fn was_looked_since(&self, instant: Instant) -> bool {
        !self.is_stale
            && !self.is_lost
            && self.listed_at.is_some()
            && self.look_began_at.is_some_and(|at| at >= instant)
    }

    /// Records that they were. `begun_at` is the answer of [`begin_probe`](Self::begin_probe).
    pub(crate) fn end_probe(&mut self, begun_at: u64) {
        if begun_at == self.listing {
            self.listed_at = Some(Instant::now());
            self.known_at = self.listed_at;
        }
    }

    /// What a look that ended said is worth as much while the next one is under way, unless that begins because of a doubt.
    fn doubt_what_is_known(&mut self) {
        if self.is_stale || self.is_lost {
            self.known_at = None;
        }
    }

    /// Says that all lanes up to this one are known, or that it is not known.
    pub(crate) fn mark_complete(&mut self, up_to: Option<i32>) {
        self.complete_up_to = up_to;
    }

    /// Whether the last listing took so long that it is worth knowing all lanes.
    pub(crate) fn is_listing_dear(&self) -> bool {
        let lanes = u32::try_from(self.lanes.len()).unwrap_or(u32::MAX);
        self.listing_cost >= LISTING_SLOW + LANE_DEAR * lanes && self.lanes.len() <= LANES_LISTED_MAX
    }

    /// Says that lanes may have become non-empty of which nothing will be said, or that a claim lost track.
    pub(crate) fn mark_stale(&mut self) {
        self.is_stale = true;
        // Of many lanes, the look at their parts begins anew.
        self.net.after = -1;
        self.net.is_restarted = true;
        self.net.is_hurried = true;
    }

    /// Whether [`mark_stale`](Self::mark_stale) was called since the last listing began.
    pub(crate) fn is_stale(&self) -> bool {
        self.is_stale
    }

    /// Whether nothing waits in the queue, as far as this node has listed it or was notified.
    pub(crate) fn is_known_empty(&self) -> bool {
        self.ring.is_empty() && self.is_as_of(EMPTY_TRUST)
    }

    /// Whether a listing for jobs of this tenant and of these types would find nothing, by a listing of a moment ago
    /// and the notifications since.
    pub(crate) fn is_known_without(
        &self,
        tenant: Option<&TenantName>,
        job_types: Option<&[JobType]>,
    ) -> bool {
        self.is_as_of(LOOK_TRUST) && !self.may_hold(tenant, job_types)
    }

    /// Whether jobs of this tenant and of these types may wait, as far as this node was notified.
    pub(crate) fn may_hold(&self, tenant: Option<&TenantName>, job_types: Option<&[JobType]>) -> bool {
        self.is_stale || !self.unheard.is_empty() || self.ring.holds(&self.lanes, tenant, job_types)
    }

    fn is_as_of(&self, trust: Duration) -> bool {
        let is_fresh = self.known_at.is_some_and(|at| at.elapsed() < trust);
        is_fresh && !self.is_stale && !self.is_lost && self.unheard.is_empty()
    }

    /// Records that the ring is being read; answers the number to pass when it was.
    pub(crate) fn begin_listing(&mut self) -> u64 {
        self.doubt_what_is_known();
        self.is_stale = false;
        // What has come may be unknown until this listing ends, whatever another one says that began before.
        self.listed_at = None;
        self.look_began_at = Some(Instant::now());
        self.listing = self.ring.begin_listing();
        self.listing
    }

    /// Records that the ring was read by a listing that began so, what it found, in ascending order, and what that
    /// cost.
    pub(crate) fn end_listing(&mut self, begun_at: u64, nonempty: &[LaneId], cost: Duration) {
        let now = Some(Instant::now());
        if begun_at == self.listing {
            self.listed_at = now;
            self.known_at = now;
        }
        self.read_at = now;
        self.relook_at = None;
        self.listing_cost = cost;
        self.dear_since = None;
        self.record_cost(nonempty.len(), cost);
        self.complete_up_to = None;
        self.counts.drop_floors_of(nonempty);
        self.net = Net {
            looked_at: now,
            known_up_to: nonempty.last().map_or(self.net.known_up_to, |lane| lane.0),
            after: -1,
            ..Net::default()
        };
    }

    /// Records that the next part of the lanes is about to be read. Answers the lane after which it begins.
    pub(crate) fn begin_part(&mut self) -> i32 {
        self.net.is_restarted = false;
        self.net.after
    }

    /// Records that the lanes after this one were listed up to another one, or all of them.
    pub(crate) fn end_part(&mut self, after: i32, up_to: Option<i32>) {
        // Unless they are to be looked through from the first one on again.
        if self.net.after == after && !self.net.is_restarted {
            self.net.after = up_to.unwrap_or(-1);
            if up_to.is_none() {
                self.is_stale = false;
                // A job whose insert was committed late may lie before one that was taken. Where that would cost much,
                // it is found a while later.
                if !self.is_dear() || has_passed(self.floors_dropped_at, DEAR_FOR) {
                    self.floors_dropped_at = Some(Instant::now());
                    self.counts.drop_floors();
                }
            }
        }
        self.net.is_hurried |= self.is_stale;
    }

    /// Adds a lane to the ring, with a job at this position. Where its key is not known it is read first, by the next
    /// claim.
    pub(crate) fn add(&mut self, lane: LaneId, first: i64) {
        if self.ring.add(&self.lanes, lane).is_ok() {
            return;
        }
        let known = self.unheard.entry(lane).or_insert(first);
        *known = first.min(*known);
        if self.unheard.len() > UNHEARD_MAX {
            self.unheard.clear();
            self.mark_stale();
        }
    }

    /// Lanes that were heard of and whose keys are to be read.
    pub(crate) fn unheard(&self) -> Vec<LaneId> {
        self.unheard.keys().copied().collect()
    }

    /// Adds those of them whose keys are known by now. The others are not there: somebody removed them.
    pub(crate) fn hear(&mut self, lanes: &[LaneId]) {
        for lane in lanes {
            if let Some(first) = self.unheard.remove(lane)
                && self.ring.add(&self.lanes, *lane).is_ok()
            {
                self.ring.record_depth(*lane, Depth::UNKNOWN);
                self.counts.lower_floor(*lane, first);
            }
        }
    }

    /// Says that the database may be another one than before. Claims under way still use the numbers that they have;
    /// [`renew`](Self::renew) drops them.
    pub(crate) fn lose(&mut self) {
        self.counts.forget();
        self.is_lost = true;
        self.mark_stale();
        (self.listed_at, self.known_at) = (None, None);
    }

    /// Whether lanes are to be read instead of remembered.
    pub(crate) fn is_lost(&self) -> bool {
        self.is_lost
    }

    /// Drops all lanes if they were lost. Only while this node does not claim from the queue.
    pub(crate) fn renew(&mut self) {
        if self.is_lost {
            let counts = std::mem::take(&mut self.counts);
            *self = Self { counts, is_stale: true, ..Self::default() };
            self.counts.forget();
        }
    }

    /// Forgets lanes that were not used for a while, if they are many. Only while this node does not claim from the
    /// queue; answers what is to be dropped where nobody waits for it.
    pub(crate) fn forget_unused(&mut self) -> Option<Replaced> {
        if self.compacted_at.is_some_and(|at| at.elapsed() < LANES_KEPT_FOR) {
            return None;
        }
        self.compacted_at = Some(Instant::now());
        self.forget_unused_now(LANES_KEPT_MIN)
    }

    /// The same whenever it was done last.
    pub(crate) fn forget_unused_now(&mut self, lanes_min: usize) -> Option<Replaced> {
        let replaced = compact(&mut self.lanes, &mut self.ring, lanes_min)?;
        // Counts have numbers of the lanes that were.
        self.counts.forget();
        self.complete_up_to = None;
        Some(replaced)
    }

    /// Whether it is time to see which lanes are used.
    pub(crate) fn may_forget(&self) -> bool {
        self.lanes.len() >= LANES_KEPT_MIN
            && self.compacted_at.is_none_or(|at| at.elapsed() >= LANES_KEPT_FOR)
    }
}

impl Net {
    /// Says that a claim found only lanes that are empty by now.
    pub(crate) fn hurry(&mut self) {
        self.is_hurried = true;
    }

    /// Records that a listing begins. Answers whether it is one of those that come once a second.
    pub(crate) fn begin(&mut self) -> bool {
        self.is_hurried = false;
        self.part_at = Some(Instant::now());
        let is_whole = has_passed(self.looked_at, NET_INTERVAL);
        if is_whole {
            self.looked_at = self.part_at;
        }
        is_whole
    }

    /// As if the last look were long ago.
    #[cfg(test)]
    pub(crate) fn make_due(&mut self) {
        self.looked_at = None;
    }

    fn is_due(&self) -> bool {
        has_passed(self.looked_at, NET_INTERVAL) || (self.is_hurried && has_passed(self.part_at, NET_HURRY))
    }
}

fn has_passed(since: Option<Instant>, span: Duration) -> bool {
    since.is_none_or(|at| at.elapsed() >= span)
}

#[cfg(test)]
mod tests;
