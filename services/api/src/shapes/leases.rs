//! What workers send and get: polls, reports, heartbeats.

use std::collections::BTreeMap;
use std::fmt;

use domain::failure::{JobError, values_of};
use domain::id::{JobId, LeaseToken};
use domain::names::{CallerKey, JobType, TenantName, WorkerId};
use domain::time::{DurationMs, Timestamp};
use engine::{CompleteItem, FailItem, PollRequest, Rejection, ReleaseItem};
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use store::job_logs::LoggedLines;
use store::jobs::{ClaimedJob, EarlierAttempts, LeaseAnswer, LeaseExtension, LeaseRef};
use utoipa::ToSchema;

use super::job_logs::{JobErrorBody, LogLineBody, lines_of};
use super::list::RequiredFields;
use super::words::LeaseOutcomeSchema;
use crate::json::{Item, RawJson, list, present, small_values};
use crate::problem::{ApiResult, Problem};

/// A poll for jobs.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = Poll)]
pub(crate) struct PollBody {
    /// Worker ID, random per process.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, required = true)]
    worker_id: Option<WorkerId>,
    /// Job types that the worker handles.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Vec<String>, required = true)]
    job_types: Option<Vec<JobType>>,
    /// Maximum number of jobs (default 1).
    max_jobs: Option<u32>,
    /// Lease duration (default: the queue's setting).
    #[schema(value_type = Option<String>, example = "30s")]
    lease: Option<DurationMs>,
    /// Maximum wait for a job, up to 30 s (default: no wait).
    #[schema(value_type = Option<String>, example = "20s")]
    wait: Option<DurationMs>,
    /// Filter by tenant.
    #[schema(value_type = Option<String>)]
    tenant: Option<TenantName>,
    /// Build that the worker runs.
    #[schema(value_type = Option<String>)]
    build: Option<CallerKey>,
    /// Pins the job types to these builds when the worker starts. The list must include the worker's own build. From
    /// then on, only workers of these builds receive their jobs. A worker that starts later replaces the pin, but not a
    /// pin set by an operator.
    #[serde(default)]
    #[schema(value_type = Vec<String>, required = false)]
    builds: Vec<CallerKey>,
}

impl PollBody {
    /// The request.
    pub(crate) fn into_request(self) -> ApiResult<PollRequest> {
        let mut needed = RequiredFields::default();
        let worker_id = needed.field("workerId", self.worker_id);
        let job_types = needed.field("jobTypes", self.job_types);
        let (Some(worker_id), Some(job_types)) = (worker_id, job_types) else {
            return Err(needed.problem());
        };
        let jobs_max = self.max_jobs.unwrap_or(1);
        Ok(PollRequest {
            worker_id,
            job_types,
            jobs_max,
            lease: self.lease,
            wait: self.wait,
            tenant: self.tenant,
            build: self.build,
            builds: self.builds,
        })
    }
}

/// The result of a poll.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PolledJobs)]
pub(crate) struct PolledJobsResponse {
    /// Leased jobs, in the order in which to start them; empty if none is available.
    pub(crate) jobs: Vec<PolledJobResponse>,
    /// True if an operator is draining the worker, which should finish its jobs and exit; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) drain: Option<bool>,
}

/// A leased job.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PolledJob)]
pub(crate) struct PolledJobResponse {
    #[schema(value_type = String)]
    id: JobId,
    job_type: String,
    data: RawJson,
    /// The number of this attempt, from 1.
    attempt: u32,
    /// Maximum number of retries after a failure.
    max_retries: u32,
    /// Idempotency key for external systems; the same for every attempt of the job.
    idempotency_key: String,
    /// Error of the last failed attempt, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_error: Option<JobErrorBody>,
    /// Last progress reported by an earlier attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<RawJson>,
    /// Lease (fencing) token, required in every report. Keep it secret.
    lease_token: String,
    /// Expiry time of the lease unless a heartbeat renews it.
    #[schema(value_type = String, format = DateTime)]
    lease_expires_at: Timestamp,
    /// Deadline of this attempt if the job has a `timeout`. Heartbeats do not extend the lease beyond it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    deadline: Option<Timestamp>,
    tenant: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    workflow: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    execution_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    node_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    traceparent: Option<String>,
}

impl PolledJobResponse {
    /// A job with the error and progress of earlier attempts.
    pub(crate) fn new(job: ClaimedJob, earlier: EarlierAttempts) -> Self {
        Self {
            id: job.id,
            job_type: job.job_type.to_string(),
            data: RawJson::stored(job.data),
            attempt: job.attempt,
            max_retries: job.facts.retries_max,
            // Retries and requeues keep the id, and the job of a workflow's node has one that follows from the node.
            idempotency_key: job.id.to_string(),
            last_error: earlier.error.map(JobErrorBody::from),
            progress: earlier.progress.map(RawJson::stored),
            lease_token: job.token.to_string(),
            lease_expires_at: job.lease_until,
            deadline: job.timeout.map(|timeout| job.started_at.plus(timeout)),
            tenant: job.tenant.to_string(),
            workflow: job.workflow.map(|workflow| workflow.name.to_string()),
            execution_id: job.execution_id.map(|id| id.to_string()),
            node_id: job.node_id.map(|id| id.to_string()),
            traceparent: job.traceparent,
        }
    }
}

/// Reports on leased jobs.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = Reports)]
pub(crate) struct ReportsBody<T> {
    /// The reports.
    #[serde(
        default = "Option::default",
        deserialize_with = "list",
        bound(deserialize = "T: Deserialize<'de> + Item")
    )]
    #[schema(value_type = Vec<T>, required = true)]
    jobs: Option<Vec<T>>,
}

impl<T> ReportsBody<T> {
    /// The items, each mapped; faults point below `/jobs/{index}`.
    pub(crate) fn into_items<U>(self, each: impl Fn(T) -> ApiResult<U>) -> ApiResult<Vec<U>> {
        let jobs = self.jobs.ok_or_else(|| Problem::fault("/jobs", "is required"))?;
        let (mut items, mut faults) = (Vec::with_capacity(jobs.len()), Vec::new());
        for (index, job) in jobs.into_iter().enumerate() {
            match each(job) {
                Ok(item) => items.push(item),
                Err(problem) => faults.extend(problem.under(&format!("/jobs/{index}")).into_faults()?),
            }
        }
        if faults.is_empty() { Ok(items) } else { Err(Problem::invalid(faults)) }
    }
}

/// Reports that end attempts, and optionally a poll for the next jobs.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = Settlements)]
pub(crate) struct SettlementsBody<T> {
    /// The reports.
    #[serde(
        default = "Option::default",
        deserialize_with = "list",
        bound(deserialize = "T: Deserialize<'de> + Item")
    )]
    #[schema(value_type = Vec<T>, required = true)]
    jobs: Option<Vec<T>>,
    /// Poll for jobs after the reports are committed, without `wait`. The jobs are in the response. An invalid poll is
    /// rejected before any report is applied.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<PollBody>)]
    poll: Option<PollBody>,
}

impl<T> SettlementsBody<T> {
    /// The reports, and the poll if there is one; its faults point below `/poll`.
    pub(crate) fn into_parts(self) -> ApiResult<(ReportsBody<T>, Option<PollRequest>)> {
        let poll = self.poll.map(PollBody::into_request).transpose();
        let poll = poll.map_err(|problem| problem.under("/poll"))?;
        if poll.as_ref().is_some_and(|poll| poll.wait.is_some()) {
            return Err(Problem::fault(
                "/poll/wait",
                "is not possible with reports, whose outcomes would be delayed",
            ));
        }
        Ok((ReportsBody { jobs: self.jobs }, poll))
    }
}

/// A report that may bring lines along.
pub(crate) trait WithLogs {
    /// Its lines, with the lease that they are logged under.
    fn take_logs(&mut self) -> Option<(LeaseRef, Vec<LogLineBody>)>;
}

impl<T: WithLogs> ReportsBody<T> {
    /// The lines that the reports brought along; faults point at them.
    pub(crate) fn take_logs(&mut self) -> ApiResult<Vec<LoggedLines>> {
        let mut logged = Vec::new();
        for (index, job) in self.jobs.iter_mut().flatten().enumerate() {
            if let Some((lease, lines)) = job.take_logs() {
                logged.push(LoggedLines { lease, lines: lines_of(lines, &format!("/jobs/{index}/logs"))? });
            }
        }
        Ok(logged)
    }
}

impl Item for CompleteBody {
    fn values(&self) -> usize {
        self.attributes.values().map(values_of).sum()
    }
}

impl Item for HeartbeatBody {}
impl Item for ReleaseBody {}

impl Item for FailBody {
    fn values(&self) -> usize {
        self.error.as_ref().and_then(|error| error.details.as_ref()).map_or(0, values_of)
    }
}

/// A token as it is sent.
pub(super) fn lease_token<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<LeaseToken>, D::Error> {
    let text = String::deserialize(deserializer)?;
    LeaseToken::parse(&text)
        .map(Some)
        .ok_or_else(|| serde::de::Error::custom("expected the leaseToken from the poll"))
}

pub(super) fn lease_of(
    needed: &mut RequiredFields,
    id: Option<JobId>,
    token: Option<LeaseToken>,
) -> Option<LeaseRef> {
    let (id, token) = (needed.field("id", id), needed.field("leaseToken", token));
    Some(LeaseRef { id: id?, token: token? })
}

/// A completed job.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = Completion)]
pub(crate) struct CompleteBody {
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, required = true)]
    id: Option<JobId>,
    #[serde(default, deserialize_with = "lease_token")]
    #[schema(value_type = String, required = true)]
    lease_token: Option<LeaseToken>,
    /// Result of the handler.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = RawJson, required = false)]
    result: Option<RawJson>,
    /// Searchable attributes by name: values of their declared types, or lists of at most 16 values.
    #[serde(default, deserialize_with = "small_values")]
    #[schema(value_type = BTreeMap<String, Value>, required = false)]
    attributes: BTreeMap<String, Value>,
    /// Log lines of the attempt so far; at most 100 per call.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<Vec<LogLineBody>>)]
    logs: Option<Vec<LogLineBody>>,
}

impl WithLogs for CompleteBody {
    fn take_logs(&mut self) -> Option<(LeaseRef, Vec<LogLineBody>)> {
        let lease = LeaseRef { id: self.id?, token: self.lease_token? };
        self.logs.take().map(|lines| (lease, lines))
    }
}

impl CompleteBody {
    /// The item.
    pub(crate) fn into_item(self) -> ApiResult<CompleteItem> {
        let mut needed = RequiredFields::default();
        let lease = lease_of(&mut needed, self.id, self.lease_token).ok_or_else(|| needed.problem())?;
        let result = self.result.map(RawJson::into_text);
        Ok(CompleteItem { lease, result, attributes: self.attributes })
    }
}

/// A failed job.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = Failure)]
pub(crate) struct FailBody {
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, required = true)]
    id: Option<JobId>,
    #[serde(default, deserialize_with = "lease_token")]
    #[schema(value_type = String, required = true)]
    lease_token: Option<LeaseToken>,
    /// Error: an object, or just a message.
    #[serde(default, deserialize_with = "error_or_message")]
    #[schema(value_type = JobErrorBody, required = true)]
    error: Option<JobError>,
    /// Retryable (default true).
    retryable: Option<bool>,
    /// Delay before the next retry, instead of the backoff.
    #[schema(value_type = Option<String>, example = "10s")]
    retry_after: Option<DurationMs>,
    /// Log lines of the attempt so far; at most 100 per call.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<Vec<LogLineBody>>)]
    logs: Option<Vec<LogLineBody>>,
}

impl WithLogs for FailBody {
    fn take_logs(&mut self) -> Option<(LeaseRef, Vec<LogLineBody>)> {
        let lease = LeaseRef { id: self.id?, token: self.lease_token? };
        self.logs.take().map(|lines| (lease, lines))
    }
}

impl FailBody {
    /// The item.
    pub(crate) fn into_item(self) -> ApiResult<FailItem> {
        let mut needed = RequiredFields::default();
        let lease = lease_of(&mut needed, self.id, self.lease_token);
        let error = needed.field("error", self.error);
        let (Some(lease), Some(error)) = (lease, error) else {
            return Err(needed.problem());
        };
        Ok(FailItem {
            lease,
            error,
            retryable: self.retryable.unwrap_or(true),
            retry_after: self.retry_after,
        })
    }
}

/// Reads an error: an object, or a string that is its message.
pub(super) fn error_or_message<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<JobError>, D::Error> {
    struct ErrorVisitor;

    impl<'de> Visitor<'de> for ErrorVisitor {
        type Value = JobError;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object with message, code and details, or a string")
        }

        fn visit_str<E: serde::de::Error>(self, message: &str) -> Result<JobError, E> {
            Ok(JobError { message: message.to_owned(), code: None, details: None })
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<JobError, A::Error> {
            JobErrorBody::deserialize(MapAccessDeserializer::new(map)).map(JobError::from)
        }
    }

    deserializer.deserialize_any(ErrorVisitor).map(Some)
}

/// A lease to renew.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = Heartbeat)]
pub(crate) struct HeartbeatBody {
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, required = true)]
    id: Option<JobId>,
    #[serde(default, deserialize_with = "lease_token")]
    #[schema(value_type = String, required = true)]
    lease_token: Option<LeaseToken>,
    /// New lease duration from now on (default: the original duration).
    #[schema(value_type = Option<String>, example = "30s")]
    extend: Option<DurationMs>,
    /// Progress, shown with the job.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = RawJson, required = false)]
    progress: Option<RawJson>,
    /// Log lines of the attempt so far; at most 100 per call.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<Vec<LogLineBody>>)]
    logs: Option<Vec<LogLineBody>>,
}

impl WithLogs for HeartbeatBody {
    fn take_logs(&mut self) -> Option<(LeaseRef, Vec<LogLineBody>)> {
        let lease = LeaseRef { id: self.id?, token: self.lease_token? };
        self.logs.take().map(|lines| (lease, lines))
    }
}

impl HeartbeatBody {
    /// The item.
    pub(crate) fn into_item(self) -> ApiResult<LeaseExtension> {
        let mut needed = RequiredFields::default();
        let lease = lease_of(&mut needed, self.id, self.lease_token).ok_or_else(|| needed.problem())?;
        Ok(LeaseExtension { lease, extend: self.extend, progress: self.progress.map(RawJson::into_text) })
    }
}

/// A job to release.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = Release)]
pub(crate) struct ReleaseBody {
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, required = true)]
    id: Option<JobId>,
    #[serde(default, deserialize_with = "lease_token")]
    #[schema(value_type = String, required = true)]
    lease_token: Option<LeaseToken>,
    /// Delay before the job may run again (default: none).
    #[schema(value_type = Option<String>, example = "10s")]
    delay: Option<DurationMs>,
}

impl ReleaseBody {
    /// The item.
    pub(crate) fn into_item(self) -> ApiResult<ReleaseItem> {
        let mut needed = RequiredFields::default();
        let lease = lease_of(&mut needed, self.id, self.lease_token).ok_or_else(|| needed.problem())?;
        Ok(ReleaseItem { lease, delay: self.delay })
    }
}

/// The outcomes of the reports, in order.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Outcomes)]
pub(crate) struct OutcomesResponse {
    /// One outcome per report.
    pub(crate) results: Vec<OutcomeResponse>,
    /// Leased jobs, in the order in which to start them; present if the reports came with a `poll`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) jobs: Option<Vec<PolledJobResponse>>,
    /// True if an operator is draining the worker, which should finish its jobs and exit; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) drain: Option<bool>,
}

impl From<Vec<OutcomeResponse>> for OutcomesResponse {
    fn from(results: Vec<OutcomeResponse>) -> Self {
        Self { results, jobs: None, drain: None }
    }
}

/// The outcome of one report.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Outcome)]
pub(crate) struct OutcomeResponse {
    #[schema(value_type = String)]
    id: JobId,
    #[schema(value_type = LeaseOutcomeSchema)]
    outcome: &'static str,
    /// Reason for rejecting the report. The lease stays valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// New expiry time of the lease, after a heartbeat.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    lease_expires_at: Option<Timestamp>,
}

impl OutcomeResponse {
    /// The outcome of a report on a job.
    pub(crate) fn new<T>(id: JobId, answer: Result<LeaseAnswer<T>, Rejection>) -> Self {
        match answer {
            Ok(answer) => Self { id, outcome: answer.as_str(), reason: None, lease_expires_at: None },
            Err(Rejection { reason }) => {
                Self { id, outcome: "rejected", reason: Some(reason), lease_expires_at: None }
            }
        }
    }

    /// The outcome of a heartbeat, with the new end of the lease.
    pub(crate) fn renewed(id: JobId, answer: Result<LeaseAnswer<Timestamp>, Rejection>) -> Self {
        let lease_expires_at = answer.as_ref().ok().and_then(LeaseAnswer::ok).copied();
        Self { lease_expires_at, ..Self::new(id, answer) }
    }
}
