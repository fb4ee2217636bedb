//! Failing an execution whose own job died: nobody is left to do it.

use domain::id::ExecutionId;
use domain::job;
use domain::time::Timestamp;
use domain::workflow::execution::{ExecutionError, ExecutionStatus, TimelineEventKind};
use store::StoreResult;
use store::executions::LostExecution;

use super::cancel::{Attendant, Cancel, attendants, cancel_down, settled_at_once};
use super::lock::{Locked, Moves, lock_children, lock_family};
use super::parents::{ChildEnd, notify_parent, result_of};
use super::read::error_text;
use super::{inbox, read};
use crate::SqlStore;
use crate::dialect::Dialect;
use crate::jobs::revive::Revived;
use crate::lock_order::{begin_upkeep, lock_expired_jobs};
use crate::pool::{commit, rollback};
use crate::sql::{DatabaseTransaction, Sql};

static FAIL: Sql = Sql::new(
    "fail_execution",
    "UPDATE execution SET status = 'FAILED', completed_at = $2, error = $3 WHERE id = $1",
);

/// Why the children of such an execution are cancelled.
const PARENT_FAILED: &str = "the parent execution failed";

/// Who fails an execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FailedBy {
    /// Whoever knows that it has no owner any more.
    Anybody,
    /// The reaper, if the lease of its job has expired. It read that before, and the owner may have renewed it since.
    Reaper,
}

/// Fails an execution, if it has not ended. Its snapshot still says that it is under way, and whoever
/// retries it goes on from there: so results of its nodes and children stay in the inbox, those of children that end
/// here are added, and its user tasks stay open.
pub(super) async fn fail(
    store: &SqlStore,
    id: ExecutionId,
    error: &ExecutionError,
    (by, now): (FailedBy, Timestamp),
) -> StoreResult<LostExecution> {
    let (dialect, id) = (store.dialect(), id.uuid());
    let mut moves = Moves::none(store);
    let transaction = store.pool().begin().await?;
    let family = lock_family(&transaction, dialect, &[id], &[id], &[]).await?;
    let Some(locked) = family.locked.get(&id).filter(|locked| !locked.status.is_terminal()) else {
        rollback(transaction).await;
        return Ok(LostExecution::Ended);
    };
    let children = lock_children(&transaction, dialect, &[id]).await?;
    FAIL.run(&transaction, vec![id.into(), now.0.into(), error_text(error).into()]).await?;
    moves.finish(ExecutionStatus::Failed, 1);
    inbox::refuse_commands(&transaction, dialect, &[(id, ExecutionStatus::Failed)]).await?;
    let line = read::line(TimelineEventKind::ExecutionFailed, Some(error.message.clone()), now);
    read::append(&transaction, dialect, &[(id, &line)]).await?;
    if !children.is_empty() {
        cancel_children(&transaction, dialect, children, now, &mut moves).await?;
    }
    let end = ChildEnd { locked, result: result_of(ExecutionStatus::Failed, None, Some(error)) };
    moves.revive(notify_parent(&transaction, dialect, &family.locked, &[end], now).await?);
    // Last, and without waiting for it: what was locked above comes in the order of ids, which this job need not keep.
    if by == FailedBy::Reaper {
        let job = std::iter::once(locked.job_id);
        if lock_expired_jobs(&transaction, job, store.lease_now(now)).await?.is_empty() {
            rollback(transaction).await;
            return Ok(LostExecution::Owned);
        }
    }
    moves.bump(&transaction, &[]).await?;
    commit(transaction).await?;
    moves.record(store, &[]);
    Ok(LostExecution::Failed)
}

/// Cancels the children of such an execution, which undo what they did. The ends of those that end at once are entries
/// for whoever retries it.
async fn cancel_children(
    on: &DatabaseTransaction,
    dialect: Dialect,
    children: Vec<Locked>,
    now: Timestamp,
    moves: &mut Moves,
) -> StoreResult<()> {
    let cancel = Cancel { reason: Some(PARENT_FAILED), undoes: true };
    let touched = cancel_down(on, dialect, children.clone(), cancel, now, moves).await?;
    inbox::append_all(on, dialect, &settled_at_once(&children, &touched), now).await
}

// Ending an execution that nobody started in time.

static EXPLAIN: Sql = Sql::new("explain_expired_execution", "UPDATE execution SET error = $2 WHERE id = $1");

// One that has started keeps its job to the end, however often it is parked.
static KEEP: Sql = Sql::new(
    "keep_started_execution",
    "UPDATE job SET expires_at = NULL WHERE id = $1 RETURNING queue, lane, position, state",
);

/// Cancels an execution that has not started. Answers the parent that heard of it, if there is one; `None` where it has
/// started, or has ended.
pub(crate) async fn expire(
    store: &SqlStore,
    id: ExecutionId,
    now: Timestamp,
) -> StoreResult<Option<Option<ExecutionId>>> {
    let (dialect, uuid) = (store.dialect(), id.uuid());
    let mut moves = Moves::none(store);
    let transaction = begin_upkeep(store.pool()).await?;
    let family = lock_family(&transaction, dialect, &[uuid], &[uuid], &[]).await?;
    let Some(locked) = family.locked.get(&uuid).filter(|locked| !locked.status.is_terminal()) else {
        rollback(transaction).await;
        return Ok(None);
    };
    if locked.status != ExecutionStatus::Pending || locked.step > 0 {
        // A claim may have passed it over already.
        let kept = KEEP.all(&transaction, vec![locked.job_id.into()]).await?;
        moves.revive(Revived::queued(&kept)?);
        moves.bump(&transaction, &[]).await?;
        commit(transaction).await?;
        moves.record(store, &[]);
        return Ok(None);
    }
    let at_work = attendants(&transaction, dialect, std::slice::from_ref(locked)).await?;
    if at_work.get(&uuid) != Some(&Attendant::Nobody) {
        rollback(transaction).await;
        return Ok(None);
    }
    let error = job::execution_error();
    let cancel = Cancel { reason: Some(&error.message), undoes: false };
    cancel_down(&transaction, dialect, vec![locked.clone()], cancel, now, &mut moves).await?;
    let explained = ExecutionError { node: None, message: error.message.clone(), code: error.code.clone() };
    EXPLAIN.run(&transaction, vec![uuid.into(), error_text(&explained).into()]).await?;
    let end = ChildEnd { locked, result: Err(error) };
    moves.revive(notify_parent(&transaction, dialect, &family.locked, &[end], now).await?);
    moves.bump(&transaction, &[]).await?;
    let parent = locked.parent.as_ref().map(|parent| parent.execution_id);
    commit(transaction).await?;
    moves.record(store, &[]);
    Ok(Some(parent))
}
