//! Deliveries: what a webhook received, what became of it, and the guards that know a repeated one.

use domain::id::{DeliveryId, ExecutionId, JobId, SecretId, WebhookId};
use domain::names::{NodeId, TenantName};
use domain::time::Timestamp;
use domain::webhook::{DeliverySource, DeliveryStatus};

use crate::jobs::NewJob;

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
