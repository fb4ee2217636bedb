//! Calls of deliveries. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::Serialize;

use super::Calls;
use crate::error::ClientError;
use crate::json::Json;
use crate::models::{BulkReplayRequest, Delivery, Page, ReplayRequest, ReplayedDelivery};
use crate::timestamp::Timestamp;
use crate::transport::{Request, segment};

impl Calls {
    /// List deliveries, newest first.
    /// Includes every status: accepted, held, matched, unmatched, parked, duplicate, rejected and handshake; also of
    /// deleted endpoints.
    pub async fn list_deliveries(&self, query: &ListDeliveriesQuery) -> Result<Page<Delivery>, ClientError> {
        self.call(Request::new("listDeliveries", "GET", "/v1/deliveries").query(query)?).await
    }

    /// Replay many deliveries.
    pub async fn replay_deliveries(&self, body: &BulkReplayRequest) -> Result<Json, ClientError> {
        self.call(Request::new("replayDeliveries", "POST", "/v1/deliveries/replay").keyed().body(body)?).await
    }

    /// Show a delivery with its headers and its body.
    pub async fn get_delivery(&self, id: &str) -> Result<Delivery, ClientError> {
        self.call(Request::new("getDelivery", "GET", format!("/v1/deliveries/{}", segment(id)))).await
    }

    /// Replay a delivery.
    /// Creates a delivery with the same body and evaluates the current triggers. The signature is not verified again, and
    /// deduplication does not apply. Triggers that have already started a workflow for the delivery start it again only
    /// with `allTriggers`.
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
    /// How deliveries came in.
    pub source: Option<String>,
    /// `webhookId`.
    pub webhook_id: Option<String>,
    /// `tenant`.
    pub tenant: Option<String>,
    /// `status`.
    pub status: Option<String>,
    /// Event type of the provider.
    pub event_type: Option<String>,
    /// Received at or after this instant.
    pub from: Option<Timestamp>,
    /// Received before this instant.
    pub to: Option<Timestamp>,
    /// Page size, 1 to 500 (default 50).
    pub limit: Option<i32>,
    /// The `nextCursor` of the previous page.
    pub cursor: Option<String>,
}
