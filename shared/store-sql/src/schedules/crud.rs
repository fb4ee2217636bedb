//! Schedules as they are stored: create, replace, remove, look at one.
//!
//! Each change is a guarded transition of the schedule's version.

use domain::access::TenantScope;
use domain::id::ScheduleId;
use domain::names::TenantName;
use sea_orm::Value;
use store::StoreResult;
use store::schedules::{DueSchedule, ScheduleRecord, ScheduleSaved};

use super::rows::{add_open, due_of, given, record_of};
use crate::errors::is_unique_violation;
use crate::pool::{Pool, commit_change, rollback};
use crate::select::Select;
use crate::sql::Sql;

static INSERT: Sql = Sql::new(
    "create_schedule",
    "INSERT INTO schedule (id, tenant, name, workflow_owner, workflow, cron, timezone, input, tier, misfire,
       catch_up_window_ms, catch_up_max, overlap, jitter_ms, start_at, end_at, is_paused, every_ms,
       anchor_at, version, cursor_at, next_run_at, tzdb_version, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23,
       $24, $25)
     ON CONFLICT DO NOTHING",
);

static EXISTS: Sql = Sql::new("created_schedule", "SELECT id FROM schedule WHERE id = $1");

/// Stores a schedule, unless its id or its name is there.
pub(super) async fn create(pool: &Pool, schedule: &ScheduleRecord) -> StoreResult<ScheduleSaved> {
    let mut values: Vec<Value> = vec![schedule.id.uuid().into(), schedule.tenant.as_str().into()];
    values.extend(given(schedule));
    values.extend([
        schedule.version.into(),
        schedule.cursor.0.into(),
        schedule.next_run_at.map(|instant| instant.0).into(),
        schedule.tzdb_version.as_str().into(),
        schedule.created_at.0.into(),
        schedule.updated_at.0.into(),
    ]);
    let transaction = pool.begin().await?;
    if INSERT.run(&transaction, values).await? > 0 {
        commit_change(transaction).await?;
        return Ok(ScheduleSaved::Saved);
    }
    let same = EXISTS.first(&transaction, vec![schedule.id.uuid().into()]).await;
    rollback(transaction).await;
    Ok(match same? {
        Some(_) => ScheduleSaved::Saved,
        None => ScheduleSaved::NameTaken,
    })
}

// Editing a schedule: the next version of it, if nobody else made one.

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

// Removing a schedule with its history.

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

// Looking at one schedule.

/// A schedule with what runs and waits of it.
pub(super) async fn one(
    pool: &Pool,
    scope: &TenantScope,
    id: ScheduleId,
) -> StoreResult<Option<DueSchedule>> {
    let mut select = Select::new("schedule", "SELECT s.* FROM schedule s WHERE true");
    select.with("AND s.id = $?", id.uuid());
    select.with_some("AND s.tenant = $?", scope.tenant().map(TenantName::as_str));
    let mut found = select.first(pool.read()).await?.as_ref().map(due_of).transpose()?;
    add_open(pool, found.as_mut_slice()).await?;
    Ok(found)
}

// Finding schedules whose next instant was computed with other time zone data.

// Asked for when a process starts, so it may read them all.
static OTHER: Sql = Sql::new(
    "schedules_of_other_tzdb",
    "SELECT s.* FROM schedule s
     WHERE s.next_run_at IS NOT NULL AND s.is_paused = 0 AND s.tzdb_version <> $1 ORDER BY s.id LIMIT $2",
);

/// Schedules that have a next instant, of another version than this.
pub(super) async fn of_other_tzdb(
    pool: &Pool,
    tzdb_version: &str,
    limit: u32,
) -> StoreResult<Vec<ScheduleRecord>> {
    let values = vec![tzdb_version.into(), i64::from(limit).into()];
    OTHER.all(pool.read(), values).await?.iter().map(record_of).collect()
}
