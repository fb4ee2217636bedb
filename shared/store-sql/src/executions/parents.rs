//! Telling parents that their children ended: by an entry in their inboxes, in the transaction that ends the child.

use std::collections::{HashMap, HashSet};

use domain::failure::JobError;
use domain::time::Timestamp;
use domain::workflow::execution::{ExecutionError, ExecutionStatus};
use store::StoreResult;
use store::executions::InboxEntry;
use uuid::Uuid;

use crate::dialect::Dialect;
use crate::jobs::revive::Revived;
use crate::transaction::DatabaseTransaction;

use super::inbox;
use super::lock::Locked;
use super::wake::wake;

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
