//! How long finished things are kept, as the settings say.

use domain::queue::QueueName;
use domain::retention::RetentionSubject;
use domain::time::DurationMs;

/// How long finished things are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionPolicy {
    /// COMPLETED jobs.
    pub completed: DurationMs,
    /// FAILED jobs, and the jobs of requeued or archived dead letters.
    pub failed: DurationMs,
    /// CANCELLED jobs.
    pub cancelled: DurationMs,
    /// Data and results of finished jobs; `None`: as long as the jobs.
    pub payloads: Option<DurationMs>,
    /// What is different for single queues, by [`QueueName::code`].
    pub queues: [QueueRetention; 4],
    /// Archived dead letters.
    pub archive: DurationMs,
    /// Executions that ended.
    pub executions: DurationMs,
    /// Inputs and outputs of executions that ended; `None`: as long as the executions.
    pub execution_payloads: Option<DurationMs>,
    /// What became of slots of schedules.
    pub schedule_runs: DurationMs,
    /// Idempotency keys.
    pub idempotency: DurationMs,
    /// Webhook deliveries, with their bodies.
    pub deliveries: DurationMs,
    /// Bodies of deliveries; `None`: as long as the deliveries.
    pub delivery_bodies: Option<DurationMs>,
    /// Audit lines.
    pub audit: DurationMs,
    /// Alerts that resolved, with their notifications.
    pub alerts: DurationMs,
    /// Lines that handlers logged.
    pub logs: DurationMs,
    /// Workers that were not seen.
    pub workers: DurationMs,
}

/// How long finished jobs of one queue are kept; `None`: as those of the others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QueueRetention {
    /// COMPLETED jobs.
    pub completed: Option<DurationMs>,
    /// FAILED jobs, and the jobs of requeued or archived dead letters.
    pub failed: Option<DurationMs>,
    /// CANCELLED jobs.
    pub cancelled: Option<DurationMs>,
    /// Data and results.
    pub payloads: Option<DurationMs>,
}

impl RetentionPolicy {
    /// How long things of a kind are kept; `None` for payloads that are kept as long as what they belong to.
    pub fn kept(&self, subject: RetentionSubject) -> Option<DurationMs> {
        let of = |queue: QueueName| &self.queues[queue.code() as usize];
        match subject {
            RetentionSubject::Completed(queue) => Some(of(queue).completed.unwrap_or(self.completed)),
            RetentionSubject::Failed(queue) => Some(of(queue).failed.unwrap_or(self.failed)),
            RetentionSubject::Cancelled(queue) => Some(of(queue).cancelled.unwrap_or(self.cancelled)),
            RetentionSubject::Payloads(queue) => of(queue).payloads.or(self.payloads),
            RetentionSubject::Executions => Some(self.executions),
            RetentionSubject::ExecutionPayloads => self.execution_payloads,
            RetentionSubject::Archive => Some(self.archive),
            RetentionSubject::Deliveries => Some(self.deliveries),
            RetentionSubject::DeliveryBodies => self.delivery_bodies,
            RetentionSubject::Audit => Some(self.audit),
            RetentionSubject::Alerts => Some(self.alerts),
        }
    }
}

impl Default for RetentionPolicy {
    fn default() -> Self {
        let days = |count: i64| DurationMs::from_secs(count * 24 * 3600);
        Self {
            completed: days(3),
            failed: days(30),
            cancelled: days(3),
            payloads: None,
            queues: [QueueRetention::default(); 4],
            archive: days(365),
            executions: days(30),
            execution_payloads: None,
            schedule_runs: days(90),
            idempotency: days(1),
            deliveries: days(30),
            delivery_bodies: None,
            audit: days(365),
            alerts: days(30),
            logs: days(7),
            workers: days(1),
        }
    }
}
