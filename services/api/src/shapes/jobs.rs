//! Jobs: what is sent to enqueue one, and how one is shown.

use std::collections::BTreeMap;

use domain::failure::{fingerprint, values_of};
use domain::id::JobId;
use domain::names::{CallerKey, JobType, Tag, TenantName};
use domain::queue::Tier;
use domain::retry::Backoff;
use domain::time::{DurationMs, Timestamp};
use engine::{JobRequest, ShownAttributes};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::jobs::{Enqueued, JobRecord};
use utoipa::ToSchema;

use super::job_logs::{AttemptResponse, JobErrorBody};
use super::list::{OmittedPayloadResponse, PayloadBound, RequiredFields};
use super::words::{JobStatusSchema, PrioritySchema, QueueSchema};
use crate::extract::is_traceparent;
use crate::json::{Item, RawJson, list, present, small_values};
use crate::problem::ApiResult;

/// A job to enqueue.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = JobRequest)]
pub(crate) struct JobBody {
    /// Job type, which selects the handler.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, required = true, example = "encode-video")]
    job_type: Option<JobType>,
    /// Payload, passed to the worker unchanged (default `null`).
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = RawJson, required = false)]
    data: Option<RawJson>,
    /// Priority (default `normal`).
    #[schema(value_type = Option<PrioritySchema>)]
    priority: Option<Tier>,
    /// Tenant (default: the key's tenant, or `default`).
    #[schema(value_type = Option<String>)]
    tenant: Option<TenantName>,
    /// Earliest start time. Mutually exclusive with `delay`.
    #[schema(value_type = Option<String>, format = DateTime)]
    run_at: Option<Timestamp>,
    /// Delay before the earliest start.
    #[schema(value_type = Option<String>, example = "30s")]
    delay: Option<DurationMs>,
    /// Maximum wait for the start, counted from when the job may run. A job that has not started by then is cancelled
    /// with the error code `expired`.
    #[schema(value_type = Option<String>, example = "10m")]
    expires_in: Option<DurationMs>,
    /// Maximum number of retries after a failure.
    max_retries: Option<u32>,
    /// Backoff between retries.
    backoff: Option<BackoffBody>,
    /// Timeout of each attempt.
    #[schema(value_type = Option<String>, example = "5m")]
    timeout: Option<DurationMs>,
    /// At most one unfinished job of the tenant has this key.
    #[schema(value_type = Option<String>)]
    unique_key: Option<CallerKey>,
    /// At most one leased job of the tenant has this key, or as many as `maxConcurrent` of `/v1/rates/{key}` says.
    #[schema(value_type = Option<String>)]
    concurrency_key: Option<CallerKey>,
    /// Rate key. If a rate is set for it, starts of the job are counted under that rate.
    #[schema(value_type = Option<String>)]
    rate_key: Option<CallerKey>,
    /// Tags for filtering.
    #[serde(default)]
    #[schema(value_type = Vec<String>, required = false)]
    tags: Vec<Tag>,
    /// W3C trace context passed to the worker. Overrides the `traceparent` header.
    traceparent: Option<String>,
    /// Searchable attributes by name: values of their declared types, or lists of at most 16 values.
    #[serde(default, deserialize_with = "small_values")]
    #[schema(value_type = BTreeMap<String, Value>, required = false)]
    attributes: BTreeMap<String, Value>,
}

impl Item for JobBody {
    fn values(&self) -> usize {
        self.attributes.values().map(values_of).sum()
    }
}

impl JobBody {
    /// The request, with the trace context of the header where the body has none.
    pub(crate) fn into_request(self, header: Option<&str>) -> ApiResult<JobRequest> {
        let mut needed = RequiredFields::default();
        let job_type = needed.field("jobType", self.job_type);
        if self.traceparent.as_deref().is_some_and(|text| !is_traceparent(text)) {
            needed.add("/traceparent", "expected a W3C trace context");
        }
        let (Some(job_type), false) = (job_type, needed.any()) else {
            return Err(needed.problem());
        };
        Ok(JobRequest {
            tier: self.priority,
            tenant: self.tenant,
            run_at: self.run_at,
            delay: self.delay,
            expires_in: self.expires_in,
            retries_max: self.max_retries,
            backoff: self.backoff.map(Backoff::from),
            timeout: self.timeout,
            unique_key: self.unique_key,
            concurrency_key: self.concurrency_key,
            rate_key: self.rate_key,
            tags: self.tags,
            traceparent: self.traceparent.or_else(|| header.map(str::to_owned)),
            attributes: self.attributes,
            ..JobRequest::new(job_type, self.data.map_or_else(|| "null".to_owned(), RawJson::into_text))
        })
    }
}

/// Backoff between retries: `initial`, `initial × factor`, … up to `max`.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[schema(as = Backoff)]
pub(crate) struct BackoffBody {
    /// Delay before the first retry.
    #[schema(value_type = String, example = "1s")]
    initial: DurationMs,
    /// Multiplier of consecutive delays.
    factor: f64,
    /// Maximum delay.
    #[schema(value_type = String, example = "5m")]
    max: DurationMs,
    /// Whether delays are randomized.
    jitter: bool,
}

impl Default for BackoffBody {
    fn default() -> Self {
        Backoff::default().into()
    }
}

impl From<Backoff> for BackoffBody {
    fn from(backoff: Backoff) -> Self {
        Self { initial: backoff.initial, factor: backoff.factor, max: backoff.max, jitter: backoff.jitter }
    }
}

impl From<BackoffBody> for Backoff {
    fn from(shape: BackoffBody) -> Self {
        Self { initial: shape.initial, factor: shape.factor, max: shape.max, jitter: shape.jitter }
    }
}

/// Jobs to enqueue in one commit.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = JobBatch)]
pub(crate) struct JobBatchBody {
    /// The jobs, at most 10,000.
    #[serde(default, deserialize_with = "list")]
    #[schema(value_type = Vec<JobBody>, required = true)]
    pub(crate) jobs: Option<Vec<RawJson>>,
    /// Whether valid jobs are accepted even if others are invalid (default false: atomic).
    #[serde(default)]
    #[schema(required = false)]
    pub(crate) partial: bool,
}

/// An accepted job.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Enqueued)]
pub(crate) struct EnqueuedResponse {
    /// Job ID.
    #[schema(value_type = String, example = "job_0193456789ab7def8123456789abcdef")]
    id: JobId,
    /// Queue position: lower positions of a lane are processed first.
    position: i64,
    /// Status.
    #[schema(value_type = JobStatusSchema)]
    status: &'static str,
    /// True if an unfinished job with the same unique key already exists; absent for a new job.
    #[serde(skip_serializing_if = "Option::is_none")]
    existing: Option<bool>,
}

impl From<Enqueued> for EnqueuedResponse {
    fn from(enqueued: Enqueued) -> Self {
        Self {
            id: enqueued.id,
            position: enqueued.position,
            status: enqueued.status.as_str(),
            existing: enqueued.existing.then_some(true),
        }
    }
}

/// A job.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Job)]
pub(crate) struct JobResponse {
    #[schema(value_type = String, example = "job_0193456789ab7def8123456789abcdef")]
    id: JobId,
    #[schema(value_type = QueueSchema)]
    queue: &'static str,
    job_type: String,
    #[schema(value_type = JobStatusSchema)]
    status: &'static str,
    #[schema(value_type = PrioritySchema)]
    priority: &'static str,
    tenant: String,
    /// Workflow whose limits apply to the job.
    #[serde(skip_serializing_if = "Option::is_none")]
    workflow: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    execution_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    node_id: Option<String>,
    /// Payload. Lists omit payloads above 4 KiB; read the job instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<RawJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<RawJson>,
    /// The last error.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<JobErrorBody>,
    /// Fingerprint of the last error: the same for failures of the same kind, and for the dead letter.
    #[serde(skip_serializing_if = "Option::is_none")]
    fingerprint: Option<String>,
    /// Last progress reported by the worker.
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<RawJson>,
    retry_count: u32,
    max_retries: u32,
    backoff: BackoffBody,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    timeout: Option<DurationMs>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unique_key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    concurrency_key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rate_key: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    tags: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    traceparent: Option<String>,
    /// Queue position within its lane.
    position: i64,
    /// Earliest time of the next attempt.
    #[schema(value_type = String, format = DateTime)]
    run_at: Timestamp,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// When the last attempt started.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    processed_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    completed_at: Option<Timestamp>,
    /// Expiry time of the lease, while the job is leased.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    lease_expires_at: Option<Timestamp>,
    /// Expiry time of the current offer through Kafka, during which the status is `QUEUED`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    offered_until: Option<Timestamp>,
    /// Worker that holds or last held the lease.
    #[serde(skip_serializing_if = "Option::is_none")]
    worker_id: Option<String>,
    /// Searchable attributes by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = BTreeMap<String, Value>, required = false)]
    attributes: BTreeMap<String, Value>,
    /// Attempts, oldest first. Absent in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    attempts: Option<Vec<AttemptResponse>>,
    /// When retention dropped the data and the result, which are null from then on.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    payload_dropped_at: Option<Timestamp>,
    /// Payloads larger than `maxPayload`, which are null here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    omitted: Vec<OmittedPayloadResponse>,
}

impl JobResponse {
    /// The same with its attributes.
    #[must_use]
    pub(crate) fn with_attributes(mut self, shown: &ShownAttributes) -> Self {
        self.attributes = shown.get(&self.id.uuid()).cloned().unwrap_or_default();
        self
    }

    /// A job in a list, without its attempts.
    pub(crate) fn in_list(job: JobRecord) -> Self {
        Self {
            id: job.id,
            queue: job.queue.as_str(),
            job_type: job.job_type.to_string(),
            status: job.status.as_str(),
            priority: job.tier.as_str(),
            tenant: job.tenant.to_string(),
            workflow: job.workflow.map(|workflow| workflow.name.to_string()),
            execution_id: job.execution_id.map(|id| id.to_string()),
            node_id: job.node_id.map(|id| id.to_string()),
            data: job.data.map(RawJson::payload),
            result: job.result.map(RawJson::payload),
            fingerprint: job.error.as_ref().map(|error| fingerprint(job.job_type.as_str(), error)),
            error: job.error.map(JobErrorBody::from),
            progress: job.progress.map(RawJson::payload),
            retry_count: job.retry_count,
            max_retries: job.retries_max,
            backoff: job.backoff.into(),
            timeout: job.timeout,
            unique_key: job.unique_key,
            concurrency_key: job.concurrency_key,
            rate_key: job.rate_key,
            tags: job.tags,
            traceparent: job.traceparent,
            position: job.position,
            run_at: job.run_at,
            created_at: job.created_at,
            processed_at: job.processed_at,
            completed_at: job.completed_at,
            lease_expires_at: job.lease_until,
            offered_until: job.offered_until,
            worker_id: job.worker_id.map(|id| id.to_string()),
            attributes: BTreeMap::new(),
            attempts: None,
            payload_dropped_at: job.payload_dropped_at,
            omitted: Vec::new(),
        }
    }

    /// A job with its attempts, and without payloads of more bytes than these.
    pub(crate) fn whole(mut job: JobRecord, payload_max: Option<usize>) -> Self {
        let attempts = std::mem::take(&mut job.attempts);
        let mut bound = PayloadBound::new(payload_max, format!("/v1/jobs/{}", job.id));
        job.data = job.data.map(|text| bound.field("data", text));
        job.result = job.result.map(|text| bound.field("result", text));
        Self {
            omitted: bound.omitted(),
            attempts: Some(attempts.into_iter().map(AttemptResponse::from).collect()),
            ..Self::in_list(job)
        }
    }
}
