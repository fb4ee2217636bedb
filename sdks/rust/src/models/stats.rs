//! Models of stats. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::{Deserialize, Serialize};

use crate::timestamp::Timestamp;

/// The figures for one minute or one hour. Durations are in milliseconds, interpolated within histogram buckets.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StatPoint {
    /// Start of the minute or hour.
    pub at: Timestamp,
    /// Attempts that started.
    pub claimed: i64,
    /// Jobs that completed.
    pub completed: i64,
    /// Jobs that became dead letters.
    pub dead_lettered: i64,
    /// Median time of jobs (with `queue=workflow-execution`: of executions) from creation to end; null if none ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_to_end_p50: Option<i64>,
    /// `endToEndP95`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_to_end_p95: Option<i64>,
    /// `endToEndP99`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_to_end_p99: Option<i64>,
    /// Jobs that were enqueued.
    pub enqueued: i64,
    /// Attempts that failed, including final ones.
    pub failed: i64,
    /// Age of the oldest queued job at the last count.
    pub oldest_age_ms: i64,
    /// Leased jobs at the last count.
    pub processing: i64,
    /// Queued jobs at the last count.
    pub queued: i64,
    /// Median run time of attempts; null if none ended. An attempt of an execution ends when the execution is parked or ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_p50: Option<i64>,
    /// `runP95`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_p95: Option<i64>,
    /// `runP99`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_p99: Option<i64>,
    /// Median wait from claimable to claimed; null if no job was claimed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait_p50: Option<i64>,
    /// `waitP95`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait_p95: Option<i64>,
    /// `waitP99`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait_p99: Option<i64>,
}

/// Queue figures over time.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Stats {
    /// One point per minute or hour, oldest first.
    pub series: Vec<StatPoint>,
    /// `1m` or `1h`.
    pub step: String,
}
