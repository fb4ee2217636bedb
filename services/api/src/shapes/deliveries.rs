//! Deliveries: how one is shown, which are meant by a bulk verb, and what ingress answers.

mod curl;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::id::{DeliveryId, ExecutionId, JobId, SecretId, WebhookId};
use domain::time::Timestamp;
use domain::webhook::DeliverySource;
use serde::{Deserialize, Serialize};
use store::webhooks::{DeliveryRecord, WokenNode};
use utoipa::ToSchema;

use crate::json::{RawJson, payloads_are_shown};
use crate::shapes::list::{OmittedPayloadResponse, PayloadBound};
use crate::shapes::{DeliverySourceSchema, DeliveryStatusSchema};

// Replays of one delivery.

/// Options of a replay.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = ReplayRequest)]
pub(crate) struct ReplayBody {
    /// Whether triggers that have already started a workflow start it again (default false).
    #[serde(default)]
    #[schema(required = false)]
    pub(crate) all_triggers: bool,
}

/// A replayed delivery.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ReplayedDelivery)]
pub(crate) struct ReplayedResponse {
    /// The new delivery.
    #[schema(value_type = String, example = "dlv_0193456789ab7def8123456789abcdef")]
    pub(crate) delivery_id: DeliveryId,
    /// The original delivery.
    #[schema(value_type = String)]
    pub(crate) replay_of: DeliveryId,
}

// What ingress answers to senders: little, and the same whatever the reason.

/// An accepted delivery.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ReceivedDelivery)]
pub(crate) struct ReceivedResponse {
    /// Delivery ID; for a duplicate, the ID of the first delivery.
    #[schema(value_type = String, example = "dlv_0193456789ab7def8123456789abcdef")]
    pub(crate) delivery_id: DeliveryId,
    /// True for a duplicate, which starts no workflow.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub(crate) deduplicated: bool,
    /// `held` if the endpoint is paused or over its rate limit: the delivery is stored and matched later.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = DeliveryStatusSchema, required = false)]
    pub(crate) status: Option<&'static str>,
}

/// A rejected delivery.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RefusedDelivery)]
pub(crate) struct RefusalResponse {
    /// Stable code: `signature`, `unknown`, `malformed`, `header_too_large`, `challenge`, `method`, `encoding`,
    /// `rate_limited`, `too_large`, `paused`, `quota_exceeded`, `unavailable`.
    #[schema(value_type = String, example = "signature")]
    pub(crate) error: &'static str,
    /// With `quota_exceeded`: the quota `deliveryBytes` of the tenant, or the setting `webhooks.stored_per_webhook` or
    /// `webhooks.stored`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, example = "deliveryBytes")]
    pub(crate) quota: Option<&'static str>,
    /// With `quota_exceeded`: what makes room.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) detail: Option<String>,
}

// A delivery as it is shown.

/// A request to a webhook endpoint.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Delivery)]
pub(crate) struct DeliveryResponse {
    #[schema(value_type = String, example = "dlv_0193456789ab7def8123456789abcdef")]
    id: DeliveryId,
    /// How it was received: `webhook` or `event`.
    #[schema(value_type = DeliverySourceSchema)]
    source: &'static str,
    /// The endpoint; null for an event.
    #[schema(value_type = String, nullable = true, required = true)]
    webhook_id: Option<WebhookId>,
    tenant: String,
    #[schema(value_type = DeliveryStatusSchema)]
    status: &'static str,
    /// Reason for rejecting or parking the delivery.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// Event type of the provider, or the name of the event.
    #[serde(skip_serializing_if = "Option::is_none")]
    event_type: Option<String>,
    /// Event ID of the provider, or of the sender.
    #[serde(skip_serializing_if = "Option::is_none")]
    provider_event_id: Option<String>,
    /// ID of the secret that verified the delivery.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    secret_id: Option<SecretId>,
    /// Its job on `workflow-webhook`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    job_id: Option<JobId>,
    /// For a duplicate, the first delivery.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    duplicate_of: Option<DeliveryId>,
    /// For a replay, the original delivery.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    replay_of: Option<DeliveryId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    remote_address: Option<String>,
    /// HTTP method; null for an event.
    #[schema(value_type = String, nullable = true, required = true)]
    method: Option<String>,
    /// Path and query, with sensitive values redacted; null for an event.
    #[schema(value_type = String, nullable = true, required = true)]
    target: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    traceparent: Option<String>,
    /// Size of the body in bytes, even if the body is not stored.
    body_bytes: u64,
    #[schema(value_type = String, format = DateTime)]
    received_at: Timestamp,
    /// When the triggers were evaluated.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    processed_at: Option<Timestamp>,
    /// Executions that the delivery started.
    #[schema(value_type = Vec<String>)]
    executions: Vec<ExecutionId>,
    /// Nodes of waiting executions that the delivery woke, up to about 1,000.
    woke: Vec<WokenNodeResponse>,
    /// Result of each trigger. Absent in lists and before the triggers are evaluated.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<DeliveryTriggerOutcome>>)]
    triggers: Option<RawJson>,
    /// Header names and values in order, with signatures, tokens and cookies redacted. Absent in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<Vec<String>>>)]
    headers: Option<RawJson>,
    /// The exact body, encoded as `bodyEncoding`. Absent in lists and if it is not stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
    /// `text` if the body is UTF-8, otherwise `base64`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    body_encoding: Option<&'static str>,
    /// A curl command that sends the request again, without redacted values. Absent in lists and for events.
    #[serde(skip_serializing_if = "Option::is_none")]
    curl: Option<String>,
    /// When retention dropped the body. `bodyBytes` is 0 from then on.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    payload_dropped_at: Option<Timestamp>,
    /// The body, if it is larger than `maxPayload` and therefore absent here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    omitted: Vec<OmittedPayloadResponse>,
}

/// A node that a delivery woke.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WokenNode)]
struct WokenNodeResponse {
    #[schema(value_type = String)]
    execution_id: ExecutionId,
    node_id: String,
}

/// The result of a trigger.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct DeliveryTriggerOutcome {
    trigger_id: String,
    workflow: String,
    /// `started`, `started_before`, `joined`, `exists`, `no_match` or `error`; `debounced`, `throttled` or `batched`
    /// while the start is put off.
    result: String,
    /// Earliest expected start time, estimated when the trigger was evaluated. Present while the start is put off.
    #[schema(value_type = Option<String>, format = DateTime)]
    put_off_until: Option<Timestamp>,
    execution_id: Option<String>,
    error: Option<DeliveryTriggerError>,
}

/// Error of a trigger.
#[derive(Debug, Serialize, ToSchema)]
struct DeliveryTriggerError {
    /// Stable code, such as `filter_failed`.
    code: String,
    /// Message.
    message: String,
}

impl DeliveryResponse {
    /// A delivery in a list.
    pub(crate) fn in_list(delivery: DeliveryRecord) -> Self {
        let source = delivery.source();
        let is_webhook = source == DeliverySource::Webhook;
        let woken = |node: WokenNode| WokenNodeResponse {
            execution_id: node.execution_id,
            node_id: node.node_id.to_string(),
        };
        Self {
            id: delivery.id,
            source: source.as_str(),
            webhook_id: is_webhook.then_some(delivery.webhook_id),
            tenant: delivery.tenant.to_string(),
            status: delivery.status.as_str(),
            reason: delivery.reason,
            event_type: delivery.event_type,
            provider_event_id: delivery.provider_event_id,
            secret_id: delivery.secret_id,
            job_id: delivery.job_id,
            duplicate_of: delivery.duplicate_of,
            replay_of: delivery.replay_of,
            remote_address: delivery.remote_address,
            method: is_webhook.then_some(delivery.method),
            target: is_webhook.then_some(delivery.target),
            traceparent: delivery.traceparent,
            body_bytes: delivery.body_bytes,
            received_at: delivery.received_at,
            processed_at: delivery.processed_at,
            executions: delivery.executions,
            woke: delivery.woke.into_iter().map(woken).collect(),
            triggers: None,
            headers: None,
            body: None,
            body_encoding: None,
            curl: None,
            payload_dropped_at: delivery.payload_dropped_at,
            omitted: Vec::new(),
        }
    }

    /// A delivery with headers, and with its body unless that has more bytes than these.
    pub(crate) fn whole(
        mut delivery: DeliveryRecord,
        body: Option<Vec<u8>>,
        payload_max: Option<usize>,
    ) -> Self {
        let body = body.filter(|_| payloads_are_shown());
        let headers = std::mem::take(&mut delivery.headers);
        let pairs: Vec<(String, String)> = serde_json::from_str(&headers).unwrap_or_default();
        let is_webhook = delivery.source() == DeliverySource::Webhook;
        let curl =
            is_webhook.then(|| curl::command(&delivery.method, &delivery.target, &pairs, body.as_deref()));
        let triggers = delivery.outcome.take().map(RawJson::stored);
        let mut bound = PayloadBound::new(payload_max, format!("/v1/deliveries/{}", delivery.id));
        let (body, body_encoding) = body.and_then(|body| bound.bytes("body", body)).map(shown).unzip();
        Self {
            omitted: bound.omitted(),
            triggers,
            headers: Some(RawJson::stored(headers)),
            body,
            body_encoding,
            curl,
            ..Self::in_list(delivery)
        }
    }
}

/// A body and its encoding.
fn shown(body: Vec<u8>) -> (String, &'static str) {
    match String::from_utf8(body) {
        Ok(text) => (text, "text"),
        Err(error) => (STANDARD.encode(error.as_bytes()), "base64"),
    }
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn bodies_are_text_where_they_can_be() {
        assert_eq!(shown(b"{}".to_vec()), ("{}".to_owned(), "text"));
        assert_eq!(shown(vec![0xff]), ("/w==".to_owned(), "base64"));
    }
}
