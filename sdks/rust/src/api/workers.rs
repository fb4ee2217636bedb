//! Calls of workers. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::Serialize;

use super::Calls;
use crate::error::ClientError;
use crate::models::{Page, Worker};
use crate::transport::{Request, segment};

impl Calls {
    /// List recently active workers.
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
    /// Page size, 1 to 500 (default 50).
    pub limit: Option<i32>,
}

/// The query of [`Calls::drain_worker`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DrainWorkerQuery {
    /// Tenant that its key is bound to.
    pub tenant: Option<String>,
}
