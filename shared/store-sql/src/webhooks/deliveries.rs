//! Looking at deliveries: one, its body, and lists.

use domain::access::TenantScope;
use domain::id::{DeliveryId, WebhookId};
use domain::names::TenantName;
use store::webhooks::{DeliveryFilter, DeliveryRecord, DeliverySource, DeliveryStatus, NO_WEBHOOK};
use store::{Page, PageRequest, StoreResult};
use uuid::Uuid;

use super::endpoints::{delivery_of, stored_status};
use crate::lists::{floor, paged};
use crate::pool::Pool;
use crate::rows::Row;
use crate::select::Select;

/// A delivery.
pub(super) async fn one(
    pool: &Pool,
    scope: &TenantScope,
    id: DeliveryId,
) -> StoreResult<Option<DeliveryRecord>> {
    let mut select = Select::new("delivery", "SELECT d.* FROM webhook_delivery d WHERE true");
    select.with("AND d.id = $?", id.uuid());
    select.with_some("AND d.tenant = $?", scope.tenant().map(TenantName::as_str));
    select.first(pool.read()).await?.as_ref().map(delivery_of).transpose()
}

/// The body of a delivery, where it is kept.
pub(super) async fn body(pool: &Pool, scope: &TenantScope, id: DeliveryId) -> StoreResult<Option<Vec<u8>>> {
    let mut select = Select::new(
        "delivery_body",
        "SELECT b.body FROM webhook_delivery d JOIN webhook_body b ON b.delivery_id = d.id WHERE true",
    );
    select.with("AND d.id = $?", id.uuid());
    select.with_some("AND d.tenant = $?", scope.tenant().map(TenantName::as_str));
    let row = select.first(pool.read()).await?;
    row.map_or(Ok(None), |row| Row::new("webhook_body", &row).bytes_or_null("body"))
}

/// Deliveries, newest first.
pub(super) async fn list(
    pool: &Pool,
    scope: &TenantScope,
    filter: &DeliveryFilter,
    page: PageRequest,
) -> StoreResult<Page<DeliveryRecord>> {
    let floor = if has_index(filter) {
        None
    } else {
        let mut ids = Select::new("list_deliveries_window", "SELECT d.id FROM webhook_delivery d WHERE true");
        of_owner(&mut ids, scope, filter);
        floor(pool.delayed_lists(), ids, "d.id", page).await?
    };
    let rows = selected(scope, filter, page, floor).all(pool.delayed_lists()).await?;
    let records: StoreResult<Vec<_>> = rows.iter().map(delivery_of).collect();
    let mut page = Page::cut(records?, page.limit, |record| record.id.uuid());
    page.next = page.next.or(floor);
    Ok(page)
}

fn selected(scope: &TenantScope, filter: &DeliveryFilter, page: PageRequest, floor: Option<Uuid>) -> Select {
    let mut select = Select::new("list_deliveries", "SELECT d.* FROM webhook_delivery d WHERE true");
    conditions(&mut select, scope, filter);
    paged(&mut select, "d.id", page, floor);
    select
}

/// Whether nearly each row of the index matches: there is no other condition than an endpoint or a tenant.
fn has_index(filter: &DeliveryFilter) -> bool {
    let (webhook_id, tenant) = (filter.webhook_id, filter.tenant.clone());
    filter.source != Some(DeliverySource::Webhook)
        && *filter
            == DeliveryFilter { source: filter.source, webhook_id, tenant, ..DeliveryFilter::default() }
}

// Index: webhook_delivery_webhook, webhook_delivery_tenant, or the key.
fn of_owner(select: &mut Select, scope: &TenantScope, filter: &DeliveryFilter) {
    select.with_some("AND d.tenant = $?", scope.tenant().map(TenantName::as_str));
    select.with_some("AND d.tenant = $?", filter.tenant.as_ref().map(TenantName::as_str));
    select.with_some("AND d.webhook_id = $?", filter.webhook_id.map(WebhookId::uuid));
    match filter.source {
        Some(DeliverySource::Event) => select.with("AND d.webhook_id = $?", NO_WEBHOOK.uuid()),
        Some(DeliverySource::Webhook) => select.with("AND d.webhook_id <> $?", NO_WEBHOOK.uuid()),
        None => {}
    }
}

/// The status is part of the text, so that the indexes on one status can be used.
fn conditions(select: &mut Select, scope: &TenantScope, filter: &DeliveryFilter) {
    of_owner(select, scope, filter);
    if let Some(status) = filter.status {
        select.push(&format!("AND d.status = '{}'", stored_status(status)));
        match status {
            DeliveryStatus::Held => select.push("AND d.held_at IS NOT NULL"),
            DeliveryStatus::Accepted => select.push("AND d.held_at IS NULL"),
            _ => {}
        }
    }
    select.with_some("AND d.event_type = $?", filter.event_type.as_deref());
    select.with_some("AND d.received_at >= $?", filter.from.map(|instant| instant.0));
    select.with_some("AND d.received_at < $?", filter.to.map(|instant| instant.0));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lists::testing::{assert_in_order_of, of_a_tenant};

    #[tokio::test]
    async fn i06_a_tenants_deliveries_are_listed_in_the_order_of_its_index() {
        let (scope, page) = of_a_tenant();
        let list = || selected(&scope, &DeliveryFilter::default(), page, None);
        assert_in_order_of("webhook_delivery_tenant", list).await;
    }
}
