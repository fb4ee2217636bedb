//! Reading and changing `event_trigger`.

use domain::access::TenantScope;
use domain::id::TriggerId;
use domain::names::{TenantName, TriggerName};
use sea_orm::QueryResult;
use store::audit::AuditRecord;
use store::events::{TriggerChange, TriggerRecord};
use store::{Page, PageRequest, StoreResult};

use crate::audit;
use crate::errors::is_unique_violation;
use crate::pool::{Pool, commit, rollback};
use crate::rows::Row;
use crate::select::Select;
use crate::sql::Sql;

// Two that are stored at once may pass the bound by as many as they are; it is there to keep the work small.
static COUNT: Sql =
    Sql::new("count_triggers", "SELECT count(*) AS number FROM event_trigger WHERE tenant = $1");

static INSERT: Sql = Sql::new(
    "create_trigger",
    "INSERT INTO event_trigger (id, tenant, name, config, is_paused, version, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
     ON CONFLICT DO NOTHING",
);

static EXISTS: Sql = Sql::new("created_trigger", "SELECT * FROM event_trigger WHERE id = $1 AND tenant = $2");

// Tenant and creation stay.
static UPDATE: Sql = Sql::new(
    "update_trigger",
    "UPDATE event_trigger SET name = $3, config = $4, is_paused = $5, version = $2, updated_at = $6
     WHERE id = $1 AND version = $2 - 1 AND ($7 IS NULL OR tenant = $7)
     RETURNING *",
);

static DELETE: Sql =
    Sql::new("delete_trigger", "DELETE FROM event_trigger WHERE id = $1 AND ($2 IS NULL OR tenant = $2)");

// Index: event_trigger_tenant.
static OF_TENANT: Sql = Sql::new(
    "triggers_of_tenant",
    "SELECT * FROM event_trigger WHERE tenant = $1 AND is_paused = 0 ORDER BY id LIMIT $2",
);

fn trigger_of(row: &QueryResult) -> StoreResult<TriggerRecord> {
    let row = Row::new("event_trigger", row);
    Ok(TriggerRecord {
        id: TriggerId::from_uuid(row.uuid("id")?),
        tenant: row.name("tenant", TenantName::trusted)?,
        name: row.name("name", TriggerName::trusted)?,
        config: row.text("config")?,
        is_paused: row.long("is_paused")? != 0,
        version: row.long("version")?,
        created_at: row.instant("created_at")?,
        updated_at: row.instant("updated_at")?,
    })
}

/// Stores a trigger, unless its id or its name is there. May be repeated.
pub(super) async fn create(
    pool: &Pool,
    trigger: &TriggerRecord,
    triggers_max: u32,
    lines: &[AuditRecord],
) -> StoreResult<TriggerChange> {
    let transaction = pool.begin().await?;
    let same = vec![trigger.id.uuid().into(), trigger.tenant.as_str().into()];
    if let Some(row) = EXISTS.first(&transaction, same).await? {
        rollback(transaction).await;
        return trigger_of(&row).map(TriggerChange::Done);
    }
    let counted = COUNT.first(&transaction, vec![trigger.tenant.as_str().into()]).await?;
    let number = counted.map_or(Ok(0), |row| Row::new("event_trigger", &row).long("number"))?;
    if number >= i64::from(triggers_max) {
        rollback(transaction).await;
        return Ok(TriggerChange::Full);
    }
    let values = vec![
        trigger.id.uuid().into(),
        trigger.tenant.as_str().into(),
        trigger.name.as_str().into(),
        trigger.config.as_str().into(),
        i16::from(trigger.is_paused).into(),
        trigger.version.into(),
        trigger.created_at.0.into(),
        trigger.updated_at.0.into(),
    ];
    if INSERT.run(&transaction, values).await? == 0 {
        rollback(transaction).await;
        return Ok(TriggerChange::NameTaken);
    }
    audit::append(&transaction, pool.dialect(), lines).await?;
    commit(transaction).await?;
    Ok(TriggerChange::Done(trigger.clone()))
}

/// Replaces name, config and pause of a trigger.
pub(super) async fn update(
    pool: &Pool,
    scope: &TenantScope,
    trigger: &TriggerRecord,
    lines: &[AuditRecord],
) -> StoreResult<TriggerChange> {
    let values = vec![
        trigger.id.uuid().into(),
        trigger.version.into(),
        trigger.name.as_str().into(),
        trigger.config.as_str().into(),
        i16::from(trigger.is_paused).into(),
        trigger.updated_at.0.into(),
        scope.tenant().map(TenantName::as_str).into(),
    ];
    let transaction = pool.begin().await?;
    let updated = UPDATE.first(&transaction, values).await;
    match updated {
        Ok(Some(row)) => {
            audit::append(&transaction, pool.dialect(), lines).await?;
            commit(transaction).await?;
            trigger_of(&row).map(TriggerChange::Done)
        }
        Ok(None) => {
            rollback(transaction).await;
            let found = one(pool, scope, trigger.id).await?;
            Ok(found.map_or(TriggerChange::NotFound, |_| TriggerChange::VersionConflict))
        }
        Err(error) => {
            rollback(transaction).await;
            if is_unique_violation(&error) { Ok(TriggerChange::NameTaken) } else { Err(error) }
        }
    }
}

/// Removes a trigger; answers whether it was there.
pub(super) async fn delete(
    pool: &Pool,
    scope: &TenantScope,
    id: TriggerId,
    lines: &[AuditRecord],
) -> StoreResult<bool> {
    let tenant = scope.tenant().map(TenantName::as_str);
    let transaction = pool.begin().await?;
    let is_gone = DELETE.run(&transaction, vec![id.uuid().into(), tenant.into()]).await? > 0;
    if is_gone {
        audit::append(&transaction, pool.dialect(), lines).await?;
    }
    commit(transaction).await?;
    Ok(is_gone)
}

/// A trigger.
pub(super) async fn one(
    pool: &Pool,
    scope: &TenantScope,
    id: TriggerId,
) -> StoreResult<Option<TriggerRecord>> {
    let mut select = Select::new("trigger", "SELECT * FROM event_trigger WHERE true");
    select.with("AND id = $?", id.uuid());
    select.with_some("AND tenant = $?", scope.tenant().map(TenantName::as_str));
    select.first(pool.read()).await?.as_ref().map(trigger_of).transpose()
}

/// Triggers, newest first.
pub(super) async fn list(
    pool: &Pool,
    scope: &TenantScope,
    tenant: Option<&TenantName>,
    page: PageRequest,
) -> StoreResult<Page<TriggerRecord>> {
    let mut select = Select::new("list_triggers", "SELECT * FROM event_trigger WHERE true");
    select.with_some("AND tenant = $?", scope.tenant().map(TenantName::as_str));
    select.with_some("AND tenant = $?", tenant.map(TenantName::as_str));
    select.with_some("AND id < $?", page.after);
    select.with("ORDER BY id DESC LIMIT $?", i64::from(page.limit) + 1);
    let records: StoreResult<Vec<_>> = select.all(pool.lists()).await?.iter().map(trigger_of).collect();
    Ok(Page::cut(records?, page.limit, |record| record.id.uuid()))
}

/// Those of a tenant that are not paused.
pub(super) async fn of_tenant(
    pool: &Pool,
    tenant: &TenantName,
    limit: u32,
) -> StoreResult<Vec<TriggerRecord>> {
    let rows = OF_TENANT.all(pool.read(), vec![tenant.as_str().into(), i64::from(limit).into()]).await?;
    rows.iter().map(trigger_of).collect()
}
