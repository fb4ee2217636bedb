//! Counting jobs under their labels: jobs that come together are mostly alike, and are counted together.

use domain::names::{JobType, TenantName};
use domain::queue::{LaneId, LaneKey, QueueName, Tier};
use metrics::{Counter, counter};
use store::Store;
use store::jobs::{ClaimedJob, NewJob};
use telemetry::{JobLabels, has_optional_labels, names, of_job};

/// Jobs to be counted, alike ones together.
#[must_use]
pub(crate) struct Tally(Vec<(Counter, u64)>);

impl Tally {
    /// Jobs that are to be counted under a name.
    pub(crate) fn of<'a>(name: &'static str, jobs: impl Iterator<Item = JobLabels<'a>>) -> Self {
        let mut runs: Vec<(JobLabels<'a>, u64)> = Vec::new();
        for labels in jobs {
            match runs.last_mut() {
                Some((of, count)) if *of == labels => *count += 1,
                _ => runs.push((labels, 1)),
            }
        }
        let counters = runs.into_iter().map(|(labels, count)| (counter!(name, of_job(&labels)), count));
        Self(counters.collect())
    }

    /// Jobs that a commit under way is to store.
    pub(crate) fn of_enqueued<'a>(jobs: impl Iterator<Item = &'a NewJob>) -> Self {
        Self::of(names::JOBS_ENQUEUED_TOTAL, jobs.map(of_new))
    }

    /// Counts them.
    pub(crate) fn add(self) {
        for (counter, count) in self.0 {
            counter.increment(count);
        }
    }
}

/// Under what a job is counted of which this is known.
pub(super) fn job_labels<'a>(
    queue: QueueName,
    tier: Tier,
    tenant: Option<&'a TenantName>,
    job_type: Option<&'a JobType>,
) -> JobLabels<'a> {
    JobLabels {
        queue: queue.as_str(),
        tier: tier.as_str(),
        tenant: tenant.map(TenantName::as_str),
        job_type: job_type.map(JobType::as_str),
    }
}

/// Under what a job is counted of which no more is known.
pub(super) fn unseen(queue: QueueName, tier: Tier) -> JobLabels<'static> {
    job_labels(queue, tier, None, None)
}

pub(super) fn of_new(job: &NewJob) -> JobLabels<'_> {
    job_labels(job.queue, job.tier, Some(&job.tenant), Some(&job.job_type))
}

pub(super) fn of_claimed(job: &ClaimedJob) -> JobLabels<'_> {
    job_labels(job.queue, job.tier, Some(&job.tenant), Some(&job.job_type))
}

pub(super) fn of_lane(queue: QueueName, tier: Tier, key: Option<&LaneKey>) -> JobLabels<'_> {
    job_labels(queue, tier, key.map(|key| &key.tenant), key.map(|key| &key.job_type))
}

/// Whose job is in a lane, where somebody wants to see it.
pub(super) fn lane_key(store: &dyn Store, queue: QueueName, lane: LaneId) -> Option<LaneKey> {
    if has_optional_labels() { store.lane_key(queue, lane) } else { None }
}
