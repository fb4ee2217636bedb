//! Telling parents that their children ended: by an entry in their inboxes, in the transaction that ends the child.

use std::collections::{HashMap, HashSet};

use domain::failure::JobError;
use domain::id::ExecutionId;
use domain::time::Timestamp;
use domain::workflow::execution::{ChildStanding, ExecutionError, ExecutionState, ExecutionStatus};
use domain::workflow::unique::lock_number;
use sea_orm::ConnectionTrait as _;
use store::StoreResult;
use store::executions::InboxEntry;
use uuid::Uuid;

use super::inbox::{self, Standing};
use super::lock::{Family, Locked, lock_family, lock_unique_key, mark_inbox_changed};
use super::wake;
use super::wake::{Resumed, wake};
use crate::dialect::Dialect;
use crate::jobs::revive::Revived;
use crate::rows::Row;
use crate::sql::{DatabaseTransaction, Sql};

/// An execution that ends in this transaction.
#[derive(Debug)]
pub(super) struct ChildEnd<'a> {
    /// The execution, a child or not.
    pub(super) locked: &'a Locked,
    /// Its output as raw JSON text, or why there is none.
    pub(super) result: Result<String, JobError>,
}

/// What a child that ended like this is to its parent.
pub(super) fn result_of(
    status: ExecutionStatus,
    output: Option<&str>,
    error: Option<&ExecutionError>,
) -> Result<String, JobError> {
    match status {
        ExecutionStatus::Completed => Ok(output.unwrap_or("null").to_owned()),
        ExecutionStatus::Cancelled => Err(JobError::coded("cancelled", "The child execution was cancelled.")),
        _ => Err(match error {
            Some(error) => {
                JobError { message: error.message.clone(), code: error.code.clone(), details: None }
            }
            None => JobError::coded("child_failed", "The child execution failed."),
        }),
    }
}

/// Notifies the parents among `locked` and queues those that are parked. A parent that failed is notified as well:
/// whoever retries it goes on from there. One that is over, or ends in this transaction, is not.
pub(super) async fn notify_parent(
    on: &DatabaseTransaction,
    dialect: Dialect,
    locked: &HashMap<Uuid, Locked>,
    ends: &[ChildEnd<'_>],
    now: Timestamp,
) -> StoreResult<Revived> {
    let ending: HashSet<Uuid> = ends.iter().map(|end| end.locked.id).collect();
    let mut entries: Vec<(Uuid, InboxEntry)> = Vec::new();
    let mut jobs: Vec<Uuid> = Vec::new();
    for end in ends {
        let Some(parent) = &end.locked.parent else {
            continue;
        };
        // A parent that is not kept any more is not among them.
        let Some(row) = locked.get(&parent.execution_id.uuid()) else {
            continue;
        };
        let is_over = matches!(row.status, ExecutionStatus::Completed | ExecutionStatus::Cancelled);
        if is_over || ending.contains(&row.id) {
            continue;
        }
        let entry = InboxEntry::ChildSettled {
            node_id: parent.node_id.clone(),
            child_id: end.locked.execution_id(),
            result: end.result.clone(),
        };
        entries.push((row.id, entry));
        jobs.push(row.job_id);
    }
    inbox::append_all(on, dialect, &entries, now).await?;
    jobs.sort_unstable();
    jobs.dedup();
    wake(on, dialect, &jobs, now).await
}

// The executions above a child: what becomes of those that failed with it when it goes on.

// Parents and unique keys do not change, so they are read before the rows are locked, those above first.
static CHAIN: Sql = Sql::new(
    "executions_above",
    "WITH RECURSIVE above (id, parent_id) AS (
         SELECT e.id, e.parent_id FROM execution e WHERE e.id = $1
         UNION ALL
         SELECT p.id, p.parent_id FROM above a JOIN execution p ON p.id = a.parent_id)
     SELECT e.id, e.tenant, e.workflow_owner, e.workflow, e.unique_key FROM above a JOIN execution e ON e.id = a.id",
);

static STATE: Sql = Sql::new("execution_state", "SELECT state FROM execution WHERE id = $1");

/// Why a child in whose place there is another does not go on.
const REPLACED: &str = "its parent has started another execution in its place";
/// Why a child does not go on whose parent has undone what came before it.
const UNDONE_ABOVE: &str =
    "a parent of its execution has undone what it completed: retry the parent execution";
/// Why a node does not go on whose execution has undone what came before it.
pub(crate) const UNDONE: &str = "its execution has undone what it completed: retry the execution";

/// Locks an execution with all above it, and their unique keys.
pub(crate) async fn lock_line(on: &DatabaseTransaction, id: ExecutionId) -> StoreResult<Family> {
    let dialect = Dialect::of(on.get_database_backend());
    let (mut ids, mut keys): (Vec<Uuid>, Vec<i64>) = (Vec::new(), Vec::new());
    for row in &CHAIN.all(on, vec![id.uuid().into()]).await? {
        let row = Row::new("execution", row);
        ids.push(row.uuid("id")?);
        if let Some(key) = row.text_or_null("unique_key")? {
            let (owner, workflow) = (row.text("workflow_owner")?, row.text("workflow")?);
            keys.push(lock_number(&row.text("tenant")?, (&owner, &workflow), &key));
        }
    }
    keys.sort_unstable();
    for key in keys {
        lock_unique_key(on, dialect, key).await?;
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
        match wake::resume_failed(on, parent, ExecutionStatus::Running, now).await? {
            Resumed::Running(job) => revived.push(job),
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
