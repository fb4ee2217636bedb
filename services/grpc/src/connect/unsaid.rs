//! Outcomes that wait for the next offer: a worker that takes one job at a time reports and has room at the same time, so that
//! each job would otherwise cost two small messages to it.

use std::vec::Drain;

use tokio::time::{Duration, Instant};

use crate::proto::ReportOutcome;

/// Maximum wait of the oldest outcome.
const WAIT_MAX: Duration = Duration::from_millis(5);

/// Outcomes that are not sent yet, oldest first.
#[derive(Default)]
pub(super) struct Unsaid {
    outcomes: Vec<ReportOutcome>,
    until: Option<Instant>,
}

impl Unsaid {
    pub(super) fn add(&mut self, outcome: ReportOutcome) {
        self.until.get_or_insert_with(|| Instant::now() + WAIT_MAX);
        self.outcomes.push(outcome);
    }

    /// Takes all outcomes, to be sent now.
    pub(super) fn take(&mut self) -> Drain<'_, ReportOutcome> {
        self.until = None;
        self.outcomes.drain(..)
    }

    /// When they are sent at the latest.
    pub(super) fn until(&self) -> Option<Instant> {
        self.until
    }

    pub(super) fn len(&self) -> usize {
        self.outcomes.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.outcomes.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(number: u64) -> ReportOutcome {
        ReportOutcome { number, ..ReportOutcome::default() }
    }

    #[test]
    fn those_that_come_later_wait_no_longer_than_the_first() {
        let mut unsaid = Unsaid::default();
        assert!(unsaid.is_empty() && unsaid.until().is_none());
        unsaid.add(outcome(1));
        let until = unsaid.until();
        unsaid.add(outcome(2));
        assert!(until.is_some() && unsaid.until() == until && unsaid.len() == 2);
        let numbers: Vec<u64> = unsaid.take().map(|outcome| outcome.number).collect();
        assert_eq!(numbers, [1, 2]);
        assert!(unsaid.is_empty() && unsaid.until().is_none());
    }
}
