//! What a change of executions does to queues: bumps their epochs before its commit, and is recorded in memory after
//! it.

use domain::lane::LaneId;
use domain::queue::QueueName;
use store::StoreResult;

use crate::SqlStore;
use crate::claim_row::{Bumps, bump_epoch};
use crate::jobs::end::Ended;
use crate::jobs::enqueue::Inserted;
use crate::jobs::revive::Revived;
use crate::memory::CountNumbers;
use crate::transaction::DatabaseTransaction;

/// The moves of jobs within one transaction.
#[derive(Debug)]
pub(crate) struct Moves {
    numbers: CountNumbers,
    ended: Vec<Ended>,
    revived: Vec<Revived>,
    given_back: Vec<(QueueName, LaneId)>,
    bumps: Bumps,
    /// Whether leases that ended were counted: those that only the transaction itself has seen are not.
    counts_leases: bool,
}

impl Moves {
    /// No moves. To be called before the transaction begins.
    pub(crate) fn none(store: &SqlStore) -> Self {
        Self {
            numbers: store.memory().count_numbers(),
            ended: Vec::new(),
            revived: Vec::new(),
            given_back: Vec::new(),
            bumps: Bumps::default(),
            counts_leases: true,
        }
    }

    /// The same for a transaction that leases the jobs of executions for itself.
    pub(crate) fn without_leases(store: &SqlStore) -> Self {
        Self { counts_leases: false, ..Self::none(store) }
    }

    /// Adds jobs that ended.
    pub(crate) fn end(&mut self, ended: Ended) {
        self.ended.push(ended);
    }

    /// Adds jobs that became claimable.
    pub(crate) fn revive(&mut self, revived: Revived) {
        self.revived.push(revived);
    }

    /// Adds a lease that its holder gave back, with the lane of its job.
    pub(crate) fn give_back(&mut self, queue: QueueName, lane: LaneId) {
        self.given_back.push((queue, lane));
    }

    /// Bumps the epochs of the queues that changed, for what was inserted as well. To be called last in the
    /// transaction.
    pub(crate) async fn bump(&mut self, on: &DatabaseTransaction, inserted: &[Inserted]) -> StoreResult<()> {
        let mut queues: Vec<QueueName> = self.ended.iter().flat_map(Ended::queues).collect();
        queues.extend(self.revived.iter().flat_map(Revived::older));
        queues.extend(inserted.iter().flat_map(Inserted::older));
        self.bumps = bump_epoch(on, &queues).await?;
        Ok(())
    }

    /// Records the changes in memory, new jobs as well. To be called after the commit.
    pub(crate) fn record(&self, store: &SqlStore, inserted: &[Inserted]) {
        if self.counts_leases {
            store.memory().record_ended(&self.numbers, &self.given_back);
        }
        for inserted in inserted {
            inserted.record(store);
        }
        for ended in &self.ended {
            ended.record(store);
        }
        for revived in &self.revived {
            revived.record(store);
        }
        self.bumps.record(store);
    }
}
