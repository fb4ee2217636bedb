//! Listing endpoints.

use domain::access::TenantScope;
use domain::names::TenantName;
use store::webhooks::WebhookRecord;
use store::{Page, PageRequest, StoreResult};

use super::rows::webhook_of;
use crate::pool::Pool;
use crate::select::Select;

/// Endpoints, newest first.
pub(super) async fn list(
    pool: &Pool,
    scope: &TenantScope,
    tenant: Option<&TenantName>,
    page: PageRequest,
) -> StoreResult<Page<WebhookRecord>> {
    let mut select = Select::new("list_webhooks", "SELECT * FROM webhook WHERE true");
    select.with_some("AND tenant = $?", scope.tenant().map(TenantName::as_str));
    select.with_some("AND tenant = $?", tenant.map(TenantName::as_str));
    select.with_some("AND id < $?", page.after);
    select.with("ORDER BY id DESC LIMIT $?", i64::from(page.limit) + 1);
    let records: StoreResult<Vec<_>> =
        select.all(pool.delayed_lists()).await?.iter().map(webhook_of).collect();
    Ok(Page::cut(records?, page.limit, |record| record.id.uuid()))
}
