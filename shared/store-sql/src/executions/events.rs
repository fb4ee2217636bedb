//! The timeline of an execution: appended by its commits, read by position.

use domain::access::TenantScope;
use domain::id::ExecutionId;
use domain::names::{NodeId, TenantName};
use domain::time::Timestamp;
use store::StoreResult;
use store::executions::{EventLine, EventRecord};
use uuid::Uuid;

use crate::bind::{self, Cell};
use crate::dialect::Dialect;
use crate::pool::Pool;
use crate::rows::Row;
use crate::select::Select;
use crate::sql::Sql;
use crate::transaction::DatabaseTransaction;

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
pub(super) fn line(kind: &str, detail: Option<String>, at: Timestamp) -> EventLine {
    EventLine { kind: kind.to_owned(), node_id: None, detail, at }
}

/// Lines after a position, oldest first; `None` if there is no such execution in the scope.
pub(super) async fn list(
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
        rows.iter().map(|row| record_of(Row::new("execution_event", row))).collect();
    records.map(Some)
}

fn record_of(row: Row<'_>) -> StoreResult<EventRecord> {
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
