//! A delivery as it is shown.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::id::{DeliveryId, ExecutionId, JobId, SecretId, WebhookId};
use domain::time::Timestamp;
use serde::Serialize;
use store::webhooks::DeliveryRecord;
use utoipa::ToSchema;

use super::curl;
use crate::json::{RawJson, payloads_are_shown};
use crate::shapes::DeliveryStatusSchema;

/// A request that came to an endpoint.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Delivery)]
pub(crate) struct DeliveryResponse {
    #[schema(value_type = String, example = "dlv_0193456789ab7def8123456789abcdef")]
    id: DeliveryId,
    #[schema(value_type = String)]
    webhook_id: WebhookId,
    tenant: String,
    #[schema(value_type = DeliveryStatusSchema)]
    status: &'static str,
    /// Why it was rejected or parked.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// Event type of the provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    event_type: Option<String>,
    /// The provider's id of the event.
    #[serde(skip_serializing_if = "Option::is_none")]
    provider_event_id: Option<String>,
    /// The secret that verified it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    secret_id: Option<SecretId>,
    /// Its job on `workflow-webhook`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    job_id: Option<JobId>,
    /// The delivery that it repeats.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    duplicate_of: Option<DeliveryId>,
    /// The delivery that it replays.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    replay_of: Option<DeliveryId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    remote_address: Option<String>,
    method: String,
    /// Path and query, values of telling names redacted.
    target: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    traceparent: Option<String>,
    /// How long the body was, also where it is not kept.
    body_bytes: u64,
    #[schema(value_type = String, format = DateTime)]
    received_at: Timestamp,
    /// When the triggers were matched.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    processed_at: Option<Timestamp>,
    /// What it started.
    #[schema(value_type = Vec<String>)]
    executions: Vec<ExecutionId>,
    /// What each trigger came to. Not in lists, nor before it was matched.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<DeliveryTriggerOutcome>>)]
    triggers: Option<RawJson>,
    /// Names and values in order; signatures, tokens and cookies redacted. Not in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<Vec<String>>>)]
    headers: Option<RawJson>,
    /// The exact body, as `bodyEncoding` says. Not in lists, nor where it is not kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
    /// `text` if the body is UTF-8, else `base64`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    body_encoding: Option<&'static str>,
    /// A command line that sends it again, without what was redacted. Not in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    curl: Option<String>,
}

/// What a trigger came to.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct DeliveryTriggerOutcome {
    trigger_id: String,
    workflow: String,
    /// `started`, `no_match` or `error`.
    result: String,
    execution_id: Option<String>,
    error: Option<DeliveryTriggerError>,
}

/// Why a trigger could not decide or start.
#[derive(Debug, Serialize, ToSchema)]
struct DeliveryTriggerError {
    /// A stable word, such as `filter_failed`.
    code: String,
    /// A sentence.
    message: String,
}

impl DeliveryResponse {
    /// A delivery in a list.
    pub(crate) fn in_list(delivery: DeliveryRecord) -> Self {
        Self {
            id: delivery.id,
            webhook_id: delivery.webhook_id,
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
            method: delivery.method,
            target: delivery.target,
            traceparent: delivery.traceparent,
            body_bytes: delivery.body_bytes,
            received_at: delivery.received_at,
            processed_at: delivery.processed_at,
            executions: delivery.executions,
            triggers: None,
            headers: None,
            body: None,
            body_encoding: None,
            curl: None,
        }
    }

    /// A delivery with all that is kept of it.
    pub(crate) fn whole(mut delivery: DeliveryRecord, body: Option<Vec<u8>>) -> Self {
        let body = body.filter(|_| payloads_are_shown());
        let headers = std::mem::take(&mut delivery.headers);
        let pairs: Vec<(String, String)> = serde_json::from_str(&headers).unwrap_or_default();
        let curl = curl::command(&delivery.method, &delivery.target, &pairs, body.as_deref());
        let triggers = delivery.outcome.take().map(RawJson::stored);
        let (body, body_encoding) = body.map(shown).unzip();
        Self {
            triggers,
            headers: Some(RawJson::stored(headers)),
            body,
            body_encoding,
            curl: Some(curl),
            ..Self::in_list(delivery)
        }
    }
}

/// A body, and how it is written.
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
