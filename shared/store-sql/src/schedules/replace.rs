//! Editing a schedule: the next version of it, if nobody else made one.

use domain::access::TenantScope;
use domain::names::TenantName;
use sea_orm::Value;
use store::StoreResult;
use store::schedules::{ScheduleRecord, ScheduleSaved};

use crate::errors::is_unique_violation;
use crate::pool::{Pool, commit_change, rollback};
use crate::select::Select;
use crate::sql::Sql;

use super::rows::given;

// Tenant and creation stay. The cursor does not go back: a fire may have moved it since the schedule was read.
static REPLACE: Sql = Sql::new(
    "replace_schedule",
    "UPDATE schedule SET name = $3, workflow_owner = $4, workflow = $5, cron = $6, timezone = $7, input = $8, tier = $9,
       misfire = $10, catch_up_window_ms = $11, catch_up_max = $12, overlap = $13, jitter_ms = $14, start_at = $15,
       end_at = $16, is_paused = $17, every_ms = $18, anchor_at = $19, version = $2,
       cursor_at = CASE WHEN cursor_at > $20 THEN cursor_at ELSE $20 END, next_run_at = $21, tzdb_version = $22,
       updated_at = $23
     WHERE id = $1 AND version = $2 - 1 AND ($24 IS NULL OR tenant = $24)",
);

/// Replaces a schedule by its next version.
pub(super) async fn replace(
    pool: &Pool,
    scope: &TenantScope,
    schedule: &ScheduleRecord,
) -> StoreResult<ScheduleSaved> {
    let mut values: Vec<Value> = vec![schedule.id.uuid().into(), schedule.version.into()];
    values.extend(given(schedule));
    values.extend([
        schedule.cursor.0.into(),
        schedule.next_run_at.map(|instant| instant.0).into(),
        schedule.tzdb_version.as_str().into(),
        schedule.updated_at.0.into(),
        scope.tenant().map(TenantName::as_str).into(),
    ]);
    let transaction = pool.begin().await?;
    let replaced = REPLACE.run(&transaction, values).await;
    if matches!(replaced, Ok(1..)) {
        commit_change(transaction).await?;
        return Ok(ScheduleSaved::Saved);
    }
    rollback(transaction).await;
    match replaced {
        Ok(_) => refusal(pool, scope, schedule).await,
        Err(error) if is_unique_violation(&error) => Ok(ScheduleSaved::NameTaken),
        Err(error) => Err(error),
    }
}

/// Why no row was replaced.
async fn refusal(pool: &Pool, scope: &TenantScope, schedule: &ScheduleRecord) -> StoreResult<ScheduleSaved> {
    let mut select = Select::new("replaced_schedule", "SELECT id FROM schedule WHERE true");
    select.with("AND id = $?", schedule.id.uuid());
    select.with_some("AND tenant = $?", scope.tenant().map(TenantName::as_str));
    Ok(match select.first(pool.read()).await? {
        Some(_) => ScheduleSaved::Stale,
        None => ScheduleSaved::NotFound,
    })
}
