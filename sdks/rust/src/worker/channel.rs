//! The calls of a worker.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::api::Calls;
use crate::client::Client;
use crate::error::ClientError;
use crate::json::Json;
use crate::models::{Heartbeat, JobError, JobLines, Outcome, Outcomes, Poll, PolledJob, PolledJobs, Reports};
use crate::timestamp;
use crate::transport::{CallOptions, Request};

/// How much later than it was to wait a poll may be answered before it is given up: the jobs of an answer that nobody takes
/// would wait for the end of their leases.
const POLL_GRACE: Duration = Duration::from_secs(10);
const REPORT_TIMEOUT: Duration = Duration::from_secs(30);

/// What is reported of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ReportKind {
    Complete,
    Fail,
    Release,
    /// The lease is gone: whatever was reported would be refused.
    Nothing,
}

impl ReportKind {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Fail => "fail",
            Self::Release => "release",
            Self::Nothing => "none",
        }
    }
}

/// One report as it is sent; which fields are set depends on the kind.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    pub(crate) id: String,
    pub(crate) lease_token: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) result: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<JobError>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) retryable: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) retry_after: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) delay: Option<String>,
}

#[derive(Serialize)]
struct Body<'a> {
    jobs: &'a [Report],
    #[serde(skip_serializing_if = "Option::is_none")]
    poll: Option<&'a Poll>,
}

/// What the server said of reports, and the jobs that came with it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Settled {
    pub(crate) results: Vec<Outcome>,
    pub(crate) jobs: Option<Vec<PolledJob>>,
    pub(crate) drain: Option<bool>,
}

/// The calls.
#[derive(Clone)]
pub(crate) struct Channel(Calls);

impl Channel {
    pub(crate) fn new(client: &Client) -> Self {
        Self(client.api())
    }

    fn calls(&self, timeout: Duration, no_retry: bool) -> Calls {
        self.0.clone().options(CallOptions { timeout: Some(timeout), idempotency_key: None, no_retry })
    }

    /// Polls once.
    pub(crate) async fn poll(&self, mut poll: Poll, wait: Duration) -> Result<PolledJobs, ClientError> {
        poll.wait = Some(timestamp::text(wait));
        self.calls(wait + POLL_GRACE, true).poll_jobs(&poll).await
    }

    /// Sends reports of one kind. All carry their lease, so that repeating them is safe; jobs of an answer that was lost go back to
    /// their queue when their leases end.
    pub(crate) async fn send(
        &self,
        kind: ReportKind,
        jobs: &[Report],
        poll: Option<&Poll>,
    ) -> Result<Settled, ClientError> {
        let (name, path) = match kind {
            ReportKind::Complete => ("completeJobs", "/v1/jobs/complete"),
            ReportKind::Fail => ("failJobs", "/v1/jobs/fail"),
            ReportKind::Release => ("releaseJobs", "/v1/jobs/release"),
            ReportKind::Nothing => return Ok(Settled::default()),
        };
        let request = Request::new(name, "POST", path).body(&Body { jobs, poll })?;
        self.calls(REPORT_TIMEOUT, false).call(request).await
    }

    /// Renews leases once.
    pub(crate) async fn heartbeat(
        &self,
        jobs: Vec<Heartbeat>,
        limit: Duration,
    ) -> Result<Vec<Outcome>, ClientError> {
        let answer: Outcomes = self.calls(limit, true).heartbeat_jobs(&Reports { jobs }).await?;
        Ok(answer.results)
    }

    /// Sends lines of leased jobs once.
    pub(crate) async fn log(&self, jobs: Vec<JobLines>, limit: Duration) -> Result<(), ClientError> {
        self.calls(limit, true).log_jobs(&Reports { jobs }).await.map(drop)
    }
}
