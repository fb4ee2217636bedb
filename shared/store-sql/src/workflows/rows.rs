//! Rows of `workflow`, joined with their pause.

use sea_orm::QueryResult;
use store::StoreResult;
use store::workflows::WorkflowVersion;

use crate::rows::{Row, workflow_ref};

/// Reads a row with the columns of `workflow` and `is_paused` (0 or 1).
pub(super) fn version_of(row: &QueryResult) -> StoreResult<WorkflowVersion> {
    let row = Row::new("workflow", row);
    Ok(WorkflowVersion {
        workflow: workflow_ref(row.text("owner")?, row.text("name")?),
        version: row.count("version")?,
        content_hash: row.text("content_hash")?,
        content: row.text("content")?,
        max_concurrent: row.count_or_null("max_concurrent")?,
        created_at: row.instant("created_at")?,
        is_paused: row.long("is_paused")? != 0,
    })
}
