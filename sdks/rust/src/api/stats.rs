//! Calls of stats. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::Serialize;

use super::Calls;
use crate::error::ClientError;
use crate::models::Stats;
use crate::transport::Request;

impl Calls {
    /// Show figures of queues over time.
    /// Throughput, failures, backlog and percentiles of wait and run, by minute or hour. At most 15 seconds behind. Up to 1,500
    /// points.
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
    /// At or after an RFC 3339 instant, a date, now, or a time from now such as now-6h (default: an hour before `to`, with
    /// step 1h a day).
    pub from: Option<String>,
    /// Before such an instant (default: now).
    pub to: Option<String>,
    /// `1m` (default; kept for a day) or `1h` (kept for 30 days).
    pub step: Option<String>,
}
