//! What a node remembers of the leases of a queue from one claim to the next.
//!
//! The epoch of the queue's claim row grows with every claim and with every job that becomes claimable at an older
//! position. While it is as this node left it, nobody else has claimed since, and what was counted then still holds:
//! plus what this node claimed, minus what it saw end. Leases that end elsewhere only make the counts too high, which
//! no limit minds; whoever is kept back by a limit counts again. What is too low would exceed a limit, so everything
//! here is forgotten as soon as it is in doubt.

use std::collections::HashMap;

use domain::claim::{Lanes, Running};
use domain::queue::LaneId;

use crate::memory_starts::StartMemory;

/// After a foreign change of the epoch, so many claims in a row must see none before counts are trusted unseen again:
/// where nodes take turns, a claim that trusts them fails more often than not, and costs a round trip.
const QUIET_CLAIMS: u32 = 8;

/// So many claims in a row that met another epoch are followed by claims that look. One alone is a change now and then.
const DOUBTS_MAX: u32 = 2;

/// So many lanes with new jobs are remembered between two claims; beyond that all floors are dropped.
const LOWERED_MAX: usize = 100_000;

/// So many floors outlive a listing.
const FLOORS_MAX: usize = 100_000;

/// A state of a queue's claim row. The number alone may come twice: a failover that loses commits takes it back, and
/// others bring it up again. Each change leaves a random nonce beside it, so that such a state is not taken for the
/// other one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Epoch {
    /// One more with each change.
    pub(crate) number: i64,
    /// What the last change left.
    pub(crate) nonce: i64,
}

/// A change of a queue's claim row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Change {
    /// What it found.
    pub(crate) before: Epoch,
    /// What it left.
    pub(crate) after: Epoch,
}

/// What is known of the leases of one queue.
#[derive(Debug)]
pub(crate) struct Counts {
    known: Option<Known>,
    /// The epoch as this node last saw or left it, where what is remembered follows on it.
    last_epoch: Option<Epoch>,
    /// The latest epoch that this node saw or left, also where the counts are forgotten: one that went back is seen by it.
    latest: Option<Epoch>,
    /// How many claims in a row saw no foreign epoch.
    quiet: u32,
    /// How many changes there were that were no claims, as of `last_epoch`: jobs may have become claimable at older
    /// positions.
    returns: Option<i64>,
    /// How many claims in a row met another epoch than they expected.
    doubts: u32,
    /// Whether the last claim did: the next one looks at the row before it trusts the counts.
    is_doubted: bool,
    /// Grows with every count that was read, to distinguish what ended before it from what ended after.
    number: u64,
    /// By lane: the position up to which this node took all jobs that it could see. Dead index entries lie before it.
    floors: HashMap<LaneId, i64>,
    /// Lanes into which jobs came since the claim under way was planned, with the first position: it did not see them.
    lowered: HashMap<LaneId, i64>,
    /// Whether the floors were dropped since that claim was planned: it may have looked above jobs of any lane.
    is_dropped: bool,
    /// Lanes into which jobs came since the look at all lanes that is under way began, with the first position; `None`
    /// where there is none, or it says nothing of floors any more.
    lowered_since_look: Option<HashMap<LaneId, i64>>,
    /// The number of that look.
    look: u64,
}

/// Counts with the epoch that vouches for them.
#[derive(Debug)]
struct Known {
    epoch: Epoch,
    running: Running,
    /// Starts that were counted under the same epoch.
    starts: StartMemory,
}

/// Which count was in force when a statement was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CountNumber(u64);

impl Default for Counts {
    fn default() -> Self {
        Self {
            known: None,
            last_epoch: None,
            latest: None,
            quiet: QUIET_CLAIMS,
            returns: None,
            doubts: 0,
            is_doubted: false,
            number: 0,
            floors: HashMap::new(),
            lowered: HashMap::new(),
            is_dropped: false,
            lowered_since_look: None,
            look: 0,
        }
    }
}

impl Counts {
    /// The epoch that the next claim may expect, with the counts as of it; `None` where they have to be read.
    pub(crate) fn expected(&self) -> Option<(Epoch, &Running)> {
        let known = self.known.as_ref().filter(|_| self.quiet >= QUIET_CLAIMS && !self.is_doubted)?;
        Some((known.epoch, &known.running))
    }

    /// The starts that were counted, as of the epoch of the counts.
    pub(crate) fn starts(&self) -> Option<&StartMemory> {
        self.known.as_ref().map(|known| &known.starts)
    }

    /// The same, to be changed. `epoch` is that of the change: starts of another one are not known.
    pub(crate) fn starts_of(&mut self, epoch: Epoch) -> Option<&mut StartMemory> {
        self.known.as_mut().filter(|known| known.epoch == epoch).map(|known| &mut known.starts)
    }

    /// The epoch of the counts, trusted unseen or not.
    pub(crate) fn epoch(&self) -> Option<Epoch> {
        self.known.as_ref().map(|known| known.epoch)
    }

    /// Says that a claim has the lock and found this epoch, after so many changes that were no claims. Answers the
    /// counts, if they are as of it. Claims of others leave the floors as they are: they took jobs and made none
    /// claimable.
    pub(crate) fn found(&mut self, epoch: Epoch, returns: i64) -> Option<&Running> {
        let was_doubted = std::mem::take(&mut self.is_doubted);
        // A failover that lost commits may bring both numbers up to where they were by other changes. Where that can be seen,
        // it is; otherwise the next look at the lanes from their beginnings finds what lies before a floor.
        let has_gone_back = self.latest.is_some_and(|last| last != epoch && last.number >= epoch.number);
        self.latest = Some(epoch);
        if self.last_epoch == Some(epoch) {
            self.quiet = self.quiet.saturating_add(1);
            self.doubts = 0;
        } else {
            // Where a claim expected another one, `doubts` says how often that was so.
            if self.last_epoch.is_some() && !was_doubted {
                self.quiet = 0;
            }
            self.known = None;
            self.last_epoch = Some(epoch);
        }
        if self.returns.replace(returns) != Some(returns) || has_gone_back {
            self.drop_floors();
        }
        // What is kept is as of this epoch, whoever asks for it.
        self.known.take_if(|known| known.epoch != epoch);
        self.known.as_ref().map(|known| &known.running)
    }

    /// Says that a claim that expected an epoch found it.
    pub(crate) fn was_right(&mut self) {
        self.doubts = 0;
    }

    /// Says that a claim that expected an epoch may have met another one. The next claim finds out.
    pub(crate) fn was_wrong(&mut self) {
        self.is_doubted = true;
        self.doubts += 1;
        if self.doubts >= DOUBTS_MAX {
            self.quiet = 0;
        }
    }

    /// Forgets everything that could be wrong, as an answer of the database was lost.
    pub(crate) fn forget(&mut self) {
        self.forget_counts();
        self.returns = None;
        self.drop_floors();
    }

    fn forget_counts(&mut self) {
        self.known = None;
        self.last_epoch = None;
    }

    /// Says that this process left this epoch. Its changes may be recorded in another order than they were committed in.
    fn see(&mut self, epoch: Epoch) {
        if self.latest.is_none_or(|latest| latest.number < epoch.number) {
            self.latest = Some(epoch);
        }
    }

    /// Keeps what was read under the lock, with what was claimed since, once the transaction has ended and left the
    /// epoch so.
    pub(crate) fn remember(&mut self, epoch: Epoch, running: Running) {
        self.number += 1;
        self.is_doubted = false;
        self.last_epoch = Some(epoch);
        self.latest = Some(epoch);
        // Whoever counts leases has the lock: if anybody else had claimed, nothing would be known by now.
        let starts = self.known.take().map(|known| known.starts).unwrap_or_default();
        self.known = Some(Known { epoch, running, starts });
    }

    /// Adds what this node claimed, one entry for each job, by this change of the epoch. Forgets the counts where they
    /// are as of another one by now.
    pub(crate) fn add_claimed(
        &mut self,
        lanes: &Lanes,
        change: Change,
        claimed: impl Iterator<Item = LaneId>,
    ) {
        self.see(change.after);
        let Some(known) = self.known.as_mut().filter(|known| known.epoch == change.before) else {
            return self.forget_counts();
        };
        known.epoch = change.after;
        self.last_epoch = Some(change.after);
        let mut claimed = claimed;
        // Lanes that were planned are known.
        if claimed.any(|lane| known.running.add(lanes, lane, 1).is_err()) {
            self.forget_counts();
        }
    }

    /// Says that this process changed the epoch, neither claiming nor changing limits or the queue's mode, and that
    /// this is committed. In which lanes jobs became claimable at older positions is said by
    /// [`lower_floor`](Self::lower_floor), before this.
    pub(crate) fn record_own_bump(&mut self, change: Change) {
        self.see(change.after);
        if self.last_epoch == Some(change.before) {
            self.last_epoch = Some(change.after);
            self.returns = self.returns.map(|returns| returns + 1);
            if let Some(known) = self.known.as_mut().filter(|known| known.epoch == change.before) {
                known.epoch = change.after;
            }
        }
    }

    /// To be taken before a statement that ends leases is sent; `None` where there is nothing to subtract from.
    pub(crate) fn number(&self) -> Option<CountNumber> {
        self.known.as_ref().map(|_| CountNumber(self.number))
    }

    /// Takes off leases that a statement of this node ended, one entry for each. Only those of a statement that was
    /// sent while the present count was in force: of another one it is not known whether the count has it already.
    pub(crate) fn subtract(
        &mut self,
        lanes: &Lanes,
        number: Option<CountNumber>,
        ended: impl Iterator<Item = LaneId>,
    ) {
        if number != Some(CountNumber(self.number)) {
            return;
        }
        let Some(known) = &mut self.known else {
            return;
        };
        for lane in ended {
            // An unknown lane was never counted.
            let _ = known.running.subtract(lanes, lane, 1);
        }
    }

    /// Says that a claim is about to be sent: what comes into lanes from now on, it may not see.
    pub(crate) fn begin_claim(&mut self) {
        self.lowered = HashMap::new();
        self.is_dropped = false;
    }

    /// The position after which jobs of the lane are to be looked for.
    pub(crate) fn floor(&self, lane: LaneId) -> i64 {
        self.floors.get(&lane).copied().unwrap_or(0)
    }

    /// Says that the claim took all jobs of the lane up to this position that it could see.
    pub(crate) fn raise_floor(&mut self, lane: LaneId, position: i64) {
        if self.is_dropped {
            return;
        }
        let floor = self.lowered.get(&lane).map_or(position, |&first| position.min(first - 1));
        self.floors.insert(lane, floor);
    }

    /// Says that jobs came into the lane from this position on.
    pub(crate) fn lower_floor(&mut self, lane: LaneId, first: i64) {
        if let Some(floor) = self.floors.get_mut(&lane) {
            *floor = (*floor).min(first - 1);
        }
        for lowered in [Some(&mut self.lowered), self.lowered_since_look.as_mut()].into_iter().flatten() {
            let known = lowered.entry(lane).or_insert(first);
            *known = first.min(*known);
        }
        if self.lowered_since_look.as_ref().is_some_and(|lowered| lowered.len() > LOWERED_MAX) {
            self.lowered_since_look = None;
        }
        if self.lowered.len() > LOWERED_MAX {
            // On a node that claims nothing they would only become more.
            self.lowered = HashMap::new();
            self.drop_floors();
        }
    }

    /// Says that the lanes are about to be read from their beginnings, to set floors by what that finds. Answers the number
    /// to pass then.
    pub(crate) fn begin_look(&mut self) -> u64 {
        self.lowered_since_look = Some(HashMap::new());
        self.look += 1;
        self.look
    }

    /// Sets floors by what a look found that began so; another one that began later sets none. It read these lanes, of
    /// which those in `heads` have a job that waits, with the position of the first; `highest` is the highest position
    /// that had been given to any job when it began, where that is known. Answers whether a job waits at or before a floor,
    /// whose insert was committed late and that nobody announced.
    pub(crate) fn end_look(
        &mut self,
        look: u64,
        read: &[LaneId],
        heads: &HashMap<LaneId, i64>,
        highest: Option<i64>,
    ) -> bool {
        let late: Vec<(LaneId, i64)> = heads
            .iter()
            .map(|(&lane, &head)| (lane, head))
            .filter(|&(lane, head)| head <= self.floor(lane))
            .collect();
        let is_late = !late.is_empty();
        if look == self.look
            && let Some(lowered) = self.lowered_since_look.take()
        {
            for &lane in read {
                // Nothing waited at or before it.
                let Some(free) = heads.get(&lane).map(|head| head - 1).or(highest) else { continue };
                let free = lowered.get(&lane).map_or(free, |&first| free.min(first - 1));
                if free > self.floor(lane) && self.floors.len() < FLOORS_MAX {
                    self.floors.insert(lane, free);
                }
            }
        }
        for (lane, head) in late {
            self.lower_floor(lane, head);
        }
        is_late
    }

    /// Says that jobs wait in these lanes and in no other: one whose insert was committed late may lie before jobs that
    /// were taken. Where none waits, none lies there.
    pub(crate) fn drop_floors_of(&mut self, nonempty: &[LaneId]) {
        if self.floors.len() > FLOORS_MAX {
            return self.drop_floors();
        }
        for lane in nonempty {
            self.floors.remove(lane);
        }
        self.is_dropped = true;
        self.lowered_since_look = None;
    }

    /// Says that jobs whose insert was committed late may lie before jobs that were taken, in any lane.
    pub(crate) fn drop_floors(&mut self) {
        // With what it took: there may have been one for each of very many lanes.
        self.floors = HashMap::new();
        self.is_dropped = true;
        self.lowered_since_look = None;
    }
}

#[cfg(test)]
mod floor_properties;
#[cfg(test)]
mod tests;
