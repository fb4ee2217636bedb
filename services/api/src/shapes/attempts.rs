//! The attempts of a job, and the errors in which they end.

use domain::failure::JobError;
use domain::time::Timestamp;
use serde::{Deserialize, Serialize};
use store::jobs::AttemptRecord;
use utoipa::ToSchema;

use crate::json::{RawJson, payloads_are_shown};

/// An error of a job.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = JobError)]
pub(crate) struct JobErrorBody {
    /// Message for people.
    pub(crate) message: String,
    /// Error code for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) code: Option<String>,
    /// Additional details from the handler.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<RawJson>)]
    pub(crate) details: Option<serde_json::Value>,
}

impl From<JobError> for JobErrorBody {
    fn from(error: JobError) -> Self {
        // They hold what a service answered, or whatever a worker put there: payloads, to who may not see those.
        let details = error.details.filter(|_| payloads_are_shown());
        Self { message: error.message, code: error.code, details }
    }
}

impl From<JobErrorBody> for JobError {
    fn from(shape: JobErrorBody) -> Self {
        Self { message: shape.message, code: shape.code, details: shape.details }
    }
}

/// One attempt of a job.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Attempt)]
pub(crate) struct AttemptResponse {
    /// Attempt number, from 1.
    attempt_number: u32,
    /// `PROCESSING`, `COMPLETED`, `FAILED`, `WORKER_LOST`, `TIMED_OUT` or `CANCELLED`.
    #[schema(value_type = String)]
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<JobErrorBody>,
    #[schema(value_type = String, format = DateTime)]
    started_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    finished_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ms: Option<i64>,
    worker_id: String,
}

impl From<AttemptRecord> for AttemptResponse {
    fn from(attempt: AttemptRecord) -> Self {
        Self {
            attempt_number: attempt.attempt_number,
            status: attempt.status.map_or("PROCESSING", store::jobs::AttemptStatus::as_str),
            error: attempt.error.map(JobErrorBody::from),
            started_at: attempt.started_at,
            finished_at: attempt.finished_at,
            duration_ms: attempt.finished_at.map(|end| end.since(attempt.started_at).0),
            worker_id: attempt.worker_id.to_string(),
        }
    }
}
