//! Listing schedules.

use domain::access::TenantScope;
use domain::names::{TenantName, WorkflowName};
use store::schedules::{ScheduleFilter, ScheduleRecord};
use store::{Page, PageRequest, StoreResult};

use super::rows::{LISTED, record_of};
use crate::pool::Pool;
use crate::select::Select;

/// Schedules, newest first.
pub(super) async fn list(
    pool: &Pool,
    scope: &TenantScope,
    filter: &ScheduleFilter,
    page: PageRequest,
) -> StoreResult<Page<ScheduleRecord>> {
    let mut select = Select::new("list_schedules", LISTED);
    select.with_some("AND s.tenant = $?", scope.tenant().map(TenantName::as_str));
    select.with_some("AND s.tenant = $?", filter.tenant.as_ref().map(TenantName::as_str));
    select.with_some("AND s.workflow = $?", filter.workflow.as_ref().map(WorkflowName::as_str));
    select.with_some("AND s.is_paused = $?", filter.is_paused.map(i16::from));
    select.with_some("AND s.id < $?", page.after);
    select.with("ORDER BY s.id DESC LIMIT $?", i64::from(page.limit) + 1);
    let records: StoreResult<Vec<_>> =
        select.all(pool.delayed_lists()).await?.iter().map(record_of).collect();
    Ok(Page::cut(records?, page.limit, |record| record.id.uuid()))
}
