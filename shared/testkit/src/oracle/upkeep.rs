//! What time does: jobs become due, age, and lose their leases.

use domain::id::JobId;
use domain::job::JobStatus;
use domain::time::{DurationMs, Timestamp};
use store::jobs::{ExpiredLease, LeaseRef, LeasedJob};

use super::job::MemJob;
use super::queue::MemQueue;

impl MemQueue {
    /// Makes due jobs QUEUED and, where aging is on, promotes each aged one a tier. Answers how many became claimable.
    pub fn promote_due(&mut self, age_after: Option<DurationMs>, now: Timestamp) -> usize {
        let is_due = |job: &&MemJob| {
            matches!(job.status, JobStatus::Scheduled | JobStatus::RetryWait) && job.run_at <= now
        };
        let mut due: Vec<(u64, JobId)> =
            self.jobs().filter(is_due).map(|job| (job.place, job.asked.id)).collect();
        due.sort_unstable();
        let before = self.claimable();
        for (_, id) in due {
            self.change(id, now, |job| {
                job.status = JobStatus::Queued;
                job.queued_at = now;
            });
        }
        let after = self.claimable();
        if let Some(age) = age_after {
            self.promote_aged(age, now);
        }
        after - before
    }

    fn claimable(&self) -> usize {
        self.jobs().filter(|job| job.status == JobStatus::Queued && job.is_admitted).count()
    }

    /// A job that waited for the age once is promoted once, after twice the age twice, and so on.
    fn promote_aged(&mut self, age: DurationMs, now: Timestamp) {
        let waiting = self.jobs.values_mut().filter(|job| job.status == JobStatus::Queued && job.is_admitted);
        for job in waiting {
            let promoted = i64::from(job.asked.tier.code() - job.tier.code());
            if job.queued_at <= now.minus(DurationMs(age.0 * (1 + promoted))) {
                job.tier = job.tier.promoted();
            }
        }
    }

    /// Leases that ended before `now`, oldest first.
    pub fn expired_leases(&self, now: Timestamp) -> Vec<ExpiredLease> {
        let mut expired: Vec<(Timestamp, u64, ExpiredLease)> = Vec::new();
        for job in self.jobs() {
            if let (Some(lease), Some(leased)) = (&job.lease, leased_job(job))
                && lease.until < now
            {
                let record = ExpiredLease { leased, worker_id: lease.worker_id.clone(), execution_id: None };
                expired.push((lease.until, job.place, record));
            }
        }
        expired.sort_by_key(|(until, place, _)| (*until, *place));
        expired.into_iter().map(|(.., record)| record).collect()
    }

    /// What is known of a lease, if it holds.
    pub fn leased_job(&self, lease: LeaseRef) -> Option<LeasedJob> {
        self.job(lease.id).and_then(leased_job).filter(|leased| leased.lease == lease)
    }
}

fn leased_job(job: &MemJob) -> Option<LeasedJob> {
    let lease = job.lease.as_ref()?;
    Some(LeasedJob {
        lease: LeaseRef { id: job.asked.id, token: lease.token },
        tenant: job.asked.tenant.clone(),
        queue: job.asked.queue,
        workflow: job.asked.workflow.clone(),
        job_type: job.asked.job_type.clone(),
        facts: job.facts(),
        deadline_at: lease.deadline_at,
        lease_until: lease.until,
    })
}
