//! Failing an execution whose own job died: nobody is left to do it.

use domain::id::ExecutionId;
use domain::time::Timestamp;
use domain::workflow::execution::{ExecutionError, ExecutionStatus};
use store::StoreResult;

use crate::SqlStore;
use crate::dialect::Dialect;
use crate::pool::{commit, rollback};
use crate::sql::Sql;
use crate::transaction::DatabaseTransaction;

use super::cancel::{Cancel, cancel_down, settled_at_once};
use super::lock::{Locked, lock_children, lock_family};
use super::moves::Moves;
use super::parents::{ChildEnd, notify_parent, result_of};
use super::rows::error_text;
use super::{events, inbox};

static FAIL: Sql = Sql::new(
    "fail_execution",
    "UPDATE execution SET status = 'FAILED', completed_at = $2, error = $3 WHERE id = $1",
);

/// Why the children of such an execution are cancelled.
const PARENT_FAILED: &str = "the parent execution failed";

/// Fails an execution; answers whether it had not ended. Its snapshot still says that it is under way, and whoever
/// retries it goes on from there: so results of its nodes and children stay in the inbox, those of children that end
/// here are added, and its user tasks stay open.
pub(super) async fn fail(
    store: &SqlStore,
    id: ExecutionId,
    error: &ExecutionError,
    now: Timestamp,
) -> StoreResult<bool> {
    let (dialect, id) = (store.dialect(), id.uuid());
    let mut moves = Moves::none(store);
    let transaction = store.pool().begin().await?;
    let family = lock_family(&transaction, dialect, &[id], &[id], &[]).await?;
    let Some(locked) = family.locked.get(&id).filter(|locked| !locked.status.is_terminal()) else {
        rollback(transaction).await;
        return Ok(false);
    };
    FAIL.run(&transaction, vec![id.into(), now.0.into(), error_text(error).into()]).await?;
    inbox::refuse_commands(&transaction, dialect, &[(id, ExecutionStatus::Failed)]).await?;
    let line = events::line("execution_failed", Some(error.message.clone()), now);
    events::append(&transaction, dialect, &[(id, &line)]).await?;
    let children = lock_children(&transaction, dialect, &[id]).await?;
    if !children.is_empty() {
        cancel_children(&transaction, dialect, children, now, &mut moves).await?;
    }
    let end = ChildEnd { locked, result: result_of(ExecutionStatus::Failed, None, Some(error)) };
    moves.revive(notify_parent(&transaction, dialect, &family.locked, &[end], now).await?);
    moves.bump(&transaction, &[]).await?;
    commit(transaction).await?;
    moves.record(store, &[]);
    Ok(true)
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
