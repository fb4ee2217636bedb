//! Calls of stats. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::Serialize;

use super::Calls;
use crate::error::ClientError;
use crate::models::Stats;
use crate::transport::Request;

impl Calls {
    /// Show queue figures over time.
    /// Returns throughput, failures, backlog, and percentiles of wait, run and end-to-end times, by minute or hour. Figures are at
    /// most 15 seconds behind. Returns up to 1,500 points.
    ///
    /// Action `queues.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn get_stats(&self, query: &GetStatsQuery) -> Result<Stats, ClientError> {
        self.call(Request::new("getStats", "GET", "/v1/stats").query(query)?).await
    }
}

/// The query of [`Calls::get_stats`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GetStatsQuery {
    /// Queue.
    pub queue: Option<String>,
    /// Priority.
    pub priority: Option<String>,
    /// Name of the tenant.
    pub tenant: Option<String>,
    /// Name of the workflow.
    pub workflow: Option<String>,
    /// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-6h` (default: one hour before
    /// `to`, or one day with step `1h`).
    pub from: Option<String>,
    /// Before this instant, in the same formats (default: now).
    pub to: Option<String>,
    /// `1m` (default; kept for a day) or `1h` (kept for 30 days).
    pub step: Option<String>,
}
