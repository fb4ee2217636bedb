//! Rows of `execution`.

use domain::id::{ExecutionId, JobId};
use domain::names::{CallerKey, NodeId, TenantName};
use domain::workflow::execution::{ExecutionError, ExecutionStatus};
use store::StoreResult;
use store::executions::{ExecutionRecord, Parent, Trigger};

use crate::rows::Row;
use crate::select::Select;

/// The columns of [`record_of`] without the payloads, for lists. To be read from `execution e`.
const SHORT_COLUMNS: &str = "e.id, e.job_id, e.tenant, e.workflow_owner, e.workflow, e.version, e.status, \
     e.tier, e.trigger_kind, e.trigger_detail, e.correlation_id, e.tags, e.traceparent, e.created_at, e.started_at, \
     e.completed_at, e.error, e.parent_id, e.parent_node_id, e.depth, e.unique_key, e.unique_held, \
     e.payload_dropped_at, \
     'null' AS input, CAST(NULL AS text) AS output";

/// Begins a select of what lists show of executions `e`.
pub(crate) fn select_short(name: &'static str) -> Select {
    Select::new(name, &format!("SELECT {SHORT_COLUMNS} FROM execution e WHERE true"))
}

/// Reads what is shown of an execution.
pub(crate) fn record_of(row: Row<'_>) -> StoreResult<ExecutionRecord> {
    Ok(ExecutionRecord {
        id: ExecutionId::from_uuid(row.uuid("id")?),
        job_id: JobId::from_uuid(row.uuid("job_id")?),
        tenant: row.name("tenant", TenantName::trusted)?,
        workflow: row.workflow()?.ok_or_else(|| row.fault("workflow"))?,
        version: row.count("version")?,
        status: row.parsed("status", ExecutionStatus::parse)?,
        tier: row.tier("tier")?,
        trigger: Trigger { kind: row.text("trigger_kind")?, detail: row.text_or_null("trigger_detail")? },
        input: row.text("input")?,
        output: row.text_or_null("output")?,
        error: row.json_or_null::<ExecutionError>("error")?,
        correlation_id: row.text_or_null("correlation_id")?,
        tags: row.tags("tags")?,
        traceparent: row.text_or_null("traceparent")?,
        created_at: row.instant("created_at")?,
        started_at: row.instant_or_null("started_at")?,
        completed_at: row.instant_or_null("completed_at")?,
        parent: parent_of(row)?,
        unique_key: row.name_or_null("unique_key", CallerKey::trusted)?,
        is_held: row.long_or_null("unique_held")?.is_some(),
        payload_dropped_at: row.instant_or_null("payload_dropped_at")?,
    })
}

/// The execution that one is a child of, from the columns `parent_id`, `parent_node_id` and `depth`.
pub(super) fn parent_of(row: Row<'_>) -> StoreResult<Option<Parent>> {
    let Some(parent_id) = row.uuid_or_null("parent_id")? else {
        return Ok(None);
    };
    Ok(Some(Parent {
        execution_id: ExecutionId::from_uuid(parent_id),
        node_id: row.name("parent_node_id", NodeId::trusted)?,
        depth: row.count("depth")?,
    }))
}

/// The text of an execution's error.
pub(super) fn error_text(error: &ExecutionError) -> String {
    serde_json::to_string(error).expect("an error holds only strings")
}
