//! Models of common. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Fault, LogLevel};
use crate::json::Json;
use crate::timestamp::Timestamp;

/// A stored log line.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StoredLogLine {
    /// `at`.
    pub at: Timestamp,
    /// The attempt, from 1.
    pub attempt: i32,
    /// Structured fields: an object. Absent for callers that may not see payloads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fields: Option<BTreeMap<String, Json>>,
    /// `jobId`.
    pub job_id: String,
    /// `level`.
    pub level: LogLevel,
    /// Number of the line in its attempt, from 1.
    pub line: i32,
    /// Absent for callers that may not see payloads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// `nodeId`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_id: Option<String>,
}

/// Limits the number of starts in any period. Further starts are delayed.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Throttle {
    /// Key of the starts that are counted together, with `${…}` expressions (default: all starts of the trigger).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Starts per period.
    pub rate: Json,
}

/// A valid definition that was not registered.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ValidatedWorkflow {
    /// SHA-256 (hex) of the definition as JSON with sorted keys.
    pub content_hash: String,
    /// `name`.
    pub name: String,
    /// Always true; an invalid definition returns status 422.
    pub valid: bool,
    /// `version`.
    pub version: i32,
    /// Warnings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<Fault>>,
}

/// Why a job is not running.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Why {
    /// Earliest instant at which the rate can admit the job: a lower bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub can_start_at: Option<Timestamp>,
    /// Explanation.
    pub detail: String,
    /// What allows the job to run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frees_when: Option<String>,
    /// Jobs that use the limit, at most ten.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holders: Option<Vec<String>>,
    /// The exhausted limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<i32>,
    /// Number of jobs ahead in the same lane.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<i64>,
    /// The rate that the job waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Json>,
    /// `not_due`, `queue_paused`, `limit_global`, `limit_tenant`, `limit_workflow`, `limit_job_type`,
    /// `limit_tenant_job_type`, `limit_rate_key`, `limit_key`, `rate_global`, `rate_tenant`, `rate_workflow`,
    /// `rate_job_type`, `rate_tenant_job_type`, `rate_key`, `no_worker`, `no_worker_of_build`, `behind`, `waiting`,
    /// `running` or `finished`.
    pub reason: String,
    /// Current usage of the limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub running: Option<i32>,
}

/// A node that a delivery woke.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WokenNode {
    /// `executionId`.
    pub execution_id: String,
    /// `nodeId`.
    pub node_id: String,
}
