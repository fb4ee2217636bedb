//! Looking up versions of workflows.

use domain::names::TenantName;
use store::StoreResult;
use store::workflows::WorkflowVersion;

use crate::pool::Pool;
use crate::sql::Sql;

use super::rows::version_of;

static ONE: Sql = Sql::new(
    "workflow",
    "SELECT w.*, p.refuses
     FROM workflow w LEFT JOIN workflow_pause p ON p.owner = w.owner AND p.name = w.name
     WHERE w.name = $2 AND ($3 IS NULL OR w.version = $3)
       AND w.owner = (SELECT max(seen.owner) FROM workflow seen WHERE seen.owner IN ('', $1) AND seen.name = $2)
     ORDER BY w.version DESC LIMIT 1",
);

// Names sort by their bytes on both databases, whatever the locale of the server.
static LATEST: Sql = Sql::new(
    "list_workflows",
    "SELECT w.*, p.refuses
     FROM (SELECT name, max(owner) AS owner FROM workflow
           WHERE owner IN ('', $1) AND name {postgres:COLLATE \"C\"} > $2 GROUP BY name) seen
     JOIN workflow w ON w.owner = seen.owner AND w.name = seen.name
       AND w.version = (SELECT max(v.version) FROM workflow v WHERE v.owner = seen.owner AND v.name = seen.name)
     LEFT JOIN workflow_pause p ON p.owner = w.owner AND p.name = w.name
     ORDER BY w.name {postgres:COLLATE \"C\"} LIMIT $3",
);

static VERSIONS: Sql = Sql::new(
    "workflow_versions",
    "SELECT w.*, p.refuses
     FROM workflow w LEFT JOIN workflow_pause p ON p.owner = w.owner AND p.name = w.name
     WHERE w.name = $2 AND ($3 IS NULL OR w.version < $3)
       AND w.owner = (SELECT max(seen.owner) FROM workflow seen WHERE seen.owner IN ('', $1) AND seen.name = $2)
     ORDER BY w.version DESC LIMIT $4",
);

/// A version as `tenant` sees it; the latest without `version`.
pub(super) async fn one(
    pool: &Pool,
    tenant: Option<&TenantName>,
    name: &str,
    version: Option<u32>,
) -> StoreResult<Option<WorkflowVersion>> {
    let values = vec![owner(tenant).into(), name.into(), version.map(i64::from).into()];
    ONE.first(pool.read(), values).await?.as_ref().map(version_of).transpose()
}

/// The latest version of each workflow that `tenant` sees, by name.
pub(super) async fn latest(
    pool: &Pool,
    tenant: Option<&TenantName>,
    after: Option<&str>,
    limit: u32,
) -> StoreResult<Vec<WorkflowVersion>> {
    let values = vec![owner(tenant).into(), after.unwrap_or_default().into(), i64::from(limit).into()];
    LATEST.all(pool.lists(), values).await?.iter().map(version_of).collect()
}

/// The versions of a workflow that `tenant` sees, newest first.
pub(super) async fn versions(
    pool: &Pool,
    tenant: Option<&TenantName>,
    name: &str,
    below: Option<u32>,
    limit: u32,
) -> StoreResult<Vec<WorkflowVersion>> {
    let values =
        vec![owner(tenant).into(), name.into(), below.map(i64::from).into(), i64::from(limit).into()];
    VERSIONS.all(pool.lists(), values).await?.iter().map(version_of).collect()
}

fn owner(tenant: Option<&TenantName>) -> &str {
    tenant.map_or("", TenantName::as_str)
}
