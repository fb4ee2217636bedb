//! Replays: which deliveries are meant, and how fast to go.

use domain::id::{DeliveryId, WebhookId};
use domain::names::{CallerKey, TenantName};
use domain::time::Timestamp;
use engine::ReplayRequest;
use serde::{Deserialize, Serialize};
use store::webhooks::{DeliveryFilter, DeliverySource, DeliveryStatus};
use utoipa::ToSchema;

use crate::shapes::{DeliverySourceSchema, DeliveryStatusSchema, delivery_source, delivery_status};

/// Filter of deliveries. Absent fields match everything; only verified deliveries that are not duplicates are
/// replayed.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = DeliveryFilter)]
struct FilterBody {
    #[serde(default, deserialize_with = "delivery_source")]
    #[schema(value_type = Option<DeliverySourceSchema>)]
    source: Option<DeliverySource>,
    #[schema(value_type = Option<String>)]
    webhook_id: Option<WebhookId>,
    #[schema(value_type = Option<String>)]
    tenant: Option<TenantName>,
    #[serde(default, deserialize_with = "delivery_status")]
    #[schema(value_type = Option<DeliveryStatusSchema>)]
    status: Option<DeliveryStatus>,
    /// Event type of the provider.
    #[schema(value_type = Option<String>)]
    event_type: Option<CallerKey>,
    /// Received at or after this instant.
    #[schema(value_type = Option<String>, format = DateTime)]
    from: Option<Timestamp>,
    /// Received before this instant.
    #[schema(value_type = Option<String>, format = DateTime)]
    to: Option<Timestamp>,
}

/// Deliveries to replay.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = BulkReplayRequest)]
pub(crate) struct BulkReplayBody {
    /// Filter. An empty filter requires `all`.
    #[serde(default)]
    #[schema(required = false)]
    filter: FilterBody,
    /// Confirms an empty filter, which matches everything.
    #[serde(default)]
    #[schema(required = false)]
    all: bool,
    /// Dry run: only counts the matches.
    #[serde(default)]
    #[schema(required = false)]
    dry_run: bool,
    /// Maximum number of items to process.
    limit: Option<u64>,
    /// Maximum rate.
    rate_per_second: Option<u32>,
    /// Whether triggers that have already started a workflow start it again (default false).
    #[serde(default)]
    #[schema(required = false)]
    all_triggers: bool,
}

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

impl From<BulkReplayBody> for ReplayRequest {
    fn from(body: BulkReplayBody) -> Self {
        let filter = body.filter;
        Self {
            filter: DeliveryFilter {
                source: filter.source,
                webhook_id: filter.webhook_id,
                tenant: filter.tenant,
                status: filter.status,
                event_type: filter.event_type.map(|text| text.to_string()),
                from: filter.from,
                to: filter.to,
            },
            all: body.all,
            dry_run: body.dry_run,
            limit: body.limit,
            rate_per_second: body.rate_per_second,
            all_triggers: body.all_triggers,
        }
    }
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
