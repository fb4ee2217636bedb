//! Bounds and defaults, as values: the engine does not read settings.

pub(crate) mod retention;

use std::path::PathBuf;

use domain::alerting::SendBackoff;
use domain::dispatch::TopicNames;
use domain::doctor::DoctorPolicy;
use domain::limits::{QueueLimits, default_limits};
use domain::queue::QueueName;
use domain::quota::{QuotaKind, Quotas};
use domain::retry::Backoff;
use domain::schedule::CheckBounds;
use domain::time::DurationMs;
use domain::workflow::expression::EvaluationLimits;
use domain::workflow::parse::DefinitionLimits;
use rate_limits::Quota;

use crate::seats::WaitingPolicy;
use retention::RetentionPolicy;

/// What a queue gives to jobs that say nothing themselves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QueuePolicy {
    /// How long a claim holds.
    pub lease: DurationMs,
    /// How often a job is retried.
    pub retries_max: u32,
    /// The waits in between.
    pub backoff: Backoff,
    /// The limits where operators and definitions set none.
    pub limits: QueueLimits,
    /// After which wait a job is promoted a tier.
    pub age_after: Option<DurationMs>,
}

impl QueuePolicy {
    /// The product's defaults for a queue: lease 30 s, 3 retries, backoff 1 s × 2 up to 5 min.
    pub fn of(queue: QueueName) -> Self {
        Self {
            lease: DurationMs::from_secs(30),
            retries_max: 3,
            backoff: Backoff::default(),
            limits: default_limits(queue),
            age_after: None,
        }
    }
}

/// How much of what takes the processor for long runs at once: calls and executions have as many places each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkbenchPolicy {
    /// How many at once. With zero, everything that needs a place waits in vain.
    pub threads: usize,
    /// How many of one tenant at once.
    pub threads_per_tenant: usize,
    /// How long a caller waits for an answer, and how long the expressions of one step of an execution may take.
    pub deadline: DurationMs,
}

impl Default for WorkbenchPolicy {
    /// As many as there are processors and at least two, half of them for one tenant, ten seconds.
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(2, |cores| cores.get().max(2));
        Self { threads, threads_per_tenant: threads / 2, deadline: DurationMs::from_secs(10) }
    }
}

/// Bounds of requests and defaults of queues.
#[derive(Debug, Clone, PartialEq)]
pub struct Policy {
    /// How often alert rules are looked at, and notifications tried.
    pub alerts: AlertPolicy,
    /// By [`QueueName::code`].
    pub queues: [QueuePolicy; 4],
    /// The largest payload, input, result or output, in bytes of JSON.
    pub payload_bytes_max: usize,
    /// The largest state of an execution: its snapshot and its nodes' outputs, in bytes.
    pub state_bytes_max: usize,
    /// The most items of one batch.
    pub batch_max: usize,
    /// The most jobs of one poll.
    pub poll_jobs_max: u32,
    /// The longest wait of one poll.
    pub poll_wait_max: DurationMs,
    /// The longest wait for an execution's end.
    pub execution_wait_max: DurationMs,
    /// The shortest lease that can be asked for.
    pub lease_min: DurationMs,
    /// The longest lease that can be asked for.
    pub lease_max: DurationMs,
    /// How many levels of executions may start executions.
    pub child_depth_max: u32,
    /// An execution that only waits is parked, unless the clock lets it go on within this span.
    pub park_after: DurationMs,
    /// The public address of the server, without a slash at the end, for callback addresses; empty for addresses that
    /// are only a path.
    pub public_url: String,
    /// How large a definition may be.
    pub definition_limits: DefinitionLimits,
    /// What may be kept.
    pub quotas: QuotaPolicy,
    /// How many requests may wait in a process.
    pub waiting: WaitingPolicy,
    /// How much expressions may do and make.
    pub evaluation: EvaluationLimits,
    /// Where definitions are read, inputs checked and expressions evaluated.
    pub workbench: WorkbenchPolicy,
    /// What one check of schedules does for each tenant.
    pub schedule_checks: CheckBounds,
    /// Bounds and defaults of webhooks.
    pub webhooks: WebhookPolicy,
    /// Where files that hold secrets of tenants are; none can be named without it.
    pub secrets_directory: Option<PathBuf>,
    /// How long the answers to idempotency keys are kept.
    pub idempotency_ttl: DurationMs,
    /// After which time a request in flight under an idempotency key is taken for lost. Short, so that a client may
    /// repeat what a crash cut off: a request that was only slow makes the same rows twice, which is once.
    pub idempotency_stale: DurationMs,
    /// How many rows one step of upkeep takes.
    pub upkeep_batch: u32,
    /// How long finished things are kept.
    pub retention: RetentionPolicy,
    /// From when on an examination warns.
    pub doctor: DoctorPolicy,
    /// How jobs are pushed to outside workers; without it, they poll.
    pub dispatch: Option<DispatchPolicy>,
}

impl Policy {
    /// The policy of a queue.
    pub const fn queue(&self, queue: QueueName) -> &QueuePolicy {
        match queue {
            QueueName::Execution => &self.queues[0],
            QueueName::Node => &self.queues[1],
            QueueName::Scheduled => &self.queues[2],
            QueueName::Webhook => &self.queues[3],
        }
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            alerts: AlertPolicy::default(),
            queues: QueueName::ALL.map(QueuePolicy::of),
            payload_bytes_max: 1024 * 1024,
            state_bytes_max: 16 * 1024 * 1024,
            batch_max: 10_000,
            poll_jobs_max: 1_000,
            poll_wait_max: DurationMs::from_secs(30),
            execution_wait_max: DurationMs::from_secs(300),
            lease_min: DurationMs::from_secs(1),
            lease_max: DurationMs::from_secs(12 * 3600),
            child_depth_max: 8,
            park_after: DurationMs(200),
            public_url: String::new(),
            definition_limits: DefinitionLimits::default(),
            quotas: QuotaPolicy::default(),
            waiting: WaitingPolicy::default(),
            evaluation: EvaluationLimits::default(),
            workbench: WorkbenchPolicy::default(),
            schedule_checks: CheckBounds::default(),
            webhooks: WebhookPolicy::default(),
            secrets_directory: None,
            idempotency_ttl: DurationMs::from_secs(24 * 3600),
            idempotency_stale: DurationMs::from_secs(5),
            upkeep_batch: 1_000,
            retention: RetentionPolicy::default(),
            doctor: DoctorPolicy::default(),
            dispatch: None,
        }
    }
}

/// How often rules are looked at, and how often notifications are tried.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AlertPolicy {
    /// How often rules are looked at.
    pub evaluate_every: DurationMs,
    /// When a notification is sent again.
    pub backoff: SendBackoff,
}

impl Default for AlertPolicy {
    fn default() -> Self {
        Self { evaluate_every: DurationMs::from_secs(15), backoff: SendBackoff::default() }
    }
}

/// Dispatch by offers. Where there is no such policy, workers poll.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DispatchPolicy {
    /// Where jobs are published.
    pub topics: TopicNames,
    /// How many offers of a job type may stand.
    pub window: u64,
    /// How long an offer stands.
    pub offer_timeout: DurationMs,
}

/// The quotas of tenants for whom nobody set any, and what webhooks may keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuotaPolicy {
    /// Of each tenant; of idempotency keys, of each API key.
    pub defaults: Quotas,
    /// Bytes of deliveries of one endpoint; `None` is unlimited.
    pub webhook_bytes: Option<u64>,
    /// Bytes of deliveries of a tenant for which the defaults say nothing of them: its share of those of all. `None` is
    /// unlimited.
    pub tenant_delivery_bytes: Option<u64>,
    /// Bytes of all deliveries; `None` is unlimited.
    pub all_delivery_bytes: Option<u64>,
}

impl Default for QuotaPolicy {
    /// The usual quotas, 4 GiB of deliveries of each endpoint, 64 GiB of all, of which a tenant has a quarter.
    fn default() -> Self {
        Self {
            defaults: Quotas::usual(),
            webhook_bytes: Some(4 << 30),
            tenant_delivery_bytes: Some(16 << 30),
            all_delivery_bytes: Some(64 << 30),
        }
    }
}

impl QuotaPolicy {
    /// The quotas of a tenant for which nobody set any.
    pub(crate) const fn of_tenants(&self) -> Quotas {
        match self.defaults.of(QuotaKind::DeliveryBytes) {
            Some(_) => self.defaults,
            None => self.defaults.with(QuotaKind::DeliveryBytes, self.tenant_delivery_bytes),
        }
    }
}

/// The most bytes of a body that any endpoint may take.
pub(crate) const BODY_BYTES_MAX: u64 = 25 * 1024 * 1024;

/// Bounds and defaults of webhooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WebhookPolicy {
    /// The largest body of endpoints that set none, in bytes.
    pub max_body_default: u64,
    /// How many rejected deliveries of each endpoint are kept.
    pub rejected_max: u64,
    /// How many bytes each endpoint may hold, see [`store::webhooks::HeldDelivery`]; 0 to hold nothing.
    pub held_bytes_max: u64,
    /// How many requests each source address may make; `None` is no limit.
    pub rate_limit_per_address: Option<Quota>,
    /// How many requests the endpoints of a tenant take together; `None` is no limit.
    pub rate_limit_per_tenant: Option<Quota>,
}

impl Default for WebhookPolicy {
    fn default() -> Self {
        Self {
            max_body_default: 1024 * 1024,
            rejected_max: 1_000,
            held_bytes_max: 64 * 1024 * 1024,
            rate_limit_per_address: None,
            rate_limit_per_tenant: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queues_stand_at_their_codes() {
        let mut policy = Policy::default();
        for queue in QueueName::ALL {
            policy.queues[queue.code() as usize].retries_max = 40 + queue.code() as u32;
        }
        for queue in QueueName::ALL {
            assert_eq!(policy.queue(queue).retries_max, 40 + queue.code() as u32, "{queue}");
        }
    }
}
