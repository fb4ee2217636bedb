//! What ingress answers to senders: little, and the same whatever the reason.

use domain::id::DeliveryId;
use serde::Serialize;
use utoipa::ToSchema;

/// A delivery that was taken in.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ReceivedDelivery)]
pub(crate) struct ReceivedResponse {
    /// The delivery; of a repetition, the first one.
    #[schema(value_type = String, example = "dlv_0193456789ab7def8123456789abcdef")]
    pub(crate) delivery_id: DeliveryId,
    /// True for a repetition, which starts nothing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub(crate) deduplicated: bool,
    /// `held` where the endpoint is paused or over its rate: the delivery is stored, and matched later.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false, example = "held")]
    pub(crate) status: Option<&'static str>,
}

/// A delivery that was not taken in.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RefusedDelivery)]
pub(crate) struct RefusalResponse {
    /// A stable word: `signature`, `unknown`, `malformed`, `header_too_large`, `challenge`, `method`, `encoding`,
    /// `rate_limited`, `too_large`, `paused`, `unavailable`.
    #[schema(value_type = String, example = "signature")]
    pub(crate) error: &'static str,
}
