//! Settle and reap: what attempts came to, in one commit.

use std::collections::{HashMap, HashSet};

use domain::failure::{DeadReason, JobError};
use domain::id::{ExecutionId, JobId};
use domain::job::{Disposition, JobStatus};
use domain::queue::{LaneId, QueueName};
use domain::time::Timestamp;
use store::StoreResult;
use store::jobs::{AttemptStatus, LeaseAnswer, SettleResult, Settlement};

use super::completion_effects::{End, apply_completion_effects};
use super::end::SETTLED_BEFORE;
use super::finish::{Finish, finish, partition_unique_ids};
use super::promote::admit;
use super::retry::{Crash, Retry, retry};
use super::{expiry, finish, status};
use crate::bind::{self, Cell};
use crate::claim_row::bump_epoch;
use crate::dialect::Dialect;
use crate::lock_order::{begin_upkeep, lock_expired_jobs, lock_jobs};
use crate::pool::commit;
use crate::retry::{self, RetryBudget, with_retry};
use crate::rows::Row;
use crate::sql::DatabaseTransaction;
use crate::store::SqlStore;

/// Who says what attempts came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    /// The worker that holds the lease.
    Worker,
    /// The reaper, about leases that expired before this instant.
    Reaper(Timestamp),
}

/// `JobStore::settle`.
pub(super) async fn settle(
    store: &SqlStore,
    batch: &[Settlement],
    now: Timestamp,
) -> StoreResult<Vec<LeaseAnswer<SettleResult>>> {
    write(store, batch, now, By::Worker).await
}

/// `JobStore::reap`.
pub(super) async fn reap(
    store: &SqlStore,
    batch: &[Settlement],
    now: Timestamp,
) -> StoreResult<Vec<LeaseAnswer<SettleResult>>> {
    write(store, batch, now, By::Reaper(now)).await
}

async fn write(
    store: &SqlStore,
    batch: &[Settlement],
    now: Timestamp,
    by: By,
) -> StoreResult<Vec<LeaseAnswer<SettleResult>>> {
    if batch.is_empty() {
        return Ok(Vec::new());
    }
    let mut answers: Vec<LeaseAnswer<SettleResult>> = vec![LeaseAnswer::LeaseLost; batch.len()];
    let rounds = partition_unique_ids(batch.iter().map(|settlement| settlement.lease.id));
    if by == By::Worker && finish::is_eligible(batch, &rounds) && store.memory().plain.should_try() {
        finish_shortly(store, batch, &mut answers, now).await?;
    }
    let rest: Vec<usize> =
        (0..batch.len()).filter(|&place| answers[place] == LeaseAnswer::LeaseLost).collect();
    if rest.is_empty() {
        return Ok(answers);
    }
    let unsettled: Vec<Settlement> = rest.iter().map(|&place| batch[place].clone()).collect();
    let settled = with_retry(RetryBudget::repeatable(), || write_once(store, &unsettled, now, by)).await?;
    for (place, answer) in rest.into_iter().zip(settled) {
        answers[place] = answer;
    }
    Ok(answers)
}

/// Ends jobs the short way of each database, and fills in the answers of those that could be.
async fn finish_shortly(
    store: &SqlStore,
    batch: &[Settlement],
    answers: &mut [LeaseAnswer<SettleResult>],
    now: Timestamp,
) -> StoreResult<()> {
    let numbers = store.memory().count_numbers();
    let ended = match store.dialect() {
        Dialect::Postgres => finish::finish_fast(store, batch, answers, now).await.map(Some),
        Dialect::Sqlite => expiry::finish(store, batch, answers, now).await,
    };
    // A connection that broke may have carried it out: the general path finds what became of each job.
    let ended = match retry::or_none(ended)? {
        Some(None) => return Ok(()),
        Some(Some(ended)) => ended,
        None => Vec::new(),
    };
    store.memory().plain.record(ended.len(), batch.len());
    store.memory().record_ended(&numbers, &ended);
    Ok(())
}

async fn write_once(
    store: &SqlStore,
    batch: &[Settlement],
    now: Timestamp,
    by: By,
) -> StoreResult<Vec<LeaseAnswer<SettleResult>>> {
    let numbers = store.memory().count_numbers();
    // Before the transaction: SQLite has one that writes.
    let rounds = partition_unique_ids(batch.iter().map(|settlement| settlement.lease.id));
    let works = rounds.into_iter().map(|places| {
        let work = Work::sorted(places.iter().map(|&place| &batch[place]), by);
        (places, work)
    });
    let mut works: Vec<(Vec<usize>, Work)> = works.collect();
    let mut answers: Vec<LeaseAnswer<SettleResult>> = vec![LeaseAnswer::LeaseLost; batch.len()];
    let transaction = begin(store, batch, by, &mut works).await?;
    let (mut claimable, mut ended): (Vec<Waiting>, Vec<RowPosition>) = (Vec::new(), Vec::new());
    let mut requeued: Vec<QueueName> = Vec::new();
    for (places, mut work) in works {
        let mut settled = work.carry_out(store, &transaction, now).await?;
        for place in places {
            if let Some(done) = settled.remove(&batch[place].lease.id) {
                answers[place] = LeaseAnswer::Ok(done);
            }
        }
        claimable.append(&mut work.claimable);
        ended.append(&mut work.ended);
        requeued.append(&mut work.requeued);
    }
    find_repeats(store, &transaction, batch, &mut answers).await?;
    // Last, so that the row is locked as shortly as possible.
    let bumps = bump_epoch(&transaction, &requeued).await?;
    commit(transaction).await?;
    store.memory().record_ended(&numbers, &ended);
    for (queue, lane, position) in claimable {
        store.memory().record_claimable_from(queue, lane, position);
    }
    bumps.record(store);
    Ok(answers)
}

/// Begins the transaction and locks the jobs, where the statements alone would not lock them in order. A reaper leaves
/// out those that somebody else is changing, and those whose leases were renewed since it looked.
async fn begin(
    store: &SqlStore,
    batch: &[Settlement],
    by: By,
    works: &mut [(Vec<usize>, Work)],
) -> StoreResult<DatabaseTransaction> {
    let jobs = batch.iter().map(|settlement| settlement.lease.id.uuid());
    let By::Reaper(now) = by else {
        let transaction = store.pool().begin().await?;
        if works.len() > 1 || works.iter().any(|(_, work)| !work.finish.is_empty() && !work.retry.is_empty())
        {
            lock_jobs(&transaction, jobs).await?;
        }
        return Ok(transaction);
    };
    let transaction = begin_upkeep(store.pool()).await?;
    let free = lock_expired_jobs(&transaction, jobs, store.lease_now(now)).await?;
    let free: HashSet<JobId> = free.into_iter().map(JobId::from_uuid).collect();
    for (_, work) in works {
        work.finish.retain(|finish| free.contains(&finish.lease.id));
        work.retry.retain(|retry| free.contains(&retry.lease.id));
    }
    Ok(transaction)
}

type RowPosition = (QueueName, LaneId);

/// Where a job can be claimed now, with its position.
type Waiting = (QueueName, LaneId, i64);

/// A batch, sorted by what is to be done.
#[derive(Default)]
struct Work {
    finish: Vec<Finish>,
    retry: Vec<Retry>,
    ends: HashMap<JobId, End>,
    /// Queues in which a job became claimable at an older position.
    requeued: Vec<QueueName>,
    claimable: Vec<Waiting>,
    /// Where leases ended, one entry for each.
    ended: Vec<RowPosition>,
}

impl Work {
    fn sorted<'a>(batch: impl Iterator<Item = &'a Settlement>, by: By) -> Self {
        let mut work = Self::default();
        for Settlement { lease, disposition } in batch {
            match disposition {
                Disposition::Complete(result) => {
                    work.finish.push(Finish {
                        lease: *lease,
                        status: JobStatus::Completed,
                        attempt_status: Some(AttemptStatus::Completed),
                        error: None,
                        result: result.clone(),
                    });
                    work.ends.insert(lease.id, End::Completed(result.clone()));
                }
                Disposition::Die { reason, error } => {
                    work.finish.push(Finish {
                        lease: *lease,
                        status: JobStatus::DeadLetter,
                        attempt_status: Some(attempt_status(error, Some(*reason))),
                        error: Some(error.clone()),
                        result: None,
                    });
                    work.ends.insert(lease.id, End::Died(*reason, error.clone()));
                }
                Disposition::RetryAt { at, error } => {
                    let attempt_status = attempt_status(error, None);
                    let crash = match (by, attempt_status) {
                        (By::Worker, _) => Crash::Reported,
                        (By::Reaper(_), AttemptStatus::TimedOut) => Crash::TimedOut,
                        (By::Reaper(_), _) => Crash::WorkerLost,
                    };
                    let (at, error) = (*at, error.clone());
                    work.retry.push(Retry { lease: *lease, at, error, attempt_status, crash });
                }
            }
        }
        work
    }

    async fn carry_out(
        &mut self,
        store: &SqlStore,
        transaction: &DatabaseTransaction,
        now: Timestamp,
    ) -> StoreResult<HashMap<JobId, SettleResult>> {
        let mut settled = HashMap::with_capacity(self.finish.len() + self.retry.len());
        let finished = finish(transaction, &self.finish, now).await?;
        let mut admitted = apply_completion_effects(store, transaction, &finished, &self.ends, now).await?;
        for job in &finished {
            let execution_id: Option<ExecutionId> = job.node().map(|(execution, _)| execution);
            let facts = Some(Box::new(job.facts(now)));
            settled
                .insert(job.id, SettleResult { queue: job.queue, status: job.status, execution_id, facts });
            self.ended.push((job.queue, job.lane));
        }
        let retried = retry(transaction, &self.retry, now).await?;
        let freed: Vec<String> = retried.iter().filter_map(|job| job.freed_key.clone()).collect();
        admitted.extend(admit(transaction, &freed, now).await?);
        for job in &retried {
            let facts = Some(Box::new(job.facts.clone()));
            let answer = SettleResult { queue: job.queue, status: job.status, execution_id: None, facts };
            settled.insert(job.id, answer);
            self.ended.push((job.queue, job.lane));
            if job.status == JobStatus::Queued {
                self.requeued.push(job.queue);
                self.claimable.push((job.queue, job.lane, job.position));
            }
        }
        self.requeued.extend(admitted.iter().map(|job| job.queue));
        self.claimable.extend(admitted.iter().map(|job| (job.queue, job.lane, job.position)));
        Ok(settled)
    }
}

/// How the attempt ended, for the history.
fn attempt_status(error: &JobError, reason: Option<DeadReason>) -> AttemptStatus {
    match (reason, error.code.as_deref()) {
        (Some(DeadReason::WorkerLost), _) | (None, Some("worker_lost")) => AttemptStatus::WorkerLost,
        (Some(DeadReason::Timeout), _) | (None, Some("timeout")) => AttemptStatus::TimedOut,
        _ => AttemptStatus::Failed,
    }
}

/// Finds those of the lost leases that were settled in the same way before, or whose job was cancelled.
async fn find_repeats(
    store: &SqlStore,
    transaction: &DatabaseTransaction,
    batch: &[Settlement],
    answers: &mut [LeaseAnswer<SettleResult>],
) -> StoreResult<()> {
    let open: Vec<usize> =
        (0..batch.len()).filter(|&place| answers[place] == LeaseAnswer::LeaseLost).collect();
    if open.is_empty() {
        return Ok(());
    }
    let cells = open.iter().map(|&index| {
        let lease = batch[index].lease;
        [Cell::Int(index as i32), Cell::Uuid(lease.id.uuid()), Cell::Uuid(lease.token.0)]
    });
    for row in &SETTLED_BEFORE.all(transaction, bind::rows(store.dialect(), cells)).await? {
        let row = Row::new("job_done", row);
        let index = row.int("ord")? as usize;
        let status = status::status(row, "state")?;
        if status == JobStatus::Cancelled {
            answers[index] = LeaseAnswer::Cancelled;
            continue;
        }
        let is_same = match &batch[index].disposition {
            Disposition::Complete(_) => status == JobStatus::Completed,
            Disposition::Die { .. } => matches!(status, JobStatus::DeadLetter | JobStatus::Failed),
            Disposition::RetryAt { .. } => matches!(status, JobStatus::RetryWait | JobStatus::Queued),
        };
        if is_same {
            answers[index] = LeaseAnswer::AlreadyDone;
        }
    }
    Ok(())
}
