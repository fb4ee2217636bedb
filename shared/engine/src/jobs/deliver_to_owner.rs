//! The paths of a node's result to its execution, in the order in which they are tried:
//!
//! 1. To the owner in memory, if the job was completed, was claimed in this process while the owner ran here, and the owner
//!    accepts results (its state is small). The commit of the owner's next step also ends the job, so that one commit is
//!    enough instead of two.
//! 2. By a settlement in the store, whose commit appends the result to the execution's inbox: for results that cannot be
//!    delivered, that the owner dropped, or that it has not acknowledged within [`ACK_TIMEOUT`].
//!
//! The lease of the job permits only the first of the two writes; the other one finds the lease gone. The settler of our own
//! pools requests the first path itself, since its slot and its lease are kept until the acknowledgement, and uses the second
//! for its batches. ARCHITECTURE.md describes the entire path, up to the step that applies the result.

use std::collections::BTreeSet;
use std::time::Duration;

use domain::id::ExecutionId;
use domain::job::Disposition;
use store::StoreError;
use store::jobs::{LeaseAnswer, LeaseRef, Settlement};
use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::engine::Engine;
use crate::error::EngineError;
use crate::executions::DeliveredResult;

/// How long an owner is waited for: it may be busy with a long fold, or wait for a store that is away. No other time
/// limits the first way. It is much shorter than what clients wait for the answer to a report, so that the second one
/// still answers them.
const ACK_TIMEOUT: Duration = Duration::from_secs(5);

/// A result on its way.
#[derive(Debug)]
pub struct PendingAck {
    answer: oneshot::Receiver<()>,
    until: Instant,
}

impl PendingAck {
    /// Waits until the owner has committed it. `false`: it has not, or nobody knows; the job is to be settled then.
    pub async fn is_written(self) -> bool {
        matches!(tokio::time::timeout_at(self.until, self.answer).await, Ok(Ok(())))
    }
}

impl Engine {
    /// Delivers the result of a node's job (raw JSON text) to the owner of its execution. `None` if that is not here,
    /// or the job was not claimed here: the job is to be settled.
    pub fn deliver_to_owner(&self, lease: LeaseRef, result: Option<&str>) -> Option<PendingAck> {
        let (id, ack) = self.put_before_owner(lease, result)?;
        self.memory().waiters.wake_owners([id].into_iter());
        Some(ack)
    }

    /// The same, but does not wake the owner. Answers the execution as well.
    fn put_before_owner(&self, lease: LeaseRef, result: Option<&str>) -> Option<(ExecutionId, PendingAck)> {
        let known = self.memory().node_leases.take(lease)?;
        let (written, answer) = oneshot::channel();
        let delivered = || DeliveredResult {
            lease,
            node_id: known.node_id,
            attempts: known.attempt,
            started_at: known.started_at,
            result: result.map(str::to_owned),
            written,
            facts: known.facts,
        };
        let id = known.execution_id;
        let is_here = self.memory().waiters.deliver_to_owner(id, delivered);
        is_here.then(|| (id, PendingAck { answer, until: Instant::now() + ACK_TIMEOUT }))
    }

    /// Settles jobs: results of nodes by their owners, where those are here, and all others in the store meanwhile.
    /// Answers in order.
    pub(crate) async fn settle_all(&self, batch: Vec<Settlement>) -> Result<Vec<LeaseAnswer>, EngineError> {
        let (mut delivered, mut others, mut executions) = (Vec::new(), Vec::new(), BTreeSet::new());
        for (place, settlement) in batch.into_iter().enumerate() {
            let put = match &settlement.disposition {
                Disposition::Complete(result) => self.put_before_owner(settlement.lease, result.as_deref()),
                Disposition::RetryAt { .. } | Disposition::Die { .. } => None,
            };
            match put {
                Some((id, ack)) => {
                    executions.insert(id);
                    delivered.push((place, settlement, ack));
                }
                None => others.push((place, settlement)),
            }
        }
        self.memory().waiters.wake_owners(executions.into_iter());
        let mut answers = if delivered.is_empty() {
            self.settle_in_store(others).await?
        } else {
            // A result that was delivered comes to an end even if the caller hangs up.
            let engine = self.clone();
            let ended = tokio::spawn(async move { engine.settle_delivered(delivered, others).await }).await;
            ended.map_err(|source| StoreError::Unavailable { source: Box::new(source) })??
        };
        answers.sort_unstable_by_key(|(place, _)| *place);
        Ok(answers.into_iter().map(|(_, answer)| answer).collect())
    }

    /// Waits for owners, and settles the others meanwhile; then what owners have not written.
    async fn settle_delivered(
        &self,
        delivered: Vec<(usize, Settlement, PendingAck)>,
        others: Vec<(usize, Settlement)>,
    ) -> Result<Vec<(usize, LeaseAnswer)>, EngineError> {
        let owners = async {
            let (mut written, mut unwritten) = (Vec::new(), Vec::new());
            for (place, settlement, ack) in delivered {
                if ack.is_written().await {
                    written.push((place, LeaseAnswer::Ok(())));
                } else {
                    unwritten.push((place, settlement));
                }
            }
            (written, unwritten)
        };
        let ((mut answers, unwritten), settled) = tokio::join!(owners, self.settle_in_store(others));
        answers.extend(self.settle_in_store(unwritten).await?);
        answers.extend(settled?);
        Ok(answers)
    }

    /// Settles jobs in the store, each with its place among the answers. One that comes alone goes together with those
    /// of other callers.
    async fn settle_in_store(
        &self,
        batch: Vec<(usize, Settlement)>,
    ) -> Result<Vec<(usize, LeaseAnswer)>, EngineError> {
        let (places, mut batch): (Vec<usize>, Vec<Settlement>) = batch.into_iter().unzip();
        let answers = match (batch.pop(), batch.is_empty()) {
            (Some(settlement), true) => vec![self.commit_settlement(settlement).await?],
            (last, _) => {
                batch.extend(last);
                self.commit_settlements(&batch, self.now()).await?
            }
        };
        Ok(places.into_iter().zip(answers).collect())
    }
}

#[cfg(test)]
mod tests {
    use domain::id::LeaseToken;
    use domain::time::Timestamp;
    use store::jobs::ClaimedJob;
    use uuid::Uuid;

    use super::*;
    use crate::jobs::node_leases::{NodeLeases, REMEMBERED_MAX};
    use crate::jobs::sample_job::sample_job;

    fn job(number: usize) -> ClaimedJob {
        sample_job(LeaseToken(Uuid::from_u128(number as u128)))
    }

    #[test]
    fn a_lease_is_taken_once_and_by_who_holds_it() {
        let leases = NodeLeases::default();
        let (one, other) = (job(1), ClaimedJob { execution_id: None, ..job(2) });
        leases.remember([&one, &other].into_iter());
        assert_eq!(leases.take(other.lease()), None, "no execution waits for it");
        let known = leases.take(one.lease()).expect("it was claimed here");
        assert_eq!((known.attempt, known.started_at), (2, Timestamp(7)));
        assert_eq!(leases.take(one.lease()), None);
        leases.remember([&one].into_iter());
        assert_eq!(
            leases.take(LeaseRef { id: other.id, token: one.token }),
            None,
            "it is the lease of another job"
        );
    }

    #[test]
    fn the_oldest_are_forgotten() {
        let leases = NodeLeases::default();
        let jobs: Vec<ClaimedJob> = (0..=REMEMBERED_MAX).map(job).collect();
        leases.remember(jobs.iter());
        assert_eq!(leases.take(jobs[0].lease()), None);
        assert!(leases.take(jobs[1].lease()).is_some());
        assert!(leases.0.lock().order.len() <= REMEMBERED_MAX);
    }
}
