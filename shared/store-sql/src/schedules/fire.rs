//! Firing: what was decided about slots is committed, with the executions that they start and the new cursors.
//!
//! The rows of the schedules are locked first, in the order of their ids; jobs and executions come after them. All of
//! it is a handful of statements, however many schedules are due in the same minute.

use std::collections::{HashMap, HashSet};

use domain::id::{ExecutionId, JobId};
use domain::queue::LaneId;
use domain::time::Timestamp;
use sea_orm::ConnectionTrait as _;
use store::StoreResult;
use store::executions::NewExecution;
use store::jobs::NewJob;
use store::schedules::{Fired, ScheduleFire, SlotAction};
use uuid::Uuid;

use super::runs;
use super::work::{Locked, SlotRow, Work, gather, is_current, slots_to_know};
use crate::SqlStore;
use crate::bind::{self, Cell};
use crate::claim_row::bump_epoch;
use crate::dialect::Dialect;
use crate::executions::create::{NewRow, create_in};
use crate::jobs::enqueue::{Inserted, prepare};
use crate::pool::{commit, commit_change, rollback};
use crate::retry::{RetryBudget, with_retry};
use crate::rows::Row;
use crate::sql::{DatabaseTransaction, Sql};

static LOCK: Sql = Sql::new(
    "lock_schedules",
    "SELECT id, version, is_paused, cursor_at, next_run_at, waiting_at FROM schedule WHERE id {any $1 uuid} ORDER BY id {for_update}",
);

// Retention may have removed the slot and not yet the execution that it started.
static STARTED: Sql = Sql::new("started_executions", "SELECT id FROM execution WHERE id {any $1 uuid}");

static MOVE: Sql = Sql::new(
    "move_schedules",
    "UPDATE schedule SET cursor_at = r.new_cursor, next_run_at = r.new_next, waiting_at = r.new_waiting
     FROM {rows $1: key uuid, new_cursor bigint, new_next bigint?, new_waiting bigint?} r WHERE schedule.id = r.key",
);

/// Commits a batch of fires; answers what each did, in order. Repeating it starts nothing again.
pub(super) async fn fire(
    store: &SqlStore,
    fires: &[ScheduleFire],
    now: Timestamp,
) -> StoreResult<Vec<Fired>> {
    if fires.is_empty() {
        return Ok(Vec::new());
    }
    let jobs = jobs_of(fires);
    let lanes = prepare(store, &jobs, now).await?;
    let lanes: HashMap<JobId, LaneId> = jobs.iter().map(|job| job.id).zip(lanes).collect();
    with_retry(RetryBudget::repeatable(), || fire_once(store, fires, &lanes, now)).await
}

/// The jobs of everything that could be started.
fn jobs_of(fires: &[ScheduleFire]) -> Vec<NewJob> {
    let slots = fires.iter().flat_map(|fire| &fire.slots);
    slots
        .filter_map(|slot| match &slot.action {
            SlotAction::Start(execution) => Some(execution.job.clone()),
            SlotAction::Wait | SlotAction::Skip { .. } => None,
        })
        .collect()
}

async fn fire_once(
    store: &SqlStore,
    fires: &[ScheduleFire],
    lanes: &HashMap<JobId, LaneId>,
    now: Timestamp,
) -> StoreResult<Vec<Fired>> {
    let transaction = store.pool().begin().await?;
    let locked = lock(&transaction, fires).await?;
    let mut answers: Vec<Fired> = vec![Fired::Stale; fires.len()];
    let current: Vec<(usize, &ScheduleFire)> =
        fires.iter().enumerate().filter(|(_, fire)| is_current(fire, locked.get(&fire.id.uuid()))).collect();
    if current.is_empty() {
        rollback(transaction).await;
        return Ok(answers);
    }
    let recorded = runs::known(&transaction, &slots_to_know(&current)).await?;
    let work = gather(&current, &locked, recorded);
    for &(place, _) in &current {
        answers[place] = Fired::Done(Vec::new());
    }
    let starts = record(&transaction, &work, now).await?;
    let (created, inserted) = start(&transaction, &starts, lanes, now).await?;
    let starts_some = !created.is_empty();
    for (place, execution) in created {
        if let Fired::Done(executions) = &mut answers[place] {
            executions.push(execution);
        }
    }
    move_schedules(&transaction, &work).await?;
    let bumps = bump_epoch(&transaction, inserted.older()).await?;
    // Who runs slots by hand has a line for what that starts.
    if starts_some {
        commit_change(transaction).await?;
    } else {
        commit(transaction).await?;
    }
    inserted.record(store);
    bumps.record(store);
    Ok(answers)
}

async fn lock(on: &DatabaseTransaction, fires: &[ScheduleFire]) -> StoreResult<HashMap<Uuid, Locked>> {
    let ids = bind::uuids(dialect(on), fires.iter().map(|fire| fire.id.uuid()));
    let rows = LOCK.all(on, vec![ids]).await?;
    let locked = rows.iter().map(|row| {
        let row = Row::new("schedule", row);
        let locked = Locked {
            version: row.long("version")?,
            is_paused: row.long("is_paused")? != 0,
            cursor: row.instant("cursor_at")?,
            next_run_at: row.instant_or_null("next_run_at")?,
            waiting: row.instant_or_null("waiting_at")?,
        };
        Ok((row.uuid("id")?, locked))
    });
    locked.collect()
}

/// Writes the slots; answers those that start something and were not recorded before.
async fn record<'a>(
    on: &DatabaseTransaction,
    work: &Work<'a>,
    now: Timestamp,
) -> StoreResult<Vec<SlotRow<'a>>> {
    // In this order: the slot that waited makes room for another one.
    let mut written = runs::settle_slots(on, &work.settled, now).await?;
    written.extend(runs::insert(on, &work.new, now).await?);
    let rows = work.settled.iter().chain(&work.new);
    let starts = rows.filter(|slot| slot.start.is_some() && written.contains(&slot.key));
    Ok(starts.copied().collect())
}

/// Creates the executions of slots; answers those that are new with the place of their fire, and what is to be recorded
/// after the commit.
async fn start(
    on: &DatabaseTransaction,
    slots: &[SlotRow<'_>],
    lanes: &HashMap<JobId, LaneId>,
    now: Timestamp,
) -> StoreResult<(Vec<(usize, ExecutionId)>, Inserted)> {
    let mut places = Vec::with_capacity(slots.len());
    let mut rows = Vec::with_capacity(slots.len());
    let executions = slots.iter().filter_map(|slot| slot.start.map(|(_, execution)| execution));
    let started = started(on, executions).await?;
    for slot in slots {
        if let Some((place, execution)) = slot.start
            && !started.contains(&execution.id.uuid())
        {
            places.push(place);
            rows.push(NewRow { execution, schedule_id: Some(slot.key.0) });
        }
    }
    if rows.is_empty() {
        return Ok((Vec::new(), Inserted::default()));
    }
    let jobs: Vec<NewJob> = rows.iter().map(|row| row.execution.job.clone()).collect();
    let lanes: Vec<LaneId> = jobs.iter().map(|job| lanes[&job.id]).collect();
    let inserted = create_in(on, &rows, &jobs, &lanes, now).await?;
    let created = places
        .into_iter()
        .zip(&rows)
        .zip(&inserted.answers)
        .filter(|(_, answer)| !answer.existing)
        .map(|((place, row), _)| (place, row.execution.id));
    Ok((created.collect(), inserted))
}

/// Those of these executions that are there.
async fn started<'a>(
    on: &DatabaseTransaction,
    executions: impl Iterator<Item = &'a NewExecution>,
) -> StoreResult<HashSet<Uuid>> {
    let ids: Vec<Uuid> = executions.map(|execution| execution.id.uuid()).collect();
    if ids.is_empty() {
        return Ok(HashSet::new());
    }
    let rows = STARTED.all(on, vec![bind::uuids(dialect(on), ids.into_iter())]).await?;
    rows.iter().map(|row| Row::new("execution", row).uuid("id")).collect()
}

async fn move_schedules(on: &DatabaseTransaction, work: &Work<'_>) -> StoreResult<()> {
    if work.moved.is_empty() {
        return Ok(());
    }
    let cells = work.moved.iter().map(|(id, schedule)| {
        [
            Cell::Uuid(*id),
            Cell::Long(schedule.cursor.0),
            Cell::LongOrNull(schedule.next_run_at.map(|instant| instant.0)),
            Cell::LongOrNull(schedule.waiting.map(|instant| instant.0)),
        ]
    });
    MOVE.run(on, bind::rows(dialect(on), cells)).await.map(|_| ())
}

fn dialect(on: &DatabaseTransaction) -> Dialect {
    Dialect::of(on.get_database_backend())
}
