//! Slots of schedules: those that ran or wait to run, and their rows within the transaction of a fire.

use std::collections::HashSet;

use domain::id::ScheduleId;
use domain::time::Timestamp;
use sea_orm::{ConnectionTrait as _, QueryResult};
use store::StoreResult;

use super::work::{SlotKey, SlotRow};
use crate::bind::{self, Cell};
use crate::dialect::Dialect;
use crate::pool::Pool;
use crate::rows::Row;
use crate::sql::{DatabaseTransaction, Sql};

static RECORDED: Sql = Sql::new(
    "recorded_slots",
    "SELECT nominal_at FROM schedule_run WHERE schedule_id = $1 AND status <> 'skipped' AND nominal_at {any $2 bigint} ORDER BY nominal_at",
);

/// Those of these nominal instants that ran or wait to, in order.
pub(super) async fn recorded(
    pool: &Pool,
    id: ScheduleId,
    nominals: &[Timestamp],
) -> StoreResult<Vec<Timestamp>> {
    if nominals.is_empty() {
        return Ok(Vec::new());
    }
    let list = bind::longs(pool.dialect(), nominals.iter().map(|nominal| nominal.0));
    let rows = RECORDED.all(pool.read(), vec![id.uuid().into(), list]).await?;
    rows.iter().map(|row| Row::new("schedule_run", row).instant("nominal_at")).collect()
}

// Reading and writing slots within the transaction of a fire.

static KNOWN: Sql = Sql::new(
    "known_slots",
    "SELECT r.schedule_id, r.nominal_at
     FROM {rows $1: id uuid, at bigint} k
     JOIN schedule_run r ON r.schedule_id = k.id AND r.nominal_at = k.at",
);

// A slot that is there already stays as it is, and is not answered; but a backfill runs one that was skipped. $1 now
static INSERT: Sql = Sql::new(
    "insert_slots",
    "INSERT INTO schedule_run (schedule_id, nominal_at, reason, status, skip_reason, execution_id, decided_at)
     SELECT r.id, r.at, r.reason, r.status, r.skip_reason, r.execution_id, $1
     FROM {rows $2: id uuid, at bigint, reason text, status text, skip_reason text?, execution_id uuid?} r
     WHERE true ON CONFLICT (schedule_id, nominal_at) DO UPDATE
       SET reason = excluded.reason, status = excluded.status, skip_reason = excluded.skip_reason,
         execution_id = excluded.execution_id, decided_at = excluded.decided_at
       WHERE schedule_run.status = 'skipped' AND excluded.reason = 'backfill' AND excluded.status = 'fired'
     RETURNING schedule_id, nominal_at",
);

// Its reason stays: it says why the slot came up. $1 now
static SETTLE: Sql = Sql::new(
    "settle_waiting_slots",
    "UPDATE schedule_run SET status = r.new_status, skip_reason = r.new_skip_reason, execution_id = r.new_execution_id,
       decided_at = $1
     FROM {rows $2: id uuid, at bigint, new_status text, new_skip_reason text?, new_execution_id uuid?} r
     WHERE schedule_run.schedule_id = r.id AND schedule_run.nominal_at = r.at AND schedule_run.status = 'waiting'
     RETURNING schedule_id, nominal_at",
);

/// How many slots one statement writes.
const CHUNK: usize = 1_000;

/// Those of these slots that are recorded.
pub(super) async fn known(on: &DatabaseTransaction, keys: &[SlotKey]) -> StoreResult<HashSet<SlotKey>> {
    let mut known = HashSet::with_capacity(keys.len());
    for keys in keys.chunks(CHUNK) {
        let cells = keys.iter().map(|&(id, at)| [Cell::Uuid(id), Cell::Long(at)]);
        for row in &KNOWN.all(on, bind::rows(dialect(on), cells)).await? {
            known.insert(key_of(row)?);
        }
    }
    Ok(known)
}

/// Inserts slots; answers those that were not there.
pub(super) async fn insert(
    on: &DatabaseTransaction,
    slots: &[SlotRow<'_>],
    now: Timestamp,
) -> StoreResult<HashSet<SlotKey>> {
    let mut inserted = HashSet::with_capacity(slots.len());
    for slots in slots.chunks(CHUNK) {
        let cells = slots.iter().map(|slot| {
            [
                Cell::Uuid(slot.key.0),
                Cell::Long(slot.key.1),
                Cell::Text(slot.reason),
                Cell::Text(slot.status),
                Cell::TextOrNull(slot.skip_reason),
                Cell::UuidOrNull(slot.start.map(|(_, execution)| execution.id.uuid())),
            ]
        });
        let mut values = vec![now.0.into()];
        values.extend(bind::rows(dialect(on), cells));
        for row in &INSERT.all(on, values).await? {
            inserted.insert(key_of(row)?);
        }
    }
    Ok(inserted)
}

/// Settles slots that wait; answers those that did.
pub(super) async fn settle_slots(
    on: &DatabaseTransaction,
    slots: &[SlotRow<'_>],
    now: Timestamp,
) -> StoreResult<HashSet<SlotKey>> {
    let mut settled = HashSet::with_capacity(slots.len());
    for slots in slots.chunks(CHUNK) {
        let cells = slots.iter().map(|slot| {
            [
                Cell::Uuid(slot.key.0),
                Cell::Long(slot.key.1),
                Cell::Text(slot.status),
                Cell::TextOrNull(slot.skip_reason),
                Cell::UuidOrNull(slot.start.map(|(_, execution)| execution.id.uuid())),
            ]
        });
        let mut values = vec![now.0.into()];
        values.extend(bind::rows(dialect(on), cells));
        for row in &SETTLE.all(on, values).await? {
            settled.insert(key_of(row)?);
        }
    }
    Ok(settled)
}

fn dialect(on: &DatabaseTransaction) -> Dialect {
    Dialect::of(on.get_database_backend())
}

fn key_of(row: &QueryResult) -> StoreResult<SlotKey> {
    let row = Row::new("schedule_run", row);
    Ok((row.uuid("schedule_id")?, row.long("nominal_at")?))
}
