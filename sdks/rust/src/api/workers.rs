//! Calls of workers. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::Serialize;

use super::Calls;
use crate::error::ClientError;
use crate::models::{Page, Worker};
use crate::transport::{Request, segment};

impl Calls {
    /// List workers, the latest seen first.
    /// Without a range of `lastSeen` or `firstSeen` those of the last ten minutes.
    pub async fn list_workers(&self, query: &ListWorkersQuery) -> Result<Page<Worker>, ClientError> {
        self.call(Request::new("listWorkers", "GET", "/v1/workers").query(query)?).await
    }

    /// Drain a worker.
    /// Its polls get no more jobs and are answered with `drain`, its stream ends, until it is gone. Jobs that it has are not touched.
    /// Another worker that shows itself under the same ID after a minute of silence is not drained.
    pub async fn drain_worker(&self, id: &str, query: &DrainWorkerQuery) -> Result<(), ClientError> {
        self.call_empty(
            Request::new("drainWorker", "POST", format!("/v1/workers/{}/drain", segment(id)))
                .keyed()
                .query(query)?,
        )
        .await
    }
}

/// The query of [`Calls::list_workers`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListWorkersQuery {
    /// Exact text. Several values are separated by commas.
    pub tenant: Option<String>,
    /// Exact text. Several values are separated by commas.
    pub kind: Option<String>,
    /// Exact text. Several values are separated by commas.
    pub job_type: Option<String>,
    /// At or after an RFC 3339 instant, a date, now, or a time from now such as now-15m.
    pub last_seen_after: Option<String>,
    /// Before an RFC 3339 instant, a date, now, or a time from now such as now-15m.
    pub last_seen_before: Option<String>,
    /// At or after an RFC 3339 instant, a date, now, or a time from now such as now-15m.
    pub first_seen_after: Option<String>,
    /// Before an RFC 3339 instant, a date, now, or a time from now such as now-15m.
    pub first_seen_before: Option<String>,
    /// The same as `lastSeenAfter`.
    pub from: Option<String>,
    /// The same as `lastSeenBefore`.
    pub to: Option<String>,
    /// Query, at most 2000 characters. See the documentation of search.
    pub q: Option<String>,
    /// Instant to order by: lastSeen, firstSeen (default `lastSeen`).
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

/// The query of [`Calls::drain_worker`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DrainWorkerQuery {
    /// Tenant that its key is bound to.
    pub tenant: Option<String>,
}
