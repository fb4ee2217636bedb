//! Bulk operations: what each does, its bounds, and when one goes on, pauses or ends. The shell counts and changes.

use serde::{Deserialize, Serialize};

use crate::search::SearchList;

words! {
    serde
    /// What is done to each object.
    BulkVerb {
        /// Cancels jobs.
        CancelJobs "jobs.cancel",
        /// Makes waiting jobs due now.
        RetryJobs "jobs.retry",
        /// Moves waiting jobs to another tier.
        ReprioritizeJobs "jobs.reprioritize",
        /// Cancels executions.
        CancelExecutions "executions.cancel",
        /// Lets failed executions go on from their failed nodes.
        RetryExecutions "executions.retry",
        /// Starts ended executions again from a node.
        RerunExecutions "executions.rerun",
        /// Puts the jobs of dead letters back.
        RequeueDeadLetters "dead_letters.requeue",
        /// Archives dead letters.
        ArchiveDeadLetters "dead_letters.archive",
        /// Replays deliveries.
        ReplayDeliveries "deliveries.replay",
        /// Pauses schedules.
        PauseSchedules "schedules.pause",
        /// Resumes schedules.
        ResumeSchedules "schedules.resume",
    }
}

impl BulkVerb {
    /// The list whose objects it changes.
    pub const fn list(self) -> SearchList {
        match self {
            Self::CancelJobs | Self::RetryJobs | Self::ReprioritizeJobs => SearchList::Jobs,
            Self::CancelExecutions | Self::RetryExecutions | Self::RerunExecutions => SearchList::Executions,
            Self::RequeueDeadLetters | Self::ArchiveDeadLetters => SearchList::DeadLetters,
            Self::ReplayDeliveries => SearchList::Deliveries,
            Self::PauseSchedules | Self::ResumeSchedules => SearchList::Schedules,
        }
    }

    /// Whether what it starts can end badly.
    pub const fn has_aftermath(self) -> bool {
        matches!(
            self,
            Self::RetryJobs
                | Self::RetryExecutions
                | Self::RerunExecutions
                | Self::RequeueDeadLetters
                | Self::ReplayDeliveries
        )
    }
}

/// How far a batch is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BatchCounts {
    /// How many there are.
    pub total: u64,
    /// How many were changed.
    pub done: u64,
    /// How many could not be changed.
    pub failed: u64,
    /// How many did not fit any more when their turn came.
    pub skipped: u64,
    /// How many were changed and what they started has not ended.
    pub pending: u64,
    /// How many were changed and what they started ended badly.
    pub ended_badly: u64,
}

impl BatchCounts {
    /// How many have had their turn.
    pub const fn processed(&self) -> u64 {
        self.done + self.failed + self.skipped
    }

    /// How many have an outcome by which the failure rate is judged.
    pub const fn judged(&self) -> u64 {
        self.failed + self.done.saturating_sub(self.pending)
    }

    /// Whether more than this part of the outcomes is bad.
    pub fn exceeds(&self, rate: f64) -> bool {
        (self.failed + self.ended_badly) as f64 > rate * self.judged() as f64
    }
}

/// The first few of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Canary {
    /// How many are changed before the batch pauses.
    pub count: u64,
    /// Whether it waits for an operator then.
    #[serde(default)]
    pub proceed: Proceed,
}

/// How a batch goes on after its canary.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Proceed {
    /// By itself, when all have an outcome and few enough are bad.
    #[default]
    Auto,
    /// When an operator resumes it.
    Manual,
}

/// How a batch is carried out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BulkPace {
    /// Stops after this many objects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// How many at most in a second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_per_second: Option<u32>,
    /// The first few.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canary: Option<Canary>,
    /// Fails when more than this part of the outcomes is bad.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_on_failure_rate: Option<f64>,
}

/// How many outcomes there are before a failure rate means anything.
const JUDGED_MIN: u64 = 10;

/// What a batch that runs does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextStep {
    /// Changes up to this many.
    Change(u64),
    /// Pauses: the canary is through.
    PauseForCanary,
    /// Ends: too much is bad.
    Fail,
    /// Ends: all have had their turn.
    Complete,
}

impl BulkPace {
    /// What a running batch does next. `is_past_canary` says that it went on after its canary.
    pub fn next_step(&self, counts: &BatchCounts, is_past_canary: bool) -> NextStep {
        let is_judged = counts.judged() >= JUDGED_MIN;
        if is_judged && self.stop_on_failure_rate.is_some_and(|rate| counts.exceeds(rate)) {
            return NextStep::Fail;
        }
        let left = counts.total.saturating_sub(counts.processed());
        match self.canary.filter(|_| !is_past_canary) {
            Some(canary) => {
                let changed = counts.done + counts.failed;
                if changed >= canary.count || left == 0 {
                    return if counts.processed() == 0 {
                        NextStep::Complete
                    } else {
                        NextStep::PauseForCanary
                    };
                }
                NextStep::Change(left.min(canary.count - changed))
            }
            None if left == 0 => NextStep::Complete,
            None => NextStep::Change(left),
        }
    }

    /// What a batch that is paused for its canary does: goes on, fails, or waits (`None`).
    pub fn after_canary(&self, counts: &BatchCounts) -> Option<NextStep> {
        let is_auto = self.canary.is_some_and(|canary| canary.proceed == Proceed::Auto);
        if !is_auto || counts.pending > 0 {
            return None;
        }
        if counts.exceeds(self.stop_on_failure_rate.unwrap_or(0.0)) {
            return Some(NextStep::Fail);
        }
        Some(NextStep::Change(counts.total.saturating_sub(counts.processed())))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn counts(total: u64, done: u64, failed: u64) -> BatchCounts {
        BatchCounts { total, done, failed, ..BatchCounts::default() }
    }

    #[test]
    fn kinds_are_their_stored_names() {
        for verb in BulkVerb::ALL {
            assert_eq!(serde_json::to_value(verb).expect("a word"), verb.as_str());
        }
    }

    #[test]
    fn a_rate_is_judged_from_the_tenth_outcome_on() {
        let pace = BulkPace { stop_on_failure_rate: Some(0.2), ..BulkPace::default() };
        assert_eq!(pace.next_step(&counts(100, 0, 9), true), NextStep::Change(91));
        assert_eq!(pace.next_step(&counts(100, 8, 2), true), NextStep::Change(90));
        assert_eq!(pace.next_step(&counts(100, 7, 3), true), NextStep::Fail);
        let pending = BatchCounts { pending: 7, ..counts(100, 7, 3) };
        assert_eq!(pace.next_step(&pending, true), NextStep::Change(90), "three outcomes are too few");
        let badly = BatchCounts { ended_badly: 3, ..counts(100, 10, 0) };
        assert_eq!(pace.next_step(&badly, true), NextStep::Fail);
    }

    #[test]
    fn a_canary_pauses_and_goes_on_by_itself_when_all_ended_well() {
        let canary = |proceed| BulkPace { canary: Some(Canary { count: 3, proceed }), ..BulkPace::default() };
        let auto = canary(Proceed::Auto);
        assert_eq!(auto.next_step(&counts(10, 1, 0), false), NextStep::Change(2));
        assert_eq!(auto.next_step(&counts(10, 3, 0), false), NextStep::PauseForCanary);
        assert_eq!(auto.next_step(&counts(2, 2, 0), false), NextStep::PauseForCanary);
        assert_eq!(auto.next_step(&counts(0, 0, 0), false), NextStep::Complete);
        let waiting = BatchCounts { pending: 1, ..counts(10, 3, 0) };
        assert_eq!(auto.after_canary(&waiting), None);
        assert_eq!(auto.after_canary(&counts(10, 3, 0)), Some(NextStep::Change(7)));
        assert_eq!(auto.after_canary(&counts(10, 2, 1)), Some(NextStep::Fail), "no rate is a rate of 0");
        let lenient = BulkPace { stop_on_failure_rate: Some(0.5), ..auto };
        assert_eq!(lenient.after_canary(&counts(10, 2, 1)), Some(NextStep::Change(7)));
        assert_eq!(canary(Proceed::Manual).after_canary(&counts(10, 3, 0)), None);
    }

    proptest! {
        /// A batch that goes on step by step ends, and never changes more than its canary before it pauses.
        #[test]
        fn a_batch_comes_to_its_end(total in 0_u64..40, canary in proptest::option::of(1_u64..50), fails in 0_u64..3) {
            let canary = canary.map(|count| Canary { count, proceed: Proceed::Manual });
            let pace = BulkPace { canary, ..BulkPace::default() };
            let (mut counts, mut is_past, mut steps) = (BatchCounts { total, ..BatchCounts::default() }, false, 0);
            loop {
                steps += 1;
                prop_assert!(steps < 100);
                match pace.next_step(&counts, is_past) {
                    NextStep::Change(most) => {
                        prop_assert!(most > 0);
                        if fails > 0 && counts.processed() % 3 < fails { counts.failed += 1 } else { counts.done += 1 }
                    }
                    NextStep::PauseForCanary => {
                        prop_assert!(!is_past);
                        if let Some(canary) = canary {
                            prop_assert!(counts.done + counts.failed <= canary.count);
                        }
                        is_past = true;
                    }
                    NextStep::Complete => break,
                    NextStep::Fail => prop_assert!(false, "no rate was set"),
                }
            }
            prop_assert_eq!(counts.processed(), total);
        }
    }
}
