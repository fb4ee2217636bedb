//! Failing an execution whose own job died: nobody is left to do it.

use domain::id::ExecutionId;
use domain::queue::QueueName;
use domain::time::Timestamp;
use domain::workflow::execution::{ExecutionError, ExecutionStatus};
use store::StoreResult;

use crate::SqlStore;
use crate::claim_row::bump_epoch;
use crate::pool::{commit, rollback};
use crate::sql::Sql;
use crate::user_tasks::change::close_all;

use super::cancel::cancel_down;
use super::lock::{lock_children, lock_family};
use super::moves::Moves;
use super::parents::{ChildEnd, result_of, tell};
use super::rows::error_text;
use super::{events, inbox};

static FAIL: Sql = Sql::new(
    "fail_execution",
    "UPDATE execution SET status = 'FAILED', completed_at = $2, error = $3 WHERE id = $1",
);

/// Why the children of such an execution are cancelled.
const PARENT_FAILED: &str = "the parent execution failed";

/// Fails an execution; answers whether it had not ended. News of its nodes and children stay in the inbox: the snapshot
/// does not know of them, and whoever retries the execution goes on from there.
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
    close_all(&transaction, &[id], now).await?;
    let line = events::line("execution_failed", Some(error.message.clone()), now);
    events::append(&transaction, dialect, &[(id, &line)]).await?;
    let children = lock_children(&transaction, dialect, &[id]).await?;
    if !children.is_empty() {
        bump_epoch(&transaction, &[QueueName::Execution]).await?;
        cancel_down(&transaction, dialect, children, Some(PARENT_FAILED), now, &mut moves).await?;
    }
    let end = ChildEnd { locked, result: result_of(ExecutionStatus::Failed, None, Some(error)) };
    moves.revive(tell(&transaction, dialect, &family.locked, &[end], now).await?);
    moves.bump(&transaction).await?;
    commit(transaction).await?;
    moves.note(store, &[]);
    Ok(true)
}
