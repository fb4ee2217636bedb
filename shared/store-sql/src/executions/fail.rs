//! Failing an execution whose own job died: nobody is left to do it.

use domain::access::TenantScope;
use domain::id::ExecutionId;
use domain::time::Timestamp;
use domain::workflow::execution::{ExecutionError, ExecutionStatus};
use store::StoreResult;

use crate::SqlStore;
use crate::pool::{commit, rollback};
use crate::sql::Sql;

use super::rows::error_text;
use super::{events, inbox, lock};

static FAIL: Sql = Sql::new(
    "fail_execution",
    "UPDATE execution SET status = 'FAILED', completed_at = $2, error = $3 WHERE id = $1",
);

/// Fails an execution; answers whether it had not ended. News of its nodes stay in the inbox: the snapshot does not
/// know of them, and whoever retries the execution goes on from there.
pub(super) async fn fail(
    store: &SqlStore,
    id: ExecutionId,
    error: &ExecutionError,
    now: Timestamp,
) -> StoreResult<bool> {
    let transaction = store.pool().begin().await?;
    let locked = lock::lock(&transaction, &TenantScope::All, id).await?;
    let Some(locked) = locked.filter(|locked| !locked.status.is_terminal()) else {
        rollback(transaction).await;
        return Ok(false);
    };
    FAIL.run(&transaction, vec![locked.id.into(), now.0.into(), error_text(error).into()]).await?;
    let reason = inbox::finished_reason(ExecutionStatus::Failed);
    inbox::refuse_commands(&transaction, locked.id, &reason).await?;
    let line = events::line("execution_failed", Some(error.message.clone()), now);
    events::append(&transaction, store.dialect(), locked.id, &[line]).await?;
    commit(transaction).await?;
    Ok(true)
}
