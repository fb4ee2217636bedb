//! The options of a pool, what all its parts share, and its figures. Starts nothing.

use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::names::{JobType, TenantName, WorkerId};
use domain::queue::QueueName;
use domain::time::DurationMs;
use engine::Engine;
use store::jobs::ClaimedJob;
use telemetry::{JobLabels, JobTime, record_job_time};
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use crate::handlers::Handlers;
use crate::leases::Leases;
use crate::settler::Reports;
use crate::slots::{FreeSlots, HeldJob, WorkerSlots};

/// How far our clock may be from the database's.
const CLOCK_ERROR_MAX: Duration = Duration::from_millis(500);

/// The options of one pool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PoolOptions {
    /// The queue that the pool works for.
    pub queue: QueueName,
    /// How many jobs it works on at once.
    pub workers: usize,
    /// How long its claims hold without a heartbeat. The engine's policy for the queue must say the same; the shorter
    /// of the two is believed.
    pub lease: DurationMs,
    /// The longest time after which it looks for jobs that nobody announced.
    pub poll_every: DurationMs,
    /// Its name: random for each start of the process, so that a new process is never taken for a dead one.
    pub worker_id: WorkerId,
}

/// What the dispatcher and the running jobs of a pool share.
pub(crate) struct Pool {
    pub(crate) options: PoolOptions,
    pub(crate) engine: Engine,
    pub(crate) handlers: Arc<Handlers>,
    pub(crate) slots: WorkerSlots,
    pub(crate) leases: Arc<Leases>,
    pub(crate) reports: Reports,
    pub(crate) stops: Stops,
}

/// The two steps of stopping, shared by all pools.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stops {
    /// Nothing new is claimed or started, and executions come to a point where they can be given back.
    pub(crate) drain: CancellationToken,
    /// What still runs is given back now.
    pub(crate) give_back: CancellationToken,
}

impl Pool {
    pub(crate) const fn queue(&self) -> QueueName {
        self.options.queue
    }

    /// Assigns leased jobs to slots and sends them to be run.
    pub(crate) fn dispatch(
        &self,
        jobs: Vec<ClaimedJob>,
        mut slots: FreeSlots,
        asked_at: Instant,
        to: &UnboundedSender<HeldJob>,
    ) {
        for job in jobs {
            // The store never answers more jobs than it was asked for; a lease without a slot would run out.
            let Some(slot) = slots.take() else { break };
            let begun_at = self.begun_at(&job, asked_at);
            let lease = self.leases.hold(job.lease(), self.lease_length(), begun_at);
            if let Err(unsent) = to.send(HeldJob { job, lease, slot, asked_at }) {
                self.reports.release(unsent.0);
            }
        }
    }

    /// No later than the lease of a job began that was asked for at `asked_at` and has just come: what the claim waited
    /// is no part of it. As exact as our clock is.
    fn begun_at(&self, job: &ClaimedJob, asked_at: Instant) -> Instant {
        let ago = self.engine.now().since(job.started_at).to_std() + CLOCK_ERROR_MAX;
        Instant::now().checked_sub(ago).map_or(asked_at, |begun_at| begun_at.max(asked_at))
    }

    /// How long a claim holds.
    pub(crate) fn lease_length(&self) -> Duration {
        let policy = self.engine.policy().queue(self.queue());
        self.options.lease.min(policy.lease).to_std()
    }
}

// Metrics of the pools. The names are `telemetry`'s; claims and settlements are counted by the engine.

/// An attempt that the engine ended by other means than a report.
pub(crate) fn run(job: &ClaimedJob, claimed_at: Instant) {
    let labels = JobLabels {
        queue: job.queue.as_str(),
        tier: job.tier.as_str(),
        tenant: Some(TenantName::as_str(&job.tenant)),
        job_type: Some(JobType::as_str(&job.job_type)),
    };
    let seconds = claimed_at.elapsed().as_secs_f64();
    record_job_time(JobTime::Run, &labels, seconds, job.traceparent.as_deref());
}
