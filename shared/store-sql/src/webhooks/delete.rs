//! Removing an endpoint with its secrets.

use domain::access::TenantScope;
use domain::id::WebhookId;
use domain::names::TenantName;
use store::StoreResult;

use crate::pool::{Pool, commit_change, rollback};
use crate::sql::Sql;

static DELETE: Sql =
    Sql::new("delete_webhook", "DELETE FROM webhook WHERE id = $1 AND ($2 IS NULL OR tenant = $2)");

// After the endpoint, which waits for a rotation under way: what that one stored is removed too.
static DELETE_SECRETS: Sql =
    Sql::new("delete_webhook_secrets", "DELETE FROM webhook_secret WHERE webhook_id = $1");

/// Removes an endpoint; answers whether it was there. Its deliveries and their guards go by age.
pub(super) async fn delete(pool: &Pool, scope: &TenantScope, id: WebhookId) -> StoreResult<bool> {
    let tenant = scope.tenant().map(TenantName::as_str);
    let transaction = pool.begin().await?;
    if DELETE.run(&transaction, vec![id.uuid().into(), tenant.into()]).await? == 0 {
        rollback(transaction).await;
        return Ok(false);
    }
    DELETE_SECRETS.run(&transaction, vec![id.uuid().into()]).await?;
    commit_change(transaction).await?;
    Ok(true)
}
