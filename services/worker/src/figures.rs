//! Metrics of the pools. The names are `telemetry`'s; claims and settlements are counted by the engine.

use std::time::Instant;

use domain::names::{JobType, TenantName};
use domain::queue::QueueName;
use store::jobs::ClaimedJob;
use telemetry::{JobLabels, JobTime, names, record_job_time};

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

/// A lease that turned out to be lost.
pub(crate) fn lease_lost(queue: QueueName) {
    metrics::counter!(names::LEASE_LOST_TOTAL, names::QUEUE => queue.as_str()).increment(1);
}
