//! Source places of versions: a row beside a version, which may be written again.

use domain::lane::WorkflowRef;
use domain::time::Timestamp;
use store::StoreResult;

use crate::pool::Pool;
use crate::rows::{Row, workflow_columns};
use crate::sql::Sql;

// Only for a version that is there.
static PUT: Sql = Sql::new(
    "put_workflow_source",
    "INSERT INTO workflow_source (owner, name, version, source, stored_at)
     SELECT w.owner, w.name, w.version, $4, $5 FROM workflow w WHERE w.owner = $1 AND w.name = $2 AND w.version = $3
     ON CONFLICT (owner, name, version) DO UPDATE SET source = excluded.source, stored_at = excluded.stored_at",
);

static ONE: Sql = Sql::new(
    "workflow_source",
    "SELECT source FROM workflow_source WHERE owner = $1 AND name = $2 AND version = $3",
);

/// Stores the places of a version; answers whether there is such a version.
pub(super) async fn put(
    pool: &Pool,
    workflow: &WorkflowRef,
    version: u32,
    source: &str,
    now: Timestamp,
) -> StoreResult<bool> {
    let (owner, name) = workflow_columns(Some(workflow));
    let values = vec![owner.into(), name.into(), i64::from(version).into(), source.into(), now.0.into()];
    Ok(PUT.run(pool.write(), values).await? > 0)
}

/// The places of a version.
pub(super) async fn one(pool: &Pool, workflow: &WorkflowRef, version: u32) -> StoreResult<Option<String>> {
    let (owner, name) = workflow_columns(Some(workflow));
    let values = vec![owner.into(), name.into(), i64::from(version).into()];
    let row = ONE.first(pool.read(), values).await?;
    row.map(|row| Row::new("workflow_source", &row).text("source")).transpose()
}
