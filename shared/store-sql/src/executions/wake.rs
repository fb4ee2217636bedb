//! Taking parked executions up again, and resuming failed ones: their jobs go back to `workflow-execution`, each to the
//! place that it had.

use std::collections::HashSet;

use domain::id::ExecutionId;
use domain::queue::{LaneId, QueueName};
use domain::time::Timestamp;
use domain::workflow::execution::ExecutionStatus;
use store::StoreResult;
use uuid::Uuid;

use super::lock::Locked;
use crate::claim_row::bump_epoch;
use crate::dialect::Dialect;
use crate::jobs::admit::admit;
use crate::jobs::revive::{Changes, Revival, Revived, revive};
use crate::lock_order::begin_upkeep;
use crate::pool::{Pool, commit, rollback};
use crate::rows::Row;
use crate::sql::{DatabaseTransaction, Sql};
use crate::{SqlStore, bind};

// A job that gave its concurrency key back when it was parked waits for it again.
// The state is written so that no partial index fits: few jobs are named, and very many may be parked.
// $1 now
static WAKE: Sql = Sql::new(
    "wake_parked_jobs",
    "UPDATE job SET state = CASE WHEN concurrency_key IS NULL THEN 'queued' ELSE 'blocked' END, run_at = $1,
       queued_at = $1, look_at = $1
     WHERE id {any $2 uuid} AND state || '' = 'waiting'
     RETURNING queue, lane, position, concurrency_key",
);

// Executions that have started and wait for a slot.
// $1 now
static LOOK: Sql = Sql::new(
    "look_at_queued_executions",
    "UPDATE job SET look_at = $1
     WHERE id {any $2 uuid} AND state || '' = 'queued' AND EXISTS (
       SELECT 1 FROM execution e WHERE e.id = job.execution_id AND e.status <> 'PENDING')",
);

// One step along the index of pending entries for each execution that has some, however many they are.
// $1 the execution to go on after, $2 how many executions
static WITH_ENTRIES: Sql = Sql::new(
    "executions_with_entries",
    "WITH RECURSIVE pending (execution_id, place) AS (
         SELECT (SELECT i.execution_id FROM inbox i WHERE i.status = 'pending' AND i.execution_id > $1
                 ORDER BY i.execution_id LIMIT 1), 1
         UNION ALL
         SELECT (SELECT i.execution_id FROM inbox i WHERE i.status = 'pending' AND i.execution_id > p.execution_id
                 ORDER BY i.execution_id LIMIT 1), p.place + 1
         FROM pending p WHERE p.execution_id IS NOT NULL AND p.place < $2)
     SELECT p.execution_id, (
         SELECT j.id FROM execution e JOIN job j ON j.id = e.job_id AND j.state || '' = 'waiting'
         WHERE e.id = p.execution_id) AS parked
     FROM pending p
     WHERE p.execution_id IS NOT NULL ORDER BY p.execution_id",
);

/// Takes up those of these jobs that are parked, and has those looked at that wait for a slot. To be called after the
/// entries were appended that they are taken up for, with the rows of their executions locked.
pub(crate) async fn wake(
    on: &DatabaseTransaction,
    dialect: Dialect,
    jobs: &[Uuid],
    now: Timestamp,
) -> StoreResult<Revived> {
    if jobs.is_empty() {
        return Ok(Revived::in_place(Vec::new()));
    }
    let ids = || bind::uuids(dialect, jobs.iter().copied());
    let mut claimable: Vec<(QueueName, LaneId, i64)> = Vec::new();
    let mut keys: Vec<String> = Vec::new();
    for row in &WAKE.all(on, vec![now.0.into(), ids()]).await? {
        let row = Row::new("job", row);
        if let Some(key) = row.text_or_null("concurrency_key")? {
            keys.push(key);
        } else {
            claimable.push((row.queue("queue")?, LaneId(row.int("lane")?), row.long("position")?));
        }
    }
    // Where nothing is queued, no epoch is bumped either: no row of theirs is wanted after these.
    if claimable.is_empty() && keys.is_empty() {
        LOOK.run(on, vec![now.0.into(), ids()]).await?;
    }
    claimable.extend(admit(on, &keys, now).await?.iter().map(|job| (job.queue, job.lane, job.position)));
    Ok(Revived::in_place(claimable))
}

// Index: job_look.
static TO_LOOK_AT: Sql = Sql::new(
    "executions_to_look_at",
    "SELECT j.execution_id FROM job j JOIN execution e ON e.id = j.execution_id AND e.status <> 'PENDING'
     WHERE j.state = 'queued' AND j.look_at IS NOT NULL AND j.look_at <= $1
     ORDER BY j.look_at LIMIT $2",
);

/// Executions that nobody has taken up since `before`, although there is something to apply.
pub(super) async fn to_look_at(pool: &Pool, before: Timestamp, limit: u32) -> StoreResult<Vec<ExecutionId>> {
    let rows = TO_LOOK_AT.all(pool.read(), vec![before.0.into(), i64::from(limit).into()]).await?;
    rows.iter().map(|row| Ok(ExecutionId::from_uuid(Row::new("job", row).uuid("execution_id")?))).collect()
}

// The state is written so that no partial index fits: few executions are named.
static TO_PUT_OFF: Sql = Sql::new(
    "jobs_to_put_off",
    "SELECT id FROM job
     WHERE id IN (SELECT e.job_id FROM execution e WHERE e.id {any $1 uuid}) AND state || '' = 'queued'
     ORDER BY id {for_update_skip}",
);

// $1 when
static PUT_OFF: Sql = Sql::new(
    "put_off_looks",
    "UPDATE job SET look_at = $1 WHERE id {any $2 uuid} AND state || '' = 'queued' AND look_at < $1",
);

/// Has executions that wait for a slot looked at again at `until`.
pub(super) async fn look_later(store: &SqlStore, ids: &[ExecutionId], until: Timestamp) -> StoreResult<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let dialect = store.dialect();
    let transaction = begin_upkeep(store.pool()).await?;
    let named = bind::uuids(dialect, ids.iter().map(|id| id.uuid()));
    let mut jobs: Vec<Uuid> = Vec::with_capacity(ids.len());
    for row in &TO_PUT_OFF.all(&transaction, vec![named]).await? {
        jobs.push(Row::new("job", row).uuid("id")?);
    }
    PUT_OFF.run(&transaction, vec![until.0.into(), bind::uuids(dialect, jobs.into_iter())]).await?;
    commit(transaction).await
}

/// Looks for parked executions with entries that nobody applied, and takes them up. Walks through the executions that
/// have entries, at most `limit` a call.
pub(super) async fn wake_parked(store: &SqlStore, limit: u32, now: Timestamp) -> StoreResult<u32> {
    if store.memory().nothing_pending.is_still_empty(store.pool(), now) {
        return Ok(0);
    }
    let mark = store.pool().mark();
    let after = store.memory().parked_cursor();
    let values = vec![after.into(), i64::from(limit).into()];
    let rows = WITH_ENTRIES.all(store.pool().read(), values).await?;
    let mut parked: HashSet<Uuid> = HashSet::new();
    let mut last = Uuid::nil();
    for row in &rows {
        let row = Row::new("inbox", row);
        last = row.uuid("execution_id")?;
        parked.extend(row.uuid_or_null("parked")?);
    }
    let is_full = rows.len() >= limit as usize;
    store.memory().set_parked_cursor(if is_full { last } else { Uuid::nil() });
    if parked.is_empty() {
        let is_all = after.is_nil() && !is_full;
        store.memory().nothing_pending.record(mark.filter(|_| is_all), Timestamp(i64::MAX));
        return Ok(0);
    }
    let mut jobs: Vec<Uuid> = parked.into_iter().collect();
    jobs.sort_unstable();
    let transaction = begin_upkeep(store.pool()).await?;
    let woken = wake(&transaction, store.dialect(), &jobs, now).await?;
    if woken.count() == 0 {
        rollback(transaction).await;
        return Ok(0);
    }
    let bumps = bump_epoch(&transaction, woken.older()).await?;
    commit(transaction).await?;
    woken.record(store);
    bumps.record(store);
    Ok(u32::try_from(woken.count()).unwrap_or(u32::MAX))
}

// Taking a failed execution up again: its job goes back to `workflow-execution`.

static RUN: Sql = Sql::new(
    "resume_execution",
    "UPDATE execution SET status = $2, completed_at = NULL, error = NULL WHERE id = $1",
);

static IS_DROPPED: Sql = Sql::new(
    "execution_is_dropped",
    "SELECT id FROM execution WHERE id = $1 AND payload_dropped_at IS NOT NULL",
);

// Index: execution_unique.
static KEY_HELD: Sql = Sql::new(
    "unique_key_is_held",
    "SELECT o.id FROM execution e JOIN execution o
       ON o.tenant = e.tenant AND o.workflow_owner = e.workflow_owner AND o.workflow = e.workflow
         AND o.unique_key = e.unique_key
     WHERE e.id = $1 AND o.id <> e.id
       AND o.unique_key IS NOT NULL AND o.completed_at IS NULL AND o.unique_held IS NULL LIMIT 1",
);

/// Why an execution does not run again beside another one.
const UNIQUE_KEY_HELD: &str = "another execution with the same unique key is open";

/// Whether an execution runs again.
#[derive(Debug)]
pub(crate) enum Resumed {
    /// It does; what became claimable: the job that went back, unless it was there already.
    Running(Revived),
    /// It cannot, and why.
    Refused(&'static str),
}

/// Lets a locked execution that has failed run again, RUNNING or COMPENSATING.
pub(crate) async fn resume(
    on: &DatabaseTransaction,
    locked: &Locked,
    status: ExecutionStatus,
    now: Timestamp,
) -> StoreResult<Resumed> {
    if IS_DROPPED.first(on, vec![locked.id.into()]).await?.is_some() {
        return Ok(Resumed::Refused("the payloads of the execution are no longer stored"));
    }
    let revived = match revive(on, locked.job_id, &Changes::default(), now).await? {
        Revival::Revived(revived) => revived,
        Revival::Unfinished => Revived::in_place(Vec::new()),
        Revival::KeyTaken => return Ok(Resumed::Refused(KEY_TAKEN)),
        Revival::Gone => return Ok(Resumed::Refused("the job of the execution is no longer stored")),
    };
    RUN.run(on, vec![locked.id.into(), status.as_str().into()]).await?;
    Ok(Resumed::Running(revived.resuming()))
}

/// The same where somebody asks for it: not while another execution with its unique key is under way. To be called with the
/// key locked ([`lock_line`](super::parents::lock_line)), so that none starts meanwhile. Children have no keys.
pub(crate) async fn resume_failed(
    on: &DatabaseTransaction,
    locked: &Locked,
    status: ExecutionStatus,
    now: Timestamp,
) -> StoreResult<Resumed> {
    if KEY_HELD.first(on, vec![locked.id.into()]).await?.is_some() {
        return Ok(Resumed::Refused(UNIQUE_KEY_HELD));
    }
    resume(on, locked, status, now).await
}

/// Why a job with a unique key cannot go back.
pub(crate) const KEY_TAKEN: &str = "another unfinished job has the same unique key";
