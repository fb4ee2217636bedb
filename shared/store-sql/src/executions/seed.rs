//! What a rerun begins with: a snapshot, and copies of the latest results of the nodes that do not run again.

use domain::names::NodeId;
use sea_orm::ConnectionTrait as _;
use store::StoreResult;
use store::executions::NewExecution;

use crate::bind;
use crate::dialect::Dialect;
use crate::sql::Sql;
use crate::transaction::DatabaseTransaction;

static STATE: Sql = Sql::new("seed_state", "UPDATE execution SET state = $2 WHERE id = $1");

// Results of other tenants' executions are never taken over. The copies keep the order of the originals.
static RESULTS: Sql = Sql::new(
    "seed_node_results",
    "INSERT INTO node_result (execution_id, node_id, round, status, attempts, started_at, finished_at, input, output, error)
     SELECT $1, n.node_id, n.round, n.status, n.attempts, n.started_at, n.finished_at, n.input, n.output, n.error
     FROM node_result n
     WHERE n.execution_id = $2 AND n.position IN (
         SELECT max(latest.position) FROM node_result latest
         WHERE latest.execution_id = $2 AND latest.node_id {any $4 text} GROUP BY latest.node_id)
       AND EXISTS (SELECT 1 FROM execution e WHERE e.id = $2 AND e.tenant = $3)
     ORDER BY n.position",
);

/// Seeds an execution that was created in the same transaction.
pub(super) async fn seed(on: &DatabaseTransaction, new: &NewExecution) -> StoreResult<()> {
    let Some(seed) = &new.seed else {
        return Ok(());
    };
    STATE.run(on, vec![new.id.uuid().into(), seed.state.clone().into()]).await?;
    if seed.nodes.is_empty() {
        return Ok(());
    }
    let dialect = Dialect::of(on.get_database_backend());
    let values = vec![
        new.id.uuid().into(),
        seed.from.uuid().into(),
        new.job.tenant.as_str().into(),
        bind::texts(dialect, seed.nodes.iter().map(NodeId::as_str)),
    ];
    RESULTS.run(on, values).await.map(|_| ())
}
