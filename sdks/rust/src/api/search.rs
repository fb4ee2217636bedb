//! Calls of search. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::Serialize;

use super::Calls;
use crate::error::ClientError;
use crate::models::Suggestions;
use crate::transport::Request;

impl Calls {
    /// Complete a query.
    /// Suggests keys, keywords, instants, and values of the last 7 days: workflows, job types, tenants, tags, workers,
    /// event types, fingerprints.
    ///
    /// Action `jobs.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn suggest(&self, query: &SuggestQuery) -> Result<Suggestions, ClientError> {
        self.call(Request::new("suggest", "GET", "/v1/search/suggest").query(query)?).await
    }
}

/// The query of [`Calls::suggest`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SuggestQuery {
    /// The list, as in its path: `jobs`, `executions`, `dead-letters`, `archive`, `deliveries`, `schedules`.
    pub list: Option<String>,
    /// The query as typed so far.
    pub q: Option<String>,
    /// Position of the text cursor in the query, in characters from 0 (default: the end).
    pub at: Option<i32>,
    /// Maximum number of completions, 1 to 20 (default 10).
    pub limit: Option<i32>,
}
