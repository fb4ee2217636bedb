//! Looking at executions: one, and lists.

use domain::access::TenantScope;
use domain::id::ExecutionId;
use domain::names::{CallerKey, Tag, TenantName, WorkflowName};
use domain::queue::Tier;
use domain::workflow::execution::ExecutionStatus;
use store::executions::{ExecutionFilter, ExecutionRecord};
use store::{Page, PageRequest, StoreResult};
use uuid::Uuid;

use crate::bind;
use crate::lists::{floor, paged};
use crate::pool::Pool;
use crate::rows::Row;
use crate::select::Select;
use crate::sql::Sql;

use super::rows::{record_of, select_short};

const HAS_TAG: &str = "AND {postgres:e.tags::jsonb @> to_jsonb($?)}\
     {sqlite:EXISTS (SELECT 1 FROM json_each(e.tags) t WHERE t.value = $?)}";

static ENDED: Sql = Sql::new(
    "ended_executions",
    "SELECT id FROM execution WHERE id {any $1 uuid} AND completed_at IS NOT NULL",
);

/// An execution.
pub(super) async fn one(
    pool: &Pool,
    scope: &TenantScope,
    id: ExecutionId,
) -> StoreResult<Option<ExecutionRecord>> {
    let mut select = Select::new("execution", "SELECT e.* FROM execution e WHERE true");
    select.with("AND e.id = $?", id.uuid());
    select.with_some("AND e.tenant = $?", scope.tenant().map(TenantName::as_str));
    let row = select.first(pool.read()).await?;
    row.map(|row| record_of(Row::new("execution", &row))).transpose()
}

/// Executions, newest first, without inputs and outputs.
pub(super) async fn list(
    pool: &Pool,
    scope: &TenantScope,
    filter: &ExecutionFilter,
    page: PageRequest,
) -> StoreResult<Page<ExecutionRecord>> {
    let floor = if has_index(scope, filter) {
        None
    } else {
        let mut ids = Select::new("list_executions_window", "SELECT e.id FROM execution e WHERE true");
        of_tenant(&mut ids, scope, filter);
        floor(pool.delayed_lists(), ids, "e.id", page).await?
    };
    let rows = selected(scope, filter, page, floor).all(pool.delayed_lists()).await?;
    let records: StoreResult<Vec<_>> = rows.iter().map(|row| record_of(Row::new("execution", row))).collect();
    let mut page = Page::cut(records?, page.limit, |record| record.id.uuid());
    page.next = page.next.or(floor);
    Ok(page)
}

/// Whether each row that the index names matches: there is no other condition than a tenant, or a parent, whose children
/// are few.
fn has_index(scope: &TenantScope, filter: &ExecutionFilter) -> bool {
    let (tenant, is_of_parent) = (filter.tenant.clone(), filter.parent_id.is_some());
    let is_of_tenant = *filter == ExecutionFilter { tenant, ..ExecutionFilter::default() };
    is_of_parent || (is_of_tenant && (scope.tenant().is_none() || filter.tenant.is_none()))
}

// Index: execution_tenant, or the key.
fn of_tenant(select: &mut Select, scope: &TenantScope, filter: &ExecutionFilter) {
    select.with_some("AND e.tenant = $?", scope.tenant().map(TenantName::as_str));
    select.with_some("AND e.tenant = $?", filter.tenant.as_ref().map(TenantName::as_str));
}

fn selected(scope: &TenantScope, filter: &ExecutionFilter, page: PageRequest, floor: Option<Uuid>) -> Select {
    let mut select = select_short("list_executions");
    of_tenant(&mut select, scope, filter);
    select.with_some("AND e.workflow = $?", filter.workflow.as_ref().map(WorkflowName::as_str));
    select.with_some("AND e.version = $?", filter.version.map(i64::from));
    select.with_some("AND e.status = $?", filter.status.map(ExecutionStatus::as_str));
    select.with_some("AND e.tier = $?", filter.tier.map(Tier::code));
    select.with_some("AND e.correlation_id = $?", filter.correlation_id.as_deref());
    select.with_some("AND e.unique_key = $?", filter.unique_key.as_ref().map(CallerKey::as_str));
    select.with_some("AND e.parent_id = $?", filter.parent_id.map(domain::id::Id::uuid));
    select.with_some(HAS_TAG, filter.tag.as_ref().map(Tag::as_str));
    paged(&mut select, "e.id", page, floor);
    select
}

/// Which of these have ended.
pub(super) async fn ended(pool: &Pool, ids: &[ExecutionId]) -> StoreResult<Vec<ExecutionId>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let list = bind::uuids(pool.dialect(), ids.iter().map(|id| id.uuid()));
    let rows = ENDED.all(pool.read(), vec![list]).await?;
    rows.iter().map(|row| Row::new("execution", row).uuid("id").map(ExecutionId::from_uuid)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lists::testing::{assert_in_order_of, of_a_tenant};

    #[tokio::test]
    async fn i06_a_tenants_executions_are_listed_in_the_order_of_its_index() {
        let (scope, page) = of_a_tenant();
        let list = || selected(&scope, &ExecutionFilter::default(), page, None);
        assert_in_order_of("execution_tenant", list).await;
    }
}
