//! Storing a new schedule.

use sea_orm::Value;
use store::StoreResult;
use store::schedules::{ScheduleRecord, ScheduleSaved};

use crate::pool::{Pool, commit_change, rollback};
use crate::sql::Sql;

use super::rows::given;

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
