//! Replays of one delivery.

use domain::id::DeliveryId;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

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
