//! Settle attempts: decide what becomes of each job, commit once, wake whoever waits for slots and results.

mod sink;

use std::sync::Arc;

use domain::job::{AttemptFacts, Outcome, after_attempt};
use domain::time::Timestamp;
use store::jobs::{LeaseAnswer, LeaseRef, SettleResult, Settlement};

use crate::attributes::GivenByJob;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::halves::{is_sealed, write_by_halves};
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
        let sink = self.settle_sink();
        let parts = write_by_halves(batch.len(), is_sealed, |part| sink.settle(&batch[part], now)).await;
        Ok(parts.all()?)
    }

    /// Commits one settlement together with those that other callers report at the same time.
    pub(crate) async fn commit_settlement(&self, settlement: Settlement) -> Result<LeaseAnswer, EngineError> {
        self.memory().settlements.commit(settlement, || self.settle_sink()).await
    }

    fn settle_sink(&self) -> SettleSink {
        SettleSink {
            store: Arc::clone(self.store()),
            wakeup: Arc::clone(self.wakeup()),
            clock: Arc::clone(self.clock()),
            stats: Arc::clone(&self.memory().stats),
        }
    }

    /// Hints after a settlement: slots became free, and executions got results.
    pub(crate) fn wake_settled(&self, answers: &[LeaseAnswer<SettleResult>]) {
        self.wake(&hints(answers));
    }
}
