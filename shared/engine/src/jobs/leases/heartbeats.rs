//! Leases that are renewed one by one are renewed together.

use std::sync::Arc;

use async_trait::async_trait;
use domain::time::Timestamp;
use store::jobs::{LeaseAnswer, LeaseExtension, LeasedJob};
use store::{Clock, Store, StoreResult};

use crate::group_commit::Sink;

/// What is known of a lease that an outside caller shows.
pub(crate) enum Shown {
    /// It holds, and the caller may speak for it.
    Held(Box<LeasedJob>),
    /// It holds no more, and the job is one that the caller may know of: the store answers whether this is a repeat.
    Past,
    /// The job is none of the caller's.
    Foreign,
}

/// Renews leases whose heartbeats come one by one.
pub(crate) struct HeartbeatSink {
    pub(super) store: Arc<dyn Store>,
    pub(super) clock: Arc<dyn Clock>,
}

#[async_trait]
impl Sink for HeartbeatSink {
    type Item = LeaseExtension;
    type Answer = LeaseAnswer<Timestamp>;

    async fn commit(&self, items: &[LeaseExtension]) -> StoreResult<Vec<LeaseAnswer<Timestamp>>> {
        self.store.extend_leases(items, self.clock.now()).await
    }
}
