//! Webhooks: endpoints with their sealed secrets, and the deliveries that came in.
//!
//! The store never sees a secret in the clear, and decides nothing about a delivery but whether it came before.

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::id::{DeliveryId, ExecutionId, JobId, SecretId, WebhookId};
use domain::names::{NodeId, TenantName};
use domain::time::Timestamp;

use crate::error::StoreResult;
use crate::jobs::NewJob;
use crate::page::{Page, PageRequest};

mod held;

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

/// Where a delivery is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DeliveryStatus {
    /// Verified and stored; its job matches it against the triggers.
    Accepted,
    /// Verified and stored; it gets its job when its endpoint takes deliveries again.
    Held,
    /// At least one trigger started an execution.
    Matched,
    /// No trigger wanted it.
    Unmatched,
    /// A trigger could not be evaluated, or its workflow would not start: somebody has to look.
    Parked,
    /// Verified, but it came before.
    Duplicate,
    /// Refused, for the reason that is stored with it.
    Rejected,
    /// A handshake of the provider, answered.
    Handshake,
}

impl DeliveryStatus {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Accepted,
        Self::Held,
        Self::Matched,
        Self::Unmatched,
        Self::Parked,
        Self::Duplicate,
        Self::Rejected,
        Self::Handshake,
    ];

    /// The stored and public name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Held => "held",
            Self::Matched => "matched",
            Self::Unmatched => "unmatched",
            Self::Parked => "parked",
            Self::Duplicate => "duplicate",
            Self::Rejected => "rejected",
            Self::Handshake => "handshake",
        }
    }

    /// The status with this name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }
}

/// A key that recognises what came before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct GuardKey {
    /// A digest.
    pub digest: [u8; 32],
    /// Until when it is kept.
    pub expires_at: Timestamp,
}

/// A request to an endpoint, as it is kept. No text of it may hold a NUL character, which PostgreSQL cannot store; the
/// body may hold any bytes.
#[derive(Debug, Clone, PartialEq)]
pub struct NewDelivery {
    /// Its id, made when it was received.
    pub id: DeliveryId,
    /// The endpoint that received it.
    pub webhook_id: WebhookId,
    /// The tenant of the endpoint.
    pub tenant: TenantName,
    /// `Accepted` for [`WebhookStore::accept_deliveries`], otherwise as it ended at once.
    pub status: DeliveryStatus,
    /// A stable word for why it was rejected.
    pub reason: Option<String>,
    /// What the provider calls the event.
    pub event_type: Option<String>,
    /// The provider's id of the event.
    pub provider_event_id: Option<String>,
    /// The secret that verified it.
    pub secret_id: Option<SecretId>,
    /// The delivery that this one replays.
    pub replay_of: Option<DeliveryId>,
    /// Where it came from.
    pub remote_address: Option<String>,
    /// The HTTP method of the request.
    pub method: String,
    /// Path and query of the request.
    pub target: String,
    /// Names and values in order as raw JSON text (a list of pairs), signatures and secrets redacted.
    pub headers: String,
    /// The bytes of the body, as they were signed.
    pub body: Vec<u8>,
    /// W3C trace context of the request.
    pub traceparent: Option<String>,
    /// When the request was received.
    pub received_at: Timestamp,
}

/// What stands for the endpoint of a delivery that has none: an event that was sent to this server. Its method and
/// target are empty.
pub const NO_WEBHOOK: WebhookId = WebhookId::from_uuid(uuid::Uuid::nil());

/// How a delivery came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DeliverySource {
    /// To an endpoint.
    Webhook,
    /// As an event.
    Event,
}

impl DeliverySource {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Webhook, Self::Event];

    /// The public name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Webhook => "webhook",
            Self::Event => "event",
        }
    }

    /// The source with this name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|source| source.as_str() == text)
    }
}

/// A node that a delivery woke.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WokenNode {
    /// The execution.
    pub execution_id: ExecutionId,
    /// The node that waited.
    pub node_id: NodeId,
}

/// A verified delivery to accept.
#[derive(Debug, Clone, PartialEq)]
pub struct Acceptance {
    /// The delivery to store.
    pub delivery: NewDelivery,
    /// Any of these that is known already makes it a duplicate. Empty for a replay.
    pub guards: Vec<GuardKey>,
    /// Its job on `workflow-webhook`. Its data names the delivery: `{"deliveryId": "…"}`. Should the job end without an
    /// outcome of the delivery, the same transaction parks the delivery, for [`MATCHING_FAILED`] or [`JOB_CANCELLED`].
    pub job: NewJob,
}

/// Why a delivery is parked whose job became a dead letter. Who requeues that has the delivery matched after all.
pub const MATCHING_FAILED: &str = "matching_failed";

/// Why a delivery is parked whose job was cancelled.
pub const JOB_CANCELLED: &str = "job_cancelled";

/// What became of a verified delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accepted {
    /// It is stored, and so is its job.
    New(DeliveryId),
    /// It came before, as this delivery. A line for the repetition is stored, without a body.
    Duplicate(DeliveryId),
}

/// A delivery, for showing it.
#[derive(Debug, Clone, PartialEq)]
pub struct DeliveryRecord {
    /// Its id.
    pub id: DeliveryId,
    /// The endpoint that received it.
    pub webhook_id: WebhookId,
    /// The tenant of the endpoint.
    pub tenant: TenantName,
    /// What became of it so far.
    pub status: DeliveryStatus,
    /// Why it was rejected or parked.
    pub reason: Option<String>,
    /// What the provider calls the event.
    pub event_type: Option<String>,
    /// The provider's id of the event.
    pub provider_event_id: Option<String>,
    /// The secret that verified it.
    pub secret_id: Option<SecretId>,
    /// The job that matches it, once it has one.
    pub job_id: Option<JobId>,
    /// The delivery that it repeats.
    pub duplicate_of: Option<DeliveryId>,
    /// The delivery that it replays.
    pub replay_of: Option<DeliveryId>,
    /// Where it came from.
    pub remote_address: Option<String>,
    /// The HTTP method of the request.
    pub method: String,
    /// Path and query of the request.
    pub target: String,
    /// Names and values in order as raw JSON text.
    pub headers: String,
    /// How long the body was, also where it is not kept.
    pub body_bytes: u64,
    /// W3C trace context of the request.
    pub traceparent: Option<String>,
    /// When the request was received.
    pub received_at: Timestamp,
    /// When the triggers were matched.
    pub processed_at: Option<Timestamp>,
    /// What each trigger came to, as raw JSON text.
    pub outcome: Option<String>,
    /// The executions that it started.
    pub executions: Vec<ExecutionId>,
    /// The nodes that it woke, as far as they are shown.
    pub woke: Vec<WokenNode>,
    /// When retention dropped its body.
    pub payload_dropped_at: Option<Timestamp>,
}

impl DeliveryRecord {
    /// How it came in.
    pub fn source(&self) -> DeliverySource {
        if self.webhook_id == NO_WEBHOOK { DeliverySource::Event } else { DeliverySource::Webhook }
    }
}

/// Which deliveries a list shows. Empty fields match everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeliveryFilter {
    /// Only deliveries that came in this way.
    pub source: Option<DeliverySource>,
    /// Only deliveries of this endpoint.
    pub webhook_id: Option<WebhookId>,
    /// Only deliveries of this tenant.
    pub tenant: Option<TenantName>,
    /// Only deliveries in this state.
    pub status: Option<DeliveryStatus>,
    /// What the provider calls the event.
    pub event_type: Option<String>,
    /// Only those received at this instant or later.
    pub from: Option<Timestamp>,
    /// Only those received before this instant.
    pub to: Option<Timestamp>,
}

/// What matching a delivery came to.
#[derive(Debug, Clone, PartialEq)]
pub struct DeliveryOutcome {
    /// The delivery that was matched.
    pub id: DeliveryId,
    /// `Matched`, `Unmatched` or `Parked`.
    pub status: DeliveryStatus,
    /// Why it was parked.
    pub reason: Option<String>,
    /// What each trigger came to, as raw JSON text.
    pub outcome: String,
    /// The executions that it started.
    pub executions: Vec<ExecutionId>,
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

    /// Deliveries, newest first.
    async fn list_deliveries(
        &self,
        scope: &TenantScope,
        filter: &DeliveryFilter,
        page: PageRequest,
    ) -> StoreResult<Page<DeliveryRecord>>;

    /// How many deliveries a filter finds, at most `limit`.
    async fn count_deliveries(
        &self,
        scope: &TenantScope,
        filter: &DeliveryFilter,
        limit: u64,
    ) -> StoreResult<u64>;

    /// Removes guards that have expired, and the rows of rejected deliveries beyond the newest `rejected_max` of each
    /// endpoint that is there. Answers how many rows went, at most `limit` of each kind.
    async fn prune_webhooks(&self, rejected_max: u64, limit: u32, now: Timestamp) -> StoreResult<u64>;
}
