//! What operators do to single jobs.

use domain::id::JobId;
use domain::job::{AttemptStatus, JobStatus};
use domain::queue::Tier;
use domain::time::Timestamp;
use store::jobs::JobChange;

use super::job::MemJob;
use super::queue::MemQueue;

impl MemQueue {
    /// Cancels a job that has not ended.
    pub fn cancel(&mut self, id: JobId, now: Timestamp) -> JobChange {
        self.operate(id, now, |job| {
            if job.status.is_terminal() {
                return false;
            }
            // Whoever held the lease, or settled it last, is answered that the job was cancelled.
            if let Some(lease) = &job.lease {
                job.settled = Some(lease.token);
            }
            job.end_attempt(AttemptStatus::Cancelled, now);
            job.status = JobStatus::Cancelled;
            job.ended_at = Some(now);
            job.progress = None;
            true
        })
    }

    /// Makes a job that waits for its time due now.
    pub fn run_now(&mut self, id: JobId, now: Timestamp) -> JobChange {
        self.operate(id, now, |job| {
            if !matches!(job.status, JobStatus::Scheduled | JobStatus::RetryWait) {
                return false;
            }
            job.status = JobStatus::Queued;
            job.run_at = now;
            job.queued_at = now;
            true
        })
    }

    /// Moves a waiting job to another tier.
    pub fn reprioritize(&mut self, id: JobId, tier: Tier, now: Timestamp) -> JobChange {
        self.operate(id, now, |job| {
            if job.status.is_terminal() || job.status == JobStatus::Processing {
                return false;
            }
            job.asked.tier = tier;
            job.tier = tier;
            true
        })
    }

    fn operate(&mut self, id: JobId, now: Timestamp, change: impl FnOnce(&mut MemJob) -> bool) -> JobChange {
        let queue = self.queue;
        let changed = self.change(id, now, |job| {
            if change(job) {
                JobChange::Changed { status: job.status, queue, execution_id: None }
            } else {
                JobChange::Refused(job.status)
            }
        });
        changed.unwrap_or(JobChange::NotFound)
    }
}
