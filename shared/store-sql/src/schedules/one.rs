//! Looking at one schedule.

use domain::access::TenantScope;
use domain::id::ScheduleId;
use domain::names::TenantName;
use store::StoreResult;
use store::schedules::DueSchedule;

use super::rows::{due_columns, due_of};
use crate::pool::Pool;
use crate::select::Select;

/// A schedule with what runs and waits of it.
pub(super) async fn one(
    pool: &Pool,
    scope: &TenantScope,
    id: ScheduleId,
) -> StoreResult<Option<DueSchedule>> {
    let mut select =
        Select::new("schedule", concat!("SELECT ", due_columns!(), " FROM schedule s WHERE true"));
    select.with("AND s.id = $?", id.uuid());
    select.with_some("AND s.tenant = $?", scope.tenant().map(TenantName::as_str));
    select.first(pool.read()).await?.as_ref().map(due_of).transpose()
}
