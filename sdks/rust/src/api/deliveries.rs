//! Calls of deliveries. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::Serialize;

use super::Calls;
use crate::error::ClientError;
use crate::json::Json;
use crate::models::{BulkReplayRequest, Delivery, Page, ReplayRequest, ReplayedDelivery};
use crate::transport::{Request, segment};

impl Calls {
    /// List deliveries, newest first.
    /// Includes deliveries of every status (accepted, held, matched, unmatched, parked, duplicate, rejected, handshake) and
    /// of deleted endpoints.
    ///
    /// Action `deliveries.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn list_deliveries(&self, query: &ListDeliveriesQuery) -> Result<Page<Delivery>, ClientError> {
        self.call(Request::new("listDeliveries", "GET", "/v1/deliveries").query(query)?).await
    }

    /// Replay many deliveries.
    /// Action `deliveries.replay`: requires role `admin` or `operator`.
    pub async fn replay_deliveries(&self, body: &BulkReplayRequest) -> Result<Json, ClientError> {
        self.call(Request::new("replayDeliveries", "POST", "/v1/deliveries/replay").keyed().body(body)?).await
    }

    /// Show a delivery with its headers and its body.
    /// Action `deliveries.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn get_delivery(&self, id: &str, query: &GetDeliveryQuery) -> Result<Delivery, ClientError> {
        self.call(Request::new("getDelivery", "GET", format!("/v1/deliveries/{}", segment(id))).query(query)?)
            .await
    }

    /// Replay a delivery.
    /// Creates a delivery with the same body and evaluates the current triggers. The signature is not verified again, and
    /// deduplication does not apply. Triggers that have already started a workflow for the delivery start it again only
    /// with `allTriggers`.
    ///
    /// Action `deliveries.replay`: requires role `admin` or `operator`.
    pub async fn replay_delivery(
        &self,
        id: &str,
        body: &ReplayRequest,
    ) -> Result<ReplayedDelivery, ClientError> {
        self.call(
            Request::new("replayDelivery", "POST", format!("/v1/deliveries/{}/replay", segment(id)))
                .keyed()
                .body(body)?,
        )
        .await
    }
}

/// The query of [`Calls::list_deliveries`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListDeliveriesQuery {
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

/// The query of [`Calls::get_delivery`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GetDeliveryQuery {
    /// Maximum body size in bytes. A larger body is absent and listed in `omitted` with its path (default: no maximum).
    pub max_payload: Option<i32>,
}
