//! Calls of archive. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::Serialize;

use super::Calls;
use crate::error::ClientError;
use crate::models::{DeadLetter, Page};
use crate::transport::Request;

impl Calls {
    /// List archived dead letters, newest first.
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
    /// Exact text. Several values are separated by commas.
    pub workflow: Option<String>,
    /// Exact text. Several values are separated by commas.
    pub job_type: Option<String>,
    /// Exact text. Several values are separated by commas.
    pub tenant: Option<String>,
    /// Exact text. Several values are separated by commas.
    pub fingerprint: Option<String>,
    /// One of retries_exhausted, non_retryable, worker_lost, timeout. Several values are separated by commas.
    pub reason: Option<String>,
    /// One of archived. Several values are separated by commas.
    pub status: Option<String>,
    /// Exact text. Several values are separated by commas.
    pub tag: Option<String>,
    /// Exact text. Several values are separated by commas.
    pub worker_id: Option<String>,
    /// ID, exe_ and 32 hex digits.
    pub execution_id: Option<String>,
    /// ID, sch_ and 32 hex digits.
    pub schedule_id: Option<String>,
    /// ID, dlv_ and 32 hex digits.
    pub delivery_id: Option<String>,
    /// At or after an RFC 3339 instant, a date, now, or a time from now such as now-15m.
    pub died_after: Option<String>,
    /// Before an RFC 3339 instant, a date, now, or a time from now such as now-15m.
    pub died_before: Option<String>,
    /// At or after an RFC 3339 instant, a date, now, or a time from now such as now-15m.
    pub resolved_after: Option<String>,
    /// Before an RFC 3339 instant, a date, now, or a time from now such as now-15m.
    pub resolved_before: Option<String>,
    /// The same as `diedAfter`.
    pub from: Option<String>,
    /// The same as `diedBefore`.
    pub to: Option<String>,
    /// Query, at most 2000 characters. See the documentation of search.
    pub q: Option<String>,
    /// Instant to order by: died, resolved (default `died`).
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
