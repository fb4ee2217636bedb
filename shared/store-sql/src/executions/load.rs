//! Taking an execution up: everything its owner needs, if the lease still holds.

use std::collections::BTreeMap;

use domain::id::ExecutionId;
use domain::names::NodeId;
use store::StoreResult;
use store::executions::LoadedExecution;
use store::jobs::{LeaseAnswer, LeaseRef};
use uuid::Uuid;

use crate::pool::Pool;
use crate::rows::Row;
use crate::sql::Sql;

use super::rows::record_of;

static LOAD: Sql = Sql::new(
    "load_execution",
    "SELECT e.*, w.content AS definition
     FROM job j JOIN execution e ON e.id = j.execution_id
     LEFT JOIN workflow w ON w.owner = e.workflow_owner AND w.name = e.workflow AND w.version = e.version
     WHERE j.id = $1 AND j.lease_token = $2 AND j.state = 'processing' AND e.id = $3 AND e.job_id = j.id",
);

// Rounds of a node are few, so the latest of each is picked by whoever reads them in order.
static OUTPUTS: Sql = Sql::new(
    "execution_outputs",
    "SELECT node_id, output FROM node_result WHERE execution_id = $1 AND output IS NOT NULL ORDER BY position",
);

/// Loads an execution for the holder of its job's lease.
pub(super) async fn load(
    pool: &Pool,
    id: ExecutionId,
    lease: LeaseRef,
) -> StoreResult<LeaseAnswer<LoadedExecution>> {
    let gate = vec![lease.id.uuid().into(), lease.token.0.into(), id.uuid().into()];
    let Some(row) = LOAD.first(pool.read(), gate).await? else {
        return Ok(LeaseAnswer::LeaseLost);
    };
    let row = Row::new("execution", &row);
    Ok(LeaseAnswer::Ok(LoadedExecution {
        record: record_of(row)?,
        definition: row.text("definition")?,
        state: row.bytes_or_null("state")?,
        outputs: outputs(pool, id.uuid()).await?,
    }))
}

async fn outputs(pool: &Pool, id: Uuid) -> StoreResult<Vec<(NodeId, String)>> {
    let mut latest = BTreeMap::new();
    for row in &OUTPUTS.all(pool.read(), vec![id.into()]).await? {
        let row = Row::new("node_result", row);
        latest.insert(row.name("node_id", NodeId::trusted)?, row.text("output")?);
    }
    Ok(latest.into_iter().collect())
}
