//! Endpoints as they are stored: their rows, create, replace, remove, list, look at one.

use domain::access::TenantScope;
use domain::id::{DeliveryId, ExecutionId, JobId, SecretId, WebhookId};
use domain::names::{NodeId, TenantName};
use domain::webhook::DeliveryStatus;
use sea_orm::{QueryResult, Value};
use store::events::WaitingNode;
use store::webhooks::{DeliveryRecord, SealedSecret, WebhookChange, WebhookRecord, WokenNode};
use store::{Page, PageRequest, StoreResult};

use super::secrets;
use crate::errors::is_unique_violation;
use crate::pool::{Pool, commit_change, rollback};
use crate::rows::Row;
use crate::select::Select;
use crate::sql::Sql;

/// Reads a row with the columns of `webhook`.
pub(super) fn webhook_of(row: &QueryResult) -> StoreResult<WebhookRecord> {
    let row = Row::new("webhook", row);
    Ok(WebhookRecord {
        id: WebhookId::from_uuid(row.uuid("id")?),
        tenant: row.name("tenant", TenantName::trusted)?,
        name: row.text("name")?,
        config: row.text("config")?,
        is_paused: row.long("is_paused")? != 0,
        version: row.long("version")?,
        created_at: row.instant("created_at")?,
        updated_at: row.instant("updated_at")?,
    })
}

/// What stands for a status in the row. One that is held is an accepted one of which `held_at` says so.
pub(super) const fn stored_status(status: DeliveryStatus) -> &'static str {
    match status {
        DeliveryStatus::Held => DeliveryStatus::Accepted.as_str(),
        status => status.as_str(),
    }
}

/// Reads a row with the columns of `webhook_delivery`.
pub(crate) fn delivery_of(row: &QueryResult) -> StoreResult<DeliveryRecord> {
    let row = Row::new("webhook_delivery", row);
    let executions: Option<Vec<ExecutionId>> = row.json_or_null("executions")?;
    let status = match row.parsed("status", DeliveryStatus::parse)? {
        DeliveryStatus::Accepted if row.instant_or_null("held_at")?.is_some() => DeliveryStatus::Held,
        status => status,
    };
    Ok(DeliveryRecord {
        id: DeliveryId::from_uuid(row.uuid("id")?),
        webhook_id: WebhookId::from_uuid(row.uuid("webhook_id")?),
        tenant: row.name("tenant", TenantName::trusted)?,
        status,
        reason: row.text_or_null("reason")?,
        event_type: row.text_or_null("event_type")?,
        provider_event_id: row.text_or_null("provider_event_id")?,
        secret_id: row.uuid_or_null("secret_id")?.map(SecretId::from_uuid),
        job_id: row.uuid_or_null("job_id")?.map(JobId::from_uuid),
        duplicate_of: row.uuid_or_null("duplicate_of")?.map(DeliveryId::from_uuid),
        replay_of: row.uuid_or_null("replay_of")?.map(DeliveryId::from_uuid),
        remote_address: row.text_or_null("remote_address")?,
        method: row.text("method")?,
        target: row.text("target")?,
        headers: row.text("headers")?,
        body_bytes: u64::from(row.count("body_bytes")?),
        traceparent: row.text_or_null("traceparent")?,
        received_at: row.instant("received_at")?,
        processed_at: row.instant_or_null("processed_at")?,
        outcome: row.text_or_null("outcome")?,
        executions: executions.unwrap_or_default(),
        woke: woke_of(row)?,
        payload_dropped_at: row.instant_or_null("payload_dropped_at")?,
    })
}

/// A node that a delivery woke, as it is stored.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredNode {
    execution_id: ExecutionId,
    node_id: NodeId,
}

/// Nodes as they are stored: the elements of a JSON list, with commas between them.
pub(crate) fn woke_text<'a>(nodes: impl Iterator<Item = &'a WaitingNode>) -> String {
    let elements = nodes.map(|node| {
        let stored = StoredNode { execution_id: node.execution_id, node_id: node.node_id.clone() };
        serde_json::to_string(&stored).expect("ids are strings")
    });
    elements.collect::<Vec<String>>().join(",")
}

fn woke_of(row: Row<'_>) -> StoreResult<Vec<WokenNode>> {
    let Some(text) = row.text_or_null("woke")? else {
        return Ok(Vec::new());
    };
    let nodes: Vec<StoredNode> =
        serde_json::from_str(&format!("[{text}]")).map_err(|_error| row.fault("woke"))?;
    let woken = |node: StoredNode| WokenNode { execution_id: node.execution_id, node_id: node.node_id };
    Ok(nodes.into_iter().map(woken).collect())
}

// Storing a new endpoint.

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

// Editing an endpoint: the next version of it, if nobody else made one.

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
        Ok(_) => Ok(match endpoint(pool, scope, webhook.id).await? {
            Some(_) => WebhookChange::VersionConflict,
            None => WebhookChange::NotFound,
        }),
        Err(error) if is_unique_violation(&error) => Ok(WebhookChange::NameTaken),
        Err(error) => Err(error),
    }
}

// Removing an endpoint with its secrets.

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

// Listing endpoints.

/// How many bytes of configurations one page has, with the one that reaches beyond them.
const PAGE_BYTES_MAX: i64 = 16 << 20;

/// Endpoints, newest first. A page ends early where they are large.
pub(super) async fn list(
    pool: &Pool,
    scope: &TenantScope,
    tenant: Option<&TenantName>,
    page: PageRequest,
) -> StoreResult<Page<WebhookRecord>> {
    let mut select = Select::new(
        "list_webhooks",
        "SELECT p.* FROM (
           SELECT r.*, count(*) OVER () AS rows_of_page,
             sum(octet_length(r.config)) OVER (ORDER BY r.id DESC) - octet_length(r.config) AS bytes_before
           FROM (SELECT * FROM webhook WHERE true",
    );
    select.with_some("AND tenant = $?", scope.tenant().map(TenantName::as_str));
    select.with_some("AND tenant = $?", tenant.map(TenantName::as_str));
    select.with_some("AND id < $?", page.after);
    select.with("ORDER BY id DESC LIMIT $?) r) p", i64::from(page.limit) + 1);
    select.with("WHERE p.bytes_before < $? ORDER BY p.id DESC", PAGE_BYTES_MAX);
    let rows = select.all(pool.delayed_lists()).await?;
    let of_page = rows.first().map(|row| Row::new("webhook", row).long("rows_of_page")).transpose()?;
    let is_cut = of_page.is_some_and(|of_page| of_page > rows.len() as i64);
    let records: Vec<WebhookRecord> = rows.iter().map(webhook_of).collect::<StoreResult<_>>()?;
    let last = records.last().map(|record| record.id.uuid());
    let page = Page::cut(records, page.limit, |record| record.id.uuid());
    Ok(Page { next: page.next.or(last.filter(|_| is_cut)), ..page })
}

// Looking at one endpoint.

/// An endpoint.
pub(super) async fn endpoint(
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
    let Some(webhook) = endpoint(pool, scope, id).await? else {
        return Ok(None);
    };
    let secrets = secrets::of_webhook(pool.read(), id).await?;
    Ok(Some((webhook, secrets)))
}
