//! Taking executions up: everything their owners need, where the leases still hold.

use std::collections::HashMap;

use domain::id::ExecutionId;
use domain::names::NodeId;
use sea_orm::QueryResult;
use store::StoreResult;
use store::executions::LoadedExecution;
use store::jobs::{LeaseAnswer, LeaseRef};
use uuid::Uuid;

use super::read::record_of;
use crate::SqlStore;
use crate::bind::{self, Cell};
use crate::pool::{Pool, commit};
use crate::rows::Row;
use crate::sql::Sql;

// The definition comes with the first execution of each version only: many are loaded together.
static LOAD: Sql = Sql::new(
    "load_executions",
    "SELECT r.ord, e.*,
       CASE WHEN e.state IS NOT NULL AND EXISTS (
         SELECT 1 FROM job h WHERE h.execution_id = e.id AND h.state || '' = 'blocked' AND h.concurrency_key IS NULL)
       THEN 1 ELSE 0 END AS has_held,
       CASE WHEN row_number() OVER (PARTITION BY e.workflow_owner, e.workflow, e.version ORDER BY r.ord) = 1
         THEN (SELECT w.content FROM workflow w
               WHERE w.owner = e.workflow_owner AND w.name = e.workflow AND w.version = e.version)
       END AS content
     FROM {rows $1: ord int, job uuid, token uuid, execution uuid} r
     JOIN job j ON j.id = r.job AND j.lease_token = r.token AND j.state || '' = 'processing'
     JOIN execution e ON e.id = r.execution AND e.job_id = j.id
     ORDER BY r.ord",
);

// The same for executions that nobody owns.
static LOAD_UNOWNED: Sql = Sql::new(
    "load_unowned_executions",
    "SELECT r.ord, e.*, 0 AS has_held,
       CASE WHEN row_number() OVER (PARTITION BY e.workflow_owner, e.workflow, e.version ORDER BY r.ord) = 1
         THEN (SELECT w.content FROM workflow w
               WHERE w.owner = e.workflow_owner AND w.name = e.workflow AND w.version = e.version)
       END AS content
     FROM {rows $1: ord int, execution uuid} r
     JOIN execution e ON e.id = r.execution AND e.state IS NOT NULL
     JOIN job j ON j.id = e.job_id AND j.state || '' IN ('queued', 'waiting')
     ORDER BY r.ord",
);

// The latest of each node: one that is repeated has many.
static OUTPUTS: Sql = Sql::new(
    "execution_outputs",
    "SELECT execution_id, node_id, output FROM node_result WHERE position IN (
       SELECT max(position) FROM node_result WHERE execution_id {any $1 uuid} AND output IS NOT NULL
       GROUP BY execution_id, node_id)
     ORDER BY execution_id, node_id",
);

/// Loads executions for the holders of their jobs' leases. Answers in order.
pub(super) async fn load(
    pool: &Pool,
    executions: &[(ExecutionId, LeaseRef)],
) -> StoreResult<Vec<LeaseAnswer<LoadedExecution>>> {
    let mut loaded: Vec<LeaseAnswer<LoadedExecution>> =
        executions.iter().map(|_| LeaseAnswer::LeaseLost).collect();
    if executions.is_empty() {
        return Ok(loaded);
    }
    let cells = executions.iter().enumerate().map(|(ord, (id, lease))| {
        [Cell::Int(ord as i32), Cell::Uuid(lease.id.uuid()), Cell::Uuid(lease.token.0), Cell::Uuid(id.uuid())]
    });
    let rows = LOAD.all(pool.read(), bind::rows(pool.dialect(), cells)).await?;
    take_rows(&rows, &mut loaded)?;
    add_outputs(pool, &mut loaded).await?;
    Ok(loaded)
}

/// Loads executions that nobody owns. Answers in order.
pub(super) async fn load_unowned(
    pool: &Pool,
    ids: &[ExecutionId],
) -> StoreResult<Vec<Option<LoadedExecution>>> {
    let mut loaded: Vec<LeaseAnswer<LoadedExecution>> = ids.iter().map(|_| LeaseAnswer::LeaseLost).collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let cells = ids.iter().enumerate().map(|(ord, id)| [Cell::Int(ord as i32), Cell::Uuid(id.uuid())]);
    let rows = LOAD_UNOWNED.all(pool.read(), bind::rows(pool.dialect(), cells)).await?;
    take_rows(&rows, &mut loaded)?;
    add_outputs(pool, &mut loaded).await?;
    let answers = loaded.into_iter().map(|answer| match answer {
        LeaseAnswer::Ok(execution) => Some(execution),
        LeaseAnswer::AlreadyDone | LeaseAnswer::Cancelled | LeaseAnswer::LeaseLost => None,
    });
    Ok(answers.collect())
}

fn take_rows(rows: &[QueryResult], loaded: &mut [LeaseAnswer<LoadedExecution>]) -> StoreResult<()> {
    let mut definitions = Definitions::new();
    for row in rows {
        let row = Row::new("execution", row);
        let record = record_of(row)?;
        let definition = definition(row, &mut definitions)?;
        let state = row.bytes_or_null("state")?;
        let execution = LoadedExecution {
            record,
            definition,
            state,
            step: row.long("step")?,
            outputs: Vec::new(),
            has_held: row.int("has_held")? != 0,
            evaluations_lost: row.count("evaluations_lost")?,
            closed: None,
        };
        loaded[row.int("ord")? as usize] = LeaseAnswer::Ok(execution);
    }
    Ok(())
}

/// Texts of this call, by owner, name and version.
type Definitions = HashMap<(String, String, i32), String>;

fn definition(row: Row<'_>, known: &mut Definitions) -> StoreResult<String> {
    let key = (row.text("workflow_owner")?, row.text("workflow")?, row.int("version")?);
    if let Some(text) = known.get(&key) {
        return Ok(text.clone());
    }
    let text = row.text_or_null("content")?.ok_or_else(|| row.fault("workflow"))?;
    known.insert(key, text.clone());
    Ok(text)
}

/// Only what was committed before has outputs.
async fn add_outputs(pool: &Pool, loaded: &mut [LeaseAnswer<LoadedExecution>]) -> StoreResult<()> {
    let mut places: HashMap<Uuid, usize> = HashMap::new();
    for (place, answer) in loaded.iter().enumerate() {
        if let LeaseAnswer::Ok(LoadedExecution { record, state: Some(_), .. }) = answer {
            places.insert(record.id.uuid(), place);
        }
    }
    if places.is_empty() {
        return Ok(());
    }
    let ids = bind::uuids(pool.dialect(), places.keys().copied());
    for row in &OUTPUTS.all(pool.read(), vec![ids]).await? {
        let row = Row::new("node_result", row);
        let place = places.get(&row.uuid("execution_id")?).copied();
        if let Some(LeaseAnswer::Ok(execution)) = place.and_then(|place| loaded.get_mut(place)) {
            execution.outputs.push((row.name("node_id", NodeId::trusted)?, row.text("output")?));
        }
    }
    Ok(())
}

// How often in a row the evaluation of an execution's expressions ended with the process that made it.

// $4 the number
static RECORD: Sql = Sql::new(
    "note_evaluations",
    "UPDATE execution SET evaluations_lost = $4
     WHERE id = $1 AND EXISTS (
       SELECT 1 FROM job j WHERE j.id = $2 AND j.lease_token = $3 AND j.state || '' = 'processing')",
);

// $2 the number of the last step, $3 the number as it is, $4 the new one
static RECORD_UNOWNED: Sql = Sql::new(
    "note_unowned_evaluations",
    "UPDATE execution SET evaluations_lost = $4
     WHERE id = $1 AND step = $2 AND evaluations_lost = $3 AND NOT EXISTS (
       SELECT 1 FROM job j WHERE j.id = execution.job_id AND j.state || '' = 'processing')",
);

/// Records the number, where nobody owns the execution and it is as it was; answers whether it is so.
pub(super) async fn record_unowned(
    store: &SqlStore,
    id: ExecutionId,
    step: i64,
    (before, after): (u32, u32),
) -> StoreResult<bool> {
    let transaction = store.pool().begin().await?;
    let values = vec![id.uuid().into(), step.into(), i64::from(before).into(), i64::from(after).into()];
    let recorded = RECORD_UNOWNED.run(&transaction, values).await?;
    commit(transaction).await?;
    Ok(recorded > 0)
}

/// Records the number, where the lease still holds; answers whether it does.
pub(super) async fn record(
    store: &SqlStore,
    id: ExecutionId,
    lease: LeaseRef,
    lost: u32,
) -> StoreResult<bool> {
    let transaction = store.pool().begin().await?;
    let values = vec![id.uuid().into(), lease.id.uuid().into(), lease.token.0.into(), i64::from(lost).into()];
    let recorded = RECORD.run(&transaction, values).await?;
    commit(transaction).await?;
    Ok(recorded > 0)
}
