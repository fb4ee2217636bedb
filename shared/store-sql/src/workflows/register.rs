//! Registering a version: its row is written once and never again.

use domain::queue::QueueName;
use store::StoreResult;
use store::workflows::{Registered, WorkflowVersion};

use crate::claim_row::bump_limits_version;
use crate::errors::corrupt;
use crate::pool::{Pool, commit_change, rollback};
use crate::rows::workflow_columns;
use crate::sql::Sql;

use super::rows::version_of;

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
pub(super) async fn register(pool: &Pool, version: &WorkflowVersion) -> StoreResult<Registered> {
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
