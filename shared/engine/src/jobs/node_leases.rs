//! What owners have to know of attempts that run in this process.

use std::collections::{HashMap, VecDeque};

use domain::id::{ExecutionId, LeaseToken};
use domain::names::NodeId;
use domain::time::Timestamp;
use parking_lot::Mutex;
use store::jobs::{ClaimedJob, LeaseRef};

use crate::metrics::LeaseFacts;
use crate::waiters::Waiters;

/// How many are remembered. The oldest are forgotten first; their results then go through the inbox.
pub(super) const REMEMBERED_MAX: usize = 20_000;

/// What is known of a leased job of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NodeLease {
    pub(super) lease: LeaseRef,
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
pub(crate) struct NodeLeases(pub(super) Mutex<Remembered>);

#[derive(Debug, Default)]
pub(super) struct Remembered {
    by_token: HashMap<LeaseToken, NodeLease>,
    /// The oldest first, with those that were taken.
    pub(super) order: VecDeque<LeaseToken>,
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
