//! An endpoint is read when it is needed, and its secrets are opened.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use domain::access::TenantScope;
use domain::id::WebhookId;

use super::cache::LOADERS;
use super::endpoint::Endpoint;
use crate::engine::Engine;
use crate::error::EngineError;

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
        let endpoint = Endpoint::open(self.policy(), self.now(), keys, record, &sealed)?;
        if let Some(fault) = &endpoint.closed
            && self.memory().webhooks.may_complain(id)
        {
            tracing::error!(
                webhook.id = %id,
                error = fault as &dyn std::error::Error,
                "a webhook secret cannot be decrypted: its deliveries are rejected with 503 until it can"
            );
        }
        Ok(Some(Arc::new(endpoint)))
    }

    /// Has changes of endpoints seen at once here, and within a moment on other nodes.
    pub(super) fn webhooks_changed(&self) {
        self.memory().webhooks.endpoints.expire();
        self.wake(&[store::wakeup::Hint::Settings]);
    }
}
