//! Removing a schedule with its history.

use domain::access::TenantScope;
use domain::id::ScheduleId;
use domain::names::TenantName;
use store::StoreResult;

use crate::pool::{Pool, commit_change, rollback};
use crate::sql::Sql;

static DELETE: Sql =
    Sql::new("delete_schedule", "DELETE FROM schedule WHERE id = $1 AND ($2 IS NULL OR tenant = $2)");

// After the schedule, which waits for a fire under way: what that one records is removed too.
static DELETE_RUNS: Sql = Sql::new("delete_schedule_runs", "DELETE FROM schedule_run WHERE schedule_id = $1");

/// Removes a schedule; answers whether it was there. Its executions stay.
pub(super) async fn delete(pool: &Pool, scope: &TenantScope, id: ScheduleId) -> StoreResult<bool> {
    let tenant = scope.tenant().map(TenantName::as_str);
    let transaction = pool.begin().await?;
    if DELETE.run(&transaction, vec![id.uuid().into(), tenant.into()]).await? == 0 {
        rollback(transaction).await;
        return Ok(false);
    }
    DELETE_RUNS.run(&transaction, vec![id.uuid().into()]).await?;
    commit_change(transaction).await?;
    Ok(true)
}
