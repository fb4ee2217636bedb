//! The write of settlements. Attempts that are reported one by one are settled together.

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use domain::time::Timestamp;
use store::jobs::{LeaseAnswer, SettleResult, Settlement};
use store::wakeup::{Hint, Wakeup};
use store::{Clock, Store, StoreResult};

use crate::group_commit::Sink;
use crate::stats::StatNotes;
use crate::{fail_points, recorder};

pub(super) fn hints(answers: &[LeaseAnswer<SettleResult>]) -> Vec<Hint> {
    let (mut queues, mut executions) = (BTreeSet::new(), BTreeSet::new());
    for settled in answers.iter().filter_map(LeaseAnswer::ok) {
        queues.insert(settled.queue);
        executions.extend(settled.execution_id);
    }
    queues.into_iter().map(Hint::Freed).chain(executions.into_iter().map(Hint::Inbox)).collect()
}

/// Settles attempts.
pub(crate) struct SettleSink {
    pub(super) store: Arc<dyn Store>,
    pub(super) wakeup: Arc<dyn Wakeup>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) stats: Arc<StatNotes>,
}

impl SettleSink {
    /// Settles attempts in one commit, records them, and notifies whoever waits for slots and results.
    pub(super) async fn settle(&self, batch: &[Settlement], now: Timestamp) -> StoreResult<Vec<LeaseAnswer>> {
        fail_points::reach("settle-before");
        let begun = self.clock.now();
        let answers = self.store.settle(batch, now).await?;
        fail_points::reach("settle-after");
        recorder::settled(&self.store, &self.stats, batch, &answers, (begun, self.clock.now()));
        let hints = hints(&answers);
        if !hints.is_empty() {
            self.wakeup.send(&hints);
        }
        Ok(answers.iter().map(LeaseAnswer::bare).collect())
    }
}

#[async_trait]
impl Sink for SettleSink {
    type Item = Settlement;
    type Answer = LeaseAnswer;

    async fn commit(&self, batch: &[Settlement]) -> StoreResult<Vec<LeaseAnswer>> {
        self.settle(batch, self.clock.now()).await
    }
}
