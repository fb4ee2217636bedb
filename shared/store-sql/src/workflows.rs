//! Workflows: registered versions and pauses. Definitions are stored as they come; `domain` has checked them.
//!
//! A tenant that owns a definition of a name sees only its own versions of it; otherwise it sees the shared ones,
//! whose owner is stored as `''`.

use async_trait::async_trait;
use domain::names::TenantName;
use domain::queue::{QueueName, WorkflowRef};
use domain::time::Timestamp;
use sea_orm::QueryResult;
use store::StoreResult;
use store::workflows::{Registered, WorkflowPause, WorkflowStore, WorkflowVersion};

use crate::SqlStore;
use crate::claim_row::bump_limits_version;
use crate::errors::corrupt;
use crate::pool::{Pool, commit_change, rollback};
use crate::retry::{RetryBudget, with_retry};
use crate::rows::{Row, workflow_columns, workflow_ref};
use crate::sql::Sql;

// Rows of `workflow`, joined with their pause.

/// Reads a row with the columns of `workflow` and `refuses` of its pause; null where it is not paused.
fn version_of(row: &QueryResult) -> StoreResult<WorkflowVersion> {
    let row = Row::new("workflow", row);
    Ok(WorkflowVersion {
        workflow: workflow_ref(row.text("owner")?, row.text("name")?),
        version: row.count("version")?,
        content_hash: row.text("content_hash")?,
        content: row.text("content")?,
        max_concurrent: row.count_or_null("max_concurrent")?,
        rate: row.rate_or_null("rate")?,
        created_at: row.instant("created_at")?,
        pause: row.long_or_null("refuses")?.map(|refuses| match refuses {
            0 => WorkflowPause::Queue,
            _ => WorkflowPause::Refuse,
        }),
    })
}

// Looking up versions of workflows.

static ONE: Sql = Sql::new(
    "workflow",
    "SELECT w.*, p.refuses
     FROM workflow w LEFT JOIN workflow_pause p ON p.owner = w.owner AND p.name = w.name
     WHERE w.name = $2 AND ($3 IS NULL OR w.version = $3)
       AND w.owner = (SELECT max(seen.owner) FROM workflow seen WHERE seen.owner IN ('', $1) AND seen.name = $2)
     ORDER BY w.version DESC LIMIT 1",
);

// Names sort by their bytes on both databases, whatever the locale of the server. Lists show no definitions, and leave large ones
// out.
static LATEST: Sql = Sql::new(
    "list_workflows",
    "SELECT w.owner, w.name, w.version, w.content_hash, w.max_concurrent, w.rate, w.created_at, p.refuses,
       CASE WHEN octet_length(w.content) <= 4096 THEN w.content ELSE '' END AS content
     FROM (SELECT name, max(owner) AS owner FROM workflow
           WHERE owner IN ('', $1) AND name {postgres:COLLATE \"C\"} > $2 GROUP BY name) seen
     JOIN workflow w ON w.owner = seen.owner AND w.name = seen.name
       AND w.version = (SELECT max(v.version) FROM workflow v WHERE v.owner = seen.owner AND v.name = seen.name)
     LEFT JOIN workflow_pause p ON p.owner = w.owner AND p.name = w.name
     ORDER BY w.name {postgres:COLLATE \"C\"} LIMIT $3",
);

static VERSIONS: Sql = Sql::new(
    "workflow_versions",
    "SELECT w.owner, w.name, w.version, w.content_hash, w.max_concurrent, w.rate, w.created_at, p.refuses,
       CASE WHEN octet_length(w.content) <= 4096 THEN w.content ELSE '' END AS content
     FROM workflow w LEFT JOIN workflow_pause p ON p.owner = w.owner AND p.name = w.name
     WHERE w.name = $2 AND ($3 IS NULL OR w.version < $3)
       AND w.owner = (SELECT max(seen.owner) FROM workflow seen WHERE seen.owner IN ('', $1) AND seen.name = $2)
     ORDER BY w.version DESC LIMIT $4",
);

/// A version as `tenant` sees it; the latest without `version`.
async fn one(
    pool: &Pool,
    tenant: Option<&TenantName>,
    name: &str,
    version: Option<u32>,
) -> StoreResult<Option<WorkflowVersion>> {
    let values = vec![owner(tenant).into(), name.into(), version.map(i64::from).into()];
    ONE.first(pool.read(), values).await?.as_ref().map(version_of).transpose()
}

/// The latest version of each workflow that `tenant` sees, by name.
async fn latest(
    pool: &Pool,
    tenant: Option<&TenantName>,
    after: Option<&str>,
    limit: u32,
) -> StoreResult<Vec<WorkflowVersion>> {
    let values = vec![owner(tenant).into(), after.unwrap_or_default().into(), i64::from(limit).into()];
    LATEST.all(pool.lists(), values).await?.iter().map(version_of).collect()
}

/// The versions of a workflow that `tenant` sees, newest first.
async fn versions(
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

// Registering a version: its row is written once and never again.

static INSERT: Sql = Sql::new(
    "register_workflow",
    "INSERT INTO workflow (owner, name, version, content_hash, content, max_concurrent, created_at, rate)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (owner, name, version) DO NOTHING",
);

static SELECT: Sql = Sql::new(
    "registered_workflow",
    "SELECT w.*, p.refuses
     FROM workflow w LEFT JOIN workflow_pause p ON p.owner = w.owner AND p.name = w.name
     WHERE w.owner = $1 AND w.name = $2 AND w.version = $3",
);

/// Registers a version, or compares it with what is there.
async fn register(pool: &Pool, version: &WorkflowVersion) -> StoreResult<Registered> {
    let (owner, name) = workflow_columns(Some(&version.workflow));
    let number = i64::from(version.version);
    let transaction = pool.begin().await?;
    let inserted = INSERT
        .run(
            &transaction,
            vec![
                owner.into(),
                name.into(),
                number.into(),
                version.content_hash.as_str().into(),
                version.content.as_str().into(),
                version.max_concurrent.map(i64::from).into(),
                version.created_at.0.into(),
                version.rate.map(|rate| rate.to_string()).into(),
            ],
        )
        .await?;
    let row = SELECT.first(&transaction, vec![owner.into(), name.into(), number.into()]).await?;
    let row = row.ok_or_else(|| corrupt("workflow", "version", format!("{owner}/{name}/{number}")))?;
    let stored = version_of(&row)?;
    if inserted > 0 {
        // The limit in the latest version is the one in force.
        bump_limits_version(&transaction, &[QueueName::Execution]).await?;
        commit_change(transaction).await?;
    } else {
        rollback(transaction).await;
    }
    Ok(if inserted > 0 {
        Registered::Created(stored)
    } else if stored.content_hash == version.content_hash {
        Registered::Same(stored)
    } else {
        Registered::Conflict { content_hash: stored.content_hash }
    })
}

// Pausing a workflow: claims leave its executions queued. Whether new ones are accepted meanwhile is stored here and
// checked by whoever creates them.

static EXISTS: Sql =
    Sql::new("paused_workflow", "SELECT version FROM workflow WHERE owner = $1 AND name = $2 LIMIT 1");

static PAUSE: Sql = Sql::new(
    "pause_workflow",
    "INSERT INTO workflow_pause (owner, name, paused_at, refuses) VALUES ($1, $2, $3, $4)
     ON CONFLICT (owner, name) DO UPDATE SET refuses = excluded.refuses",
);

static RESUME: Sql = Sql::new("resume_workflow", "DELETE FROM workflow_pause WHERE owner = $1 AND name = $2");

/// Pauses or resumes; answers whether the workflow exists.
async fn pause(
    pool: &Pool,
    workflow: &WorkflowRef,
    pause: Option<WorkflowPause>,
    now: Timestamp,
) -> StoreResult<bool> {
    let (owner, name) = workflow_columns(Some(workflow));
    let transaction = pool.begin().await?;
    if EXISTS.first(&transaction, vec![owner.into(), name.into()]).await?.is_none() {
        rollback(transaction).await;
        return Ok(false);
    }
    let changed = match pause {
        Some(pause) => {
            let refuses = i32::from(pause == WorkflowPause::Refuse);
            PAUSE.run(&transaction, vec![owner.into(), name.into(), now.0.into(), refuses.into()]).await?
        }
        None => RESUME.run(&transaction, vec![owner.into(), name.into()]).await?,
    };
    if changed > 0 {
        bump_limits_version(&transaction, &[QueueName::Execution]).await?;
    }
    commit_change(transaction).await?;
    Ok(true)
}

// Source places of versions: a row beside a version, which may be written again.

// Only for a version that is there.
static PUT: Sql = Sql::new(
    "put_workflow_source",
    "INSERT INTO workflow_source (owner, name, version, source, stored_at)
     SELECT w.owner, w.name, w.version, $4, $5 FROM workflow w WHERE w.owner = $1 AND w.name = $2 AND w.version = $3
     ON CONFLICT (owner, name, version) DO UPDATE SET source = excluded.source, stored_at = excluded.stored_at",
);

static SOURCE_ONE: Sql = Sql::new(
    "workflow_source",
    "SELECT source FROM workflow_source WHERE owner = $1 AND name = $2 AND version = $3",
);

/// Stores the places of a version; answers whether there is such a version.
async fn put(
    pool: &Pool,
    workflow: &WorkflowRef,
    version: u32,
    source: &str,
    now: Timestamp,
) -> StoreResult<bool> {
    let (owner, name) = workflow_columns(Some(workflow));
    let values = vec![owner.into(), name.into(), i64::from(version).into(), source.into(), now.0.into()];
    let transaction = pool.begin().await?;
    if PUT.run(&transaction, values).await? == 0 {
        rollback(transaction).await;
        return Ok(false);
    }
    commit_change(transaction).await?;
    Ok(true)
}

/// The places of a version.
async fn source_of(pool: &Pool, workflow: &WorkflowRef, version: u32) -> StoreResult<Option<String>> {
    let (owner, name) = workflow_columns(Some(workflow));
    let values = vec![owner.into(), name.into(), i64::from(version).into()];
    let row = SOURCE_ONE.first(pool.read(), values).await?;
    row.map(|row| Row::new("workflow_source", &row).text("source")).transpose()
}

// The port's operations on workflows, each retried where that is safe.

#[async_trait]
impl WorkflowStore for SqlStore {
    async fn register_workflow(&self, version: &WorkflowVersion) -> StoreResult<Registered> {
        // Not repeated over a broken connection: the second time a new version would look like an old one.
        with_retry(RetryBudget::once(), || register(self.pool(), version)).await
    }

    async fn workflow(
        &self,
        tenant: Option<&TenantName>,
        name: &str,
        version: Option<u32>,
    ) -> StoreResult<Option<WorkflowVersion>> {
        with_retry(RetryBudget::repeatable(), || one(self.pool(), tenant, name, version)).await
    }

    async fn list_workflows(
        &self,
        tenant: Option<&TenantName>,
        after: Option<&str>,
        limit: u32,
    ) -> StoreResult<Vec<WorkflowVersion>> {
        with_retry(RetryBudget::repeatable(), || latest(self.pool(), tenant, after, limit)).await
    }

    async fn workflow_versions(
        &self,
        tenant: Option<&TenantName>,
        name: &str,
        below: Option<u32>,
        limit: u32,
    ) -> StoreResult<Vec<WorkflowVersion>> {
        with_retry(RetryBudget::repeatable(), || versions(self.pool(), tenant, name, below, limit)).await
    }

    async fn put_workflow_source(
        &self,
        workflow: &WorkflowRef,
        version: u32,
        source: &str,
        now: Timestamp,
    ) -> StoreResult<bool> {
        with_retry(RetryBudget::repeatable(), || put(self.pool(), workflow, version, source, now)).await
    }

    async fn workflow_source(&self, workflow: &WorkflowRef, version: u32) -> StoreResult<Option<String>> {
        with_retry(RetryBudget::repeatable(), || source_of(self.pool(), workflow, version)).await
    }

    async fn pause_workflow(
        &self,
        workflow: &WorkflowRef,
        pause: Option<WorkflowPause>,
        now: Timestamp,
    ) -> StoreResult<bool> {
        with_retry(RetryBudget::repeatable(), || self::pause(self.pool(), workflow, pause, now)).await
    }
}
