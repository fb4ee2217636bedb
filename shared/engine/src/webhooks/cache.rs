//! Endpoints that were read already, and what else the engine remembers of webhooks by itself. Nothing here is needed
//! for correctness; all of it is bounded.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use domain::id::WebhookId;
use domain::time::{DurationMs, Timestamp};
use parking_lot::Mutex;
use rate_limits::{LocalLimits, Quota, Verdict};
use tokio::sync::{OnceCell, Semaphore};

use super::endpoint::Endpoint;
use super::sealing::SealingKeys;
use super::sinks::{AcceptSink, HoldSink, Recorder};
use crate::group_commit::GroupCommit;

/// How long an endpoint is believed without asking.
const TTL: DurationMs = DurationMs::from_secs(1);
/// How many are kept. Beyond it all are read again.
const ENDPOINTS_MAX: usize = 10_000;
/// How many bytes of their configurations are kept. Compiled, their triggers take up to a hundred times as much.
const CONFIG_BYTES_MAX: usize = 32 * 1024 * 1024;
/// How many endpoints may be read at once.
pub(super) const LOADERS: usize = 16;

/// Endpoints that were read already.
#[derive(Default)]
pub(super) struct EndpointCache {
    kept: Mutex<Entries>,
    /// Grows with each [`EndpointCache::expire`]: what was read before is not kept after it.
    pub(super) epoch: AtomicU64,
    /// Held while an endpoint is read, so that a crowd reads it once.
    pub(super) loading: [tokio::sync::Mutex<()>; LOADERS],
}

#[derive(Default)]
struct Entries {
    by_id: HashMap<WebhookId, Kept>,
    /// The bytes of their configurations.
    bytes: usize,
}

struct Kept {
    /// `None` once it has to be read again.
    read_at: Option<Timestamp>,
    endpoint: Option<Arc<Endpoint>>,
}

impl Kept {
    /// How large its configuration is. One that is not there has none.
    fn bytes(&self) -> usize {
        self.endpoint.as_ref().map_or(0, |endpoint| endpoint.record.config.len())
    }
}

impl EndpointCache {
    /// Has every endpoint looked at again before it is used.
    pub(super) fn expire(&self) {
        self.epoch.fetch_add(1, Ordering::SeqCst);
        let mut kept = self.kept.lock();
        kept.by_id.retain(|_, entry| entry.endpoint.is_some());
        kept.by_id.values_mut().for_each(|entry| entry.read_at = None);
    }

    #[expect(clippy::option_option, reason = "unknown, known not to be there, known")]
    pub(super) fn fresh(&self, id: WebhookId, now: Timestamp) -> Option<Option<Arc<Endpoint>>> {
        let kept = self.kept.lock();
        let entry = kept.by_id.get(&id)?;
        let age = now.since(entry.read_at?);
        (DurationMs::ZERO <= age && age < TTL).then(|| entry.endpoint.clone())
    }

    pub(super) fn stale(&self, id: WebhookId) -> Option<Arc<Endpoint>> {
        self.kept.lock().by_id.get(&id).and_then(|entry| entry.endpoint.clone())
    }

    pub(super) fn keep(&self, id: WebhookId, endpoint: Option<&Arc<Endpoint>>, epoch: u64, now: Timestamp) {
        let mut kept = self.kept.lock();
        if self.epoch.load(Ordering::SeqCst) != epoch {
            return;
        }
        let entry = Kept { read_at: Some(now), endpoint: endpoint.cloned() };
        let (before, bytes) = (kept.by_id.remove(&id).map_or(0, |before| before.bytes()), entry.bytes());
        kept.bytes -= before;
        if kept.by_id.len() >= ENDPOINTS_MAX || kept.bytes + bytes > CONFIG_BYTES_MAX {
            *kept = Entries::default();
        }
        kept.bytes += bytes;
        kept.by_id.insert(id, entry);
    }
}

// What the engine remembers of webhooks by itself. Nothing here is needed for correctness; all of it is bounded.

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
