//! Which deliveries to list.

use domain::id::WebhookId;
use domain::names::{CallerKey, TenantName};
use domain::time::Timestamp;
use serde::Deserialize;
use store::webhooks::{DeliveryFilter, DeliverySource, DeliveryStatus};
use utoipa::IntoParams;

use crate::shapes::{DeliverySourceSchema, DeliveryStatusSchema, delivery_source, delivery_status};

/// Which deliveries to list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct DeliveriesQuery {
    /// How deliveries came in.
    #[serde(default, deserialize_with = "delivery_source")]
    #[param(value_type = Option<DeliverySourceSchema>, inline)]
    source: Option<DeliverySource>,
    #[param(value_type = Option<String>)]
    webhook_id: Option<WebhookId>,
    #[param(value_type = Option<String>)]
    tenant: Option<TenantName>,
    #[serde(default, deserialize_with = "delivery_status")]
    #[param(value_type = Option<DeliveryStatusSchema>, inline)]
    status: Option<DeliveryStatus>,
    /// Event type of the provider.
    #[param(value_type = Option<String>)]
    event_type: Option<CallerKey>,
    /// Received at or after this instant.
    #[param(value_type = Option<String>, format = DateTime)]
    from: Option<Timestamp>,
    /// Received before this instant.
    #[param(value_type = Option<String>, format = DateTime)]
    to: Option<Timestamp>,
    /// Page size, 1 to 500 (default 50).
    pub(super) limit: Option<u32>,
    /// The `nextCursor` of the previous page.
    pub(super) cursor: Option<String>,
}

/// Which deliveries of one endpoint to list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct WebhookDeliveriesQuery {
    #[serde(default, deserialize_with = "delivery_status")]
    #[param(value_type = Option<DeliveryStatusSchema>, inline)]
    status: Option<DeliveryStatus>,
    /// Event type of the provider.
    #[param(value_type = Option<String>)]
    event_type: Option<CallerKey>,
    /// Received at or after this instant.
    #[param(value_type = Option<String>, format = DateTime)]
    from: Option<Timestamp>,
    /// Received before this instant.
    #[param(value_type = Option<String>, format = DateTime)]
    to: Option<Timestamp>,
    /// Page size, 1 to 500 (default 50).
    pub(super) limit: Option<u32>,
    /// The `nextCursor` of the previous page.
    pub(super) cursor: Option<String>,
}

impl DeliveriesQuery {
    /// The filter.
    pub(super) fn filter(self) -> DeliveryFilter {
        DeliveryFilter {
            source: self.source,
            webhook_id: self.webhook_id,
            tenant: self.tenant,
            status: self.status,
            event_type: self.event_type.map(|text| text.to_string()),
            from: self.from,
            to: self.to,
        }
    }
}

impl WebhookDeliveriesQuery {
    /// The filter.
    pub(super) fn filter(self, id: WebhookId) -> DeliveryFilter {
        DeliveryFilter {
            source: None,
            webhook_id: Some(id),
            tenant: None,
            status: self.status,
            event_type: self.event_type.map(|text| text.to_string()),
            from: self.from,
            to: self.to,
        }
    }
}
