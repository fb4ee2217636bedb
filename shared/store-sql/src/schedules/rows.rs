//! Rows of `schedule` and `schedule_run`.

use std::collections::{HashMap, HashSet};

use domain::id::{ExecutionId, ScheduleId};
use domain::names::TenantName;
use domain::schedule::{Interval, Misfire, Overlap, SchedulePolicy};
use domain::time::Timestamp;
use sea_orm::{QueryResult, Value};
use store::StoreResult;
use store::schedules::{DueSchedule, ScheduleRecord, ScheduleRunRecord};
use uuid::Uuid;

use crate::bind;
use crate::pool::Pool;
use crate::rows::{Row, workflow_columns};
use crate::sql::Sql;

/// Schedules of a list, as [`record_of`] reads them: without inputs of more than 4 KiB, which lists do not show.
/// Without `waiting_at`: which slot waits for the execution before it is the business of whoever fires.
pub(crate) const LISTED: &str =
    "SELECT s.id, s.tenant, s.name, s.workflow_owner, s.workflow, s.cron, s.every_ms, s.anchor_at, s.timezone, s.tier, s.misfire,
       s.catch_up_window_ms, s.catch_up_max, s.overlap, s.jitter_ms, s.start_at, s.end_at, s.is_paused, s.version, s.cursor_at,
       s.next_run_at, s.tzdb_version, s.created_at, s.updated_at,
       CASE WHEN octet_length(s.input) <= 4096 THEN s.input ELSE 'null' END AS input
     FROM schedule s WHERE true";

/// What a person gives of a schedule, in the order of its columns from `name` to `is_paused`, and its interval.
pub(super) fn given(schedule: &ScheduleRecord) -> [Value; 17] {
    let policy = &schedule.policy;
    let (owner, workflow) = workflow_columns(Some(&schedule.workflow));
    [
        schedule.name.as_str().into(),
        owner.into(),
        workflow.into(),
        schedule.cron.as_str().into(),
        schedule.timezone.as_str().into(),
        schedule.input.as_str().into(),
        schedule.tier.code().into(),
        policy.misfire.as_str().into(),
        policy.catch_up_window.0.into(),
        i32::try_from(policy.catch_up_max).unwrap_or(i32::MAX).into(),
        policy.overlap.as_str().into(),
        policy.jitter.0.into(),
        policy.start_at.map(|instant| instant.0).into(),
        policy.end_at.map(|instant| instant.0).into(),
        i16::from(schedule.is_paused).into(),
        schedule.interval.map(|interval| interval.every.0).into(),
        schedule.interval.map(|interval| interval.anchor.0).into(),
    ]
}

/// Reads a row with the columns of `schedule`.
pub(crate) fn record_of(row: &QueryResult) -> StoreResult<ScheduleRecord> {
    let row = Row::new("schedule", row);
    Ok(ScheduleRecord {
        id: ScheduleId::from_uuid(row.uuid("id")?),
        tenant: row.name("tenant", TenantName::trusted)?,
        name: row.text("name")?,
        workflow: row.workflow()?.ok_or_else(|| row.fault("workflow"))?,
        cron: row.text("cron")?,
        interval: interval_of(row)?,
        timezone: row.text("timezone")?,
        input: row.text("input")?,
        tier: row.tier("tier")?,
        policy: policy_of(row)?,
        is_paused: row.long("is_paused")? != 0,
        version: row.long("version")?,
        cursor: row.instant("cursor_at")?,
        next_run_at: row.instant_or_null("next_run_at")?,
        tzdb_version: row.text("tzdb_version")?,
        created_at: row.instant("created_at")?,
        updated_at: row.instant("updated_at")?,
    })
}

fn interval_of(row: Row<'_>) -> StoreResult<Option<Interval>> {
    let Some(every) = row.duration_or_null("every_ms")? else {
        return Ok(None);
    };
    Ok(Some(Interval { every, anchor: row.instant("anchor_at")? }))
}

fn policy_of(row: Row<'_>) -> StoreResult<SchedulePolicy> {
    Ok(SchedulePolicy {
        misfire: row.parsed("misfire", Misfire::parse)?,
        catch_up_window: row.duration("catch_up_window_ms")?,
        catch_up_max: row.count("catch_up_max")?,
        overlap: row.parsed("overlap", Overlap::parse)?,
        jitter: row.duration("jitter_ms")?,
        start_at: row.instant_or_null("start_at")?,
        end_at: row.instant_or_null("end_at")?,
    })
}

/// Reads a row of `schedule`. What runs of it is added by [`add_open`].
pub(super) fn due_of(row: &QueryResult) -> StoreResult<DueSchedule> {
    let waiting = Row::new("schedule", row).instant_or_null("waiting_at")?;
    Ok(DueSchedule { record: record_of(row)?, open: Vec::new(), waiting })
}

/// Reads a row of `schedule_run`.
pub(crate) fn run_of(row: &QueryResult) -> StoreResult<ScheduleRunRecord> {
    let row = Row::new("schedule_run", row);
    Ok(ScheduleRunRecord {
        schedule_id: ScheduleId::from_uuid(row.uuid("schedule_id")?),
        nominal: row.instant("nominal_at")?,
        reason: row.text("reason")?,
        status: row.text("status")?,
        skip_reason: row.text_or_null("skip_reason")?,
        execution_id: row.uuid_or_null("execution_id")?.map(ExecutionId::from_uuid),
        decided_at: row.instant("decided_at")?,
    })
}

// What runs of schedules.

// Of all of them at once: looked up for each schedule, a plan that was made while few executions were open would go through all
// that are open for each. Index: execution_open_of_schedule, or all that are open, once.
static OPEN: Sql = Sql::new(
    "open_executions",
    "SELECT o.schedule_id, o.id
     FROM (SELECT e.schedule_id, e.id, e.created_at,
             row_number() OVER (PARTITION BY e.schedule_id ORDER BY e.created_at, e.id) AS place
           FROM execution e WHERE e.schedule_id {any $1 uuid} AND e.completed_at IS NULL) o
     WHERE o.place <= 100 ORDER BY o.schedule_id, o.created_at, o.id",
);

/// Adds the executions that have not ended, where a rule looks at them.
pub(super) async fn add_open(pool: &Pool, due: &mut [DueSchedule]) -> StoreResult<()> {
    let is_asked = |due: &DueSchedule| due.record.policy.overlap != Overlap::Allow || due.waiting.is_some();
    let places = due.iter().enumerate().filter(|(_, due)| is_asked(due));
    let places: HashMap<Uuid, usize> = places.map(|(place, due)| (due.record.id.uuid(), place)).collect();
    if places.is_empty() {
        return Ok(());
    }
    let ids = bind::uuids(pool.dialect(), places.keys().copied());
    for row in &OPEN.all(pool.read(), vec![ids]).await? {
        let row = Row::new("execution", row);
        let due = places.get(&row.uuid("schedule_id")?).and_then(|&place| due.get_mut(place));
        if let Some(due) = due {
            due.open.push(ExecutionId::from_uuid(row.uuid("id")?));
        }
    }
    Ok(())
}

// Finding schedules that something is to be decided about.

/// Of the rows of a subselect, in an order, those before which the inputs of the others take fewer bytes than `$3`.
macro_rules! up_to_bytes {
    ($rows:literal, $order:literal) => {
        concat!(
            "SELECT s.* FROM (SELECT f.*, sum(octet_length(f.input)) OVER (ORDER BY f.",
            $order,
            ", f.id) AS bytes FROM (",
            $rows,
            ") f) s WHERE s.bytes - octet_length(s.input) < $3 ORDER BY s.",
            $order,
            ", s.id"
        )
    };
}

// Index: schedule_due. $1 now, $2 how many, $4 whose are left out
static DUE: Sql = Sql::new(
    "due_schedules",
    up_to_bytes!(
        "SELECT * FROM schedule WHERE next_run_at <= $1 AND next_run_at IS NOT NULL AND is_paused = 0
           AND NOT (tenant {any $4 text})
         ORDER BY next_run_at, id LIMIT $2",
        "next_run_at"
    ),
);

// Index: schedule_waiting. $1 how many, $2 and $3 the place behind which they begin, $4 whose are left out
static WAITING: Sql = Sql::new(
    "waiting_schedules",
    "SELECT id, waiting_at FROM schedule
     WHERE waiting_at IS NOT NULL AND is_paused = 0 AND (waiting_at, id) > ($2, $3)
       AND NOT (tenant {any $4 text})
     ORDER BY waiting_at, id LIMIT $1",
);

// Index: schedule_waiting. $1 how many
static ALL_WAITING: Sql = Sql::new(
    "all_waiting_schedules",
    "SELECT * FROM schedule WHERE waiting_at IS NOT NULL AND is_paused = 0 ORDER BY waiting_at, id LIMIT $1",
);

/// Schedules with a slot that waits, whatever it waits for.
pub(super) async fn waiting(pool: &Pool, limit: u32) -> StoreResult<Vec<DueSchedule>> {
    let rows = ALL_WAITING.all(pool.read(), vec![i64::from(limit).into()]).await?;
    rows.iter().map(due_of).collect()
}

// Of many schedules at once, as OPEN is. Index: execution_open_of_schedule, or all that are open, once.
static HELD: Sql = Sql::new(
    "held_schedules",
    "SELECT DISTINCT e.schedule_id FROM execution e
     WHERE e.schedule_id {any $1 uuid} AND e.completed_at IS NULL",
);

// $1 which, $2 how many
static FREED: Sql = Sql::new(
    "freed_schedules",
    up_to_bytes!(
        "SELECT * FROM schedule WHERE id {any $1 uuid} AND waiting_at IS NOT NULL AND is_paused = 0
         ORDER BY waiting_at, id LIMIT $2",
        "waiting_at"
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

/// How many of the slots that wait one statement looks at: the time that it takes must not grow with them. While there is a full
/// batch of other schedules only those are looked at that wait longest: a hundred thousand that cannot start yet must not be
/// read again for each batch of a minute in which as many schedules are due.
const WAITING_WINDOW: u32 = 1_000;

/// Schedules whose waiting slot nothing holds back any more, in the order in which they wait; at most `limit`, of so many
/// windows.
async fn freed(
    pool: &Pool,
    limit: u32,
    windows_max: usize,
    window: u32,
    without: &Value,
) -> StoreResult<Vec<Uuid>> {
    let (mut freed, mut after) = (Vec::new(), (i64::MIN, Uuid::nil()));
    for _ in 0..windows_max {
        let values = vec![i64::from(window).into(), after.0.into(), after.1.into(), without.clone()];
        let mut waiting = Vec::new();
        for row in &WAITING.all(pool.read(), values).await? {
            let row = Row::new("schedule", row);
            after = (row.long("waiting_at")?, row.uuid("id")?);
            waiting.push(after.1);
        }
        if waiting.is_empty() {
            break;
        }
        let ids = bind::uuids(pool.dialect(), waiting.iter().copied());
        let mut held = HashSet::new();
        for row in &HELD.all(pool.read(), vec![ids]).await? {
            held.insert(Row::new("execution", row).uuid("schedule_id")?);
        }
        let is_last = waiting.len() < window as usize;
        freed.extend(waiting.into_iter().filter(|id| !held.contains(id)));
        if is_last || freed.len() >= limit as usize {
            break;
        }
    }
    freed.truncate(limit as usize);
    Ok(freed)
}

/// Schedules whose next instant has come, or whose waiting slot nothing holds back any more; the longest overdue
/// first. Of either kind as many as have inputs of so many bytes.
pub(super) async fn due(
    pool: &Pool,
    now: Timestamp,
    limit: u32,
    bytes_max: u64,
    without: &[TenantName],
) -> StoreResult<Vec<DueSchedule>> {
    let bytes_max = i64::try_from(bytes_max).unwrap_or(i64::MAX);
    let without = bind::texts(pool.dialect(), without.iter().map(TenantName::as_str));
    let values = vec![now.0.into(), i64::from(limit).into(), bytes_max.into(), without.clone()];
    let rows = DUE.all(pool.read(), values).await?;
    let mut due = rows.iter().map(due_of).collect::<StoreResult<Vec<_>>>()?;
    let bytes: usize = due.iter().map(|schedule| schedule.record.input.len()).sum();
    let is_full = due.len() >= limit as usize || bytes as i64 >= bytes_max;
    let windows_max = if is_full { 1 } else { usize::MAX };
    let freed = freed(pool, limit, windows_max, WAITING_WINDOW, &without).await?;
    let ids = bind::uuids(pool.dialect(), freed.iter().copied());
    let values = vec![ids, i64::from(limit).into(), bytes_max.into()];
    let freed = if freed.is_empty() { Vec::new() } else { FREED.all(pool.read(), values).await? };
    let mut listed: HashSet<ScheduleId> = due.iter().map(|schedule| schedule.record.id).collect();
    for schedule in freed.iter().map(due_of) {
        let schedule = schedule?;
        if listed.insert(schedule.record.id) {
            due.push(schedule);
        }
    }
    add_open(pool, &mut due).await?;
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

#[cfg(test)]
mod tests {
    use store::conformance::fixture::after_secs;
    use store::conformance::schedule_fixture::{created, fired, schedule, start};
    use store::schedules::{ScheduleFire, ScheduleStore as _, SlotAction, SlotDecision};
    use testkit::database::postgres_database;

    use super::*;
    use crate::jobs::plans::open_empty;

    /// Of five schedules with a slot that waits, the first and the third have nothing that runs.
    async fn a_slot_that_is_free_is_found_behind_others(url: String) {
        const FREE: [usize; 2] = [0, 2];
        let store = open_empty(url).await;
        let mut ids = Vec::new();
        let mut fires: Vec<ScheduleFire> = Vec::new();
        for number in 0..5 {
            let one = schedule(&format!("s{number}"));
            created(&*store, &one).await;
            let nominal = after_secs(120 + number as i64);
            let mut slots = vec![SlotDecision { nominal, reason: "tick", action: SlotAction::Wait }];
            if !FREE.contains(&number) {
                slots.insert(0, start(&one, after_secs(60)));
            }
            fires.push(fired(&one, slots, Some((nominal, None))));
            ids.push(one.id.uuid());
        }
        store.fire_schedules(&fires, after_secs(200)).await.expect("fire works");
        let [first, third] = FREE.map(|number| ids[number]);
        for (limit, windows_max, window, expected) in [
            (10, usize::MAX, 1_000, vec![first, third]),
            (10, usize::MAX, 2, vec![first, third]),
            (10, usize::MAX, 1, vec![first, third]),
            (10, 1, 2, vec![first]),
            (1, usize::MAX, 5, vec![first]),
        ] {
            let nobody = bind::texts(store.pool().dialect(), std::iter::empty());
            let found = freed(store.pool(), limit, windows_max, window, &nobody).await.expect("read works");
            assert_eq!(found, expected, "{limit} of {windows_max} windows of {window}");
        }
        let due = due(store.pool(), after_secs(200), 10, u64::MAX, &[]).await.expect("read works");
        let names: Vec<String> = due.into_iter().map(|due| due.record.name).collect();
        assert_eq!(names, ["s0", "s2"]);
    }

    #[tokio::test]
    async fn a_slot_that_is_free_is_found_behind_others_on_sqlite() {
        a_slot_that_is_free_is_found_behind_others("sqlite::memory:".to_owned()).await;
    }

    #[tokio::test]
    async fn a_slot_that_is_free_is_found_behind_others_on_postgres() {
        a_slot_that_is_free_is_found_behind_others(postgres_database().await).await;
    }
}
