//! Lanes: numbers for keys, made when a key is first used, remembered while they are used.
//!
//! Called before the main transaction: a lane that is made for a call that then fails does no harm.
//!
//! Rows of lanes that nobody uses go ([`operations::idle_lanes`](crate::operations)), and a node may remember the number
//! of one. So every statement that puts a job into a lane looks whether the lane is still there and not about to go
//! (`{lane …}`, see [`dialect`](crate::dialect)). Where it is not, nothing is written, and the call is made again with
//! numbers that are read ([`with_current`]).

use std::collections::{HashMap, HashSet};

use domain::names::{CallerKey, JobType, TenantName};
use domain::queue::{LaneId, LaneKey, QueueName};
use domain::time::Timestamp;
use sea_orm::{ConnectionTrait, QueryResult};
use store::StoreResult;

use crate::bind::{self, Cell};
use crate::dialect::Dialect;
use crate::errors::{corrupt, is_missing_lane};
use crate::rows::{Row, workflow_columns};
use crate::sql::Sql;
use crate::store::SqlStore;

/// How often lanes are looked for: once before they are made, and after each try to make them. More than one is needed only
/// where numbers begin anew.
const MAKES_MAX: u32 = 8;

/// How often a call is made whose lanes are marked to go while it is under way.
const TRIES_MAX: u32 = 4;

static INSERT: Sql = Sql::new(
    "insert_lanes",
    "INSERT INTO lane (queue, tier, tenant, workflow_owner, workflow, job_type, rate_key)
     SELECT r.queue, r.tier, r.tenant, r.workflow_owner, r.workflow, r.job_type, r.rate_key
     FROM {rows $1: queue int, tier int, tenant text, workflow_owner text, workflow text, job_type text, rate_key text} r
     WHERE true
     ORDER BY r.queue, r.tier, r.tenant, r.workflow_owner, r.workflow, r.job_type, r.rate_key
     ON CONFLICT DO NOTHING",
);

static BY_KEY: Sql = Sql::new(
    "lanes_by_key",
    "SELECT l.id, l.queue, l.tier, l.tenant, l.workflow_owner, l.workflow, l.job_type, l.rate_key, l.mark
     FROM {rows $1: queue int, tier int, tenant text, workflow_owner text, workflow text, job_type text, rate_key text} r
     JOIN lane l ON l.queue = r.queue AND l.tier = r.tier AND l.tenant = r.tenant
       AND l.workflow_owner = r.workflow_owner AND l.workflow = r.workflow AND l.job_type = r.job_type
       AND l.rate_key = r.rate_key",
);

// Those that are not gone: whoever removes lanes looks at the mark after it has waited for this.
static KEEP: Sql = Sql::new(
    "keep_lanes",
    "UPDATE lane SET mark = NULL WHERE id IN (
       SELECT l.id FROM lane l WHERE l.id {any $1 bigint} ORDER BY l.id {for_update}) RETURNING id",
);

// A number that is not taken, after which none is taken. Only where numbers have been through and begin anew.
static FREE: Sql = Sql::new(
    "free_lane",
    "SELECT setval(pg_get_serial_sequence('lane', 'id'), (
       SELECT l.id FROM lane l
       WHERE l.id >= (SELECT last_value FROM lane_id_seq)
         AND (SELECT n.id FROM lane n WHERE n.id = l.id + 1) IS NULL
       ORDER BY l.id LIMIT 1))",
);

static BY_ID: Sql = Sql::new(
    "lanes_by_id",
    "SELECT id, queue, tier, tenant, workflow_owner, workflow, job_type, rate_key FROM lane WHERE id {any $1 bigint}",
);

static OF_QUEUE: Sql = Sql::new(
    "lanes_of_queue",
    "SELECT id, queue, tier, tenant, workflow_owner, workflow, job_type, rate_key FROM lane WHERE queue = $1 LIMIT $2",
);

static INSERT_TENANTS: Sql = Sql::new(
    "insert_tenants",
    "INSERT INTO tenant (name, created_at) SELECT r.name, $1 FROM {rows $2: name text} r WHERE true
     ORDER BY r.name ON CONFLICT DO NOTHING",
);

/// The numbers of these lanes, in order; lanes that are new are made.
pub(crate) async fn resolve(store: &SqlStore, keys: &[LaneKey]) -> StoreResult<Vec<LaneId>> {
    let remembered: Vec<Option<LaneId>> = keys.iter().map(|key| find(store, key)).collect();
    if let Some(lanes) = remembered.iter().copied().collect() {
        return Ok(lanes);
    }
    // What is read is kept here: the memory may forget lanes at any time.
    let mut read: HashMap<LaneKey, LaneId> = HashMap::new();
    let mut missing: Vec<&LaneKey> =
        keys.iter().zip(&remembered).filter(|(_, lane)| lane.is_none()).map(|(key, _)| key).collect();
    missing.sort_unstable();
    missing.dedup();
    // Most were made before. Looked for first, since an insert takes a number even where it inserts nothing.
    for round in 0..MAKES_MAX {
        missing.retain(|key| !read.contains_key(*key));
        if missing.is_empty() {
            break;
        }
        if round > 1 && store.dialect() == Dialect::Postgres {
            // Numbers began anew, and came to those that are still used.
            FREE.first(store.pool().write(), vec![]).await?;
        }
        for keys in missing.chunks(1_000) {
            if round > 0 {
                INSERT.run(store.pool().write(), bind_keys(store, keys)).await?;
            }
            // Read where it was written: the reading connections of SQLite see it just as well, but in memory
            // there is only one.
            let rows = BY_KEY.all(store.pool().read(), bind_keys(store, keys)).await?;
            read.extend(keep(store, &rows).await?);
        }
    }
    let missing = |key: &LaneKey| corrupt("lane", "id", key.tenant.as_str());
    let lanes = keys.iter().zip(remembered);
    lanes.map(|(key, lane)| lane.or_else(|| read.get(key).copied()).ok_or_else(|| missing(key))).collect()
}

/// The lanes in these rows, with their keys. Those that are marked to go stay, as far as they are not gone by now.
async fn keep(store: &SqlStore, rows: &[QueryResult]) -> StoreResult<Vec<(LaneKey, LaneId)>> {
    let mut marked: Vec<i64> = Vec::new();
    for row in rows {
        let row = Row::new("lane", row);
        if row.long_or_null("mark")?.is_some() {
            marked.push(i64::from(row.int("id")?));
        }
    }
    let mut kept: HashSet<i64> = HashSet::new();
    if !marked.is_empty() {
        let ids = bind::longs(store.dialect(), marked.iter().copied());
        for row in &KEEP.all(store.pool().write(), vec![ids]).await? {
            kept.insert(i64::from(Row::new("lane", row).int("id")?));
        }
    }
    let is_there = |id: LaneId| !marked.contains(&i64::from(id.0)) || kept.contains(&i64::from(id.0));
    let lanes = learn_rows(store, rows)?;
    Ok(lanes.into_iter().filter(|&(id, _)| is_there(id)).map(|(id, key)| (key, id)).collect())
}

/// Makes a call that puts jobs into lanes: again with numbers that are read, where one that was remembered is not current
/// any more. The call is to resolve its lanes itself, and leaves nothing behind where that fails.
pub(crate) async fn with_current<T, F>(store: &SqlStore, mut call: impl FnMut() -> F) -> StoreResult<T>
where
    F: Future<Output = StoreResult<T>>,
{
    let mut answer = call().await;
    for _ in 1..TRIES_MAX {
        if !answer.as_ref().is_err_and(is_missing_lane) {
            break;
        }
        let _reads = store.memory().doubt_lanes();
        answer = call().await;
    }
    answer
}

/// Reads the keys of lanes that this process does not know yet. `on` is the transaction under way, where there is
/// one: a database in memory has no second connection. They may be forgotten again, except while this node claims from
/// the queue.
pub(crate) async fn learn<C: ConnectionTrait>(
    store: &SqlStore,
    on: &C,
    queue: QueueName,
    ids: &[LaneId],
) -> StoreResult<()> {
    let unknown: Vec<LaneId> = {
        let memory = store.memory().queue(queue).lanes();
        ids.iter().copied().filter(|&id| memory.lanes.get(id).is_none()).collect()
    };
    read_keys(store, on, &unknown).await.map(|_| ())
}

/// Reads the keys of all lanes of a queue, if they are no more than so many. Answers the highest number then.
pub(crate) async fn learn_all(store: &SqlStore, queue: QueueName, max: usize) -> StoreResult<Option<i32>> {
    let values = vec![queue.code().into(), (max as i64 + 1).into()];
    let rows = OF_QUEUE.all(store.pool().read(), values).await?;
    if rows.len() > max {
        return Ok(None);
    }
    let keys = learn_rows(store, &rows)?;
    Ok(Some(keys.iter().map(|(id, _)| id.0).max().unwrap_or(0)))
}

/// Reads keys, and remembers them.
async fn read_keys<C: ConnectionTrait>(
    store: &SqlStore,
    on: &C,
    ids: &[LaneId],
) -> StoreResult<Vec<(LaneId, LaneKey)>> {
    let mut keys = Vec::with_capacity(ids.len());
    for ids in ids.chunks(10_000) {
        let ids = bind::longs(store.dialect(), ids.iter().map(|id| i64::from(id.0)));
        keys.append(&mut learn_rows(store, &BY_ID.all(on, vec![ids]).await?)?);
    }
    Ok(keys)
}

/// The keys of lanes of any queue, read from rows that hold the columns of `lane`.
fn learn_rows(store: &SqlStore, rows: &[QueryResult]) -> StoreResult<Vec<(LaneId, LaneKey)>> {
    let mut keys = Vec::with_capacity(rows.len());
    for row in rows {
        let row = Row::new("lane", row);
        let id = LaneId(row.int("id")?);
        let key = key_of(row)?;
        store.memory().queue(key.queue).lanes().lanes.insert(id, key.clone());
        keys.push((id, key));
    }
    Ok(keys)
}

/// The key in a row that holds the columns of `lane`.
pub(crate) fn key_of(row: Row<'_>) -> StoreResult<LaneKey> {
    Ok(LaneKey {
        queue: row.queue("queue")?,
        tier: row.tier("tier")?,
        tenant: row.name("tenant", TenantName::trusted)?,
        workflow: row.workflow()?,
        job_type: row.name("job_type", JobType::trusted)?,
        rate_key: Some(row.text("rate_key")?).filter(|key| !key.is_empty()).map(CallerKey::trusted),
    })
}

/// The keys of these lanes, which are known or read now.
pub(crate) async fn keys<C: ConnectionTrait>(
    store: &SqlStore,
    on: &C,
    queue: QueueName,
    ids: &[LaneId],
) -> StoreResult<HashMap<LaneId, LaneKey>> {
    let mut keys: HashMap<LaneId, LaneKey> = {
        let memory = store.memory().queue(queue).lanes();
        let known = |&id: &LaneId| memory.lanes.get(id).map(|key| (id, key.clone()));
        if memory.is_lost() { HashMap::new() } else { ids.iter().filter_map(known).collect() }
    };
    let unknown: Vec<LaneId> = ids.iter().copied().filter(|id| !keys.contains_key(id)).collect();
    keys.extend(read_keys(store, on, &unknown).await?);
    match ids.iter().find(|id| !keys.contains_key(id)) {
        Some(id) => Err(corrupt("lane", "id", id.0)),
        None => Ok(keys),
    }
}

/// Stores tenants on their first use.
pub(crate) async fn record_tenants(
    store: &SqlStore,
    names: impl Iterator<Item = &TenantName>,
    now: Timestamp,
) -> StoreResult<()> {
    let unknown = store.memory().unknown_tenants(names);
    if unknown.is_empty() {
        return Ok(());
    }
    let mut values = vec![now.0.into()];
    values.extend(bind::rows(store.dialect(), unknown.iter().map(|name| [Cell::Text(name.as_str())])));
    INSERT_TENANTS.run(store.pool().write(), values).await?;
    store.memory().learn_tenants(unknown);
    Ok(())
}

fn find(store: &SqlStore, key: &LaneKey) -> Option<LaneId> {
    if store.memory().are_lanes_doubted() {
        return None;
    }
    let memory = store.memory().queue(key.queue).lanes();
    if memory.is_lost() { None } else { memory.lanes.find(key) }
}

fn bind_keys(store: &SqlStore, keys: &[&LaneKey]) -> Vec<sea_orm::Value> {
    let cells = keys.iter().map(|key| {
        let (owner, workflow) = workflow_columns(key.workflow.as_ref());
        [
            Cell::Int(i32::from(key.queue.code())),
            Cell::Int(i32::from(key.tier.code())),
            Cell::Text(key.tenant.as_str()),
            Cell::Text(owner),
            Cell::Text(workflow),
            Cell::Text(key.job_type.as_str()),
            Cell::Text(key.rate_key.as_ref().map_or("", CallerKey::as_str)),
        ]
    });
    bind::rows(store.dialect(), cells)
}
