//! Declarations. Those of a tenant change one after the other, so that a name has one type in it.

use domain::access::TenantScope;
use domain::attribute::{
    AttributeId, AttributePath, AttributeScope, AttributeType, DECLARATIONS_PER_TENANT_MAX, Declared,
    PER_SCOPE_MAX, PER_TENANT_MAX, TenantAttributes,
};
use domain::names::{AttributeName, TenantName};
use domain::time::Timestamp;
use sea_orm::{ConnectionTrait, Value};
use store::StoreResult;
use store::attributes::{AttributeChange, DeclareAnswer};
use store::audit::AuditRecord;

use crate::audit;
use crate::bind;
use crate::dialect::Dialect;
use crate::pool::{Pool, commit, rollback};
use crate::rows::Row;
use crate::select::Select;
use crate::sql::{DatabaseTransaction, Sql};

static LIST: Sql = Sql::new(
    "declared_attributes",
    "SELECT tenant, scope, owner, name, kind, path, since FROM attribute_declaration
     ORDER BY tenant, scope, owner, name LIMIT $1",
);

static LOCK: Sql = Sql::new(
    "lock_attribute_tenant",
    "INSERT INTO attribute_tenant (tenant, changed_at) VALUES ($1, $2)
     ON CONFLICT (tenant) DO UPDATE SET changed_at = excluded.changed_at",
);

static REMOVE: Sql = Sql::new(
    "remove_attribute",
    "DELETE FROM attribute_declaration WHERE tenant = $1 AND scope = $2 AND owner = $3 AND name = $4",
);

// What is declared again as it was keeps its beginning.
static DECLARE: Sql = Sql::new(
    "declare_attribute",
    "INSERT INTO attribute_declaration (tenant, scope, owner, name, id, kind, path, since)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
     ON CONFLICT (tenant, scope, owner, name) DO UPDATE SET
       since = CASE WHEN attribute_declaration.kind = excluded.kind
                     AND COALESCE(attribute_declaration.path, '') = COALESCE(excluded.path, '')
                    THEN attribute_declaration.since ELSE excluded.since END,
       id = excluded.id, kind = excluded.kind, path = excluded.path",
);

static CONFLICT: Sql = Sql::new(
    "attribute_conflict",
    "SELECT other.name, other.kind FROM attribute_declaration own
     JOIN attribute_declaration other ON other.tenant = own.tenant AND other.name = own.name AND other.kind <> own.kind
     WHERE own.tenant = $1 AND own.scope = $2 AND own.owner = $3 ORDER BY other.name LIMIT 1",
);

static COUNT: Sql = Sql::new(
    "count_attributes",
    "SELECT (SELECT count(*) FROM attribute_declaration WHERE tenant = $1 AND scope = $2 AND owner = $3) AS of_scope,
            (SELECT count(DISTINCT name) FROM attribute_declaration WHERE tenant = $1) AS of_tenant,
            (SELECT count(*) FROM attribute_declaration WHERE tenant = $1) AS of_scopes",
);

/// `AttributeStore::declared_attributes`.
pub(super) async fn list(pool: &Pool, limit: u32) -> StoreResult<Vec<TenantAttributes>> {
    let rows = LIST.all(pool.read(), vec![i64::from(limit).into()]).await?;
    let mut tenants: Vec<TenantAttributes> = Vec::new();
    for row in &rows {
        let row = Row::new("attribute_declaration", row);
        let tenant = row.name("tenant", TenantName::trusted)?;
        let declared = declared(row)?;
        match tenants.last_mut() {
            Some(last) if last.tenant == tenant => last.declared.push(declared),
            _ => tenants.push(TenantAttributes { tenant, declared: vec![declared] }),
        }
    }
    Ok(tenants)
}

fn declared(row: Row<'_>) -> StoreResult<Declared> {
    let scope = AttributeScope::of_stored(&row.text("scope")?, &row.text("owner")?);
    let path = row.text_or_null("path")?.map(|path| AttributePath::parse(&path)).transpose();
    Ok(Declared {
        scope: scope.ok_or_else(|| row.fault("scope"))?,
        name: row.name("name", AttributeName::trusted)?,
        kind: AttributeType::parse(&row.text("kind")?).ok_or_else(|| row.fault("kind"))?,
        path: path.map_err(|_| row.fault("path"))?,
        since: row.instant("since")?,
    })
}

/// `AttributeStore::declare_attributes`.
pub(super) async fn declare(
    pool: &Pool,
    tenant: &TenantName,
    scope: &AttributeScope,
    changes: &[AttributeChange],
    now: Timestamp,
    lines: &[AuditRecord],
) -> StoreResult<DeclareAnswer> {
    let transaction = pool.begin().await?;
    LOCK.run(&transaction, vec![tenant.as_str().into(), now.0.into()]).await?;
    for change in changes {
        apply(&transaction, tenant, scope, change, now).await?;
    }
    let adds = changes.iter().any(|change| change.declared.is_some());
    let answer = judge(&transaction, tenant, scope, adds).await?;
    if answer != DeclareAnswer::Done {
        rollback(transaction).await;
        return Ok(answer);
    }
    audit::append(&transaction, pool.dialect(), lines).await?;
    commit(transaction).await?;
    Ok(answer)
}

fn of_scope(tenant: &TenantName, scope: &AttributeScope) -> Vec<Value> {
    vec![tenant.as_str().into(), scope.kind().into(), scope.owner().into()]
}

async fn apply(
    on: &DatabaseTransaction,
    tenant: &TenantName,
    scope: &AttributeScope,
    change: &AttributeChange,
    now: Timestamp,
) -> StoreResult<()> {
    let mut values = of_scope(tenant, scope);
    values.push(change.name.as_str().into());
    let Some((kind, path)) = &change.declared else {
        return REMOVE.run(on, values).await.map(|_| ());
    };
    values.extend([
        AttributeId::of(tenant, &change.name, *kind).0.into(),
        kind.as_str().into(),
        path.as_ref().map(ToString::to_string).into(),
        now.0.into(),
    ]);
    DECLARE.run(on, values).await.map(|_| ())
}

/// Whether what is there now may be. Where nothing was added, too many scopes are no reason: they were there before.
async fn judge(
    on: &DatabaseTransaction,
    tenant: &TenantName,
    scope: &AttributeScope,
    adds: bool,
) -> StoreResult<DeclareAnswer> {
    if let Some(row) = CONFLICT.first(on, of_scope(tenant, scope)).await? {
        let row = Row::new("attribute_declaration", &row);
        let kind = AttributeType::parse(&row.text("kind")?).ok_or_else(|| row.fault("kind"))?;
        return Ok(DeclareAnswer::TypeConflict { name: row.name("name", AttributeName::trusted)?, kind });
    }
    let Some(row) = COUNT.first(on, of_scope(tenant, scope)).await? else {
        return Ok(DeclareAnswer::Done);
    };
    let row = Row::new("attribute_declaration", &row);
    let is_full = |column, max: usize| row.long(column).map(|count| count > max as i64);
    Ok(match (is_full("of_scope", PER_SCOPE_MAX)?, is_full("of_tenant", PER_TENANT_MAX)?) {
        (true, _) => DeclareAnswer::ScopeFull,
        (_, true) => DeclareAnswer::TenantFull,
        _ if adds && is_full("of_scopes", DECLARATIONS_PER_TENANT_MAX)? => DeclareAnswer::ScopesFull,
        _ => DeclareAnswer::Done,
    })
}

/// The ids of attributes with one of these names.
pub(crate) async fn ids<C: ConnectionTrait>(
    on: &C,
    scope: &TenantScope,
    names: &[&str],
) -> StoreResult<Vec<AttributeId>> {
    let dialect = Dialect::of(on.get_database_backend());
    let mut select = Select::new("attribute_ids", "SELECT DISTINCT id FROM attribute_declaration WHERE true");
    select.with_some("AND tenant = $?", scope.tenant().map(TenantName::as_str));
    select.with("AND name {any $? text}", bind::texts(dialect, names.iter().copied()));
    select.push("ORDER BY id");
    let rows = select.all(on).await?;
    rows.iter().map(|row| Row::new("attribute_declaration", row).long("id").map(AttributeId)).collect()
}
