//! The history of a schedule.

use domain::access::TenantScope;
use domain::id::ScheduleId;
use domain::names::TenantName;
use domain::time::Timestamp;
use store::StoreResult;
use store::schedules::ScheduleRunRecord;

use super::rows::run_of;
use crate::pool::Pool;
use crate::select::Select;

/// Slots, latest nominal instant first. `None` if there is no such schedule in the scope.
pub(super) async fn runs(
    pool: &Pool,
    scope: &TenantScope,
    id: ScheduleId,
    before: Option<Timestamp>,
    limit: u32,
) -> StoreResult<Option<Vec<ScheduleRunRecord>>> {
    let mut schedule = Select::new("schedule_of_runs", "SELECT id FROM schedule WHERE true");
    schedule.with("AND id = $?", id.uuid());
    schedule.with_some("AND tenant = $?", scope.tenant().map(TenantName::as_str));
    if schedule.first(pool.delayed_lists()).await?.is_none() {
        return Ok(None);
    }
    let mut select = Select::new("schedule_runs", "SELECT * FROM schedule_run WHERE true");
    select.with("AND schedule_id = $?", id.uuid());
    select.with_some("AND nominal_at < $?", before.map(|instant| instant.0));
    select.with("ORDER BY nominal_at DESC LIMIT $?", i64::from(limit));
    let rows = select.all(pool.delayed_lists()).await?;
    rows.iter().map(run_of).collect::<StoreResult<_>>().map(Some)
}
