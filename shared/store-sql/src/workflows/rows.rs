//! Rows of `workflow`, joined with their pause.

use sea_orm::QueryResult;
use store::StoreResult;
use store::workflows::{WorkflowPause, WorkflowVersion};

use crate::rows::{Row, workflow_ref};

/// Reads a row with the columns of `workflow` and `refuses` of its pause; null where it is not paused.
pub(super) fn version_of(row: &QueryResult) -> StoreResult<WorkflowVersion> {
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
