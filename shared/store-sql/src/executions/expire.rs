//! Ending an execution that nobody started in time.

use domain::expiry;
use domain::id::ExecutionId;
use domain::lane::LaneId;
use domain::time::Timestamp;
use domain::workflow::execution::{ExecutionError, ExecutionStatus};
use store::StoreResult;

use crate::SqlStore;
use crate::jobs::revive::Revived;
use crate::jobs::states;
use crate::lock_order::begin_upkeep;
use crate::pool::{commit, rollback};
use crate::rows::Row;
use crate::sql::Sql;

use super::cancel::{Attendant, Cancel, attendants, cancel_down};
use super::lock::lock_family;
use super::moves::Moves;
use super::parents::{ChildEnd, notify_parent};
use super::rows::error_text;

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
        let mut claimable = Vec::with_capacity(1);
        for row in &KEEP.all(&transaction, vec![locked.job_id.into()]).await? {
            let row = Row::new("job", row);
            if row.text("state")? == states::QUEUED {
                claimable.push((row.queue("queue")?, LaneId(row.int("lane")?), row.long("position")?));
            }
        }
        moves.revive(Revived::in_place(claimable));
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
    let error = expiry::execution_error();
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
