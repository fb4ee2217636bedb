//! Calls of workers. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::Serialize;

use super::Calls;
use crate::error::ClientError;
use crate::models::{Page, Worker};
use crate::transport::{Request, segment};

impl Calls {
    /// List workers, most recently seen first.
    /// Without a range of `lastSeen` or `firstSeen`, lists workers seen in the last ten minutes.
    ///
    /// Action `workers.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn list_workers(&self, query: &ListWorkersQuery) -> Result<Page<Worker>, ClientError> {
        self.call(Request::new("listWorkers", "GET", "/v1/workers").query(query)?).await
    }

    /// Drain a worker.
    /// Until the worker is gone, its polls return no jobs but `drain`, and its stream ends. Jobs that it already has are
    /// not affected. A worker that appears under the same ID after a minute of inactivity is not drained.
    ///
    /// Action `workers.drain`: requires role `admin` or `operator`.
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
    /// Exact match. Several values are separated by commas.
    pub tenant: Option<String>,
    /// Exact match. Several values are separated by commas.
    pub kind: Option<String>,
    /// Exact match. Several values are separated by commas.
    pub job_type: Option<String>,
    /// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
    pub last_seen_after: Option<String>,
    /// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
    pub last_seen_before: Option<String>,
    /// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
    pub first_seen_after: Option<String>,
    /// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
    pub first_seen_before: Option<String>,
    /// Same as `lastSeenAfter`.
    pub from: Option<String>,
    /// Same as `lastSeenBefore`.
    pub to: Option<String>,
    /// Search query, at most 2000 characters. See the search documentation.
    pub q: Option<String>,
    /// Instant to sort by: lastSeen, firstSeen (default `lastSeen`).
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
    /// Tenant that the worker's key is bound to.
    pub tenant: Option<String>,
}
