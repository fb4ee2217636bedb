//! Pausing a workflow: claims leave its executions queued. Whether new ones are accepted meanwhile is stored here and
//! checked by whoever creates them.

use domain::lane::WorkflowRef;
use domain::queue::QueueName;
use domain::time::Timestamp;
use store::StoreResult;
use store::workflows::WorkflowPause;

use crate::claim_row::bump_limits_version;
use crate::pool::{Pool, commit_change, rollback};
use crate::rows::workflow_columns;
use crate::sql::Sql;

static EXISTS: Sql =
    Sql::new("paused_workflow", "SELECT version FROM workflow WHERE owner = $1 AND name = $2 LIMIT 1");

static PAUSE: Sql = Sql::new(
    "pause_workflow",
    "INSERT INTO workflow_pause (owner, name, paused_at, refuses) VALUES ($1, $2, $3, $4)
     ON CONFLICT (owner, name) DO UPDATE SET refuses = excluded.refuses",
);

static RESUME: Sql = Sql::new("resume_workflow", "DELETE FROM workflow_pause WHERE owner = $1 AND name = $2");

/// Pauses or resumes; answers whether the workflow exists.
pub(super) async fn pause(
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
