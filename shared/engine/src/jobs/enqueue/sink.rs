//! Jobs that are enqueued one by one are stored together.

use std::sync::Arc;

use async_trait::async_trait;
use domain::job::JobStatus;
use domain::queue::QueueName;
use store::jobs::{EagerlyEnqueued, Enqueued, NewJob};
use store::wakeup::{Hint, Wakeup};
use store::{Clock, Store, StoreResult};

use crate::group_commit::{Second, Sink};
use crate::jobs::eager::{EagerStart, EagerStarts};
use crate::stats::StatNotes;
use crate::{fail_points, metrics};

/// The hint about jobs: those that were leased at once need none. Of those that were there before, an
/// earlier call may have sent no hint, and the store does not know where they lie.
pub(crate) fn enqueue_hint(queue: QueueName, jobs: &[Enqueued]) -> Option<Hint> {
    if jobs.iter().any(|job| job.existing) {
        return Some(Hint::Queue(queue));
    }
    let waits = jobs.iter().any(|job| job.status != JobStatus::Processing);
    waits.then_some(Hint::Enqueued(queue))
}

/// Stores jobs of `workflow-node` and says that they are there.
pub(crate) struct EnqueueSink {
    pub(super) store: Arc<dyn Store>,
    pub(super) wakeup: Arc<dyn Wakeup>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) eager: EagerStarts,
    pub(super) stats: Arc<StatNotes>,
}

#[async_trait]
impl Sink for EnqueueSink {
    type Item = NewJob;
    type Answer = Enqueued;

    async fn commit(&self, jobs: &[NewJob]) -> StoreResult<Vec<Enqueued>> {
        let all: Vec<&NewJob> = jobs.iter().collect();
        let start = self.eager.take(&all, self.clock.now());
        self.store(jobs, start).await
    }

    fn commits_at_once(&self) -> usize {
        self.store.writes_at_once()
    }

    fn second(&self) -> Second {
        Second::FOR_MANY_SOON
    }
}

impl EnqueueSink {
    /// Stores jobs and sends hints about them. Those that start at once must not come in a call that its caller may
    /// give up half-way: their leases would be held by nobody.
    pub(super) async fn store(
        &self,
        jobs: &[NewJob],
        start: Option<EagerStart>,
    ) -> StoreResult<Vec<Enqueued>> {
        fail_points::reach("enqueue-before");
        let enqueued = match start {
            None => self.store.enqueue(jobs, self.clock.now()).await?,
            Some(start) => {
                let EagerlyEnqueued { enqueued, leased } =
                    self.store.enqueue_eagerly(jobs, &start.claim).await?;
                start.start(leased);
                enqueued
            }
        };
        fail_points::reach("enqueue-after");
        metrics::stored(metrics::new_jobs(jobs.iter(), &enqueued));
        self.stats.enqueued(metrics::new_jobs(jobs.iter(), &enqueued), self.clock.now());
        if let Some(hint) = enqueue_hint(QueueName::Node, &enqueued) {
            self.wakeup.send(&[hint]);
        }
        Ok(enqueued)
    }
}
