//! Floors over random histories: no claim passes a job of which it could know, and a look finds the others.
//!
//! The model is a lane's truth: which jobs wait, which positions were given to inserts that are not committed yet, and the
//! claim's row. Claims go the way of the real ones: they compare the epoch, look at the row where it is another one, and
//! take what lies after the floor.

use std::collections::{BTreeSet, HashMap};

use domain::claim::{Lanes, Running};
use domain::queue::LaneId;
use proptest::prelude::*;

use super::{Change, Counts, Epoch};

const LANES: i32 = 3;

#[derive(Debug, Clone)]
enum Step {
    /// A position is given to a job that is not committed yet.
    Insert(LaneId),
    /// One of those is committed; its hint comes or is lost.
    Commit {
        which: prop::sample::Index,
        is_announced: bool,
    },
    /// This node claims so many; others do something between the statement and its record.
    Claim {
        lane: LaneId,
        take: usize,
        meanwhile: Vec<Step>,
    },
    /// Another node claims one.
    ForeignClaim(LaneId),
    /// A job that was taken waits again under its position: by this node or another one, whose hint is late.
    Requeue {
        which: prop::sample::Index,
        is_own: bool,
    },
    /// A statement that got nothing, or an answer that was lost.
    Empty,
    Lost,
    /// The lanes are read from their beginnings; something happens between reading and recording.
    Look {
        meanwhile: Vec<Step>,
    },
}

fn step() -> impl Strategy<Value = Step> {
    let lane = || (0..LANES).prop_map(LaneId);
    let index = any::<prop::sample::Index>;
    let leaf = prop_oneof![
        3 => lane().prop_map(Step::Insert),
        3 => (index(), prop::bool::weighted(0.8)).prop_map(|(which, is_announced)| Step::Commit { which, is_announced }),
        1 => lane().prop_map(Step::ForeignClaim),
        1 => (index(), any::<bool>()).prop_map(|(which, is_own)| Step::Requeue { which, is_own }),
        1 => Just(Step::Empty),
        1 => Just(Step::Lost),
    ];
    leaf.prop_recursive(2, 12, 3, move |inner| {
        let meanwhile = || prop::collection::vec(inner.clone(), 0..3);
        prop_oneof![
            3 => (lane(), 1..4_usize, meanwhile())
                .prop_map(|(lane, take, meanwhile)| Step::Claim { lane, take, meanwhile }),
            2 => meanwhile().prop_map(|meanwhile| Step::Look { meanwhile }),
            1 => inner.clone(),
        ]
    })
}

type Job = (LaneId, i64);

#[derive(Default)]
struct World {
    counts: Counts,
    lanes: Lanes,
    epoch: i64,
    claims: i64,
    highest: i64,
    uncommitted: Vec<Job>,
    waiting: BTreeSet<Job>,
    /// Those of them that nobody announced.
    unannounced: BTreeSet<Job>,
    taken: Vec<Job>,
}

fn at(number: i64) -> Epoch {
    Epoch { number, nonce: number }
}

impl World {
    fn run(&mut self, step: &Step) {
        match step {
            Step::Insert(lane) => {
                self.highest += 1;
                self.uncommitted.push((*lane, self.highest));
            }
            Step::Commit { which, is_announced } => self.commit(*which, *is_announced),
            Step::Claim { lane, take, meanwhile } => self.claim(*lane, *take, meanwhile),
            Step::ForeignClaim(lane) => {
                if let Some(job) = self.first_of(*lane) {
                    self.take(job);
                    (self.epoch, self.claims) = (self.epoch + 1, self.claims + 1);
                }
            }
            Step::Requeue { which, is_own } => self.requeue(*which, *is_own),
            Step::Empty => self.counts.was_wrong(),
            Step::Lost => self.counts.forget(),
            Step::Look { meanwhile } => self.look(meanwhile),
        }
    }

    fn first_of(&self, lane: LaneId) -> Option<Job> {
        self.waiting.range((lane, 0)..).next().copied().filter(|job| job.0 == lane)
    }

    fn take(&mut self, job: Job) {
        self.waiting.remove(&job);
        self.unannounced.remove(&job);
        self.taken.push(job);
    }

    fn commit(&mut self, which: prop::sample::Index, is_announced: bool) {
        if self.uncommitted.is_empty() {
            return;
        }
        let job = self.uncommitted.swap_remove(which.index(self.uncommitted.len()));
        self.waiting.insert(job);
        if is_announced {
            self.counts.lower_floor(job.0, job.1);
        } else {
            self.unannounced.insert(job);
        }
    }

    /// A requeue moves the epoch in its own commit, so that a claim knows of it without a hint.
    fn requeue(&mut self, which: prop::sample::Index, is_own: bool) {
        if self.taken.is_empty() {
            return;
        }
        let job = self.taken.swap_remove(which.index(self.taken.len()));
        self.waiting.insert(job);
        self.epoch += 1;
        if is_own {
            self.counts.lower_floor(job.0, job.1);
            self.counts.record_own_bump(Change { before: at(self.epoch - 1), after: at(self.epoch) });
        }
    }

    fn claim(&mut self, lane: LaneId, take: usize, meanwhile: &[Step]) {
        let is_expected = self.counts.expected().is_some_and(|(epoch, _)| epoch == at(self.epoch));
        if !is_expected && self.counts.found(at(self.epoch), self.epoch - self.claims).is_none() {
            self.counts.remember(at(self.epoch), Running::default());
        }
        self.counts.begin_claim();
        let floor = self.counts.floor(lane);
        let seen: Vec<Job> =
            self.waiting.range((lane, floor + 1)..(lane, i64::MAX)).take(take).copied().collect();
        if let Some(last) = seen.last() {
            let passed = self
                .waiting
                .range((lane, 0)..*last)
                .find(|job| !seen.contains(job) && !self.unannounced.contains(job));
            assert_eq!(passed, None, "passed over");
        }
        for &job in &seen {
            self.take(job);
        }
        if seen.is_empty() {
            let known =
                self.waiting.range((lane, 0)..(lane, i64::MAX)).find(|job| !self.unannounced.contains(job));
            assert_eq!(known, None, "not found");
        } else {
            let before = self.epoch;
            (self.epoch, self.claims) = (self.epoch + 1, self.claims + 1);
            for step in meanwhile {
                self.run_beside(step);
            }
            for job in &seen {
                self.counts.raise_floor(job.0, job.1);
            }
            let change = Change { before: at(before), after: at(before + 1) };
            self.counts.add_claimed(&self.lanes, change, std::iter::empty());
        }
    }

    /// Claims of a node take turns.
    fn run_beside(&mut self, step: &Step) {
        if !matches!(step, Step::Claim { .. } | Step::Empty) {
            self.run(step);
        }
    }

    fn look(&mut self, meanwhile: &[Step]) {
        let look = self.counts.begin_look();
        let highest = self.highest;
        let read: Vec<LaneId> = (0..LANES).map(LaneId).collect();
        let heads: HashMap<LaneId, i64> = read.iter().filter_map(|&lane| self.first_of(lane)).collect();
        for step in meanwhile {
            self.run(step);
        }
        self.counts.end_look(look, &read, &heads, Some(highest));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8 * ProptestConfig::default().cases, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn i04_no_claim_passes_a_job_that_is_known_and_a_look_finds_the_others(
        steps in prop::collection::vec(step(), 1..40),
    ) {
        let mut world = World::default();
        for step in &steps {
            world.run(step);
        }
        world.look(&[]);
        world.claim(LaneId(0), 1, &[]);
        world.look(&[]);
        for &(lane, position) in &world.waiting {
            prop_assert!(world.counts.floor(lane) < position, "{position} lies before the floor of {lane:?}");
        }
    }
}
