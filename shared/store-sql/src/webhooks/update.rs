//! Editing an endpoint: the next version of it, if nobody else made one.

use domain::access::TenantScope;
use domain::names::TenantName;
use sea_orm::Value;
use store::StoreResult;
use store::webhooks::{WebhookChange, WebhookRecord};

use super::one;
use super::rows::webhook_of;
use crate::errors::is_unique_violation;
use crate::pool::{Pool, commit_change, rollback};
use crate::sql::Sql;

// Tenant and creation stay.
static UPDATE: Sql = Sql::new(
    "update_webhook",
    "UPDATE webhook SET name = $3, config = $4, is_paused = $5, version = $2, updated_at = $6
     WHERE id = $1 AND version = $2 - 1 AND ($7 IS NULL OR tenant = $7)
     RETURNING *",
);

/// Replaces name, config and pause of an endpoint.
pub(super) async fn update(
    pool: &Pool,
    scope: &TenantScope,
    webhook: &WebhookRecord,
) -> StoreResult<WebhookChange> {
    let values: Vec<Value> = vec![
        webhook.id.uuid().into(),
        webhook.version.into(),
        webhook.name.as_str().into(),
        webhook.config.as_str().into(),
        i16::from(webhook.is_paused).into(),
        webhook.updated_at.0.into(),
        scope.tenant().map(TenantName::as_str).into(),
    ];
    let transaction = pool.begin().await?;
    let updated = UPDATE.first(&transaction, values).await;
    if let Ok(Some(row)) = &updated {
        let webhook = webhook_of(row)?;
        commit_change(transaction).await?;
        return Ok(WebhookChange::Done(webhook));
    }
    rollback(transaction).await;
    match updated {
        Ok(_) => Ok(match one::one(pool, scope, webhook.id).await? {
            Some(_) => WebhookChange::VersionConflict,
            None => WebhookChange::NotFound,
        }),
        Err(error) if is_unique_violation(&error) => Ok(WebhookChange::NameTaken),
        Err(error) => Err(error),
    }
}
