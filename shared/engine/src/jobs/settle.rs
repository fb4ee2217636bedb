//! Settle attempts: decide what becomes of each job, commit once, wake whoever waits for slots and results.

mod sink;

use std::sync::Arc;

use domain::job::{AttemptFacts, Outcome, after_attempt};
use domain::time::Timestamp;
use store::StoreResult;
use store::jobs::{LeaseAnswer, LeaseRef, SettleResult, Settlement};

use crate::attributes::GivenByJob;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::fail_points;
use crate::halves::{is_sealed, write_by_halves};
use crate::recorder;
use sink::hints;

pub(crate) use sink::SettleSink;

impl Engine {
    /// Settles attempts of our own pools. Answers in order.
    pub async fn settle(
        &self,
        reports: Vec<(LeaseRef, AttemptFacts, Outcome)>,
    ) -> Result<Vec<LeaseAnswer>, EngineError> {
        let now = self.now();
        let batch: Vec<Settlement> = reports
            .into_iter()
            .map(|(lease, facts, outcome)| self.decide(lease, &facts, outcome, now))
            .collect();
        self.set_result_attributes(batch.iter(), &GivenByJob::new()).await?;
        self.commit_settlements(&batch, now).await
    }

    pub(crate) fn decide(
        &self,
        lease: LeaseRef,
        facts: &AttemptFacts,
        outcome: Outcome,
        now: Timestamp,
    ) -> Settlement {
        Settlement { lease, disposition: after_attempt(facts, outcome, now, self.entropy().jitter()) }
    }

    /// Commits settlements in one commit. Where the payloads of one of them cannot be sealed the others are committed all the
    /// same, by halves, before that is answered: who repeats the call finds them done.
    pub(crate) async fn commit_settlements(
        &self,
        batch: &[Settlement],
        now: Timestamp,
    ) -> Result<Vec<LeaseAnswer>, EngineError> {
        let parts = write_by_halves(batch.len(), is_sealed, |part| self.commit_part(&batch[part], now)).await;
        Ok(parts.all()?)
    }

    async fn commit_part(&self, batch: &[Settlement], now: Timestamp) -> StoreResult<Vec<LeaseAnswer>> {
        fail_points::reach("settle-before");
        let begun = self.now();
        let answers = self.store().settle(batch, now).await?;
        fail_points::reach("settle-after");
        recorder::settled(self.store(), &self.memory().stats, batch, &answers, (begun, self.now()));
        self.wake_settled(&answers);
        Ok(answers.iter().map(LeaseAnswer::bare).collect())
    }

    /// Commits one settlement together with those that other callers report at the same time.
    pub(crate) async fn commit_settlement(&self, settlement: Settlement) -> Result<LeaseAnswer, EngineError> {
        let sink = || SettleSink {
            store: Arc::clone(self.store()),
            wakeup: Arc::clone(self.wakeup()),
            clock: Arc::clone(self.clock()),
            stats: Arc::clone(&self.memory().stats),
        };
        self.memory().settlements.commit(settlement, sink).await
    }

    /// Hints after a settlement: slots became free, and executions got results.
    pub(crate) fn wake_settled(&self, answers: &[LeaseAnswer<SettleResult>]) {
        self.wake(&hints(answers));
    }
}
