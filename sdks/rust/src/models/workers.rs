//! Models of workers. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::{Deserialize, Serialize};

use crate::timestamp::Timestamp;

/// A recently active worker.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Worker {
    /// Build that it runs, if it reports one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub build: Option<String>,
    /// Whether it is being drained: it receives no more jobs and is asked to exit.
    pub draining: bool,
    /// `firstSeenAt`.
    pub first_seen_at: Timestamp,
    /// `id`.
    pub id: String,
    /// `jobTypes`.
    pub job_types: Vec<String>,
    /// `external`, or `pool` for Trunkline's own workers.
    pub kind: String,
    /// `lastSeenAt`.
    pub last_seen_at: Timestamp,
    /// Number of leased jobs.
    pub leased: i32,
    /// Maximum number of jobs that it has requested at once; for Trunkline's own workers, their concurrency. Absent for
    /// workers that receive jobs only through Kafka.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slots: Option<i32>,
    /// Tenant that the worker's key is bound to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
}
