//! Moving a waiting job to another tier.

use domain::access::TenantScope;
use domain::id::JobId;
use domain::job::JobStatus;
use domain::lane::LaneKey;
use domain::queue::Tier;
use store::jobs::JobChange;
use store::{StoreError, StoreResult};

use super::locate::locate;
use super::states;
use crate::claim_row::bump_epoch;
use crate::lanes;
use crate::pool::{commit_change, rollback};
use crate::retry::{RetryBudget, with_retry};
use crate::rows::Row;
use crate::sql::Sql;
use crate::store::SqlStore;

// Only from the lane that was read: another one may have moved it, or lifted it, meanwhile.
// $1 id, $2 the lane it is in, $3 the new one, $4 the new tier
static MOVE: Sql = Sql::new(
    "reprioritize",
    "UPDATE job SET lane = (SELECT l.id FROM lane l WHERE l.id = $3 AND l.mark IS NULL), tier = $4
     WHERE id = $1 AND lane = $2 AND state <> 'processing'
     RETURNING id, state",
);

/// `JobStore::reprioritize_job`.
pub(super) async fn reprioritize(
    store: &SqlStore,
    scope: &TenantScope,
    id: JobId,
    tier: Tier,
) -> StoreResult<JobChange> {
    with_retry(RetryBudget::repeatable(), || reprioritize_once(store, scope, id, tier)).await
}

async fn reprioritize_once(
    store: &SqlStore,
    scope: &TenantScope,
    id: JobId,
    tier: Tier,
) -> StoreResult<JobChange> {
    let Some(located) = locate(store.pool().read(), scope, id).await? else {
        return Ok(JobChange::NotFound);
    };
    if located.status == JobStatus::Processing || located.status.is_terminal() {
        return Ok(JobChange::Refused(located.status));
    }
    let queue = located.key.queue;
    let lanes = lanes::resolve(store, &[LaneKey { tier, ..located.key }]).await?;
    let transaction = store.pool().begin().await?;
    let values = vec![id.uuid().into(), located.lane.0.into(), lanes[0].0.into(), tier.code().into()];
    let Some(row) = MOVE.first(&transaction, values).await? else {
        rollback(transaction).await;
        return Err(StoreError::Contended { source: "the job moved on while it was being moved".into() });
    };
    let status = states::status(Row::new("job", &row), "state")?;
    let bumps = bump_epoch(&transaction, &[queue]).await?;
    commit_change(transaction).await?;
    if status == JobStatus::Queued {
        store.memory().record_claimable(queue, lanes[0]);
    }
    bumps.record(store);
    Ok(JobChange::Changed { status, queue, execution_id: None })
}
