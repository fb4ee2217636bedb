//! Requeueing a dead letter: its job goes back to its queue, and its execution goes on with it.
//!
//! The execution is locked before anything is changed, as everywhere.

use std::borrow::Cow;

use domain::access::TenantScope;
use domain::failure::DeadLetterStatus;
use domain::id::DeadLetterId;
use domain::names::CallerKey;
use domain::queue::{LaneId, LaneKey, QueueName, Tier};
use domain::time::Timestamp;
use domain::workflow::NodeKey;
use domain::workflow::execution::ExecutionStatus;
use sea_orm::ConnectionTrait as _;
use store::StoreResult;
use store::dead_letters::{DeadLetterChange, DeadLetterRecord, RequeueEdit};
use store::executions::InboxEntry;

use crate::SqlStore;
use crate::claim_row::bump_epoch;
use crate::dialect::Dialect;
use crate::executions::inbox::{self, Standing};
use crate::executions::lock::{Family, Locked};
use crate::executions::parents::{UNDONE, has_undone, lock_line, resume_above};
use crate::executions::wake;
use crate::executions::wake::{KEY_TAKEN, Resumed, wake};
use crate::jobs::revive::{Changes, Revival, Revived, revive};
use crate::lanes;
use crate::pool::{commit_change, rollback};
use crate::retry::{RetryBudget, with_retry};
use crate::rows::Row;
use crate::sealing::Place;
use crate::sql::{DatabaseTransaction, Sql};

use super::read;

static REQUEUE: Sql = Sql::new(
    "requeue_dead_letter",
    "UPDATE dead_letter SET status = 'requeued', resolved_at = $2 WHERE id = $1 AND status = 'open'",
);

/// Requeues one.
pub(super) async fn requeue(
    store: &SqlStore,
    scope: &TenantScope,
    id: DeadLetterId,
    edit: &RequeueEdit,
    now: Timestamp,
) -> StoreResult<DeadLetterChange> {
    let found = with_retry(RetryBudget::repeatable(), || read::one(store.pool().read(), scope, id)).await?;
    let Some(record) = found else {
        return Ok(DeadLetterChange::NotFound);
    };
    if let Some(answer) = settled_before(&record) {
        return Ok(answer);
    }
    let lane = match edit.tier {
        Some(tier) => Some((lane_at(store, &record, tier).await?, tier)),
        None => None,
    };
    let data = match (&edit.data, record.queue) {
        (Some(data), QueueName::Node) => {
            let place = Place::job_data(record.job_id.uuid());
            Some(store.sealed_text(Some(&record.tenant), place, data).await?)
        }
        (data, _) => data.as_deref().map(Cow::Borrowed),
    };
    let changes = Changes { lane, retries_max: edit.retries_max, data: data.as_deref() };
    // Not repeated over a broken connection: the caller asks again and gets the answer that it was done.
    with_retry(RetryBudget::once(), || requeue_once(store, scope, &record, &changes, now)).await
}

async fn requeue_once(
    store: &SqlStore,
    scope: &TenantScope,
    record: &DeadLetterRecord,
    changes: &Changes<'_>,
    now: Timestamp,
) -> StoreResult<DeadLetterChange> {
    let transaction = store.pool().begin().await?;
    match requeue_in(&transaction, scope, record, changes, now).await? {
        Ok(revived) => {
            let older: Vec<QueueName> = revived.iter().flat_map(Revived::older).copied().collect();
            let bumps = bump_epoch(&transaction, &older).await?;
            commit_change(transaction).await?;
            for job in &revived {
                job.record(store);
            }
            bumps.record(store);
            Ok(DeadLetterChange::Changed {
                job_id: record.job_id,
                queue: record.queue,
                execution_id: record.execution_id,
            })
        }
        Err(answer) => {
            rollback(transaction).await;
            Ok(answer)
        }
    }
}

/// The jobs that went back: its own, and that of a failed execution. `Err` says why there are none.
async fn requeue_in(
    on: &DatabaseTransaction,
    scope: &TenantScope,
    record: &DeadLetterRecord,
    changes: &Changes<'_>,
    now: Timestamp,
) -> StoreResult<Result<Vec<Revived>, DeadLetterChange>> {
    let family = match record.execution_id {
        None => Family::default(),
        Some(id) => lock_line(on, id).await?,
    };
    let execution = match record.execution_id {
        None => None,
        Some(id) => match family.locked.get(&id.uuid()) {
            None => return Ok(refused("the execution of the job is not kept any more")),
            Some(locked) => Some(locked),
        },
    };
    match execution.map(|locked| locked.status) {
        Some(ExecutionStatus::Completed) => {
            return Ok(refused("the execution of the job is already COMPLETED"));
        }
        Some(ExecutionStatus::Cancelled) => {
            return Ok(refused("the execution of the job is already CANCELLED"));
        }
        Some(ExecutionStatus::Pending | ExecutionStatus::Running) if is_compensation(record) => {
            return Ok(refused("the execution of the job is RUNNING again, and nothing of it is undone"));
        }
        Some(_) if !is_compensation(record) && is_undone(on, execution).await? => {
            return Ok(refused(UNDONE));
        }
        _ => {}
    }
    if REQUEUE.run(on, vec![record.id.uuid().into(), now.0.into()]).await? == 0 {
        let answer = read::one(on, scope, record.id).await?.as_ref().and_then(settled_before);
        return Ok(Err(answer.unwrap_or(DeadLetterChange::NotFound)));
    }
    let own = match revive(on, record.job_id.uuid(), changes, now).await? {
        Revival::Revived(revived) => revived,
        Revival::Unfinished => return Ok(refused("the job has not ended")),
        Revival::KeyTaken => return Ok(refused(KEY_TAKEN)),
        Revival::Gone => return Ok(refused("the job is not kept any more")),
    };
    let mut revived = vec![own];
    if let Some(locked) = execution {
        if locked.status == ExecutionStatus::Failed && !is_compensation(record) {
            match resume_above(on, &family, locked, now).await? {
                Ok(above) => revived.extend(above),
                Err(reason) => return Ok(refused(reason)),
            }
        }
        match take_up(on, record, locked, now).await? {
            Resumed::Running(job) => revived.push(job),
            Resumed::Refused(reason) => return Ok(refused(reason)),
        }
    }
    Ok(Ok(revived))
}

async fn is_undone(on: &DatabaseTransaction, execution: Option<&Locked>) -> StoreResult<bool> {
    match execution {
        Some(locked) => has_undone(on, locked).await,
        None => Ok(false),
    }
}

fn is_compensation(record: &DeadLetterRecord) -> bool {
    record.node_id.as_ref().is_some_and(|node| matches!(NodeKey::of(node), NodeKey::Compensation(_)))
}

/// Appends the requeue to the execution's inbox, lets a failed one run again, and queues a parked one.
async fn take_up(
    on: &DatabaseTransaction,
    record: &DeadLetterRecord,
    locked: &Locked,
    now: Timestamp,
) -> StoreResult<Resumed> {
    if let Some(node_id) = record.node_id.clone() {
        let entry = InboxEntry::NodeRequeued { node_id, job_id: record.job_id };
        inbox::append(on, (locked.id, None), &entry, &Standing::Pending, now).await?;
    }
    if locked.status == ExecutionStatus::Failed {
        // Of several compensations the next may be requeued before an owner has taken the execution up.
        let status =
            if is_compensation(record) { ExecutionStatus::Compensating } else { ExecutionStatus::Running };
        return wake::resume_failed(on, locked, status, now).await;
    }
    let dialect = Dialect::of(on.get_database_backend());
    wake(on, dialect, &[locked.job_id], now).await.map(Resumed::Running)
}

/// The answer about a dead letter that is not open.
fn settled_before(record: &DeadLetterRecord) -> Option<DeadLetterChange> {
    match record.status {
        DeadLetterStatus::Open => None,
        DeadLetterStatus::Requeued => Some(DeadLetterChange::AlreadyDone { job_id: record.job_id }),
        DeadLetterStatus::Archived => {
            Some(DeadLetterChange::Refused { reason: "the dead letter is archived" })
        }
    }
}

fn refused(reason: &'static str) -> Result<Vec<Revived>, DeadLetterChange> {
    Err(DeadLetterChange::Refused { reason })
}

// The dead letter does not have it.
static RATE_KEY: Sql = Sql::new(
    "rate_key_of_ended_job",
    "SELECT l.rate_key FROM job_done d JOIN lane l ON l.id = d.lane WHERE d.id = $1",
);

async fn lane_at(store: &SqlStore, record: &DeadLetterRecord, tier: Tier) -> StoreResult<LaneId> {
    let row = RATE_KEY.first(store.pool().read(), vec![record.job_id.uuid().into()]).await?;
    let rate_key = row.map(|row| Row::new("lane", &row).text("rate_key")).transpose()?;
    let key = LaneKey {
        queue: record.queue,
        tier,
        tenant: record.tenant.clone(),
        workflow: record.workflow.clone(),
        job_type: record.job_type.clone(),
        rate_key: rate_key.filter(|key| !key.is_empty()).map(CallerKey::trusted),
    };
    lanes::resolve(store, &[key])
        .await?
        .first()
        .copied()
        .ok_or_else(|| crate::errors::corrupt("dead_letter", "tier", record.id))
}
