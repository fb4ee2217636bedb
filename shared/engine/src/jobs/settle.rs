//! Settle attempts: decide what becomes of each job, commit once, wake whoever waits for slots and results.

use std::collections::BTreeSet;

use domain::job::{AttemptFacts, Outcome, after_attempt};
use domain::time::Timestamp;
use store::jobs::{LeaseAnswer, LeaseRef, Settled, Settlement};
use store::wakeup::Hint;

use crate::engine::Engine;
use crate::error::EngineError;
use crate::jobs::leases::LeaseOutcome;
use crate::metrics;

impl Engine {
    /// Settles attempts of our own pools. Answers in order.
    pub async fn settle(
        &self,
        reports: Vec<(LeaseRef, AttemptFacts, Outcome)>,
    ) -> Result<Vec<LeaseOutcome>, EngineError> {
        let now = self.now();
        let batch: Vec<Settlement> = reports
            .into_iter()
            .map(|(lease, facts, outcome)| self.decide(lease, &facts, outcome, now))
            .collect();
        self.commit_settlements(&batch, now).await
    }

    pub(crate) fn decide(
        &self,
        lease: LeaseRef,
        facts: &AttemptFacts,
        outcome: Outcome,
        now: Timestamp,
    ) -> Settlement {
        Settlement {
            lease,
            disposition: after_attempt(facts, outcome, now, self.entropy().jitter()),
        }
    }

    pub(crate) async fn commit_settlements(
        &self,
        batch: &[Settlement],
        now: Timestamp,
    ) -> Result<Vec<LeaseOutcome>, EngineError> {
        if batch.is_empty() {
            return Ok(Vec::new());
        }
        let answers = self.store().settle(batch, now).await?;
        metrics::settled(&answers);
        self.wake_settled(&answers);
        Ok(answers.iter().map(LeaseOutcome::of).collect())
    }

    /// Hints after a settlement: slots became free, and executions got results.
    pub(crate) fn wake_settled(&self, answers: &[LeaseAnswer<Settled>]) {
        let (mut queues, mut executions) = (BTreeSet::new(), BTreeSet::new());
        for answer in answers {
            if let LeaseAnswer::Ok(settled) = answer {
                queues.insert(settled.queue);
                executions.extend(settled.execution_id);
            }
        }
        let hints: Vec<Hint> = queues
            .into_iter()
            .map(Hint::Queue)
            .chain(executions.into_iter().map(Hint::Inbox))
            .collect();
        self.wake(&hints);
    }
}
