//! Calls of archive. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::Serialize;

use super::Calls;
use crate::error::ClientError;
use crate::models::{DeadLetter, Page};
use crate::transport::Request;

impl Calls {
    /// List archived dead letters, newest first.
    /// Action `deadLetters.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn list_archive(&self, query: &ListArchiveQuery) -> Result<Page<DeadLetter>, ClientError> {
        self.call(Request::new("listArchive", "GET", "/v1/archive").query(query)?).await
    }
}

/// The query of [`Calls::list_archive`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListArchiveQuery {
    /// One of workflow-execution, workflow-node, workflow-scheduled, workflow-webhook. Several values are separated by commas.
    pub queue: Option<String>,
    /// Exact match. Several values are separated by commas.
    pub workflow: Option<String>,
    /// Exact match. Several values are separated by commas.
    pub job_type: Option<String>,
    /// Exact match. Several values are separated by commas.
    pub tenant: Option<String>,
    /// Exact match. Several values are separated by commas.
    pub fingerprint: Option<String>,
    /// One of retries_exhausted, non_retryable, worker_lost, timeout. Several values are separated by commas.
    pub reason: Option<String>,
    /// One of archived. Several values are separated by commas.
    pub status: Option<String>,
    /// Exact match. Several values are separated by commas.
    pub tag: Option<String>,
    /// Exact match. Several values are separated by commas.
    pub worker_id: Option<String>,
    /// ID: `exe_` and 32 hexadecimal digits.
    pub execution_id: Option<String>,
    /// ID: `sch_` and 32 hexadecimal digits.
    pub schedule_id: Option<String>,
    /// ID: `dlv_` and 32 hexadecimal digits.
    pub delivery_id: Option<String>,
    /// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
    pub died_after: Option<String>,
    /// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
    pub died_before: Option<String>,
    /// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
    pub resolved_after: Option<String>,
    /// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
    pub resolved_before: Option<String>,
    /// Same as `diedAfter`.
    pub from: Option<String>,
    /// Same as `diedBefore`.
    pub to: Option<String>,
    /// Search query, at most 2000 characters. See the search documentation.
    pub q: Option<String>,
    /// Instant to sort by: died, resolved (default `died`).
    pub sort: Option<String>,
    /// `asc` or `desc` (default `desc`).
    pub order: Option<String>,
    /// Whether to count the matches, up to 10,000.
    pub count: Option<bool>,
    /// Page size, 1 to 500 (default 50).
    pub limit: Option<i32>,
    /// The `nextCursor` of the previous page.
    pub cursor: Option<String>,
}
