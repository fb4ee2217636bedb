//! What is recorded of jobs and executions wherever they come from: counters, figures over time and spans, always all three.

use std::sync::Arc;

use domain::queue::QueueName;
use domain::time::Timestamp;
use store::Store;
use store::executions::NewExecution;
use store::jobs::{ClaimedJob, Enqueued, LeaseAnswer, Settled, Settlement};

use crate::engine::Engine;
use crate::error::EngineError;
use crate::jobs::enqueue_hint;
use crate::stats::StatNotes;
use crate::traces::Sends;
use crate::{metrics, traces};

/// Jobs that are leased now. They carry the contexts of their attempts afterwards.
pub(crate) fn claimed(stats: &StatNotes, jobs: &mut [ClaimedJob]) {
    metrics::claimed(jobs);
    stats.claimed(jobs);
    traces::claimed(jobs);
}

/// Attempts that were settled by one commit, which began at `begun` and was durable at `now`.
pub(crate) fn settled(
    store: &Arc<dyn Store>,
    stats: &StatNotes,
    batch: &[Settlement],
    answers: &[LeaseAnswer<Settled>],
    (begun, now): (Timestamp, Timestamp),
) {
    metrics::settled(store.as_ref(), batch, answers);
    stats.settled(store.as_ref(), batch, answers, begun);
    traces::settled(store, batch, answers, (begun, now));
}

impl Engine {
    /// Stores executions in one commit, and lets their jobs be claimed.
    pub(crate) async fn store_executions(
        &self,
        executions: &[NewExecution],
        now: Timestamp,
    ) -> Result<Vec<Enqueued>, EngineError> {
        let sends = Sends::of_executions(executions, self.now());
        let enqueued = self.store().create_executions(executions, now).await?;
        self.executions_stored(executions, &enqueued, sends, now);
        Ok(enqueued)
    }

    /// Executions that were stored, in the order of the answers.
    pub(crate) fn executions_stored(
        &self,
        executions: &[NewExecution],
        enqueued: &[Enqueued],
        sends: Sends,
        now: Timestamp,
    ) {
        metrics::created(executions.iter(), enqueued);
        self.memory().stats.created(executions.iter(), enqueued, now);
        sends.durable(enqueued, self.now());
        self.wake(enqueue_hint(QueueName::Execution, enqueued).as_slice());
    }
}
