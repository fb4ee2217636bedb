//! Settle and reap: what attempts came to, in one commit.

use std::collections::{HashMap, HashSet};

use domain::id::{ExecutionId, JobId};
use domain::job::{AttemptStatus, Disposition, JobStatus};
use domain::queue::{LaneId, QueueName};
use domain::time::Timestamp;
use store::StoreResult;
use store::jobs::{LeaseAnswer, LeaseRef, SettleResult, Settlement};

use super::admit::admit;
use super::completion_effects::apply_completion_effects;
use super::end::SETTLED_BEFORE;
use super::finish::{JobEnd, attempt_status, finish, partition_unique_ids};
use super::retry::{Crash, Retry, retry};
use super::{finish_fast, status};
use crate::bind::{self, Cell};
use crate::claim_row::bump_epoch;
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
    if by == By::Worker
        && finish_fast::is_eligible(batch, &rounds)
        && store.memory().fast_settlements.should_try()
    {
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

/// Ends jobs on the fast path of each database, and fills in the answers of those that could be.
async fn finish_shortly(
    store: &SqlStore,
    batch: &[Settlement],
    answers: &mut [LeaseAnswer<SettleResult>],
    now: Timestamp,
) -> StoreResult<()> {
    let numbers = store.memory().count_numbers();
    let ended = finish_fast::finish(store, batch, answers, now).await;
    // A connection that broke may have carried it out: the general path finds what became of each job.
    let ended = match retry::or_none(ended)? {
        Some(None) => return Ok(()),
        Some(Some(ended)) => ended,
        None => Vec::new(),
    };
    store.memory().fast_settlements.record(ended.len(), batch.len());
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
    let rounds = rounds.into_iter().map(|places| {
        let round = Batch::sorted(places.iter().map(|&place| &batch[place]), by);
        (places, round)
    });
    let mut rounds: Vec<(Vec<usize>, Batch<'_>)> = rounds.collect();
    let mut answers: Vec<LeaseAnswer<SettleResult>> = vec![LeaseAnswer::LeaseLost; batch.len()];
    let transaction = begin(store, batch, by, &mut rounds).await?;
    let (mut claimable, mut ended): (Vec<Waiting>, Vec<(QueueName, LaneId)>) = (Vec::new(), Vec::new());
    let mut requeued: Vec<QueueName> = Vec::new();
    for (places, mut round) in rounds {
        let mut settled = round.carry_out(store, &transaction, now).await?;
        for place in places {
            if let Some(done) = settled.remove(&batch[place].lease.id) {
                answers[place] = LeaseAnswer::Ok(done);
            }
        }
        claimable.append(&mut round.claimable);
        ended.append(&mut round.ended);
        requeued.append(&mut round.requeued);
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
    rounds: &mut [(Vec<usize>, Batch<'_>)],
) -> StoreResult<DatabaseTransaction> {
    let jobs = batch.iter().map(|settlement| settlement.lease.id.uuid());
    let By::Reaper(now) = by else {
        let transaction = store.pool().begin().await?;
        let is_mixed = |round: &Batch<'_>| !round.finish.is_empty() && !round.retry.is_empty();
        if rounds.len() > 1 || rounds.iter().any(|(_, round)| is_mixed(round)) {
            lock_jobs(&transaction, jobs).await?;
        }
        return Ok(transaction);
    };
    let transaction = begin_upkeep(store.pool()).await?;
    let free = lock_expired_jobs(&transaction, jobs, store.lease_now(now)).await?;
    let free: HashSet<JobId> = free.into_iter().map(JobId::from_uuid).collect();
    for (_, round) in rounds {
        round.finish.retain(|(lease, _)| free.contains(&lease.id));
        round.retry.retain(|retry| free.contains(&retry.lease.id));
    }
    Ok(transaction)
}

/// Where a job can be claimed now, with its position.
type Waiting = (QueueName, LaneId, i64);

/// Settlements that name each job once, sorted by what is to be done.
#[derive(Default)]
struct Batch<'a> {
    finish: Vec<(LeaseRef, JobEnd<'a>)>,
    retry: Vec<Retry>,
    /// Queues in which a job became claimable at an older position.
    requeued: Vec<QueueName>,
    claimable: Vec<Waiting>,
    /// Where leases ended, one entry for each.
    ended: Vec<(QueueName, LaneId)>,
}

impl<'a> Batch<'a> {
    fn sorted(settlements: impl Iterator<Item = &'a Settlement>, by: By) -> Self {
        let mut batch = Self::default();
        for Settlement { lease, disposition } in settlements {
            match disposition {
                Disposition::Complete(result) => {
                    batch.finish.push((*lease, JobEnd::Completed(result.as_deref())));
                }
                Disposition::Die { reason, error } => {
                    batch.finish.push((*lease, JobEnd::Died(*reason, error)));
                }
                Disposition::RetryAt { at, error } => {
                    let attempt_status = attempt_status(error, None);
                    let crash = match (by, attempt_status) {
                        (By::Worker, _) => Crash::Reported,
                        (By::Reaper(_), AttemptStatus::TimedOut) => Crash::TimedOut,
                        (By::Reaper(_), _) => Crash::WorkerLost,
                    };
                    let (at, error) = (*at, error.clone());
                    batch.retry.push(Retry { lease: *lease, at, error, attempt_status, crash });
                }
            }
        }
        batch
    }

    async fn carry_out(
        &mut self,
        store: &SqlStore,
        transaction: &DatabaseTransaction,
        now: Timestamp,
    ) -> StoreResult<HashMap<JobId, SettleResult>> {
        let mut settled = HashMap::with_capacity(self.finish.len() + self.retry.len());
        let finished = finish(transaction, &self.finish, now).await?;
        let ends: HashMap<JobId, &JobEnd<'_>> =
            self.finish.iter().map(|(lease, end)| (lease.id, end)).collect();
        let mut admitted = apply_completion_effects(store, transaction, &finished, &ends, now).await?;
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
