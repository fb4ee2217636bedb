//! How many offers of a job type may stand, and how many jobs the next claim asks for.

use std::collections::VecDeque;

use crate::names::JobType;
use crate::time::{DurationMs, Timestamp};

/// Over which span acceptances are counted.
pub const ACCEPTED_WITHIN: DurationMs = DurationMs::from_secs(5);

/// How many offers of a type may stand while nobody accepts any, if the window is not smaller.
pub const WINDOW_LEAST: u64 = 500;

/// A claim is made for types with room for at least so many, or for a quarter of their allowance.
const CLAIM_LEAST: u64 = 64;

/// How many offers of a type may stand: as many as were accepted in the last five seconds, at least
/// [`WINDOW_LEAST`], at most the window.
pub fn allowance(window: u64, accepted: u64) -> u64 {
    window.min(accepted.max(WINDOW_LEAST))
}

/// How many offers of a type were accepted lately.
#[derive(Debug, Clone, Default)]
pub struct AcceptedLately {
    counts: VecDeque<(Timestamp, u64)>,
    total: u64,
}

impl AcceptedLately {
    /// Adds some.
    pub fn add(&mut self, count: u64, now: Timestamp) {
        if count > 0 {
            match self.counts.back_mut() {
                Some((at, counted)) if *at == now => *counted += count,
                _ => self.counts.push_back((now, count)),
            }
            self.total += count;
        }
        self.forget(now);
    }

    /// How many in the last five seconds.
    pub fn count(&mut self, now: Timestamp) -> u64 {
        self.forget(now);
        self.total
    }

    fn forget(&mut self, now: Timestamp) {
        while let Some(&(at, count)) = self.counts.front() {
            if now.since(at) < ACCEPTED_WITHIN {
                break;
            }
            self.counts.pop_front();
            self.total -= count;
        }
    }
}

/// How many more offers of a type may stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Room {
    /// The type.
    pub job_type: JobType,
    /// How many may stand.
    pub allowance: u64,
    /// How many stand.
    pub standing: u64,
}

impl Room {
    /// How many that are.
    pub(super) fn left(&self) -> u64 {
        self.allowance.saturating_sub(self.standing)
    }

    /// Whether there is room enough for a claim of its own.
    fn is_open(&self) -> bool {
        self.left() >= CLAIM_LEAST.min(self.allowance.div_ceil(4)).max(1)
    }
}

/// The next claim: which types it asks for, and for how many jobs. Types are claimed together, so that tiers and turns hold
/// among them; no more is asked for than the type with the least room can have, so that none exceeds its allowance whatever
/// comes. `None` where no type has room.
pub fn plan_claim(rooms: &[Room], jobs_max: u32) -> Option<(Vec<JobType>, u32)> {
    let open: Vec<&Room> = rooms.iter().filter(|room| room.is_open()).collect();
    let least = open.iter().map(|room| room.left()).min()?;
    let jobs = u32::try_from(least).unwrap_or(u32::MAX).min(jobs_max);
    (jobs > 0).then(|| (open.iter().map(|room| room.job_type.clone()).collect(), jobs))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room(job_type: &str, allowance: u64, standing: u64) -> Room {
        Room { job_type: JobType::trusted(job_type), allowance, standing }
    }

    #[test]
    fn the_window_follows_what_is_accepted() {
        assert_eq!(allowance(5_000, 0), 500);
        assert_eq!(allowance(5_000, 2_000), 2_000);
        assert_eq!(allowance(5_000, 9_000), 5_000);
        assert_eq!(allowance(3, 9_000), 3);
        let mut lately = AcceptedLately::default();
        lately.add(700, Timestamp(0));
        lately.add(200, Timestamp(3_000));
        assert_eq!(lately.count(Timestamp(4_999)), 900);
        assert_eq!(lately.count(Timestamp(5_000)), 200);
        assert_eq!(lately.count(Timestamp(8_000)), 0);
    }

    #[test]
    fn no_claim_exceeds_an_allowance() {
        let rooms = [room("a", 500, 100), room("b", 500, 0), room("c", 500, 480), room("d", 3, 2)];
        let (types, jobs) = plan_claim(&rooms, 1_000).expect("there is room");
        assert_eq!(types, ["a", "b", "d"].map(JobType::trusted));
        assert_eq!(jobs, 1, "d has room for one");
        let (types, jobs) = plan_claim(&rooms[..3], 1_000).expect("there is room");
        assert_eq!((types.len(), jobs), (2, 400));
        assert_eq!(plan_claim(&rooms[2..3], 1_000), None, "so little room is not worth a claim");
        assert_eq!(plan_claim(&[], 1_000), None);
    }
}
