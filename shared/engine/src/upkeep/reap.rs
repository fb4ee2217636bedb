//! Reap: jobs whose lease expired are tried again, or die.

use domain::dispatch::is_holder;
use domain::failure::{DeadReason, JobError};
use domain::job::{AttemptFacts, Disposition, Outcome, after_attempt};
use domain::queue::QueueName;
use domain::retry::Jitter;
use domain::time::Timestamp;
use domain::workflow::execution::ExecutionError;
use store::StoreError;
use store::executions::LostExecution;
use store::jobs::{ExpiredLease, GiveBack, LeaseAnswer, SettleResult, Settlement};
use store::wakeup::Hint;

use crate::engine::Engine;
use crate::error::EngineError;
use crate::halves::write_by_halves;
use crate::{metrics, traces};

/// How many pages one tick takes at most, so that a tick ends.
const PAGES_MAX: u32 = 100;

/// How often in a row an execution may lose its owner without a commit in between. More than a job may lose its
/// worker, because owners run no code of users: a row of losses is far more likely a server that is restarted again
/// and again, and an execution must outlive that.
const LOST_OWNERS_MAX: u32 = 20;

impl Engine {
    /// Reaps until no expired lease is left. Answers how many were reaped.
    pub async fn reap_tick(&self) -> Result<u32, EngineError> {
        let limit = self.policy().upkeep_batch;
        let mut reaped_total = 0;
        for _ in 0..PAGES_MAX {
            let now = self.now();
            let expired = self.store().expired_leases(now, limit).await?;
            let reaped = self.reap(&expired, now).await?;
            reaped_total += reaped;
            // A page of which nothing was reaped lost every lease to somebody else; the next tick sees what is left.
            if expired.len() < limit as usize || reaped == 0 {
                break;
            }
        }
        Ok(reaped_total)
    }

    async fn reap(&self, expired: &[ExpiredLease], now: Timestamp) -> Result<u32, EngineError> {
        if expired.is_empty() {
            return Ok(0);
        }
        let (offers, expired): (Vec<&ExpiredLease>, Vec<&ExpiredLease>) =
            expired.iter().partition(|lease| is_holder(lease.worker_id.as_str()));
        let returned = self.return_offers(&offers, now).await?;
        if expired.is_empty() {
            return Ok(returned);
        }
        let mut batch = Vec::with_capacity(expired.len());
        let mut dying = Vec::new();
        for lease in expired {
            let disposition = disposition(lease, now, self.entropy().jitter());
            if lease.leased.queue == QueueName::Execution && matches!(disposition, Disposition::Die { .. }) {
                match self.fail_lost_execution(lease, now).await {
                    Ok(true) => dying.push((batch.len(), lease)),
                    // Its owner is back.
                    Ok(false) => continue,
                    Err(error) if error.is_retryable() => return Err(error),
                    // One that cannot be failed must not keep all other leases from being reaped.
                    Err(error) => {
                        tracing::error!(
                            job.id = %lease.leased.lease.id,
                            error = &error as &dyn std::error::Error,
                            "an execution that lost its owners could not be marked as failed"
                        );
                        continue;
                    }
                }
            }
            batch.push(Settlement { lease: lease.leased.lease, disposition });
        }
        let (answers, failure) = self.reap_batch(&batch, now).await;
        metrics::reaped(self.store().as_ref(), &batch, &answers);
        self.memory().stats.settled(self.store().as_ref(), &batch, &answers, now);
        traces::settled(self.store(), &batch, &answers, (now, self.now()));
        self.wake_settled(&answers);
        for (place, lease) in dying {
            // Somebody may have retried the execution between its failure and the death of its job, which would leave
            // it without an owner.
            if answers.get(place).and_then(LeaseAnswer::ok).is_some()
                && let Some(id) = lease.execution_id
                && self.store().fail_execution(id, &lost_owners(), now).await?
            {
                self.wake(&[Hint::Finished(id)]);
            }
        }
        if let Some(error) = failure {
            return Err(error);
        }
        let reaped = answers.iter().filter_map(LeaseAnswer::ok).count();
        Ok(returned + reaped as u32)
    }

    /// An offer that nobody took goes back as if it had not been made. One that was accepted since has another token.
    async fn return_offers(&self, offers: &[&ExpiredLease], now: Timestamp) -> Result<u32, EngineError> {
        if offers.is_empty() {
            return Ok(0);
        }
        let back: Vec<GiveBack> = offers.iter().map(|offer| GiveBack::untaken(offer.leased.lease)).collect();
        let answers = self.store().give_back(&back, now).await?;
        let mut returned = 0;
        for (offer, answer) in offers.iter().zip(answers) {
            if answer == LeaseAnswer::Ok(()) {
                metrics::offer_returned(&offer.leased.job_type);
                returned += 1;
            }
        }
        self.wake(&[Hint::Freed(QueueName::Node)]);
        Ok(returned)
    }

    /// One lease that the store refuses must not keep all others from being reaped. Answers for those that were tried, and
    /// the failure that kept the others from it.
    async fn reap_batch(
        &self,
        batch: &[Settlement],
        now: Timestamp,
    ) -> (Vec<LeaseAnswer<SettleResult>>, Option<EngineError>) {
        let is_refused = |error: &StoreError| !error.is_retryable();
        let parts =
            write_by_halves(batch.len(), is_refused, |part| self.store().reap(&batch[part], now)).await;
        let answer = |(settlement, reaped): (&Settlement, Result<_, StoreError>)| {
            reaped.unwrap_or_else(|error| {
                tracing::error!(
                    job.id = %settlement.lease.id,
                    error = &error as &dyn std::error::Error,
                    "an expired lease could not be reaped"
                );
                LeaseAnswer::LeaseLost
            })
        };
        (batch.iter().zip(parts.items).map(answer).collect(), parts.stopped.map(EngineError::from))
    }

    /// Comes before the job dies, so that a crash in between repeats both instead of leaving an execution behind. Answers whether
    /// the job is to die: not where its owner came back since its lease was read.
    async fn fail_lost_execution(&self, lease: &ExpiredLease, now: Timestamp) -> Result<bool, EngineError> {
        let Some(id) = lease.execution_id else {
            return Ok(true);
        };
        let failed = self.store().fail_lost_execution(id, &lost_owners(), now).await?;
        if failed == LostExecution::Failed {
            self.wake(&[Hint::Finished(id)]);
        }
        Ok(failed != LostExecution::Owned)
    }
}

/// Why an execution fails that nobody moves on.
fn lost_owners() -> ExecutionError {
    ExecutionError {
        node: None,
        message: format!(
            "The owner of the execution was lost {LOST_OWNERS_MAX} times in a row without progress."
        ),
        code: Some("worker_lost".to_owned()),
    }
}

/// What becomes of a job whose lease expired.
fn disposition(expired: &ExpiredLease, now: Timestamp, jitter: Jitter) -> Disposition {
    let leased = &expired.leased;
    let facts = AttemptFacts { crashes: leased.facts.crashes + 1, ..leased.facts };
    if leased.queue == QueueName::Execution {
        return after_lost_owner(&facts, now);
    }
    // Matching a delivery runs no code of users either, and what was accepted must outlive such a server, too.
    if leased.queue == QueueName::Webhook && facts.crashes < LOST_OWNERS_MAX {
        let error = JobError::coded("worker_lost", "The worker stopped renewing its lease.");
        return Disposition::RetryAt { at: now, error };
    }
    let is_late = leased.deadline_at.is_some_and(|deadline| deadline <= now);
    let outcome = if is_late { Outcome::TimedOut } else { Outcome::WorkerLost };
    after_attempt(&facts, outcome, now, jitter)
}

/// An execution is taken up as often as it takes: its attempts are no retries. Only an owner that is lost again
/// and again without a commit in between is taken for the cause.
fn after_lost_owner(facts: &AttemptFacts, now: Timestamp) -> Disposition {
    let error = JobError::coded("worker_lost", "The owner of the execution stopped renewing its lease.");
    if facts.crashes < LOST_OWNERS_MAX {
        Disposition::RetryAt { at: now, error }
    } else {
        Disposition::Die { reason: DeadReason::WorkerLost, error }
    }
}

#[cfg(test)]
mod tests {
    use domain::id::{JobId, LeaseToken};
    use domain::names::{JobType, TenantName, WorkerId};
    use domain::retry::Backoff;
    use store::jobs::{LeaseRef, LeasedJob};
    use uuid::Uuid;

    use super::*;

    const NOW: Timestamp = Timestamp(1_000_000);

    fn expired(queue: QueueName, attempt: u32, crashes: u32, deadline_at: Option<Timestamp>) -> ExpiredLease {
        ExpiredLease {
            leased: LeasedJob {
                lease: LeaseRef {
                    id: JobId::from_uuid(Uuid::from_u128(1)),
                    token: LeaseToken(Uuid::from_u128(2)),
                },
                tenant: TenantName::trusted("acme"),
                queue,
                workflow: None,
                job_type: JobType::trusted("encode"),
                facts: AttemptFacts { attempt, retries_max: 3, crashes, backoff: Backoff::default() },
                deadline_at,
                lease_until: NOW,
            },
            worker_id: WorkerId::trusted("w"),
            execution_id: None,
        }
    }

    /// One row a case: queue, attempt, crashes before, deadline, expected reason of death.
    #[test]
    fn table_of_ends() {
        let past = Some(Timestamp(999_999));
        let table = [
            (QueueName::Node, 1, 0, None, None),
            (QueueName::Node, 1, 2, None, Some(DeadReason::WorkerLost)),
            (QueueName::Node, 4, 0, None, Some(DeadReason::WorkerLost)),
            (QueueName::Node, 1, 2, past, None),
            (QueueName::Node, 4, 0, past, Some(DeadReason::Timeout)),
            (QueueName::Execution, 400, 0, None, None),
            (QueueName::Execution, 400, 1, None, None),
            (QueueName::Execution, 3, LOST_OWNERS_MAX - 2, None, None),
            (QueueName::Execution, 3, LOST_OWNERS_MAX - 1, None, Some(DeadReason::WorkerLost)),
        ];
        for (queue, attempt, crashes, deadline, death) in table {
            let seen = match disposition(&expired(queue, attempt, crashes, deadline), NOW, Jitter(1.0)) {
                Disposition::Die { reason, .. } => Some(reason),
                Disposition::RetryAt { .. } => None,
                Disposition::Complete(_) => panic!("an expired lease is no success"),
            };
            assert_eq!(seen, death, "{queue} {attempt} {crashes} {deadline:?}");
        }
    }
}
