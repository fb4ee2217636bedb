//! Calls of workers. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::Serialize;

use super::Calls;
use crate::error::ClientError;
use crate::models::{Page, Worker};
use crate::transport::Request;

impl Calls {
    /// List recently active workers.
    pub async fn list_workers(&self, query: &ListWorkersQuery) -> Result<Page<Worker>, ClientError> {
        self.call(Request::new("listWorkers", "GET", "/v1/workers").query(query)?).await
    }
}

/// The query of [`Calls::list_workers`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListWorkersQuery {
    /// Page size, 1 to 500 (default 50).
    pub limit: Option<i32>,
}
