//! Bulk operations and their objects as they are shown.

use domain::bulk::BulkVerb;
use domain::id::{BatchId, DeliveryKind, ExecutionKind, Id, JobKind};
use domain::time::Timestamp;
use engine::BatchItemLine;
use serde::Serialize;
use store::batches::BatchRecord;
use utoipa::ToSchema;
use uuid::Uuid;

use super::words::{BatchItemOutcomeSchema, BatchStatusSchema};
use crate::json::RawJson;
use crate::problem::ProblemResponse;

/// A bulk operation.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Batch)]
pub(crate) struct BatchResponse {
    #[schema(value_type = String)]
    id: BatchId,
    /// Kind of operation, such as `dead_letters.requeue`.
    kind: String,
    #[schema(value_type = BatchStatusSchema)]
    status: &'static str,
    /// Reason for the status: `canary`, `operator`, `failure_rate` or `error`.
    #[serde(skip_serializing_if = "Option::is_none")]
    status_reason: Option<String>,
    /// Number of objects. It grows while the operation is `preparing`.
    total: u64,
    /// Number of changed objects.
    done: u64,
    /// Number of objects that could not be changed.
    failed: u64,
    /// Number of objects that no longer existed or no longer matched.
    skipped: u64,
    /// Number of changed objects whose resulting job, execution or delivery has not ended.
    pending: u64,
    /// Number of changed objects whose resulting job, execution or delivery failed.
    ended_badly: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// Who started it.
    actor: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    tenant: Option<String>,
    /// The original request.
    request: RawJson,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    #[schema(value_type = String, format = DateTime)]
    updated_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    finished_at: Option<Timestamp>,
}

impl From<BatchRecord> for BatchResponse {
    fn from(batch: BatchRecord) -> Self {
        let counts = batch.counts;
        Self {
            id: batch.id,
            kind: batch.kind,
            status: batch.status.as_str(),
            status_reason: batch.status_reason,
            total: counts.total,
            done: counts.done,
            failed: counts.failed,
            skipped: counts.skipped,
            pending: counts.pending,
            ended_badly: counts.ended_badly,
            reason: batch.reason,
            actor: batch.actor,
            tenant: batch.tenant.map(|tenant| tenant.to_string()),
            // A requeue with another payload has it here.
            request: RawJson::payload(batch.request),
            created_at: batch.created_at,
            updated_at: batch.updated_at,
            finished_at: batch.finished_at,
        }
    }
}

/// An object of a bulk operation.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = BatchItem)]
pub(crate) struct BatchItemResponse {
    id: String,
    #[schema(value_type = BatchItemOutcomeSchema)]
    outcome: &'static str,
    #[schema(value_type = String, format = DateTime)]
    at: Timestamp,
    /// Job, execution or delivery that the change made or started.
    #[serde(skip_serializing_if = "Option::is_none")]
    result_id: Option<String>,
    /// Why it was not changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl From<BatchItemLine> for BatchItemResponse {
    fn from(line: BatchItemLine) -> Self {
        let prefix = line.verb.and_then(|verb| verb.list().id_prefix()).unwrap_or("obj");
        Self {
            id: format!("{prefix}_{}", line.item.object.simple()),
            outcome: line.item.outcome.as_str(),
            at: line.item.at,
            result_id: line.item.result.and_then(|id| result_text(line.verb, id)),
            error: line.item.error,
        }
    }
}

fn result_text(verb: Option<BulkVerb>, id: Uuid) -> Option<String> {
    Some(match verb? {
        BulkVerb::RetryJobs | BulkVerb::RequeueDeadLetters => Id::<JobKind>::from_uuid(id).to_string(),
        BulkVerb::RetryExecutions | BulkVerb::RerunExecutions => {
            Id::<ExecutionKind>::from_uuid(id).to_string()
        }
        BulkVerb::ReplayDeliveries => Id::<DeliveryKind>::from_uuid(id).to_string(),
        _ => return None,
    })
}

// What a batch answers.

/// The results of a batch, in the order of its items.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BatchResults)]
pub(crate) struct BatchResultsResponse<T> {
    /// One result per item.
    pub(crate) results: Vec<BatchResult<T>>,
}

/// The result of one item.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum BatchResult<T> {
    /// Accepted.
    Accepted(T),
    /// Rejected.
    Refused {
        /// The error.
        error: ProblemResponse,
    },
}
