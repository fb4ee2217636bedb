//! Calls of batches. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::Serialize;

use super::Calls;
use crate::error::ClientError;
use crate::models::{Batch, BatchItem, Page};
use crate::transport::{Request, segment};

impl Calls {
    /// List bulk operations, newest first.
    /// Action `batches.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn list_batches(&self, query: &ListBatchesQuery) -> Result<Page<Batch>, ClientError> {
        self.call(Request::new("listBatches", "GET", "/v1/batches").query(query)?).await
    }

    /// Show the progress of a bulk operation.
    /// Action `batches.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn get_batch(&self, id: &str) -> Result<Batch, ClientError> {
        self.call(Request::new("getBatch", "GET", format!("/v1/batches/{}", segment(id)))).await
    }

    /// Abort a bulk operation.
    /// Changes that were already made are kept.
    ///
    /// Action `batches.abort`: requires role `admin` or `operator`.
    pub async fn abort_batch(&self, id: &str) -> Result<Batch, ClientError> {
        self.call(Request::new("abortBatch", "POST", format!("/v1/batches/{}/abort", segment(id))).keyed())
            .await
    }

    /// List the objects of a bulk operation and their outcomes, in processing order.
    /// Action `batches.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn list_batch_items(
        &self,
        id: &str,
        query: &ListBatchItemsQuery,
    ) -> Result<Page<BatchItem>, ClientError> {
        self.call(
            Request::new("listBatchItems", "GET", format!("/v1/batches/{}/items", segment(id)))
                .query(query)?,
        )
        .await
    }

    /// Pause a bulk operation.
    /// Action `batches.pause`: requires role `admin` or `operator`.
    pub async fn pause_batch(&self, id: &str) -> Result<Batch, ClientError> {
        self.call(Request::new("pauseBatch", "POST", format!("/v1/batches/{}/pause", segment(id))).keyed())
            .await
    }

    /// Resume a paused bulk operation.
    /// Action `batches.pause`: requires role `admin` or `operator`.
    pub async fn resume_batch(&self, id: &str) -> Result<Batch, ClientError> {
        self.call(Request::new("resumeBatch", "POST", format!("/v1/batches/{}/resume", segment(id))).keyed())
            .await
    }
}

/// The query of [`Calls::list_batches`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListBatchesQuery {
    /// Exact match. Several values are separated by commas.
    pub kind: Option<String>,
    /// One of preparing, running, paused, completed, aborted, failed. Several values are separated by commas.
    pub status: Option<String>,
    /// Exact match. Several values are separated by commas.
    pub actor: Option<String>,
    /// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
    pub created_after: Option<String>,
    /// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
    pub created_before: Option<String>,
    /// Same as `createdAfter`.
    pub from: Option<String>,
    /// Same as `createdBefore`.
    pub to: Option<String>,
    /// Search query, at most 2000 characters. See the search documentation.
    pub q: Option<String>,
    /// Instant to sort by: created (default `created`).
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

/// The query of [`Calls::list_batch_items`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListBatchItemsQuery {
    /// `done`, `failed` or `skipped`. Several values are separated by commas.
    pub outcome: Option<String>,
    /// Page size, 1 to 500 (default 50).
    pub limit: Option<i32>,
    /// The `nextCursor` of the previous page.
    pub cursor: Option<String>,
}
