//! What a rerun begins with: a snapshot, and copies of the latest results of the nodes that do not run again.

use domain::failure::JobError;
use domain::id::ExecutionId;
use domain::names::NodeId;
use sea_orm::ConnectionTrait as _;
use store::StoreResult;
use store::executions::NewExecution;

use crate::bind;
use crate::dialect::Dialect;
use crate::jobs::finish::error_text;
use crate::rows::Row;
use crate::sealing::{NewError, Place, Ring};
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

// What is sealed is bound to its execution: copies are opened and sealed anew, and plain ones where the tenant's payloads are
// sealed by now. $2 after, $3 all of them, $4 how many
static COPIES: Sql = Sql::new(
    "copied_node_results",
    "SELECT position, node_id, input, output, error FROM node_result
     WHERE execution_id = $1 AND position > $2 AND ($3 = 1 OR input LIKE '~%' OR output LIKE '~%') ORDER BY position LIMIT $4",
);

static RESEAL: Sql = Sql::new(
    "reseal_node_result",
    "UPDATE node_result SET input = $2, output = $3, error = $4 WHERE position = $1",
);

/// So many copies are in memory at once.
const PAGE: i64 = 20;

/// Seals the copies of results for the executions that they are of now.
pub(super) async fn reseal(ring: &Ring, on: &DatabaseTransaction, new: &[&NewExecution]) -> StoreResult<()> {
    if ring.is_empty() {
        return Ok(());
    }
    for (execution, seed) in new.iter().filter_map(|&new| Some((new, new.seed.as_ref()?))) {
        let is_sealing = i64::from(ring.seals(Some(execution.job.tenant.as_str())));
        let mut after = 0_i64;
        loop {
            let values = vec![execution.id.uuid().into(), after.into(), is_sealing.into(), PAGE.into()];
            let rows = COPIES.all(on, values).await?;
            for row in &rows {
                let row = Row::new("node_result", row);
                after = row.long("position")?;
                reseal_copy(ring, on, row, (execution, seed.from)).await?;
            }
            if rows.len() < PAGE as usize {
                break;
            }
        }
    }
    Ok(())
}

async fn reseal_copy(
    ring: &Ring,
    on: &DatabaseTransaction,
    row: Row<'_>,
    (of, from): (&NewExecution, ExecutionId),
) -> StoreResult<()> {
    let (id, from, tenant) = (of.id.uuid(), from.uuid(), Some(of.job.tenant.as_str()));
    let node = row.text("node_id")?;
    let (mut input, mut output) = (row.text_or_null("input")?, row.text_or_null("output")?);
    let mut error: Option<JobError> = row.json_or_null("error")?;
    ring.open(&mut (Place::node_input(from, &node), &mut input))?;
    ring.open(&mut (Place::node_output(from, &node), &mut output))?;
    ring.open(&mut error)?;
    ring.seal(tenant, &mut (Place::node_input(id, &node), &mut input))?;
    ring.seal(tenant, &mut (Place::node_output(id, &node), &mut output))?;
    ring.seal(tenant, &mut error.as_mut().map(NewError))?;
    let error = error_text(error.as_ref());
    let values = vec![row.long("position")?.into(), input.into(), output.into(), error.into()];
    RESEAL.run(on, values).await.map(|_| ())
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
