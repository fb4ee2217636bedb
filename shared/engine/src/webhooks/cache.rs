//! Endpoints that were read already, for a second at most, so that a burst of deliveries reads its endpoint once. Those
//! that are not there are remembered too.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use domain::access::TenantScope;
use domain::id::WebhookId;
use domain::time::{DurationMs, Timestamp};
use parking_lot::Mutex;

use super::endpoint::Endpoint;
use crate::engine::Engine;
use crate::error::EngineError;

/// How long an endpoint is believed without asking.
const TTL: DurationMs = DurationMs::from_secs(1);
/// How many are kept. Beyond it all are read again.
const ENDPOINTS_MAX: usize = 10_000;
/// How many endpoints may be read at once.
const LOADERS: usize = 16;

/// Endpoints that were read already.
#[derive(Default)]
pub(super) struct EndpointCache {
    kept: Mutex<HashMap<WebhookId, Kept>>,
    /// Grows with each [`EndpointCache::expire`]: what was read before is not kept after it.
    epoch: AtomicU64,
    /// Held while an endpoint is read, so that a crowd reads it once.
    loading: [tokio::sync::Mutex<()>; LOADERS],
}

struct Kept {
    /// `None` once it has to be read again.
    read_at: Option<Timestamp>,
    endpoint: Option<Arc<Endpoint>>,
}

impl EndpointCache {
    /// Has every endpoint looked at again before it is used.
    pub(super) fn expire(&self) {
        self.epoch.fetch_add(1, Ordering::SeqCst);
        let mut kept = self.kept.lock();
        kept.retain(|_, entry| entry.endpoint.is_some());
        kept.values_mut().for_each(|entry| entry.read_at = None);
    }

    #[expect(clippy::option_option, reason = "unknown, known not to be there, known")]
    fn fresh(&self, id: WebhookId, now: Timestamp) -> Option<Option<Arc<Endpoint>>> {
        let kept = self.kept.lock();
        let entry = kept.get(&id)?;
        let age = now.since(entry.read_at?);
        (DurationMs::ZERO <= age && age < TTL).then(|| entry.endpoint.clone())
    }

    fn stale(&self, id: WebhookId) -> Option<Arc<Endpoint>> {
        self.kept.lock().get(&id).and_then(|entry| entry.endpoint.clone())
    }

    fn keep(&self, id: WebhookId, endpoint: Option<&Arc<Endpoint>>, epoch: u64, now: Timestamp) {
        let mut kept = self.kept.lock();
        if self.epoch.load(Ordering::SeqCst) != epoch {
            return;
        }
        if kept.len() >= ENDPOINTS_MAX {
            kept.clear();
        }
        kept.insert(id, Kept { read_at: Some(now), endpoint: endpoint.cloned() });
    }
}

impl Engine {
    /// An endpoint, at most a second old.
    pub(super) async fn endpoint(&self, id: WebhookId) -> Result<Option<Arc<Endpoint>>, EngineError> {
        self.listen();
        let cache = &self.memory().webhooks.endpoints;
        if let Some(found) = cache.fresh(id, self.now()) {
            return Ok(found);
        }
        let loader = id.uuid().as_u128() as usize % LOADERS;
        let _turn = cache.loading[loader].lock().await;
        let now = self.now();
        if let Some(found) = cache.fresh(id, now) {
            return Ok(found);
        }
        let epoch = cache.epoch.load(Ordering::SeqCst);
        let endpoint = self.load_endpoint(id, cache.stale(id)).await?;
        cache.keep(id, endpoint.as_ref(), epoch, now);
        Ok(endpoint)
    }

    /// What did not change is not opened again.
    async fn load_endpoint(
        &self,
        id: WebhookId,
        stale: Option<Arc<Endpoint>>,
    ) -> Result<Option<Arc<Endpoint>>, EngineError> {
        if let Some(stale) = stale.filter(|stale| stale.closed.is_none()) {
            let Some(record) = self.store().webhook(&TenantScope::All, id).await? else { return Ok(None) };
            if record.version == stale.record.version {
                return Ok(Some(stale));
            }
        }
        let Some((record, sealed)) = self.store().webhook_with_secrets(&TenantScope::All, id).await? else {
            return Ok(None);
        };
        let keys = self.sealing_keys().await?;
        Ok(Some(Arc::new(Endpoint::open(self, keys, record, &sealed)?)))
    }

    /// Has changes of endpoints seen at once here, and within a moment on other nodes.
    pub(super) fn webhooks_changed(&self) {
        self.memory().webhooks.endpoints.expire();
        self.wake(&[store::wakeup::Hint::Settings]);
    }
}
