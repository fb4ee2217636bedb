//! The four queues and the workers: pools, leases, retries and limits.

use domain::limits::{QueueLimits, default_limits};
use domain::queue::QueueName;
use domain::retry::Backoff;
use domain::time::DurationMs;
use serde::{Deserialize, Serialize};

use crate::values::{off, unlimited};

/// One table for each queue. In files and variables the names may be written with `-` or `_`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Queues {
    /// `workflow-execution`.
    #[serde(rename = "workflow-execution", alias = "workflow_execution")]
    pub execution: QueueSettings,
    /// `workflow-node`.
    #[serde(rename = "workflow-node", alias = "workflow_node")]
    pub node: QueueSettings,
    /// `workflow-scheduled`.
    #[serde(rename = "workflow-scheduled", alias = "workflow_scheduled")]
    pub scheduled: QueueSettings,
    /// `workflow-webhook`.
    #[serde(rename = "workflow-webhook", alias = "workflow_webhook")]
    pub webhook: QueueSettings,
}

impl Queues {
    /// The settings of one queue.
    pub const fn get(&self, queue: QueueName) -> &QueueSettings {
        match queue {
            QueueName::Execution => &self.execution,
            QueueName::Node => &self.node,
            QueueName::Scheduled => &self.scheduled,
            QueueName::Webhook => &self.webhook,
        }
    }

    /// The settings of one queue, to change them.
    pub const fn get_mut(&mut self, queue: QueueName) -> &mut QueueSettings {
        match queue {
            QueueName::Execution => &mut self.execution,
            QueueName::Node => &mut self.node,
            QueueName::Scheduled => &mut self.scheduled,
            QueueName::Webhook => &mut self.webhook,
        }
    }
}

impl Default for Queues {
    fn default() -> Self {
        Self {
            execution: QueueSettings::of(QueueName::Execution),
            node: QueueSettings::of(QueueName::Node),
            scheduled: QueueSettings::of(QueueName::Scheduled),
            webhook: QueueSettings::of(QueueName::Webhook),
        }
    }
}

/// One queue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct QueueSettings {
    /// How many jobs this process works on at once. An execution holds its worker while it runs, so that fewer
    /// workers than `limits.global` on all nodes together make the limit unreachable.
    pub workers: u32,
    /// How long a claim holds without a heartbeat.
    pub lease: DurationMs,
    /// How often a failed job is tried again, unless the job or the workflow says otherwise.
    pub max_retries: u32,
    /// How long to wait before each retry, unless the job or the workflow says otherwise.
    pub backoff: Backoff,
    /// How many jobs may be processed at once on all nodes together, where nothing else is set over the API.
    pub limits: LimitSettings,
    /// After which wait a job is promoted by one tier; `None` is never.
    #[serde(with = "off")]
    pub age_after: Option<DurationMs>,
    /// How often the pool looks for jobs that nobody announced.
    pub poll_every: DurationMs,
}

impl QueueSettings {
    /// The defaults of one queue.
    pub fn of(queue: QueueName) -> Self {
        let workers = match queue {
            QueueName::Execution => 100,
            // HTTP calls, which wait more than they work: so many calls at once at most, each with one response in
            // memory, of which `egress` bounds the size. As many as Temporal's workers run activities by default.
            QueueName::Node => 1_000,
            QueueName::Scheduled => 4,
            QueueName::Webhook => 8,
        };
        Self {
            workers,
            lease: DurationMs::from_secs(30),
            max_retries: 3,
            backoff: Backoff::default(),
            limits: default_limits(queue).into(),
            age_after: None,
            poll_every: DurationMs::from_secs(1),
        }
    }
}

impl Default for QueueSettings {
    /// Only stands in for what one layer leaves out while that layer is checked by itself.
    fn default() -> Self {
        Self::of(QueueName::Node)
    }
}

/// How many jobs may be processed at once; `None` is unlimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LimitSettings {
    /// All jobs together.
    #[serde(with = "unlimited")]
    pub global: Option<u32>,
    /// Each tenant.
    #[serde(with = "unlimited")]
    pub tenant: Option<u32>,
    /// Each workflow.
    #[serde(with = "unlimited")]
    pub workflow: Option<u32>,
}

impl From<QueueLimits> for LimitSettings {
    fn from(limits: QueueLimits) -> Self {
        Self { global: limits.global, tenant: limits.tenant, workflow: limits.workflow }
    }
}

impl From<LimitSettings> for QueueLimits {
    fn from(limits: LimitSettings) -> Self {
        Self { global: limits.global, tenant: limits.tenant, workflow: limits.workflow }
    }
}

// The pools as a whole, and what external workers may ask for.

/// The pools as a whole, and what external workers may ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WorkerSettings {
    /// How long a stopping process waits for running jobs before it gives them back.
    pub drain_timeout: DurationMs,
    /// The longest that a poll of an external worker is held open.
    pub poll_wait_max: DurationMs,
    /// The most jobs that one poll leases.
    pub jobs_per_poll_max: u32,
}

impl Default for WorkerSettings {
    fn default() -> Self {
        Self {
            drain_timeout: DurationMs::from_secs(25),
            poll_wait_max: DurationMs::from_secs(30),
            jobs_per_poll_max: 1_000,
        }
    }
}
