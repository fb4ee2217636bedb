//! Models of queues. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::QueueName;
use crate::open_enum::open_enum;
use crate::timestamp::Timestamp;

/// Three percentiles in milliseconds.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Percentiles {
    /// `p50`.
    pub p50: i64,
    /// `p95`.
    pub p95: i64,
    /// `p99`.
    pub p99: i64,
}

/// A queue with the statistics of the jobs that the key can see.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Queue {
    /// How long the oldest queued job has been claimable; null if no job is queued.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oldest_age_ms: Option<i64>,
    /// Leased by a worker.
    pub processing: i64,
    /// Queued: ready to be claimed.
    pub queued: i64,
    /// Waiting for a retry.
    pub retry_wait: i64,
    /// Waiting for their due time.
    pub scheduled: i64,
    /// Parked executions.
    pub waiting: i64,
    /// Number of open dead letters.
    pub dead_letters: i64,
    /// Fraction of these jobs that did not complete, from 0 to 1.
    pub error_rate1m: f64,
    /// `mode`.
    pub mode: QueueModeKind,
    /// Whether the queue is paused, so that no jobs start.
    pub paused: bool,
    /// `queue`.
    pub queue: QueueName,
    /// Run time from claimed to settled in the last minute; null if no job ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_ms: Option<Percentiles>,
    /// Number of jobs that ended in the last minute.
    pub throughput1m: i64,
    /// Statistics by priority.
    pub tiers: BTreeMap<String, QueueCounts>,
    /// Wait from claimable to claimed in the last minute; null if no job ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait_ms: Option<Percentiles>,
}

/// Number of jobs of a queue by state.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct QueueCounts {
    /// How long the oldest queued job has been claimable; null if no job is queued.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oldest_age_ms: Option<i64>,
    /// Leased by a worker.
    pub processing: i64,
    /// Queued: ready to be claimed.
    pub queued: i64,
    /// Waiting for a retry.
    pub retry_wait: i64,
    /// Waiting for their due time.
    pub scheduled: i64,
    /// Parked executions.
    pub waiting: i64,
}

/// The mode of a queue.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct QueueMode {
    /// `mode`.
    pub mode: QueueModeKind,
    /// Whether the queue is paused, so that no jobs start.
    pub paused: bool,
    /// `queue`.
    pub queue: QueueName,
}

open_enum! {
    /// QueueModeKind
    pub enum QueueModeKind {
        /// `running`.
        Running = "running",
        /// `paused`.
        Paused = "paused",
        /// `draining`.
        Draining = "draining",
    }
}

/// The load of a queue for autoscalers.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct QueueScaling {
    /// Time at which the figures were read.
    pub as_of: Timestamp,
    /// Number of slots that could be busy now: `processing` + `offered` + `startable`.
    pub desired: i64,
    /// Whether all queued jobs were counted. Otherwise `queued` and `startable` are lower bounds.
    pub exact: bool,
    /// Number of queued jobs that a limit or a concurrency key holds back.
    pub held_by_limit: i64,
    /// Number of queued jobs without an active worker for their type.
    pub no_worker: i64,
    /// Number of jobs that are offered through Kafka and that no worker has accepted.
    pub offered: i64,
    /// How long the oldest job has been claimable; null if no job is queued.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oldest_age_ms: Option<i64>,
    /// Number of jobs that workers hold.
    pub processing: i64,
    /// `queue`.
    pub queue: QueueName,
    /// Number of jobs that wait to be claimed.
    pub queued: i64,
    /// Number of queued jobs that no limit or pause holds back.
    pub startable: i64,
    /// Number of active external workers that take these jobs.
    pub workers: i64,
}
