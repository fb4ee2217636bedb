//! What the engine remembers of webhooks by itself. Nothing here is needed for correctness; all of it is bounded.

use tokio::sync::{OnceCell, Semaphore};

use super::accept::AcceptSink;
use super::cache::EndpointCache;
use super::record::Recorder;
use super::sealing::SealingKeys;
use crate::group_commit::GroupCommit;

/// What the bodies of deliveries under way may take together, in KiB.
const BODIES_KIB_MAX: usize = 256 * 1024;

/// What the engine remembers of webhooks.
pub(crate) struct WebhookMemory {
    pub(super) endpoints: EndpointCache,
    /// Verified deliveries, for their next commit.
    pub(super) acceptances: GroupCommit<AcceptSink>,
    pub(super) recorder: Recorder,
    pub(super) keys: OnceCell<SealingKeys>,
    /// Room for bodies, in KiB.
    pub(super) room: Semaphore,
}

impl Default for WebhookMemory {
    fn default() -> Self {
        Self {
            endpoints: EndpointCache::default(),
            acceptances: GroupCommit::default(),
            recorder: Recorder::default(),
            keys: OnceCell::new(),
            room: Semaphore::new(BODIES_KIB_MAX),
        }
    }
}

impl WebhookMemory {
    /// Settings changed somewhere.
    pub(crate) fn settings_changed(&self) {
        self.endpoints.expire();
    }
}
