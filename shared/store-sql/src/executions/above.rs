//! The executions above a child: what becomes of those that failed with it when it goes on.

use crate::transaction::DatabaseTransaction;
use domain::id::ExecutionId;
use domain::time::Timestamp;
use domain::workflow::execution::{ChildStanding, ExecutionState, ExecutionStatus};
use sea_orm::ConnectionTrait as _;
use store::StoreResult;
use store::executions::InboxEntry;
use uuid::Uuid;

use crate::dialect::Dialect;
use crate::jobs::revive::Revived;
use crate::rows::Row;
use crate::sql::Sql;

use super::inbox::{self, Standing};
use super::lock::{Family, Locked, lock_family, mark_inbox_changed};
use super::resume::{self, Resumed};
use super::wake::wake;

// Parents do not change, so their ids are read before the rows are locked, those above first.
static CHAIN: Sql = Sql::new(
    "executions_above",
    "WITH RECURSIVE above (id, parent_id) AS (
         SELECT e.id, e.parent_id FROM execution e WHERE e.id = $1
         UNION ALL
         SELECT p.id, p.parent_id FROM above a JOIN execution p ON p.id = a.parent_id)
     SELECT a.id FROM above a",
);

static STATE: Sql = Sql::new("execution_state", "SELECT state FROM execution WHERE id = $1");

/// Why a child in whose place there is another does not go on.
const REPLACED: &str = "its parent has started another execution in its place";
/// Why a child does not go on whose parent has undone what came before it.
const UNDONE_ABOVE: &str =
    "a parent of its execution has undone what it completed: retry the parent execution";
/// Why a node does not go on whose execution has undone what came before it.
pub(crate) const UNDONE: &str = "its execution has undone what it completed: retry the execution";

/// Locks an execution with all above it.
pub(crate) async fn lock_line(on: &DatabaseTransaction, id: ExecutionId) -> StoreResult<Family> {
    let dialect = Dialect::of(on.get_database_backend());
    let mut ids: Vec<Uuid> = Vec::new();
    for row in &CHAIN.all(on, vec![id.uuid().into()]).await? {
        ids.push(Row::new("execution", row).uuid("id")?);
    }
    lock_family(on, dialect, &ids, &[], &[]).await
}

/// Whether a locked execution has undone something, or is about to.
pub(crate) async fn has_undone(on: &DatabaseTransaction, locked: &Locked) -> StoreResult<bool> {
    Ok(state_of(on, locked).await?.is_some_and(|state| state.has_undone()))
}

/// Lets the executions above a failed child go on that failed with it, up to one that is under way; `Err` says why the
/// child may not go on itself. To be called with all of them locked.
pub(crate) async fn resume_above(
    on: &DatabaseTransaction,
    family: &Family,
    child: &Locked,
    now: Timestamp,
) -> StoreResult<Result<Vec<Revived>, &'static str>> {
    let dialect = Dialect::of(on.get_database_backend());
    let (mut child, mut revived) = (child, Vec::new());
    while let Some(by) = &child.parent {
        let Some(parent) = family.locked.get(&by.execution_id.uuid()) else {
            break;
        };
        if matches!(parent.status, ExecutionStatus::Completed | ExecutionStatus::Cancelled) {
            break;
        }
        let Some(state) = state_of(on, parent).await? else {
            break;
        };
        match state.standing_of_child(&by.node_id, child.execution_id()) {
            ChildStanding::Replaced => return Ok(Err(REPLACED)),
            ChildStanding::Alone => break,
            ChildStanding::Awaited if state.has_undone() => return Ok(Err(UNDONE_ABOVE)),
            ChildStanding::Awaited => {}
        }
        let entry = InboxEntry::ChildResumed { node_id: by.node_id.clone(), child_id: child.execution_id() };
        inbox::append(on, (parent.id, None), &entry, &Standing::Pending, now).await?;
        mark_inbox_changed(on, dialect, parent.id).await?;
        if parent.status != ExecutionStatus::Failed {
            revived.push(wake(on, dialect, &[parent.job_id], now).await?);
            break;
        }
        match resume::resume(on, parent, ExecutionStatus::Running, now).await? {
            Resumed::Running(job) => revived.extend(job),
            Resumed::Refused(reason) => return Ok(Err(reason)),
        }
        child = parent;
    }
    Ok(Ok(revived))
}

/// What was committed of an execution. What cannot be read says nothing here; its owner finds out.
async fn state_of(on: &DatabaseTransaction, locked: &Locked) -> StoreResult<Option<ExecutionState>> {
    let Some(row) = STATE.first(on, vec![locked.id.into()]).await? else {
        return Ok(None);
    };
    let bytes = Row::new("execution", &row).bytes_or_null("state")?;
    Ok(bytes.and_then(|bytes| ExecutionState::from_snapshot(&bytes).ok()))
}
