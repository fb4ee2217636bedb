//! What is written under a lease: renewals, reports, and giving it back.

use domain::failure::{DeadReason, JobError};
use domain::job::{AttemptStatus, Disposition, JobStatus};
use domain::time::Timestamp;
use store::jobs::{LeaseAnswer, LeaseExtension, LeaseRef, SettleResult, Settlement};

use super::job::MemJob;
use super::letters::MemLetter;
use super::queue::MemQueue;

/// Who reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    Worker,
    Reaper,
}

impl MemQueue {
    /// Settles attempts, one after the other.
    pub fn settle(&mut self, batch: &[Settlement], now: Timestamp) -> Vec<LeaseAnswer<SettleResult>> {
        batch.iter().map(|settlement| self.settle_one(settlement, now, By::Worker)).collect()
    }

    /// Settles expired leases, one after the other.
    pub fn reap(&mut self, batch: &[Settlement], now: Timestamp) -> Vec<LeaseAnswer<SettleResult>> {
        batch.iter().map(|settlement| self.settle_one(settlement, now, By::Reaper)).collect()
    }

    fn settle_one(&mut self, settlement: &Settlement, now: Timestamp, by: By) -> LeaseAnswer<SettleResult> {
        let Settlement { lease, disposition } = settlement;
        let Some(job) = self.jobs.get(&lease.id) else {
            return LeaseAnswer::LeaseLost;
        };
        if job.was_cancelled_under(lease.token) {
            return LeaseAnswer::Cancelled;
        }
        if job.settled == Some(lease.token) {
            return if is_same(job.status, disposition) {
                LeaseAnswer::AlreadyDone
            } else {
                LeaseAnswer::LeaseLost
            };
        }
        let is_expired = job.lease.as_ref().is_some_and(|held| held.until < now);
        if !job.is_held_with(lease.token) || (by == By::Reaper && !is_expired) {
            return LeaseAnswer::LeaseLost;
        }
        let status = self.change(lease.id, now, |job| {
            write(job, disposition, now, by);
            job.status
        });
        let status = status.unwrap_or(JobStatus::Failed);
        if let Disposition::Die { reason, .. } = disposition {
            let attempt_count = self.jobs[&lease.id].attempt;
            self.letters.push(MemLetter::open(lease.id, attempt_count, *reason, now));
        }
        LeaseAnswer::Ok(SettleResult { queue: self.queue, status, execution_id: None, facts: None })
    }

    /// Renews leases.
    pub fn extend(&mut self, held: &[LeaseExtension], now: Timestamp) -> Vec<LeaseAnswer<Timestamp>> {
        held.iter().map(|extension| self.extend_one(extension, now)).collect()
    }

    fn extend_one(&mut self, extension: &LeaseExtension, now: Timestamp) -> LeaseAnswer<Timestamp> {
        let Some(job) = self.jobs.get_mut(&extension.lease.id) else {
            return LeaseAnswer::LeaseLost;
        };
        if job.was_cancelled_under(extension.lease.token) {
            return LeaseAnswer::Cancelled;
        }
        let Some(lease) = job.lease.as_mut().filter(|lease| lease.token == extension.lease.token) else {
            return LeaseAnswer::LeaseLost;
        };
        let until = now.plus(extension.extend.unwrap_or(lease.length));
        lease.until = lease.deadline_at.map_or(until, |deadline| deadline.min(until));
        if extension.progress.is_some() {
            job.progress.clone_from(&extension.progress);
        }
        LeaseAnswer::Ok(lease.until)
    }

    /// Gives leases back, as if they had never been.
    pub fn release(&mut self, held: &[LeaseRef], now: Timestamp) -> Vec<LeaseAnswer> {
        held.iter().map(|lease| self.release_one(*lease, now)).collect()
    }

    fn release_one(&mut self, lease: LeaseRef, now: Timestamp) -> LeaseAnswer {
        match self.jobs.get_mut(&lease.id) {
            Some(job) if job.is_held_with(lease.token) => {
                job.lease = None;
                job.status = JobStatus::Queued;
                job.queued_at = now;
                job.attempt -= 1;
                job.attempts.pop();
                LeaseAnswer::Ok(())
            }
            Some(job) if job.was_cancelled_under(lease.token) => LeaseAnswer::Cancelled,
            _ => LeaseAnswer::LeaseLost,
        }
    }
}

/// Writes a report on the job whose lease it was made under.
fn write(job: &mut MemJob, disposition: &Disposition, now: Timestamp, by: By) {
    let token = job.lease.as_ref().map(|lease| lease.token);
    match disposition {
        Disposition::Complete(result) => {
            job.end_attempt(AttemptStatus::Completed, now);
            job.status = JobStatus::Completed;
            job.result.clone_from(result);
            job.ended_at = Some(now);
            job.progress = None;
            job.settled = token;
        }
        Disposition::Die { reason, .. } => {
            let status = match reason {
                DeadReason::WorkerLost => AttemptStatus::WorkerLost,
                DeadReason::Timeout => AttemptStatus::TimedOut,
                DeadReason::RetriesExhausted | DeadReason::NonRetryable => AttemptStatus::Failed,
            };
            job.end_attempt(status, now);
            job.status = JobStatus::DeadLetter;
            job.ended_at = Some(now);
            job.progress = None;
            job.settled = token;
        }
        Disposition::RetryAt { at, error } => {
            let status = attempt_status(error);
            job.end_attempt(status, now);
            job.run_at = *at;
            if *at <= now {
                job.status = JobStatus::Queued;
                job.queued_at = now;
            } else {
                job.status = JobStatus::RetryWait;
            }
            // The worker whose lease was reaped gets the answer that it lost it, not that its report was accepted.
            job.settled = token.filter(|_| by == By::Worker);
            job.crashes = match (by, status) {
                (By::Worker, _) => 0,
                (By::Reaper, AttemptStatus::TimedOut) => job.crashes,
                (By::Reaper, _) => job.crashes + 1,
            };
        }
    }
}

/// How an attempt that is tried again ended: the codes are those that we make ourselves.
fn attempt_status(error: &JobError) -> AttemptStatus {
    match error.code.as_deref() {
        Some("worker_lost") => AttemptStatus::WorkerLost,
        Some("timeout") => AttemptStatus::TimedOut,
        _ => AttemptStatus::Failed,
    }
}

/// Whether a job in this state was settled in this way.
fn is_same(status: JobStatus, disposition: &Disposition) -> bool {
    match disposition {
        Disposition::Complete(_) => status == JobStatus::Completed,
        Disposition::Die { .. } => status == JobStatus::DeadLetter,
        Disposition::RetryAt { .. } => matches!(status, JobStatus::RetryWait | JobStatus::Queued),
    }
}
