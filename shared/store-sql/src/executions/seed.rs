//! What a rerun begins with: a snapshot, and copies of the latest results of the nodes that do not run again.

use domain::names::NodeId;
use sea_orm::ConnectionTrait as _;
use store::StoreResult;
use store::executions::NewExecution;

use crate::bind;
use crate::dialect::Dialect;
use crate::rows::Row;
use crate::sealing::{Place, Ring};
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

// What is sealed is bound to its execution: copies are opened and sealed anew. $2 after, $3 how many
static SEALED: Sql = Sql::new(
    "sealed_node_results",
    "SELECT position, node_id, input, output FROM node_result
     WHERE execution_id = $1 AND position > $2 AND (input LIKE '~%' OR output LIKE '~%') ORDER BY position LIMIT $3",
);

static RESEAL: Sql =
    Sql::new("reseal_node_result", "UPDATE node_result SET input = $2, output = $3 WHERE position = $1");

/// So many copies are in memory at once.
const PAGE: i64 = 20;

/// Seals the copies of results for the executions that they are of now.
pub(super) async fn reseal(ring: &Ring, on: &DatabaseTransaction, new: &[&NewExecution]) -> StoreResult<()> {
    if ring.is_empty() {
        return Ok(());
    }
    for (execution, seed) in new.iter().filter_map(|&new| Some((new, new.seed.as_ref()?))) {
        let (id, from) = (execution.id.uuid(), seed.from.uuid());
        let mut after = 0_i64;
        loop {
            let rows = SEALED.all(on, vec![id.into(), after.into(), PAGE.into()]).await?;
            for row in &rows {
                let row = Row::new("node_result", row);
                let node = row.text("node_id")?;
                let (mut input, mut output) = (row.text_or_null("input")?, row.text_or_null("output")?);
                ring.open(&mut input.as_mut().map(|input| (Place::node_input(from, &node), input)))?;
                ring.open(&mut output.as_mut().map(|output| (Place::node_output(from, &node), output)))?;
                let tenant = Some(execution.job.tenant.as_str());
                ring.seal(tenant, &mut input.as_mut().map(|input| (Place::node_input(id, &node), input)))?;
                ring.seal(
                    tenant,
                    &mut output.as_mut().map(|output| (Place::node_output(id, &node), output)),
                )?;
                after = row.long("position")?;
                RESEAL.run(on, vec![after.into(), input.into(), output.into()]).await?;
            }
            if rows.len() < PAGE as usize {
                break;
            }
        }
    }
    Ok(())
}

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
