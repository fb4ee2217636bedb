//! Calls of webhooks. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::Serialize;

use super::Calls;
use crate::error::ClientError;
use crate::models::{
    Delivery, Page, RotateSecretRequest, RotatedSecret, SavedWebhook, TestedWebhook, Webhook, WebhookRequest,
};
use crate::transport::{Request, segment};

impl Calls {
    /// List webhook endpoints, newest first.
    /// Action `webhooks.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn list_webhooks(&self, query: &ListWebhooksQuery) -> Result<Page<Webhook>, ClientError> {
        self.call(Request::new("listWebhooks", "GET", "/v1/webhooks").query(query)?).await
    }

    /// Create a webhook endpoint.
    /// It accepts deliveries immediately. A generated secret is shown only in this response.
    ///
    /// Action `webhooks.write`: requires role `admin` or `operator`.
    pub async fn create_webhook(&self, body: &WebhookRequest) -> Result<SavedWebhook, ClientError> {
        self.call(Request::new("createWebhook", "POST", "/v1/webhooks").keyed().body(body)?).await
    }

    /// Show a webhook endpoint.
    /// Action `webhooks.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn get_webhook(&self, id: &str) -> Result<Webhook, ClientError> {
        self.call(Request::new("getWebhook", "GET", format!("/v1/webhooks/{}", segment(id)))).await
    }

    /// Replace a webhook endpoint.
    /// ID, URL and deliveries are kept. Secrets are kept unless new ones are given, which replace them immediately;
    /// use `rotate-secret` for an overlap.
    ///
    /// Action `webhooks.write`: requires role `admin` or `operator`.
    pub async fn replace_webhook(
        &self,
        id: &str,
        body: &WebhookRequest,
    ) -> Result<SavedWebhook, ClientError> {
        self.call(
            Request::new("replaceWebhook", "PUT", format!("/v1/webhooks/{}", segment(id)))
                .keyed()
                .body(body)?,
        )
        .await
    }

    /// Delete a webhook endpoint and its secrets.
    /// Senders then get 404. Its deliveries are kept until their retention ends.
    ///
    /// Action `webhooks.write`: requires role `admin` or `operator`.
    pub async fn delete_webhook(&self, id: &str) -> Result<(), ClientError> {
        self.call_empty(
            Request::new("deleteWebhook", "DELETE", format!("/v1/webhooks/{}", segment(id))).keyed(),
        )
        .await
    }

    /// List the deliveries of a webhook endpoint, newest first.
    /// Action `deliveries.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn list_webhook_deliveries(
        &self,
        id: &str,
        query: &ListWebhookDeliveriesQuery,
    ) -> Result<Page<Delivery>, ClientError> {
        self.call(
            Request::new("listWebhookDeliveries", "GET", format!("/v1/webhooks/{}/deliveries", segment(id)))
                .query(query)?,
        )
        .await
    }

    /// Pause a webhook endpoint.
    /// Deliveries are stored and held until the endpoint is resumed; beyond a server limit they get 429 with Retry-After.
    /// Handshakes are still answered.
    ///
    /// Action `webhooks.write`: requires role `admin` or `operator`.
    pub async fn pause_webhook(&self, id: &str) -> Result<Webhook, ClientError> {
        self.call(Request::new("pauseWebhook", "POST", format!("/v1/webhooks/{}/pause", segment(id))).keyed())
            .await
    }

    /// Resume a webhook endpoint.
    /// Action `webhooks.write`: requires role `admin` or `operator`.
    pub async fn resume_webhook(&self, id: &str) -> Result<Webhook, ClientError> {
        self.call(
            Request::new("resumeWebhook", "POST", format!("/v1/webhooks/{}/resume", segment(id))).keyed(),
        )
        .await
    }

    /// Rotate the secret of a webhook endpoint.
    /// Old and new secrets are both valid during the overlap; configure the new one at the provider in that time. A
    /// generated secret is shown only in this response.
    ///
    /// Action `webhooks.write`: requires role `admin` or `operator`.
    pub async fn rotate_secret(
        &self,
        id: &str,
        body: &RotateSecretRequest,
    ) -> Result<RotatedSecret, ClientError> {
        self.call(
            Request::new("rotateSecret", "POST", format!("/v1/webhooks/{}/rotate-secret", segment(id)))
                .keyed()
                .body(body)?,
        )
        .await
    }

    /// Send a signed test delivery to a webhook endpoint.
    /// The delivery is processed like any other: verified, stored and matched, and its triggers start workflows. Errors:
    /// 409 `webhook_paused` if the endpoint is paused, 409 `cannot_sign` if the provider signs with a private key, 409
    /// `webhook_secret_missing` if there is no secret.
    ///
    /// Action `webhooks.write`: requires role `admin` or `operator`.
    pub async fn test_webhook(&self, id: &str) -> Result<TestedWebhook, ClientError> {
        self.call(Request::new("testWebhook", "POST", format!("/v1/webhooks/{}/test", segment(id))).keyed())
            .await
    }
}

/// The query of [`Calls::list_webhooks`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListWebhooksQuery {
    /// Name of the tenant.
    pub tenant: Option<String>,
    /// Page size, 1 to 500 (default 50).
    pub limit: Option<i32>,
    /// The `nextCursor` of the previous page.
    pub cursor: Option<String>,
}

/// The query of [`Calls::list_webhook_deliveries`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListWebhookDeliveriesQuery {
    /// One of webhook, event. Several values are separated by commas.
    pub source: Option<String>,
    /// ID: `whk_` and 32 hexadecimal digits. Several values are separated by commas.
    pub webhook_id: Option<String>,
    /// Exact match. Several values are separated by commas.
    pub tenant: Option<String>,
    /// One of accepted, held, matched, unmatched, parked, duplicate, rejected, handshake. Several values are separated by commas.
    pub status: Option<String>,
    /// Exact match. Several values are separated by commas.
    pub event_type: Option<String>,
    /// Exact match. Several values are separated by commas.
    pub reason: Option<String>,
    /// Exact match.
    pub remote_address: Option<String>,
    /// ID: `exe_` and 32 hexadecimal digits.
    pub execution_id: Option<String>,
    /// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
    pub received_after: Option<String>,
    /// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
    pub received_before: Option<String>,
    /// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
    pub processed_after: Option<String>,
    /// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
    pub processed_before: Option<String>,
    /// Same as `receivedAfter`.
    pub from: Option<String>,
    /// Same as `receivedBefore`.
    pub to: Option<String>,
    /// Search query, at most 2000 characters. See the search documentation.
    pub q: Option<String>,
    /// Instant to sort by: received, processed (default `received`).
    pub sort: Option<String>,
    /// `asc` or `desc` (default `desc`).
    pub order: Option<String>,
    /// Whether to count the matches, up to 10,000.
    pub count: Option<bool>,
    /// Page size, 1 to 500 (default 50).
    pub limit: Option<i32>,
    /// The `nextCursor` of the previous page.
    pub cursor: Option<String>,
}
