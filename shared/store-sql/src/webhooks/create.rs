//! Storing a new endpoint.

use sea_orm::Value;
use store::StoreResult;
use store::webhooks::{SealedSecret, WebhookChange, WebhookRecord};

use super::rows::webhook_of;
use super::secrets;
use crate::pool::{Pool, commit_change, rollback};
use crate::sql::Sql;

static INSERT: Sql = Sql::new(
    "create_webhook",
    "INSERT INTO webhook (id, tenant, name, config, is_paused, version, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
     ON CONFLICT DO NOTHING",
);

static EXISTS: Sql = Sql::new("created_webhook", "SELECT * FROM webhook WHERE id = $1 AND tenant = $2");

/// Stores an endpoint with its secrets, unless its id or its name is there.
pub(super) async fn create(
    pool: &Pool,
    webhook: &WebhookRecord,
    secrets: &[SealedSecret],
) -> StoreResult<WebhookChange> {
    let values: Vec<Value> = vec![
        webhook.id.uuid().into(),
        webhook.tenant.as_str().into(),
        webhook.name.as_str().into(),
        webhook.config.as_str().into(),
        i16::from(webhook.is_paused).into(),
        webhook.version.into(),
        webhook.created_at.0.into(),
        webhook.updated_at.0.into(),
    ];
    let transaction = pool.begin().await?;
    if INSERT.run(&transaction, values).await? > 0 {
        secrets::insert(&transaction, webhook.id, secrets).await?;
        commit_change(transaction).await?;
        return Ok(WebhookChange::Done(webhook.clone()));
    }
    let same = vec![webhook.id.uuid().into(), webhook.tenant.as_str().into()];
    let same = EXISTS.first(&transaction, same).await;
    rollback(transaction).await;
    same?.as_ref().map_or(Ok(WebhookChange::NameTaken), |row| webhook_of(row).map(WebhookChange::Done))
}
