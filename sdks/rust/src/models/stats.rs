//! Models of stats. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::{Deserialize, Serialize};

use crate::timestamp::Timestamp;

/// The figures of a minute or an hour. Durations are milliseconds, interpolated within the buckets of a histogram.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StatPoint {
    /// When it begins.
    pub at: Timestamp,
    /// Attempts that started.
    pub claimed: i64,
    /// Jobs that completed.
    pub completed: i64,
    /// Jobs that became dead letters.
    pub dead_lettered: i64,
    /// Jobs that were stored.
    pub enqueued: i64,
    /// Attempts that failed, including final ones.
    pub failed: i64,
    /// Age of the oldest queued job when they were last counted.
    pub oldest_age_ms: i64,
    /// Leased jobs when they were last counted.
    pub processing: i64,
    /// Queued jobs when they were last counted.
    pub queued: i64,
    /// Median run of attempts; null if none ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_p50: Option<i64>,
    /// `runP95`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_p95: Option<i64>,
    /// `runP99`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_p99: Option<i64>,
    /// Median wait from claimable to claimed; null if nothing was claimed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait_p50: Option<i64>,
    /// `waitP95`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait_p95: Option<i64>,
    /// `waitP99`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait_p99: Option<i64>,
}

/// Figures of queues over time.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Stats {
    /// A point for each minute or hour, oldest first.
    pub series: Vec<StatPoint>,
    /// `1m` or `1h`.
    pub step: String,
}
