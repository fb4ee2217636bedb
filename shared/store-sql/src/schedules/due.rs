//! Finding schedules that something is to be decided about.

use std::collections::HashSet;

use domain::time::Timestamp;
use store::StoreResult;
use store::schedules::DueSchedule;

use super::rows::{due_columns, due_of};
use crate::pool::Pool;
use crate::sql::Sql;

// Index: schedule_due. $1 now, $2 how many
static DUE: Sql = Sql::new(
    "due_schedules",
    concat!(
        "SELECT ",
        due_columns!(),
        " FROM schedule s WHERE s.next_run_at <= $1 AND s.next_run_at IS NOT NULL AND s.is_paused = 0
          ORDER BY s.next_run_at, s.id LIMIT $2"
    ),
);

// Index: schedule_waiting, and execution_open_of_schedule for each slot looked at: not as `NOT EXISTS`, which PostgreSQL
// may plan (while there is little) as a join that reads every open execution for every slot.
// $1 how many, $2 how many waiting slots to look at
static FREED: Sql = Sql::new(
    "freed_schedules",
    concat!(
        "SELECT ",
        due_columns!(),
        " FROM (SELECT * FROM schedule WHERE waiting_at IS NOT NULL AND is_paused = 0
                ORDER BY waiting_at, id LIMIT $2) s
          WHERE (SELECT e.id FROM execution e WHERE e.schedule_id = s.id AND e.completed_at IS NULL LIMIT 1) IS NULL
          ORDER BY s.waiting_at, s.id LIMIT $1"
    ),
);

// Index: schedule_interval_due.
static INTERVAL: Sql = Sql::new(
    "due_interval",
    "SELECT id FROM schedule
     WHERE every_ms IS NOT NULL AND next_run_at IS NOT NULL AND is_paused = 0 AND next_run_at <= $1 LIMIT 1",
);

/// Whether the next instant of a schedule by interval has come.
pub(super) async fn is_interval_due(pool: &Pool, now: Timestamp) -> StoreResult<bool> {
    Ok(INTERVAL.first(pool.read(), vec![now.0.into()]).await?.is_some())
}

/// How many of the slots that wait longest are looked at while there is a full batch of other schedules. Otherwise
/// all of them are: a hundred thousand slots that cannot start yet must not be read again for each batch of a minute
/// in which as many schedules are due.
const WAITING_SEEN_MAX: i64 = 1_000;

/// Schedules whose next instant has come, or whose waiting slot nothing holds back any more; the longest overdue
/// first.
pub(super) async fn due(pool: &Pool, now: Timestamp, limit: u32) -> StoreResult<Vec<DueSchedule>> {
    let rows = DUE.all(pool.read(), vec![now.0.into(), i64::from(limit).into()]).await?;
    let is_full = rows.len() >= limit as usize;
    let seen_max = if is_full { WAITING_SEEN_MAX } else { i64::MAX };
    let freed = FREED.all(pool.read(), vec![i64::from(limit).into(), seen_max.into()]).await?;
    let due: StoreResult<Vec<DueSchedule>> = freed.iter().chain(&rows).map(due_of).collect();
    let mut due = due?;
    let mut listed = HashSet::with_capacity(due.len());
    due.retain(|schedule| listed.insert(schedule.record.id));
    due.sort_by_key(|schedule| (overdue_since(schedule, now), schedule.record.id));
    due.truncate(limit as usize);
    Ok(due)
}

/// The earliest instant of a schedule that is to be decided now.
fn overdue_since(schedule: &DueSchedule, now: Timestamp) -> Timestamp {
    let waiting = schedule.waiting.filter(|_| schedule.open.is_empty());
    let next = schedule.record.next_run_at;
    waiting.into_iter().chain(next).min().unwrap_or(now)
}
