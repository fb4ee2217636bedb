//! Webhooks: endpoints with their sealed secrets, and the deliveries that came in.
//!
//! The store never sees a secret in the clear, and decides nothing about a delivery but whether it came before.

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::id::{DeliveryId, SecretId, WebhookId};
use domain::names::TenantName;
use domain::time::Timestamp;
use domain::webhook::DeliveryStatus;

use crate::error::StoreResult;
use crate::page::{Page, PageRequest};

mod delivery;
mod held;

pub use delivery::{
    Acceptance, Accepted, DeliveryOutcome, DeliveryRecord, GuardKey, JOB_CANCELLED, MATCHING_FAILED,
    NO_WEBHOOK, NewDelivery, WokenNode,
};
pub use held::{HELD_BYTES_EXTRA, HeldDelivery, Hold, Releasable, Release};

/// An endpoint without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookRecord {
    /// Its id; part of its address.
    pub id: WebhookId,
    /// Whose it is.
    pub tenant: TenantName,
    /// Its name, unique in the tenant.
    pub name: String,
    /// Provider, scheme, triggers, dedupe, limits: as raw JSON text that the engine reads and writes.
    pub config: String,
    /// Whether it takes deliveries.
    pub is_paused: bool,
    /// Grows with each change; an update names the one it was made from.
    pub version: i64,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// What a secret of an endpoint is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SecretPurpose {
    /// Signatures are verified with it.
    Signature,
    /// The provider shows it when it subscribes.
    VerifyToken,
}

/// A secret of an endpoint, encrypted.
#[derive(Clone, PartialEq, Eq)]
pub struct SealedSecret {
    /// Its id, which may be shown.
    pub id: SecretId,
    /// What it is for.
    pub purpose: SecretPurpose,
    /// Which key it is encrypted under.
    pub key_id: String,
    /// Nonce and ciphertext.
    pub sealed: Vec<u8>,
    /// When it was set.
    pub created_at: Timestamp,
    /// Until when it holds; `None` for the current one.
    pub expires_at: Option<Timestamp>,
}

impl std::fmt::Debug for SealedSecret {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("SealedSecret")
            .field("id", &self.id)
            .field("purpose", &self.purpose)
            .field("key_id", &self.key_id)
            .finish_non_exhaustive()
    }
}

/// What an update of an endpoint or of its secrets did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WebhookChange {
    /// It is done; how the endpoint is now.
    Done(WebhookRecord),
    /// There is no such endpoint in this scope.
    NotFound,
    /// Somebody changed it since.
    VersionConflict,
    /// The tenant has another endpoint of that name.
    NameTaken,
}

/// The store's operations on webhooks.
#[async_trait]
pub trait WebhookStore {
    /// Stores a new endpoint with its secrets. `NameTaken` or `Done`.
    async fn create_webhook(
        &self,
        webhook: &WebhookRecord,
        secrets: &[SealedSecret],
    ) -> StoreResult<WebhookChange>;

    /// Replaces name, config and pause of the endpoint if it still has the version before this one's.
    async fn update_webhook(
        &self,
        scope: &TenantScope,
        webhook: &WebhookRecord,
    ) -> StoreResult<WebhookChange>;

    /// Adds secrets; the ones of the same purpose that are there end at `old_expires_at`, unless they end before it
    /// already. Removes those that ended before `now`. Counts as a change of the endpoint.
    async fn rotate_secrets(
        &self,
        scope: &TenantScope,
        id: WebhookId,
        secrets: &[SealedSecret],
        old_expires_at: Timestamp,
        now: Timestamp,
    ) -> StoreResult<WebhookChange>;

    /// Replaces the sealed form of secrets (the key was rotated); those that are gone are left out.
    async fn reseal_secrets(&self, secrets: &[SealedSecret]) -> StoreResult<()>;

    /// Removes an endpoint and its secrets. Its deliveries stay until retention takes them. Answers whether it was
    /// there.
    async fn delete_webhook(&self, scope: &TenantScope, id: WebhookId) -> StoreResult<bool>;

    /// An endpoint.
    async fn webhook(&self, scope: &TenantScope, id: WebhookId) -> StoreResult<Option<WebhookRecord>>;

    /// An endpoint with all of its secrets, those that ended included.
    async fn webhook_with_secrets(
        &self,
        scope: &TenantScope,
        id: WebhookId,
    ) -> StoreResult<Option<(WebhookRecord, Vec<SealedSecret>)>>;

    /// Endpoints, newest first.
    async fn list_webhooks(
        &self,
        scope: &TenantScope,
        tenant: Option<&TenantName>,
        page: PageRequest,
    ) -> StoreResult<Page<WebhookRecord>>;

    /// The secrets of endpoints that a list has, those that ended included, each with its endpoint.
    async fn secrets_of_webhooks(&self, ids: &[WebhookId]) -> StoreResult<Vec<(WebhookId, SealedSecret)>>;

    /// Secrets that are encrypted under another key than `key_id`, at most `limit`.
    async fn secrets_sealed_otherwise(&self, key_id: &str, limit: u32) -> StoreResult<Vec<SealedSecret>>;

    /// Accepts verified deliveries, in one transaction for all: guards, delivery, body and job together, or a
    /// duplicate. A guard that has expired by `now` does not count and is replaced. Deliveries of one call count as if
    /// they came one after the other: those that share a guard are duplicates of the first. All guards of a duplicate
    /// stand for the delivery that it repeats. Answers in order. A delivery id that is there already changes nothing
    /// and is answered as it was the first time.
    async fn accept_deliveries(
        &self,
        acceptances: &[Acceptance],
        now: Timestamp,
    ) -> StoreResult<Vec<Accepted>>;

    /// Stores verified deliveries without jobs, in one transaction for all: guards, delivery and body together, or a
    /// duplicate, or nothing where the endpoint holds too much already. Answers in order. A delivery id that is there
    /// already changes nothing and is answered as it was the first time.
    async fn hold_deliveries(&self, held: &[HeldDelivery], now: Timestamp) -> StoreResult<Vec<Hold>>;

    /// Endpoints that hold deliveries and are not paused, and deleted ones that do, in the order of their ids from
    /// `after` on; at most `limit`.
    async fn webhooks_to_release(&self, after: Option<WebhookId>, limit: u32) -> StoreResult<Vec<WebhookId>>;

    /// The deliveries that an endpoint holds, oldest first.
    async fn held_deliveries(&self, id: WebhookId, limit: u32) -> StoreResult<Vec<Releasable>>;

    /// Gives held deliveries their jobs, in one transaction for all. Those that are held no more, or whose endpoint is
    /// paused, are left as they are. Answers how many were released.
    async fn release_deliveries(&self, releases: &[Release], now: Timestamp) -> StoreResult<u64>;

    /// Keeps deliveries that ended at once (rejected, handshakes), with their bodies.
    async fn record_deliveries(&self, deliveries: &[NewDelivery]) -> StoreResult<()>;

    /// Records what matching a delivery came to; a later record replaces an earlier one. A delivery that is gone, or
    /// that was never matched (a duplicate, a rejected one, a handshake), is left as it is.
    async fn finish_delivery(&self, outcome: &DeliveryOutcome, now: Timestamp) -> StoreResult<()>;

    /// A delivery.
    async fn delivery(&self, scope: &TenantScope, id: DeliveryId) -> StoreResult<Option<DeliveryRecord>>;

    /// The body of a delivery; `None` where it is not kept.
    async fn delivery_body(&self, scope: &TenantScope, id: DeliveryId) -> StoreResult<Option<Vec<u8>>>;

    /// Deliveries with a status, newest first. A page may be short while there is a next one.
    async fn deliveries_with_status(
        &self,
        status: DeliveryStatus,
        page: PageRequest,
    ) -> StoreResult<Page<DeliveryRecord>>;

    /// Removes guards that have expired, and the rows of rejected deliveries beyond the newest `rejected_max` of each
    /// endpoint that is there. Answers how many rows went, at most `limit` of each kind.
    async fn prune_webhooks(&self, rejected_max: u64, limit: u32, now: Timestamp) -> StoreResult<u64>;
}
