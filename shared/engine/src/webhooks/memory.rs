//! What the engine remembers of webhooks by itself. Nothing here is needed for correctness; all of it is bounded.

use std::sync::Arc;

use domain::id::WebhookId;
use domain::time::DurationMs;
use rate_limits::{LocalLimits, Quota, Verdict};
use tokio::sync::{OnceCell, Semaphore};

use super::accept::AcceptSink;
use super::cache::EndpointCache;
use super::hold::HoldSink;
use super::record::Recorder;
use super::sealing::SealingKeys;
use crate::group_commit::GroupCommit;

/// What the bodies of deliveries under way may take together, in KiB.
pub(super) const BODIES_KIB_MAX: usize = 256 * 1024;
/// How many large bodies are classified at once. What JSON becomes in memory is many times as large as its text.
pub(super) const LARGE_BODIES_MAX: usize = 8;
/// How often the log complains of one endpoint that cannot be opened.
const COMPLAINT_EVERY: DurationMs = DurationMs::from_secs(60);

/// What the engine remembers of webhooks.
pub(crate) struct WebhookMemory {
    pub(super) endpoints: EndpointCache,
    /// Verified deliveries, for their next commit.
    pub(crate) acceptances: GroupCommit<AcceptSink>,
    /// Verified deliveries that are held, for their next commit.
    pub(super) holds: GroupCommit<HoldSink>,
    pub(super) recorder: Recorder,
    pub(super) keys: OnceCell<SealingKeys>,
    /// Room for bodies, in KiB.
    pub(super) room: Arc<Semaphore>,
    /// Turns of large bodies.
    pub(super) large: Arc<Semaphore>,
    complaints: LocalLimits,
}

impl Default for WebhookMemory {
    fn default() -> Self {
        Self {
            endpoints: EndpointCache::default(),
            acceptances: GroupCommit::default(),
            holds: GroupCommit::default(),
            recorder: Recorder::default(),
            keys: OnceCell::new(),
            room: Arc::new(Semaphore::new(BODIES_KIB_MAX)),
            large: Arc::new(Semaphore::new(LARGE_BODIES_MAX)),
            complaints: LocalLimits::new(),
        }
    }
}

impl WebhookMemory {
    /// Settings changed somewhere.
    pub(crate) fn settings_changed(&self) {
        self.endpoints.expire();
    }

    /// Whether the log may say again that an endpoint cannot be opened. It is read anew every second while it is asked
    /// for.
    pub(super) fn may_complain(&self, endpoint: WebhookId) -> bool {
        let quota = Quota::new(1, COMPLAINT_EVERY, 1);
        self.complaints.count("closed", &endpoint.to_string(), quota) == Verdict::Allowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_endpoint_is_logged_once_a_minute() {
        let memory = WebhookMemory::default();
        let [one, two] = [1, 2].map(|number| WebhookId::from_uuid(uuid::Uuid::from_u128(number)));
        assert!(memory.may_complain(one) && memory.may_complain(two));
        assert!(!memory.may_complain(one) && !memory.may_complain(two));
    }
}
