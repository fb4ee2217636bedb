//! Announce a check of the schedules: as a job, so that it is done by whichever node has a free slot, survives that
//! node, and is made once however many nodes announce it.

use domain::id::{Id, JobId, first_at};
use domain::names::{CallerKey, JobType, TENANT_DEFAULT, TenantName};
use domain::queue::{QueueName, Tier};
use domain::time::{DurationMs, Timestamp};
use store::jobs::NewJob;
use store::wakeup::Hint;

use crate::engine::Engine;
use crate::error::EngineError;
use crate::metrics;
use crate::traces::Sends;

/// The job type of a check on `workflow-scheduled`.
pub const JOB_TYPE_SCHEDULE_CHECK: &str = "trunkline:schedule-check";

/// How long the minute's own check may take to come to a schedule before another one is announced.
const OVERDUE_AFTER: DurationMs = DurationMs::from_secs(30);

/// At most one unfinished job outside the minutes has this key.
const OVERDUE_KEY: &str = "trunkline:schedule-check";

/// At most one unfinished job for schedules by interval has this key.
const INTERVAL_KEY: &str = "trunkline:interval-check";

impl Engine {
    /// Enqueues the check of a minute, given by its first instant, unless some node did so already. Answers whether
    /// this call made the job.
    pub async fn announce_minute(&self, minute: Timestamp) -> Result<bool, EngineError> {
        self.announce(check_id(minute), None, minute).await
    }

    /// Enqueues a check if there is something to do that no minute's check will see to soon: a slot that waited for
    /// an execution which has ended, or a schedule that is overdue. Answers whether this call made the job.
    pub async fn announce_overdue(&self) -> Result<bool, EngineError> {
        let now = self.now();
        let first = self.store().due_schedules(now, 1, 1, &[]).await?;
        let Some(first) = first.first() else {
            return Ok(false);
        };
        let due_at = first.record.next_run_at.filter(|due_at| *due_at <= now);
        if due_at.is_some_and(|due_at| now.since(due_at) < OVERDUE_AFTER) {
            return Ok(false);
        }
        let id = Id::from_uuid(self.entropy().uuid(now));
        self.announce(id, Some(CallerKey::trusted(OVERDUE_KEY)), now).await
    }

    /// Enqueues a check if a schedule by interval is due, whose slots lie between the minutes. Answers whether this call
    /// made the job.
    pub async fn announce_intervals(&self) -> Result<bool, EngineError> {
        let now = self.now();
        if !self.store().is_interval_due(now).await? {
            return Ok(false);
        }
        let id = Id::from_uuid(self.entropy().uuid(now));
        self.announce(id, Some(CallerKey::trusted(INTERVAL_KEY)), now).await
    }

    async fn announce(
        &self,
        id: JobId,
        unique_key: Option<CallerKey>,
        at: Timestamp,
    ) -> Result<bool, EngineError> {
        let policy = self.policy().queue(QueueName::Scheduled);
        let now = self.now();
        let job = NewJob {
            id,
            queue: QueueName::Scheduled,
            tier: Tier::High,
            tenant: TenantName::trusted(TENANT_DEFAULT),
            workflow: None,
            job_type: JobType::trusted(JOB_TYPE_SCHEDULE_CHECK),
            data: serde_json::json!({ "at": at }).to_string(),
            run_at: now,
            expires_at: None,
            retries_max: policy.retries_max,
            backoff: policy.backoff,
            timeout: None,
            unique_key,
            concurrency_key: None,
            rate_key: None,
            tags: Vec::new(),
            traceparent: None,
            execution_id: None,
            node_id: None,
            attributes: Vec::new(),
        };
        let jobs = [job];
        let sends = Sends::of(&jobs, now);
        let enqueued = self.store().enqueue(&jobs, now).await?;
        let is_new = enqueued.iter().any(|job| !job.existing);
        if is_new {
            metrics::stored(jobs.iter());
            self.memory().stats.enqueued(jobs.iter(), now);
            sends.durable(&enqueued, self.now());
            self.wake(&[Hint::Enqueued(QueueName::Scheduled)]);
        }
        Ok(is_new)
    }
}

/// The id of a minute's check depends on nothing but the minute. It sorts among other ids by that instant.
fn check_id(minute: Timestamp) -> JobId {
    Id::derive(first_at(minute), &["schedule-check", &minute.0.to_string()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minute_has_one_check_whoever_announces_it() {
        let (first, second) = (Timestamp(1_795_176_000_000), Timestamp(1_795_176_060_000));
        assert_eq!(check_id(first), check_id(first));
        assert!(check_id(first) < check_id(second), "they sort by their minute");
    }
}
