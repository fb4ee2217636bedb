//! Looking at deliveries: one, its body, and those with a status.

use domain::access::TenantScope;
use domain::id::DeliveryId;
use domain::names::TenantName;
use domain::webhook::DeliveryStatus;
use store::webhooks::DeliveryRecord;
use store::{Page, PageRequest, StoreResult};

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

/// Deliveries with a status, newest first.
pub(super) async fn with_status(
    pool: &Pool,
    status: DeliveryStatus,
    page: PageRequest,
) -> StoreResult<Page<DeliveryRecord>> {
    let ids = Select::new("deliveries_window", "SELECT d.id FROM webhook_delivery d WHERE true");
    let floor = floor(pool.lists(), ids, "d.id", page).await?;
    let mut select = Select::new("deliveries_with_status", "SELECT d.* FROM webhook_delivery d WHERE true");
    // Part of the text, so that the indexes on one status can be used.
    select.push(&format!("AND d.status = '{}'", stored_status(status)));
    match status {
        DeliveryStatus::Held => select.push("AND d.held_at IS NOT NULL"),
        DeliveryStatus::Accepted => select.push("AND d.held_at IS NULL"),
        _ => {}
    }
    paged(&mut select, "d.id", page, floor);
    let records: StoreResult<Vec<_>> = select.all(pool.lists()).await?.iter().map(delivery_of).collect();
    let mut page = Page::cut(records?, page.limit, |record| record.id.uuid());
    page.next = page.next.or(floor);
    Ok(page)
}
