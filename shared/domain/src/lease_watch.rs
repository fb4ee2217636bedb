//! Watching the clock that leases are judged by: after a step of it, nothing is found to have ended that may be alive.
//!
//! A lease ends at an instant of the database's clock. Where that clock is set forward (or the machine stood still with
//! everything on it), leases look ended whose holders had no time to renew them: each is given its own length from then
//! on. Where it is set back, leases that were written before would last so much longer.

use std::collections::BTreeMap;

use uuid::Uuid;

use crate::time::{DurationMs, Timestamp};

/// How far two clocks may drift apart between two readings without one of them having been set.
const DRIFT_MAX: DurationMs = DurationMs(250);

/// A reading of the clock, somewhere between a question and its answer on a clock that never steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    /// When it was asked for, since any origin.
    pub asked: DurationMs,
    /// When the answer was there, since the same origin.
    pub answered: DurationMs,
    /// What the clock said.
    pub clock: Timestamp,
}

/// What is known of the clock.
#[derive(Debug, Clone, Default)]
pub struct LeaseWatch {
    last: Option<Reading>,
    /// When it was seen that the clock was set forward.
    set_forward: Option<DurationMs>,
}

/// What a reading says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Watched {
    /// The clock goes as it should.
    Steady,
    /// It was set forward, so long ago.
    SetForward(DurationMs),
    /// It was set back since the reading before, by so much.
    SetBack(DurationMs),
}

impl LeaseWatch {
    /// Compares a reading with the one before.
    pub fn observe(&mut self, reading: Reading) -> Watched {
        let Some(last) = self.last.replace(reading) else {
            return Watched::Steady;
        };
        let passed = reading.clock.0 - last.clock.0;
        let longest = reading.answered.0 - last.asked.0 + DRIFT_MAX.0;
        let shortest = reading.asked.0 - last.answered.0 - DRIFT_MAX.0;
        if passed < shortest {
            return Watched::SetBack(DurationMs(shortest - passed));
        }
        if passed > longest {
            self.set_forward = Some(reading.answered);
        }
        self.set_forward
            .map_or(Watched::Steady, |set| Watched::SetForward(DurationMs(reading.answered.0 - set.0)))
    }
}

impl Watched {
    /// Leases of up to this length may be found to have ended: longer ones could not be renewed since the step.
    pub const fn longest_ended(self) -> DurationMs {
        match self {
            Self::SetForward(ago) => ago,
            Self::Steady | Self::SetBack(_) => DurationMs(i64::MAX),
        }
    }
}

// Watching the sessions of other processes: one that has been away for a while, and did not come back, has ended.
//
// A session also breaks where its process is well: the connection is cut, the server ends it. Such a process connects
// again at once. So what counts is that the session was away at every look for [`LOST_AFTER`].

/// For how long a session is away until its process is taken for lost.
pub const LOST_AFTER: DurationMs = DurationMs::from_secs(3);

/// Which processes have no session, and since when.
#[derive(Debug, Clone, Default)]
pub struct NodeWatch {
    away: BTreeMap<Uuid, DurationMs>,
}

impl NodeWatch {
    /// Takes in which processes have no session at this time, since any origin on a clock that never steps. Answers those
    /// that are lost. They are answered again at the next look, if they are still away then.
    pub fn observe(&mut self, away: &[Uuid], at: DurationMs) -> Vec<Uuid> {
        self.away.retain(|node, _| away.contains(node));
        let lost = away.iter().copied().filter(|&node| {
            let since = *self.away.entry(node).or_insert(at);
            at.0.saturating_sub(since.0) >= LOST_AFTER.0
        });
        lost.collect()
    }

    /// Forgets what was seen: another server may answer next.
    pub fn forget(&mut self) {
        self.away.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(elapsed: i64, clock: i64) -> Reading {
        Reading { asked: DurationMs(elapsed), answered: DurationMs(elapsed + 10), clock: Timestamp(clock) }
    }

    #[test]
    fn a_clock_that_goes_as_it_should_ends_leases_of_every_length() {
        let mut watch = LeaseWatch::default();
        for tick in 0..100 {
            let watched = watch.observe(at(tick * 500, 1_000_000 + tick * 501));
            assert_eq!((watched, watched.longest_ended()), (Watched::Steady, DurationMs(i64::MAX)));
        }
    }

    #[test]
    fn after_a_step_forward_each_lease_has_its_own_length() {
        let mut watch = LeaseWatch::default();
        watch.observe(at(0, 1_000_000));
        let step = watch.observe(at(500, 1_060_500));
        assert_eq!((step, step.longest_ended()), (Watched::SetForward(DurationMs(0)), DurationMs(0)));
        let later = watch.observe(at(30_500, 1_090_500));
        assert_eq!(later.longest_ended(), DurationMs(30_000), "a lease of 30 s could have been renewed");
    }

    #[test]
    fn a_step_back_is_reported_once() {
        let mut watch = LeaseWatch::default();
        watch.observe(at(0, 2_000_000));
        let Watched::SetBack(step) = watch.observe(at(500, 800_500)) else { panic!("it was set back") };
        assert!((1_199_000..=1_200_000).contains(&step.0), "{step:?}");
        assert_eq!(watch.observe(at(1_000, 801_000)), Watched::Steady);
    }

    #[test]
    fn a_slow_answer_is_no_step() {
        let mut watch = LeaseWatch::default();
        watch.observe(at(0, 1_000_000));
        // Read at once and answered five seconds later, and the other way round.
        let slow = |asked, answered, clock| Reading {
            asked: DurationMs(asked),
            answered: DurationMs(answered),
            clock: Timestamp(clock),
        };
        assert_eq!(watch.observe(slow(500, 5_500, 1_000_500)), Watched::Steady);
        assert_eq!(watch.observe(slow(6_000, 11_000, 1_011_000)), Watched::Steady);
        assert_eq!(watch.observe(at(11_500, 1_011_500)), Watched::Steady);
    }
}

#[cfg(test)]
mod node_watch_tests {
    use super::*;

    fn node(number: u128) -> Uuid {
        Uuid::from_u128(number)
    }

    const NOBODY: [Uuid; 0] = [];

    fn at(ms: i64) -> DurationMs {
        DurationMs(ms)
    }

    #[test]
    fn a_process_is_lost_when_it_was_away_for_three_seconds() {
        let mut watch = NodeWatch::default();
        assert_eq!(watch.observe(&[node(1)], at(10_000)), NOBODY);
        assert_eq!(watch.observe(&[node(1), node(2)], at(12_999)), NOBODY);
        assert_eq!(watch.observe(&[node(1), node(2)], at(13_000)), [node(1)]);
        assert_eq!(watch.observe(&[node(1), node(2)], at(15_999)), [node(1), node(2)]);
    }

    #[test]
    fn a_process_that_comes_back_is_not_lost() {
        let mut watch = NodeWatch::default();
        for second in 0..100 {
            // It connects again every other second, and is seen without a session in between.
            let away = if second % 2 == 0 { vec![node(1)] } else { vec![] };
            assert_eq!(watch.observe(&away, at(second * 1_000)), NOBODY);
        }
    }

    #[test]
    fn another_server_knows_nothing_of_what_was_seen_before() {
        let mut watch = NodeWatch::default();
        watch.observe(&[node(1)], at(0));
        watch.forget();
        assert_eq!(watch.observe(&[node(1)], at(3_000)), NOBODY);
        assert_eq!(watch.observe(&[node(1)], at(6_000)), [node(1)]);
    }
}
