//! How often in a row the evaluation of an execution's expressions ended with the process that made it.

use domain::id::ExecutionId;
use store::StoreResult;
use store::jobs::LeaseRef;

use crate::SqlStore;
use crate::pool::commit;
use crate::sql::Sql;

// $4 the number
static RECORD: Sql = Sql::new(
    "note_evaluations",
    "UPDATE execution SET evaluations_lost = $4
     WHERE id = $1 AND EXISTS (
       SELECT 1 FROM job j WHERE j.id = $2 AND j.lease_token = $3 AND j.state || '' = 'processing')",
);

// $2 the number of the last step, $3 the number as it is, $4 the new one
static RECORD_UNOWNED: Sql = Sql::new(
    "note_unowned_evaluations",
    "UPDATE execution SET evaluations_lost = $4
     WHERE id = $1 AND step = $2 AND evaluations_lost = $3 AND NOT EXISTS (
       SELECT 1 FROM job j WHERE j.id = execution.job_id AND j.state || '' = 'processing')",
);

/// Records the number, where nobody owns the execution and it is as it was; answers whether it is so.
pub(super) async fn record_unowned(
    store: &SqlStore,
    id: ExecutionId,
    step: i64,
    (before, after): (u32, u32),
) -> StoreResult<bool> {
    let transaction = store.pool().begin().await?;
    let values = vec![id.uuid().into(), step.into(), i64::from(before).into(), i64::from(after).into()];
    let recorded = RECORD_UNOWNED.run(&transaction, values).await?;
    commit(transaction).await?;
    Ok(recorded > 0)
}

/// Records the number, where the lease still holds; answers whether it does.
pub(super) async fn record(
    store: &SqlStore,
    id: ExecutionId,
    lease: LeaseRef,
    lost: u32,
) -> StoreResult<bool> {
    let transaction = store.pool().begin().await?;
    let values = vec![id.uuid().into(), lease.id.uuid().into(), lease.token.0.into(), i64::from(lost).into()];
    let recorded = RECORD.run(&transaction, values).await?;
    commit(transaction).await?;
    Ok(recorded > 0)
}
