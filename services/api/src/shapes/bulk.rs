//! Bulk operations on dead letters: the filter, and how fast and how far to go.

use domain::failure::DeadReason;
use domain::names::{CallerKey, JobType, TenantName, WorkflowName};
use domain::queue::{QueueName, Tier};
use domain::time::Timestamp;
use engine::{BulkKind, BulkRequest};
use serde::{Deserialize, Serialize};
use store::dead_letters::{DeadLetterFilter, DeadLetterStatus, RequeueEdit};
use utoipa::ToSchema;

use super::words::{
    DeadLetterStatusSchema, DeadReasonSchema, PrioritySchema, QueueSchema, dead_letter_status, dead_reason,
};
use crate::json::{RawJson, present};
use crate::problem::{ApiResult, Problem};

/// Filter of dead letters. Absent fields match everything; only open dead letters change.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = DeadLetterFilter)]
pub(crate) struct FilterBody {
    #[schema(value_type = Option<QueueSchema>)]
    queue: Option<QueueName>,
    #[schema(value_type = Option<String>)]
    workflow: Option<WorkflowName>,
    #[schema(value_type = Option<String>)]
    job_type: Option<JobType>,
    #[schema(value_type = Option<String>)]
    tenant: Option<TenantName>,
    #[schema(value_type = Option<String>)]
    fingerprint: Option<CallerKey>,
    #[serde(default, deserialize_with = "dead_reason")]
    #[schema(value_type = Option<DeadReasonSchema>)]
    reason: Option<DeadReason>,
    #[serde(default, deserialize_with = "dead_letter_status")]
    #[schema(value_type = Option<DeadLetterStatusSchema>)]
    status: Option<DeadLetterStatus>,
    /// Failed permanently at or after this instant.
    #[schema(value_type = Option<String>, format = DateTime)]
    from: Option<Timestamp>,
    /// Failed permanently before this instant.
    #[schema(value_type = Option<String>, format = DateTime)]
    to: Option<Timestamp>,
}

impl From<FilterBody> for DeadLetterFilter {
    fn from(body: FilterBody) -> Self {
        Self {
            queue: body.queue,
            workflow: body.workflow,
            job_type: body.job_type,
            tenant: body.tenant,
            fingerprint: body.fingerprint.map(|text| text.to_string()),
            reason: body.reason,
            from: body.from,
            to: body.to,
            status: body.status,
        }
    }
}

/// Dead letters to requeue.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = BulkRequeueRequest)]
pub(crate) struct BulkRequeueBody {
    /// Filter. An empty filter requires `all`.
    #[serde(default)]
    #[schema(required = false)]
    filter: FilterBody,
    /// Confirms an empty filter, which matches everything.
    #[serde(default)]
    #[schema(required = false)]
    all: bool,
    /// Dry run: only counts the matches.
    #[serde(default)]
    #[schema(required = false)]
    dry_run: bool,
    /// Maximum number of items to process.
    limit: Option<u64>,
    /// Maximum rate.
    rate_per_second: Option<u32>,
    /// Stops when more than this share of the requeued jobs fails again, from 0 to 1.
    stop_on_failure_rate: Option<f64>,
    /// New payload for each job.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = RawJson, required = false)]
    data: Option<RawJson>,
    #[schema(value_type = Option<PrioritySchema>)]
    priority: Option<Tier>,
    /// New maximum number of retries for each job.
    max_retries: Option<u32>,
}

impl BulkRequeueBody {
    /// The request.
    pub(crate) fn into_request(self) -> BulkRequest {
        let edit = RequeueEdit {
            data: self.data.map(RawJson::into_text),
            tier: self.priority,
            retries_max: self.max_retries,
        };
        BulkRequest {
            kind: BulkKind::Requeue(edit),
            filter: self.filter.into(),
            all: self.all,
            dry_run: self.dry_run,
            limit: self.limit,
            rate_per_second: self.rate_per_second,
            stop_on_failure_rate: self.stop_on_failure_rate,
        }
    }
}

/// Dead letters to archive.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = BulkArchiveRequest)]
pub(crate) struct BulkArchiveBody {
    /// Filter. An empty filter requires `all`.
    #[serde(default)]
    #[schema(required = false)]
    filter: FilterBody,
    /// Confirms an empty filter, which matches everything.
    #[serde(default)]
    #[schema(required = false)]
    all: bool,
    /// Dry run: only counts the matches.
    #[serde(default)]
    #[schema(required = false)]
    dry_run: bool,
    /// Maximum number of items to process.
    limit: Option<u64>,
    /// Maximum rate.
    rate_per_second: Option<u32>,
    /// Stops when more than this share cannot be archived, from 0 to 1.
    stop_on_failure_rate: Option<f64>,
    /// Reason stored with each dead letter. Required unless it is a dry run.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, required = false)]
    reason: Option<String>,
}

impl BulkArchiveBody {
    /// The request.
    pub(crate) fn into_request(self) -> ApiResult<BulkRequest> {
        let reason = match self.reason {
            Some(reason) => reason,
            None if self.dry_run => "dry run".to_owned(),
            None => return Err(Problem::fault("/reason", "is required")),
        };
        Ok(BulkRequest {
            kind: BulkKind::Archive { reason },
            filter: self.filter.into(),
            all: self.all,
            dry_run: self.dry_run,
            limit: self.limit,
            rate_per_second: self.rate_per_second,
            stop_on_failure_rate: self.stop_on_failure_rate,
        })
    }
}

/// Number of matches of a dry run.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BulkCount)]
pub(crate) struct CountResponse {
    pub(crate) count: u64,
}
