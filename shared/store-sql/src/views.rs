//! Saved views: their table and the port's operations on them.

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::id::{Id, ViewId};
use domain::names::TenantName;
use domain::view::ViewSpec;
use sea_orm::QueryResult;
use store::audit::AuditRecord;
use store::views::{ViewRecord, ViewStore};
use store::{Page, PageRequest, StoreResult};

use crate::pool::{Pool, commit, rollback};
use crate::retry::{RetryBudget, with_retry};
use crate::rows::Row;
use crate::select::Select;
use crate::sql::Sql;
use crate::{SqlStore, audit};

// The table of views.

// Index: saved_view_owner. Two that store at once may pass the bound by one.
static COUNT: Sql = Sql::new(
    "count_views",
    "SELECT count(*) AS number FROM saved_view WHERE tenant = $1 AND owner = $2 AND id <> $3",
);

static ADD: Sql = Sql::new(
    "add_view",
    "INSERT INTO saved_view (id, tenant, owner, list, is_shared, spec, created_at, changed_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING",
);

static CHANGE: Sql = Sql::new(
    "change_view",
    "UPDATE saved_view SET list = $3, is_shared = $4, spec = $5, changed_at = $6 WHERE id = $1 AND tenant = $2",
);

static DELETE: Sql = Sql::new("delete_view", "DELETE FROM saved_view WHERE id = $1 AND tenant = $2");

/// The scope of views whose owners are bound to no tenant.
const UNBOUND: &str = "";

// Indexes: saved_view_owner and saved_view_shared, or the key.
fn visible(name: &'static str, scope: &TenantScope, owner: &str) -> Select {
    let mut select = Select::new(name, "SELECT * FROM saved_view WHERE true");
    select.with("AND tenant = $?", tenant_of(scope));
    select.with("AND (owner = $? OR is_shared = 1)", owner);
    select
}

/// `ViewStore::list_views`.
async fn list(
    pool: &Pool,
    scope: &TenantScope,
    owner: &str,
    list: Option<&str>,
    page: PageRequest,
) -> StoreResult<Page<ViewRecord>> {
    let mut select = visible("list_views", scope, owner);
    select.with_some("AND list = $?", list);
    select.with_some("AND id < $?", page.after);
    select.with("ORDER BY id DESC LIMIT $?", i64::from(page.limit) + 1);
    let views: StoreResult<Vec<ViewRecord>> = select.all(pool.lists()).await?.iter().map(view_of).collect();
    Ok(Page::cut(views?, page.limit, |view| Id::uuid(view.id)))
}

/// `ViewStore::view`.
async fn one(pool: &Pool, scope: &TenantScope, owner: &str, id: ViewId) -> StoreResult<Option<ViewRecord>> {
    let mut select = visible("view", scope, owner);
    select.with("AND id = $?", id.uuid());
    select.first(pool.read()).await?.as_ref().map(view_of).transpose()
}

/// `ViewStore::add_view`.
async fn add(
    pool: &Pool,
    scope: &TenantScope,
    view: &ViewRecord,
    views_max: u32,
    lines: &[AuditRecord],
) -> StoreResult<bool> {
    let transaction = pool.begin().await?;
    let owned = vec![tenant_of(scope).into(), view.owner.as_str().into(), view.id.uuid().into()];
    let counted = COUNT.first(&transaction, owned).await?;
    let number = counted.map_or(Ok(0), |row| Row::new("saved_view", &row).long("number"))?;
    if number >= i64::from(views_max) {
        rollback(transaction).await;
        return Ok(false);
    }
    let values = vec![
        view.id.uuid().into(),
        tenant_of(scope).into(),
        view.owner.as_str().into(),
        view.spec.list.as_str().into(),
        i16::from(view.spec.is_shared).into(),
        spec_text(&view.spec).into(),
        view.created_at.0.into(),
        view.changed_at.0.into(),
    ];
    if ADD.run(&transaction, values).await? > 0 {
        audit::append(&transaction, pool.dialect(), lines).await?;
    }
    commit(transaction).await?;
    Ok(true)
}

/// `ViewStore::change_view`.
async fn change(
    pool: &Pool,
    scope: &TenantScope,
    view: &ViewRecord,
    lines: &[AuditRecord],
) -> StoreResult<bool> {
    let transaction = pool.begin().await?;
    let values = vec![
        view.id.uuid().into(),
        tenant_of(scope).into(),
        view.spec.list.as_str().into(),
        i16::from(view.spec.is_shared).into(),
        spec_text(&view.spec).into(),
        view.changed_at.0.into(),
    ];
    let is_there = CHANGE.run(&transaction, values).await? > 0;
    if is_there {
        audit::append(&transaction, pool.dialect(), lines).await?;
    }
    commit(transaction).await?;
    Ok(is_there)
}

/// `ViewStore::delete_view`.
async fn delete(pool: &Pool, scope: &TenantScope, id: ViewId, lines: &[AuditRecord]) -> StoreResult<bool> {
    let transaction = pool.begin().await?;
    let is_gone = DELETE.run(&transaction, vec![id.uuid().into(), tenant_of(scope).into()]).await? > 0;
    if is_gone {
        audit::append(&transaction, pool.dialect(), lines).await?;
    }
    commit(transaction).await?;
    Ok(is_gone)
}

fn view_of(row: &QueryResult) -> StoreResult<ViewRecord> {
    let row = Row::new("saved_view", row);
    let spec: Option<ViewSpec> = row.json_or_null("spec")?;
    Ok(ViewRecord {
        id: ViewId::from_uuid(row.uuid("id")?),
        owner: row.text("owner")?,
        spec: spec.ok_or_else(|| row.fault("spec"))?,
        created_at: row.instant("created_at")?,
        changed_at: row.instant("changed_at")?,
    })
}

fn spec_text(spec: &ViewSpec) -> String {
    serde_json::to_string(spec).expect("texts encode")
}

fn tenant_of(scope: &TenantScope) -> &str {
    scope.tenant().map_or(UNBOUND, TenantName::as_str)
}

// The port's operations on views, each retried where that is safe.

#[async_trait]
impl ViewStore for SqlStore {
    async fn list_views(
        &self,
        scope: &TenantScope,
        owner: &str,
        list: Option<&str>,
        page: PageRequest,
    ) -> StoreResult<Page<ViewRecord>> {
        with_retry(RetryBudget::repeatable(), || self::list(self.pool(), scope, owner, list, page)).await
    }

    async fn view(&self, scope: &TenantScope, owner: &str, id: ViewId) -> StoreResult<Option<ViewRecord>> {
        with_retry(RetryBudget::repeatable(), || one(self.pool(), scope, owner, id)).await
    }

    async fn add_view(
        &self,
        scope: &TenantScope,
        view: &ViewRecord,
        views_max: u32,
        audit: &[AuditRecord],
    ) -> StoreResult<bool> {
        with_retry(RetryBudget::repeatable(), || add(self.pool(), scope, view, views_max, audit)).await
    }

    async fn change_view(
        &self,
        scope: &TenantScope,
        view: &ViewRecord,
        audit: &[AuditRecord],
    ) -> StoreResult<bool> {
        with_retry(RetryBudget::repeatable(), || change(self.pool(), scope, view, audit)).await
    }

    async fn delete_view(&self, scope: &TenantScope, id: ViewId, audit: &[AuditRecord]) -> StoreResult<bool> {
        with_retry(RetryBudget::once(), || delete(self.pool(), scope, id, audit)).await
    }
}
