//! What a poll gave, and the leases that go back where nobody takes it.

use std::collections::HashMap;
use std::sync::Arc;
use std::{fmt, mem};

use domain::id::JobId;
use store::jobs::{ClaimedJob, EarlierAttempts, LeaseRef};

/// What a poll gave.
#[derive(Debug)]
pub struct PolledJobs {
    /// The jobs, in the order in which to start them.
    pub jobs: Vec<ClaimedJob>,
    /// What earlier attempts left, for those of the jobs that had some.
    pub earlier: HashMap<JobId, EarlierAttempts>,
    /// To be marked as sent when the response is on its way.
    pub receipt: PollReceipt,
    /// Whether the worker is asked to end: an operator drains it.
    pub is_draining: bool,
}

/// How leases go back that no worker knows of.
#[derive(Clone)]
pub(crate) struct ReturnPath(Arc<dyn Fn(Vec<LeaseRef>) + Send + Sync>);

impl ReturnPath {
    /// Calls this with them.
    pub(super) fn new(give_back: impl Fn(Vec<LeaseRef>) + Send + Sync + 'static) -> Self {
        Self(Arc::new(give_back))
    }
}

impl fmt::Debug for ReturnPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReturnPath")
    }
}

/// Leases that no worker knows of yet. Dropped without [`PollReceipt::sent`], it gives them back, which costs no
/// attempt: the worker has hung up.
#[derive(Debug)]
#[must_use]
pub struct PollReceipt {
    return_path: ReturnPath,
    leases: Vec<LeaseRef>,
}

impl PolledJobs {
    pub(super) fn new(return_path: ReturnPath, jobs: Vec<ClaimedJob>) -> Self {
        let leases = jobs.iter().map(ClaimedJob::lease).collect();
        let receipt = PollReceipt { return_path, leases };
        Self { jobs, earlier: HashMap::new(), receipt, is_draining: false }
    }

    /// No jobs, for a worker that is asked to end.
    pub(super) fn drained(return_path: ReturnPath) -> Self {
        Self { is_draining: true, ..Self::new(return_path, Vec::new()) }
    }

    /// Gives back this job and those behind it.
    pub(super) fn give_back_from(&mut self, first: JobId) {
        if let Some(place) = self.jobs.iter().position(|job| job.id == first) {
            self.jobs.truncate(place);
            let leases = self.receipt.leases.split_off(place);
            drop(PollReceipt { return_path: self.receipt.return_path.clone(), leases });
        }
    }

    /// The jobs for whoever called.
    pub fn taken(self) -> Vec<ClaimedJob> {
        self.receipt.sent();
        self.jobs
    }
}

impl PollReceipt {
    /// The response is being sent: from now on the jobs are the worker's, or their leases run out.
    pub fn sent(mut self) {
        self.leases.clear();
    }

    /// The worker has said that it has this job: from now on it is the worker's. Answers its lease, or `None` where the
    /// job is not among those that nobody has confirmed.
    pub fn received(&mut self, id: JobId) -> Option<LeaseRef> {
        let place = self.leases.iter().position(|lease| lease.id == id)?;
        Some(self.leases.swap_remove(place))
    }

    /// The jobs that nobody has confirmed.
    pub fn unconfirmed(&self) -> impl Iterator<Item = JobId> {
        self.leases.iter().map(|lease| lease.id)
    }
}

impl Drop for PollReceipt {
    fn drop(&mut self) {
        let leases = mem::take(&mut self.leases);
        if !leases.is_empty() {
            (self.return_path.0)(leases);
        }
    }
}
