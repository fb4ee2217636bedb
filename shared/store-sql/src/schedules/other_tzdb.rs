//! Finding schedules whose next instant was computed with other time zone data.

use store::StoreResult;
use store::schedules::ScheduleRecord;

use super::rows::record_of;
use crate::pool::Pool;
use crate::sql::Sql;

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
