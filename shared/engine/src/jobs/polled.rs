//! Jobs on their way to an outside worker: they go back at once if they do not get there.

use std::collections::HashMap;
use std::mem;

use domain::id::JobId;
use store::jobs::{ClaimedJob, EarlierAttempts, LeaseRef};
use tokio::runtime::Handle;

use crate::engine::Engine;

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

/// Leases that no worker knows of yet. Dropped without [`PollReceipt::sent`], it gives them back, which costs no
/// attempt: the worker has hung up.
#[derive(Debug)]
#[must_use]
pub struct PollReceipt {
    engine: Engine,
    leases: Vec<LeaseRef>,
}

impl PolledJobs {
    pub(super) fn new(engine: &Engine, jobs: Vec<ClaimedJob>) -> Self {
        let leases = jobs.iter().map(ClaimedJob::lease).collect();
        let receipt = PollReceipt { engine: engine.clone(), leases };
        Self { jobs, earlier: HashMap::new(), receipt, is_draining: false }
    }

    /// No jobs, for a worker that is asked to end.
    pub(super) fn drained(engine: &Engine) -> Self {
        Self { is_draining: true, ..Self::new(engine, Vec::new()) }
    }

    /// Gives back this job and those behind it.
    pub(super) fn give_back_from(&mut self, first: JobId) {
        if let Some(place) = self.jobs.iter().position(|job| job.id == first) {
            self.jobs.truncate(place);
            let leases = self.receipt.leases.split_off(place);
            drop(PollReceipt { engine: self.receipt.engine.clone(), leases });
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
        if leases.is_empty() {
            return;
        }
        // Without a runtime the process is ending.
        if let Ok(runtime) = Handle::try_current() {
            let engine = self.engine.clone();
            runtime.spawn(async move {
                if let Err(error) = engine.release(leases).await {
                    tracing::warn!(
                        error = &error as &dyn std::error::Error,
                        "jobs of a caller that hung up could not be given back; their leases will expire"
                    );
                }
            });
        }
    }
}
