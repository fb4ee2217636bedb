//! Looking at deliveries: one, its body, lists and counts.

use domain::access::TenantScope;
use domain::id::{DeliveryId, WebhookId};
use domain::names::TenantName;
use store::webhooks::{DeliveryFilter, DeliveryRecord};
use store::{Page, PageRequest, StoreResult};

use super::rows::delivery_of;
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
    let mut select = Select::new("list_deliveries", "SELECT d.* FROM webhook_delivery d WHERE true");
    conditions(&mut select, scope, filter);
    select.with_some("AND d.id < $?", page.after);
    select.with("ORDER BY d.id DESC LIMIT $?", i64::from(page.limit) + 1);
    let records: StoreResult<Vec<_>> = select.all(pool.read()).await?.iter().map(delivery_of).collect();
    Ok(Page::cut(records?, page.limit, |record| record.id.uuid()))
}

/// How many deliveries a filter finds, at most `limit`.
pub(super) async fn count(
    pool: &Pool,
    scope: &TenantScope,
    filter: &DeliveryFilter,
    limit: u64,
) -> StoreResult<u64> {
    let mut select = Select::new(
        "count_deliveries",
        "SELECT count(*) AS number FROM (SELECT d.id FROM webhook_delivery d WHERE true",
    );
    conditions(&mut select, scope, filter);
    select.with("LIMIT $?) found", i64::try_from(limit).unwrap_or(i64::MAX));
    let row = select.first(pool.read()).await?;
    row.map_or(Ok(0), |row| Row::new("webhook_delivery", &row).long("number").map(|number| number as u64))
}

/// The status is part of the text, so that the indexes on one status can be used.
fn conditions(select: &mut Select, scope: &TenantScope, filter: &DeliveryFilter) {
    select.with_some("AND d.tenant = $?", scope.tenant().map(TenantName::as_str));
    select.with_some("AND d.tenant = $?", filter.tenant.as_ref().map(TenantName::as_str));
    select.with_some("AND d.webhook_id = $?", filter.webhook_id.map(WebhookId::uuid));
    if let Some(status) = filter.status {
        select.push(&format!("AND d.status = '{}'", status.as_str()));
    }
    select.with_some("AND d.event_type = $?", filter.event_type.as_deref());
    select.with_some("AND d.received_at >= $?", filter.from.map(|instant| instant.0));
    select.with_some("AND d.received_at < $?", filter.to.map(|instant| instant.0));
}
