//! Looking at one endpoint.

use domain::access::TenantScope;
use domain::id::WebhookId;
use domain::names::TenantName;
use store::StoreResult;
use store::webhooks::{SealedSecret, WebhookRecord};

use super::rows::webhook_of;
use super::secrets;
use crate::pool::Pool;
use crate::select::Select;

/// An endpoint.
pub(super) async fn one(
    pool: &Pool,
    scope: &TenantScope,
    id: WebhookId,
) -> StoreResult<Option<WebhookRecord>> {
    let mut select = Select::new("webhook", "SELECT * FROM webhook WHERE true");
    select.with("AND id = $?", id.uuid());
    select.with_some("AND tenant = $?", scope.tenant().map(TenantName::as_str));
    select.first(pool.read()).await?.as_ref().map(webhook_of).transpose()
}

/// An endpoint with its secrets. Where it is deleted between the two reads, it has none, and nothing verifies.
pub(super) async fn with_secrets(
    pool: &Pool,
    scope: &TenantScope,
    id: WebhookId,
) -> StoreResult<Option<(WebhookRecord, Vec<SealedSecret>)>> {
    let Some(webhook) = one(pool, scope, id).await? else {
        return Ok(None);
    };
    let secrets = secrets::of_webhook(pool.read(), id).await?;
    Ok(Some((webhook, secrets)))
}
