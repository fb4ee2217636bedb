//! Webhooks: endpoints with their sealed secrets, deliveries, and the guards that recognize a delivery that came
//! before.
//!
//! Whether a request is genuine and what it starts is decided elsewhere. Here a verified delivery is stored together
//! with its guards and its job, or not at all; the key of `webhook_guard` is what keeps it from being accepted twice,
//! whoever tries.

mod accept;
mod accept_fast;
mod deliveries;
mod endpoints;
mod guards;
pub(crate) mod hold;
mod lines;
mod rotate;
mod secrets;

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::id::{DeliveryId, WebhookId};
use domain::names::TenantName;
use domain::time::Timestamp;
use domain::webhook::DeliveryStatus;
use store::webhooks::{
    Acceptance, Accepted, DeliveryOutcome, DeliveryRecord, HeldDelivery, Hold, NewDelivery, Releasable,
    Release, SealedSecret, WebhookChange, WebhookRecord, WebhookStore,
};
use store::{Page, PageRequest, StoreResult};

use crate::retry::{RetryBudget, with_retry};
use crate::sealing::Place;
use crate::{SqlStore, lanes};

pub(crate) use endpoints::{delivery_of, woke_text};

// The port's operations on webhooks, each retried where that is safe.

#[async_trait]
impl WebhookStore for SqlStore {
    async fn create_webhook(
        &self,
        webhook: &WebhookRecord,
        secrets: &[SealedSecret],
    ) -> StoreResult<WebhookChange> {
        with_retry(RetryBudget::repeatable(), || endpoints::create(self.pool(), webhook, secrets)).await
    }

    async fn update_webhook(
        &self,
        scope: &TenantScope,
        webhook: &WebhookRecord,
    ) -> StoreResult<WebhookChange> {
        // Not repeated over a broken connection: the second time its own first would look like somebody else's.
        with_retry(RetryBudget::once(), || endpoints::update(self.pool(), scope, webhook)).await
    }

    async fn rotate_secrets(
        &self,
        scope: &TenantScope,
        id: WebhookId,
        secrets: &[SealedSecret],
        old_expires_at: Timestamp,
        now: Timestamp,
    ) -> StoreResult<WebhookChange> {
        let once = || rotate::rotate(self.pool(), scope, id, secrets, old_expires_at, now);
        with_retry(RetryBudget::once(), once).await
    }

    async fn reseal_secrets(&self, secrets: &[SealedSecret]) -> StoreResult<()> {
        with_retry(RetryBudget::repeatable(), || rotate::reseal(self.pool(), secrets)).await
    }

    async fn delete_webhook(&self, scope: &TenantScope, id: WebhookId) -> StoreResult<bool> {
        with_retry(RetryBudget::once(), || endpoints::delete(self.pool(), scope, id)).await
    }

    async fn webhook(&self, scope: &TenantScope, id: WebhookId) -> StoreResult<Option<WebhookRecord>> {
        with_retry(RetryBudget::repeatable(), || endpoints::endpoint(self.pool(), scope, id)).await
    }

    async fn webhook_with_secrets(
        &self,
        scope: &TenantScope,
        id: WebhookId,
    ) -> StoreResult<Option<(WebhookRecord, Vec<SealedSecret>)>> {
        with_retry(RetryBudget::repeatable(), || endpoints::with_secrets(self.pool(), scope, id)).await
    }

    async fn list_webhooks(
        &self,
        scope: &TenantScope,
        tenant: Option<&TenantName>,
        page: PageRequest,
    ) -> StoreResult<Page<WebhookRecord>> {
        with_retry(RetryBudget::repeatable(), || endpoints::list(self.pool(), scope, tenant, page)).await
    }

    async fn secrets_of_webhooks(&self, ids: &[WebhookId]) -> StoreResult<Vec<(WebhookId, SealedSecret)>> {
        with_retry(RetryBudget::repeatable(), || secrets::of_webhooks(self.pool(), ids)).await
    }

    async fn secrets_sealed_otherwise(&self, key_id: &str, limit: u32) -> StoreResult<Vec<SealedSecret>> {
        with_retry(RetryBudget::repeatable(), || rotate::sealed_otherwise(self.pool(), key_id, limit)).await
    }

    async fn accept_deliveries(
        &self,
        acceptances: &[Acceptance],
        now: Timestamp,
    ) -> StoreResult<Vec<Accepted>> {
        let acceptances = &*self.sealed(acceptances).await?;
        lanes::with_current(self, || accept::accept(self, acceptances, now)).await
    }

    async fn hold_deliveries(&self, held: &[HeldDelivery], now: Timestamp) -> StoreResult<Vec<Hold>> {
        let held = &*self.sealed(held).await?;
        with_retry(RetryBudget::repeatable(), || hold::hold(self, held, now)).await
    }

    async fn webhooks_to_release(&self, after: Option<WebhookId>, limit: u32) -> StoreResult<Vec<WebhookId>> {
        with_retry(RetryBudget::repeatable(), || hold::endpoints(self.pool(), after, limit)).await
    }

    async fn held_deliveries(&self, id: WebhookId, limit: u32) -> StoreResult<Vec<Releasable>> {
        with_retry(RetryBudget::repeatable(), || hold::held(self.pool(), id, limit)).await
    }

    async fn release_deliveries(&self, releases: &[Release], now: Timestamp) -> StoreResult<u64> {
        lanes::with_current(self, || hold::release(self, releases, now)).await
    }

    async fn record_deliveries(&self, new: &[NewDelivery]) -> StoreResult<()> {
        let new = &*self.sealed(new).await?;
        with_retry(RetryBudget::repeatable(), || lines::record(self.pool(), new)).await
    }

    async fn finish_delivery(&self, outcome: &DeliveryOutcome, now: Timestamp) -> StoreResult<()> {
        with_retry(RetryBudget::repeatable(), || lines::finish(self.pool(), outcome, now)).await
    }

    async fn delivery(&self, scope: &TenantScope, id: DeliveryId) -> StoreResult<Option<DeliveryRecord>> {
        let found = with_retry(RetryBudget::repeatable(), || deliveries::one(self.pool(), scope, id)).await?;
        self.opened(found).await
    }

    async fn delivery_body(&self, scope: &TenantScope, id: DeliveryId) -> StoreResult<Option<Vec<u8>>> {
        let mut body =
            with_retry(RetryBudget::repeatable(), || deliveries::body(self.pool(), scope, id)).await?;
        self.opened(body.as_mut().map(|body| (Place::body(id.uuid()), body))).await?;
        Ok(body)
    }

    async fn deliveries_with_status(
        &self,
        status: DeliveryStatus,
        page: PageRequest,
    ) -> StoreResult<Page<DeliveryRecord>> {
        let page =
            with_retry(RetryBudget::repeatable(), || deliveries::with_status(self.pool(), status, page))
                .await?;
        Ok(Page { items: self.opened_list(page.items).await?, ..page })
    }

    async fn prune_webhooks(&self, rejected_max: u64, limit: u32, now: Timestamp) -> StoreResult<u64> {
        with_retry(RetryBudget::repeatable(), || hold::prune(self, rejected_max, limit, now)).await
    }
}
