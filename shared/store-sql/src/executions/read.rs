//! Looking at executions, and what lists show of them.

use domain::access::TenantScope;
use domain::id::{ExecutionId, JobId};
use domain::names::{CallerKey, NodeId, TenantName};
use domain::time::Timestamp;
use domain::workflow::execution::{ExecutionError, ExecutionStatus, TimelineEventKind};
use store::StoreResult;
use store::executions::{EventLine, EventRecord, ExecutionRecord, Parent, Trigger};
use uuid::Uuid;

use crate::bind::{self, Cell};
use crate::dialect::Dialect;
use crate::pool::Pool;
use crate::rows::Row;
use crate::select::Select;
use crate::sql::{DatabaseTransaction, Sql};

static ENDED: Sql = Sql::new(
    "ended_executions",
    "SELECT id FROM execution WHERE id {any $1 uuid} AND completed_at IS NOT NULL",
);

static TENANTS: Sql =
    Sql::new("tenants_of_executions", "SELECT id, tenant FROM execution WHERE id {any $1 uuid}");

/// An execution.
pub(super) async fn one(
    pool: &Pool,
    scope: &TenantScope,
    id: ExecutionId,
) -> StoreResult<Option<ExecutionRecord>> {
    let mut select = Select::new("execution", "SELECT e.* FROM execution e WHERE true");
    select.with("AND e.id = $?", id.uuid());
    select.with_some("AND e.tenant = $?", scope.tenant().map(TenantName::as_str));
    let row = select.first(pool.read()).await?;
    row.map(|row| record_of(Row::new("execution", &row))).transpose()
}

/// Which of these have ended.
pub(super) async fn ended(pool: &Pool, ids: &[ExecutionId]) -> StoreResult<Vec<ExecutionId>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let list = bind::uuids(pool.dialect(), ids.iter().map(|id| id.uuid()));
    let rows = ENDED.all(pool.read(), vec![list]).await?;
    rows.iter().map(|row| Row::new("execution", row).uuid("id").map(ExecutionId::from_uuid)).collect()
}

/// Whose these are.
pub(super) async fn tenants(pool: &Pool, ids: &[ExecutionId]) -> StoreResult<Vec<(ExecutionId, TenantName)>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let list = bind::uuids(pool.dialect(), ids.iter().map(|id| id.uuid()));
    let rows = TENANTS.all(pool.read(), vec![list]).await?;
    let whose = rows.iter().map(|row| {
        let row = Row::new("execution", row);
        Ok((ExecutionId::from_uuid(row.uuid("id")?), row.name("tenant", TenantName::trusted)?))
    });
    whose.collect()
}

// Rows of `execution`.

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

// The timeline of an execution: appended by its commits, read by position.

static APPEND: Sql = Sql::new(
    "append_execution_events",
    "INSERT INTO execution_event (execution_id, kind, node_id, detail, at)
     SELECT r.execution_id, r.kind, r.node_id, r.detail, r.at
     FROM {rows $1: place int, execution_id uuid, kind text, node_id text?, detail text?, at bigint} r
     WHERE true ORDER BY r.place",
);

static LIST: Sql = Sql::new(
    "execution_events",
    "SELECT position, kind, node_id, detail, at FROM execution_event
     WHERE execution_id = $1 AND position > $2 ORDER BY position LIMIT $3",
);

/// Appends lines, each to the timeline of its execution, in order.
pub(super) async fn append(
    transaction: &DatabaseTransaction,
    dialect: Dialect,
    lines: &[(Uuid, &EventLine)],
) -> StoreResult<()> {
    if lines.is_empty() {
        return Ok(());
    }
    let cells = lines.iter().enumerate().map(|(place, (execution, line))| cells_of(place, *execution, line));
    APPEND.run(transaction, bind::rows(dialect, cells)).await.map(|_| ())
}

/// A line as a row of its place, its execution and its columns.
pub(super) fn cells_of(place: usize, execution: Uuid, line: &EventLine) -> [Cell<'_>; 6] {
    [
        Cell::Int(place as i32),
        Cell::Uuid(execution),
        Cell::Text(&line.kind),
        Cell::TextOrNull(line.node_id.as_ref().map(NodeId::as_str)),
        Cell::TextOrNull(line.detail.as_deref()),
        Cell::Long(line.at.0),
    ]
}

/// A line that the store itself appends, about the execution as a whole.
pub(super) fn line(kind: TimelineEventKind, detail: Option<String>, at: Timestamp) -> EventLine {
    EventLine { kind: kind.as_str().to_owned(), node_id: None, detail, at }
}

/// Lines after a position, oldest first; `None` if there is no such execution in the scope.
pub(super) async fn list_events(
    pool: &Pool,
    scope: &TenantScope,
    id: ExecutionId,
    after: i64,
    limit: u32,
) -> StoreResult<Option<Vec<EventRecord>>> {
    let mut select = Select::new("execution_exists", "SELECT e.id FROM execution e WHERE true");
    select.with("AND e.id = $?", id.uuid());
    select.with_some("AND e.tenant = $?", scope.tenant().map(TenantName::as_str));
    if select.first(pool.delayed_lists()).await?.is_none() {
        return Ok(None);
    }
    let rows =
        LIST.all(pool.delayed_lists(), vec![id.uuid().into(), after.into(), i64::from(limit).into()]).await?;
    let records: StoreResult<Vec<_>> =
        rows.iter().map(|row| event_of(Row::new("execution_event", row))).collect();
    records.map(Some)
}

fn event_of(row: Row<'_>) -> StoreResult<EventRecord> {
    Ok(EventRecord {
        position: row.long("position")?,
        line: EventLine {
            kind: row.text("kind")?,
            node_id: row.name_or_null("node_id", NodeId::trusted)?,
            detail: row.text_or_null("detail")?,
            at: row.instant("at")?,
        },
    })
}
