//! Background duties and how long finished things are kept.

use domain::queue::QueueName;
use domain::time::DurationMs;
use serde::{Deserialize, Serialize};

use crate::values::{inherit, off};

const DAY: DurationMs = DurationMs::from_secs(24 * 3600);

const fn days(count: i64) -> DurationMs {
    DurationMs(DAY.0 * count)
}

/// How often the background duties run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct UpkeepSettings {
    /// How often expired leases are looked for.
    pub reap_every: DurationMs,
    /// How often jobs that have become due are looked for.
    pub promote_every: DurationMs,
    /// How often what is past its retention is deleted.
    pub prune_every: DurationMs,
    /// The most rows that one step of a duty touches.
    pub batch: u32,
}

impl Default for UpkeepSettings {
    fn default() -> Self {
        Self {
            reap_every: DurationMs(500),
            promote_every: DurationMs(250),
            prune_every: DurationMs::from_secs(60),
            batch: 1_000,
        }
    }
}

/// How long finished things are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RetentionSettings {
    /// Completed jobs.
    pub completed: DurationMs,
    /// Failed jobs and dead letters that nobody touched.
    pub failed: DurationMs,
    /// Cancelled jobs.
    pub cancelled: DurationMs,
    /// Data and results of finished jobs; `None`: as long as the jobs.
    #[serde(with = "off")]
    pub payloads: Option<DurationMs>,
    /// Archived dead letters.
    pub archive: DurationMs,
    /// Finished executions with their node results and events.
    pub executions: DurationMs,
    /// Inputs and outputs of finished executions and their nodes; `None`: as long as the executions.
    #[serde(with = "off")]
    pub execution_payloads: Option<DurationMs>,
    /// First answers of calls with an `Idempotency-Key`.
    pub idempotency: DurationMs,
    /// Deliveries of webhooks, with their bodies.
    pub deliveries: DurationMs,
    /// Bodies of deliveries; `None`: as long as the deliveries.
    #[serde(with = "off")]
    pub delivery_bodies: Option<DurationMs>,
    /// Lines that handlers logged.
    pub logs: DurationMs,
    /// The audit log.
    pub audit: DurationMs,
    /// Alerts that resolved, with their notifications.
    pub alerts: DurationMs,
    /// What is different for single queues.
    pub queues: QueueRetentions,
}

impl Default for RetentionSettings {
    fn default() -> Self {
        Self {
            completed: days(3),
            failed: days(30),
            cancelled: days(3),
            payloads: None,
            archive: days(365),
            executions: days(30),
            execution_payloads: None,
            idempotency: days(1),
            deliveries: days(30),
            delivery_bodies: None,
            logs: days(7),
            audit: days(90),
            alerts: days(30),
            queues: QueueRetentions::default(),
        }
    }
}

/// One table for each queue.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct QueueRetentions {
    /// `workflow-execution`.
    #[serde(rename = "workflow-execution", alias = "workflow_execution")]
    pub execution: QueueRetention,
    /// `workflow-node`.
    #[serde(rename = "workflow-node", alias = "workflow_node")]
    pub node: QueueRetention,
    /// `workflow-scheduled`.
    #[serde(rename = "workflow-scheduled", alias = "workflow_scheduled")]
    pub scheduled: QueueRetention,
    /// `workflow-webhook`.
    #[serde(rename = "workflow-webhook", alias = "workflow_webhook")]
    pub webhook: QueueRetention,
}

impl QueueRetentions {
    /// The settings of one queue.
    pub const fn get(&self, queue: QueueName) -> &QueueRetention {
        match queue {
            QueueName::Execution => &self.execution,
            QueueName::Node => &self.node,
            QueueName::Scheduled => &self.scheduled,
            QueueName::Webhook => &self.webhook,
        }
    }
}

/// How long finished jobs of one queue are kept; `None`: as those of all queues.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct QueueRetention {
    /// Completed jobs.
    #[serde(with = "inherit")]
    pub completed: Option<DurationMs>,
    /// Failed jobs and dead letters that nobody touched.
    #[serde(with = "inherit")]
    pub failed: Option<DurationMs>,
    /// Cancelled jobs.
    #[serde(with = "inherit")]
    pub cancelled: Option<DurationMs>,
    /// Data and results.
    #[serde(with = "inherit")]
    pub payloads: Option<DurationMs>,
}

impl QueueRetention {
    /// All of them with their names.
    pub const fn all(&self) -> [(&'static str, Option<DurationMs>); 4] {
        [
            ("completed", self.completed),
            ("failed", self.failed),
            ("cancelled", self.cancelled),
            ("payloads", self.payloads),
        ]
    }
}
