//! Taking a failed execution up again: its job goes back to `workflow-execution`.

use domain::time::Timestamp;
use domain::workflow::execution::ExecutionStatus;
use store::StoreResult;

use crate::jobs::revive::{Changes, Revival, Revived, revive};
use crate::sql::Sql;
use crate::transaction::DatabaseTransaction;

use super::lock::Locked;

static RUN: Sql = Sql::new(
    "resume_execution",
    "UPDATE execution SET status = $2, completed_at = NULL, error = NULL WHERE id = $1",
);

static IS_DROPPED: Sql = Sql::new(
    "execution_is_dropped",
    "SELECT id FROM execution WHERE id = $1 AND payload_dropped_at IS NOT NULL",
);

/// Whether an execution runs again.
#[derive(Debug)]
pub(crate) enum Resumed {
    /// It does; what became claimable: the job that went back, unless it was there already.
    Running(Option<Revived>),
    /// It cannot, and why.
    Refused(&'static str),
}

/// Lets a locked execution that has failed run again, RUNNING or COMPENSATING.
pub(crate) async fn resume(
    on: &DatabaseTransaction,
    locked: &Locked,
    status: ExecutionStatus,
    now: Timestamp,
) -> StoreResult<Resumed> {
    if IS_DROPPED.first(on, vec![locked.id.into()]).await?.is_some() {
        return Ok(Resumed::Refused("the payloads of the execution are not kept any more"));
    }
    let revived = match revive(on, locked.job_id, &Changes::default(), now).await? {
        Revival::Revived(revived) => Some(revived),
        Revival::Unfinished => None,
        Revival::KeyTaken => return Ok(Resumed::Refused(KEY_TAKEN)),
        Revival::Gone => return Ok(Resumed::Refused("the job of the execution is not kept any more")),
    };
    RUN.run(on, vec![locked.id.into(), status.as_str().into()]).await?;
    Ok(Resumed::Running(revived))
}

/// Why a job with a unique key cannot go back.
pub(crate) const KEY_TAKEN: &str = "another unfinished job has the same unique key";
