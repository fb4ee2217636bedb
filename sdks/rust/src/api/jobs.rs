//! Calls of jobs. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::Serialize;

use super::Calls;
use crate::error::ClientError;
use crate::json::Json;
use crate::models::{
    Acceptances, AcceptedJobs, BatchResultEnqueued, BatchResults, BulkOperationRequest,
    BulkReprioritizeRequest, Completion, Enqueued, Failure, Heartbeat, Job, JobBatch, JobChange, JobLines,
    JobRequest, Outcomes, Page, Poll, PolledJobs, Release, Reports, ReprioritizeRequest, Settlements,
    StoredLogLine, Why,
};
use crate::transport::{Request, segment};

impl Calls {
    /// List jobs, newest first.
    /// Action `jobs.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn list_jobs(&self, query: &ListJobsQuery) -> Result<Page<Job>, ClientError> {
        self.call(Request::new("listJobs", "GET", "/v1/jobs").query(query)?).await
    }

    /// Enqueue a job.
    /// The job is queued on `workflow-node` until a worker that polls for its type claims it. A 202 means that it is stored
    /// durably.
    ///
    /// Action `jobs.enqueue`: requires role `admin`, `operator` or `client`.
    pub async fn enqueue_job(&self, body: &JobRequest) -> Result<Enqueued, ClientError> {
        self.call(Request::new("enqueueJob", "POST", "/v1/jobs").keyed().body(body)?).await
    }

    /// Accept jobs from Kafka.
    /// Starts the leases of jobs that were received from Kafka, one call per fetch. `taken` means a duplicate: another
    /// worker has the job, and this worker must not run it. Reports carry the `leaseToken` of the response.
    ///
    /// Action `jobs.work`: requires role `admin`, `operator` or `worker`.
    pub async fn accept_jobs(&self, body: &Acceptances) -> Result<AcceptedJobs, ClientError> {
        self.call(Request::new("acceptJobs", "POST", "/v1/jobs/accept").keyed().body(body)?).await
    }

    /// Enqueue many jobs in one commit.
    /// Atomic, unless `partial` is true: then valid jobs are accepted and each invalid one has its error in the
    /// results.
    ///
    /// Action `jobs.enqueue`: requires role `admin`, `operator` or `client`.
    pub async fn enqueue_jobs(
        &self,
        body: &JobBatch,
    ) -> Result<BatchResults<BatchResultEnqueued>, ClientError> {
        self.call(Request::new("enqueueJobs", "POST", "/v1/jobs/batch").keyed().body(body)?).await
    }

    /// Cancel many jobs.
    /// Action `jobs.cancel`: requires role `admin`, `operator` or `client`.
    pub async fn cancel_jobs(&self, body: &BulkOperationRequest) -> Result<Json, ClientError> {
        self.call(Request::new("cancelJobs", "POST", "/v1/jobs/cancel").keyed().body(body)?).await
    }

    /// Complete jobs.
    /// Each job has its own outcome: a result that is too large is `rejected` with a reason, and the other jobs complete.
    /// With `poll`, the response also carries the next jobs.
    ///
    /// Action `jobs.work`: requires role `admin`, `operator` or `worker`.
    pub async fn complete_jobs(&self, body: &Settlements<Completion>) -> Result<Outcomes, ClientError> {
        self.call(Request::new("completeJobs", "POST", "/v1/jobs/complete").body(body)?).await
    }

    /// Fail jobs.
    /// Each job is retried after its backoff, or becomes a dead letter if it has no retries left or is not `retryable`.
    /// With `poll`, the response also carries the next jobs.
    ///
    /// Action `jobs.work`: requires role `admin`, `operator` or `worker`.
    pub async fn fail_jobs(&self, body: &Settlements<Failure>) -> Result<Outcomes, ClientError> {
        self.call(Request::new("failJobs", "POST", "/v1/jobs/fail").body(body)?).await
    }

    /// Renew leases.
    /// `cancelled` and `lease_lost` mean that this worker no longer owns the job; its handler should stop.
    ///
    /// Action `jobs.work`: requires role `admin`, `operator` or `worker`.
    pub async fn heartbeat_jobs(&self, body: &Reports<Heartbeat>) -> Result<Outcomes, ClientError> {
        self.call(Request::new("heartbeatJobs", "POST", "/v1/jobs/heartbeat").body(body)?).await
    }

    /// Add log lines to leased jobs.
    /// Each attempt keeps at most 1,000 lines and 256 KiB; one more line says how many were dropped. 429 `quota_exceeded` if
    /// the tenants of all lines have reached their quota `logBytes`; if only some have, their lines are dropped.
    ///
    /// Action `jobs.work`: requires role `admin`, `operator` or `worker`.
    pub async fn log_jobs(&self, body: &Reports<JobLines>) -> Result<Outcomes, ClientError> {
        self.call(Request::new("logJobs", "POST", "/v1/jobs/logs").body(body)?).await
    }

    /// Poll for jobs.
    /// Leases up to `maxJobs` jobs of the given types to the worker. With `wait`, the request blocks until a job is
    /// available. A worker that is being drained receives no jobs, and `drain` is true.
    ///
    /// Action `jobs.work`: requires role `admin`, `operator` or `worker`.
    pub async fn poll_jobs(&self, body: &Poll) -> Result<PolledJobs, ClientError> {
        self.call(Request::new("pollJobs", "POST", "/v1/jobs/poll").body(body)?).await
    }

    /// Release jobs.
    /// The jobs return to their queue without consuming an attempt, immediately or after `delay`. Reported progress is
    /// passed to the next attempt.
    ///
    /// Action `jobs.work`: requires role `admin`, `operator` or `worker`.
    pub async fn release_jobs(&self, body: &Reports<Release>) -> Result<Outcomes, ClientError> {
        self.call(Request::new("releaseJobs", "POST", "/v1/jobs/release").body(body)?).await
    }

    /// Change the priority of many waiting jobs.
    /// Action `jobs.reprioritize`: requires role `admin`, `operator` or `client`.
    pub async fn reprioritize_jobs(&self, body: &BulkReprioritizeRequest) -> Result<Json, ClientError> {
        self.call(Request::new("reprioritizeJobs", "POST", "/v1/jobs/reprioritize").keyed().body(body)?).await
    }

    /// Make many waiting jobs due now.
    /// Action `jobs.retry`: requires role `admin`, `operator` or `client`.
    pub async fn retry_jobs(&self, body: &BulkOperationRequest) -> Result<Json, ClientError> {
        self.call(Request::new("retryJobs", "POST", "/v1/jobs/retry").keyed().body(body)?).await
    }

    /// Show a job with its attempts.
    /// With `wait`, the response is delayed until the job ends or the timeout expires.
    ///
    /// Action `jobs.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn get_job(&self, id: &str, query: &GetJobQuery) -> Result<Job, ClientError> {
        self.call(Request::new("getJob", "GET", format!("/v1/jobs/{}", segment(id))).query(query)?).await
    }

    /// Cancel a job.
    /// A running job loses its lease immediately. Cancelling the job of an execution cancels the execution.
    ///
    /// Action `jobs.cancel`: requires role `admin`, `operator` or `client`.
    pub async fn cancel_job(&self, id: &str) -> Result<JobChange, ClientError> {
        self.call(Request::new("cancelJob", "POST", format!("/v1/jobs/{}/cancel", segment(id))).keyed()).await
    }

    /// Get the data of a job.
    /// Action `jobs.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn get_job_data(&self, id: &str) -> Result<Json, ClientError> {
        self.call(Request::new("getJobData", "GET", format!("/v1/jobs/{}/data", segment(id)))).await
    }

    /// List the log lines of a job.
    /// Returns the lines of all attempts in order. Log lines are deleted after `retention.logs`, regardless of the job.
    ///
    /// Action `jobs.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn list_job_logs(
        &self,
        id: &str,
        query: &ListJobLogsQuery,
    ) -> Result<Page<StoredLogLine>, ClientError> {
        self.call(Request::new("listJobLogs", "GET", format!("/v1/jobs/{}/logs", segment(id))).query(query)?)
            .await
    }

    /// Change the priority of a waiting job.
    /// Action `jobs.reprioritize`: requires role `admin`, `operator` or `client`.
    pub async fn reprioritize_job(
        &self,
        id: &str,
        body: &ReprioritizeRequest,
    ) -> Result<JobChange, ClientError> {
        self.call(
            Request::new("reprioritizeJob", "POST", format!("/v1/jobs/{}/reprioritize", segment(id)))
                .keyed()
                .body(body)?,
        )
        .await
    }

    /// Get the result of a job.
    /// `null` until it completes.
    ///
    /// Action `jobs.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn get_job_result(&self, id: &str) -> Result<Json, ClientError> {
        self.call(Request::new("getJobResult", "GET", format!("/v1/jobs/{}/result", segment(id)))).await
    }

    /// Make a job due now.
    /// A job that waits for its due time or its next retry becomes due immediately.
    ///
    /// Action `jobs.retry`: requires role `admin`, `operator` or `client`.
    pub async fn retry_job(&self, id: &str) -> Result<JobChange, ClientError> {
        self.call(Request::new("retryJob", "POST", format!("/v1/jobs/{}/retry", segment(id))).keyed()).await
    }

    /// Explain why a job is not running.
    /// Action `jobs.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn why_job(&self, id: &str) -> Result<Why, ClientError> {
        self.call(Request::new("whyJob", "GET", format!("/v1/jobs/{}/why", segment(id)))).await
    }
}

/// The query of [`Calls::list_jobs`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListJobsQuery {
    /// One of workflow-execution, workflow-node, workflow-scheduled, workflow-webhook. Several values are separated by commas.
    pub queue: Option<String>,
    /// One of SCHEDULED, QUEUED, PROCESSING, WAITING, RETRY_WAIT, COMPLETED, FAILED, DEAD_LETTER, CANCELLED. Several values are separated by commas.
    pub status: Option<String>,
    /// Exact match. Several values are separated by commas.
    pub job_type: Option<String>,
    /// Exact match. Several values are separated by commas.
    pub workflow: Option<String>,
    /// Exact match. Several values are separated by commas.
    pub tenant: Option<String>,
    /// One of high, normal, low. Several values are separated by commas.
    pub priority: Option<String>,
    /// Exact match. Several values are separated by commas.
    pub tag: Option<String>,
    /// Exact match. Several values are separated by commas.
    pub fingerprint: Option<String>,
    /// Exact match. Several values are separated by commas.
    pub worker_id: Option<String>,
    /// ID: `exe_` and 32 hexadecimal digits.
    pub execution_id: Option<String>,
    /// Exact match.
    pub node_id: Option<String>,
    /// ID: `sch_` and 32 hexadecimal digits.
    pub schedule_id: Option<String>,
    /// ID: `dlv_` and 32 hexadecimal digits.
    pub delivery_id: Option<String>,
    /// Exact match.
    pub unique_key: Option<String>,
    /// Exact match.
    pub concurrency_key: Option<String>,
    /// Exact match.
    pub rate_key: Option<String>,
    /// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
    pub created_after: Option<String>,
    /// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
    pub created_before: Option<String>,
    /// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
    pub run_after: Option<String>,
    /// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
    pub run_before: Option<String>,
    /// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
    pub processed_after: Option<String>,
    /// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
    pub processed_before: Option<String>,
    /// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
    pub completed_after: Option<String>,
    /// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
    pub completed_before: Option<String>,
    /// Same as `createdAfter`.
    pub from: Option<String>,
    /// Same as `createdBefore`.
    pub to: Option<String>,
    /// Search query, at most 2000 characters. See the search documentation.
    pub q: Option<String>,
    /// Instant to sort by: created, run, processed, completed (default `created`).
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

/// The query of [`Calls::get_job`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GetJobQuery {
    /// Whether to delay the response until the end or the timeout.
    pub wait: Option<bool>,
    /// Timeout of `wait`, up to 60 s (default 30 s).
    pub timeout: Option<String>,
    /// Maximum payload size in bytes. Larger payloads are null and listed in `omitted` with their path (default: no
    /// maximum).
    pub max_payload: Option<i32>,
}

/// The query of [`Calls::list_job_logs`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListJobLogsQuery {
    /// Filter by attempt.
    pub attempt: Option<i32>,
    /// Lowest level.
    pub level: Option<String>,
    /// Page size, 1 to 500 (default 50).
    pub limit: Option<i32>,
    /// The `nextCursor` of the previous page.
    pub cursor: Option<String>,
}
