//! What ingress answers to senders: little, and the same whatever the reason.

use domain::id::DeliveryId;
use serde::Serialize;
use utoipa::ToSchema;

/// An accepted delivery.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ReceivedDelivery)]
pub(crate) struct ReceivedResponse {
    /// Delivery ID; for a duplicate, that of the first delivery.
    #[schema(value_type = String, example = "dlv_0193456789ab7def8123456789abcdef")]
    pub(crate) delivery_id: DeliveryId,
    /// True for a duplicate, which starts no workflow.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub(crate) deduplicated: bool,
    /// `held` if the endpoint is paused or over its rate limit: the delivery is stored and matched later.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false, example = "held")]
    pub(crate) status: Option<&'static str>,
}

/// A rejected delivery.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RefusedDelivery)]
pub(crate) struct RefusalResponse {
    /// Stable code: `signature`, `unknown`, `malformed`, `header_too_large`, `challenge`, `method`, `encoding`,
    /// `rate_limited`, `too_large`, `paused`, `unavailable`.
    #[schema(value_type = String, example = "signature")]
    pub(crate) error: &'static str,
}
