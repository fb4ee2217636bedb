//! Background duties and how long finished things are kept.

use domain::time::DurationMs;
use serde::{Deserialize, Serialize};

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
    /// Archived dead letters.
    pub archive: DurationMs,
    /// Finished executions with their node results and events.
    pub executions: DurationMs,
    /// First answers of calls with an `Idempotency-Key`.
    pub idempotency: DurationMs,
    /// Deliveries of webhooks, with their bodies.
    pub deliveries: DurationMs,
    /// Lines that handlers logged.
    pub logs: DurationMs,
    /// The audit log.
    pub audit: DurationMs,
}

impl Default for RetentionSettings {
    fn default() -> Self {
        Self {
            completed: days(3),
            failed: days(30),
            cancelled: days(3),
            archive: days(365),
            executions: days(30),
            idempotency: days(1),
            deliveries: days(30),
            logs: days(7),
            audit: days(90),
        }
    }
}
