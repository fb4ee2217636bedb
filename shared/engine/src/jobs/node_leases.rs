//! The leases of nodes' jobs that were claimed through this process: what the owner of an execution has to know of an
//! attempt beside its result.

use std::collections::{HashMap, VecDeque};

use domain::id::{ExecutionId, LeaseToken};
use domain::names::NodeId;
use domain::time::Timestamp;
use parking_lot::Mutex;
use store::jobs::{ClaimedJob, LeaseRef};

use crate::metrics::LeaseFacts;
use crate::waiters::Waiters;

/// How many are remembered. The oldest are forgotten first; their results then go through the inbox.
const REMEMBERED_MAX: usize = 20_000;

/// What is known of a leased job of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NodeLease {
    lease: LeaseRef,
    /// The execution.
    pub(crate) execution_id: ExecutionId,
    /// The node.
    pub(crate) node_id: NodeId,
    /// The number of the attempt, over the whole life of the job.
    pub(crate) attempt: u32,
    /// When the attempt started, as the store has it.
    pub(crate) started_at: Timestamp,
    /// What it is measured by.
    pub(crate) facts: LeaseFacts,
}

/// Leases that were claimed here. Nothing depends on one being found.
#[derive(Debug, Default)]
pub(crate) struct NodeLeases(Mutex<Remembered>);

#[derive(Debug, Default)]
struct Remembered {
    by_token: HashMap<LeaseToken, NodeLease>,
    /// The oldest first, with those that were taken.
    order: VecDeque<LeaseToken>,
}

impl NodeLeases {
    /// Remembers the jobs among these that are of nodes.
    pub(crate) fn remember<'a>(&self, jobs: impl Iterator<Item = &'a ClaimedJob>) {
        let mut remembered = self.0.lock();
        for job in jobs {
            let (Some(execution_id), Some(node_id)) = (job.execution_id, job.node_id.clone()) else {
                continue;
            };
            let lease = job.lease();
            let (attempt, started_at, facts) = (job.attempt, job.started_at, LeaseFacts::of(job));
            let known = NodeLease { lease, execution_id, node_id, attempt, started_at, facts };
            remembered.by_token.insert(lease.token, known);
            remembered.order.push_back(lease.token);
        }
        while remembered.order.len() > REMEMBERED_MAX {
            if let Some(oldest) = remembered.order.pop_front() {
                remembered.by_token.remove(&oldest);
            }
        }
    }

    /// Remembers those of which the owners are in this process.
    pub(crate) fn remember_claimed(&self, waiters: &Waiters, jobs: &[ClaimedJob]) {
        if jobs.iter().all(|job| job.execution_id.is_none()) {
            return;
        }
        let owned = waiters.owned(jobs.iter().map(|job| job.execution_id));
        let here = jobs.iter().zip(owned).filter(|(_, is_owned)| *is_owned).map(|(job, _)| job);
        self.remember(here);
    }

    /// Takes what is known of a lease.
    pub(crate) fn take(&self, lease: LeaseRef) -> Option<NodeLease> {
        self.0.lock().by_token.remove(&lease.token).filter(|known| known.lease == lease)
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
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
