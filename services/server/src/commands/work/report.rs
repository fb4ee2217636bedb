//! What is reported to the server about a job.

use std::time::Duration;

use serde_json::{Value, json};

use crate::client::{Client, ClientError, api_path};
use crate::output::note;

/// How long a report is sent again and again while the server cannot be reached.
const PATIENCE: Duration = Duration::from_mins(1);
/// The wait before it is sent again.
const PAUSE: Duration = Duration::from_millis(500);

/// How a program ended.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Report {
    /// With a result.
    Done(Option<Value>),
    /// Otherwise.
    Failed {
        /// For programs.
        code: String,
        /// For people.
        message: String,
        /// Whether another try could help.
        is_retryable: bool,
    },
}

impl Report {
    pub(super) fn failed(code: &str, message: String, is_retryable: bool) -> Self {
        Self::Failed { code: code.to_owned(), message, is_retryable }
    }

    /// The call and what it says beside the lease.
    fn call(&self) -> (&'static str, Value) {
        match self {
            Self::Done(None) => ("complete", json!({})),
            Self::Done(Some(result)) => ("complete", json!({ "result": result })),
            Self::Failed { code, message, is_retryable } => {
                let error = json!({ "code": code, "message": message });
                ("fail", json!({ "error": error, "retryable": is_retryable }))
            }
        }
    }
}

/// Reports; a result that the server rejects fails the job, which would run again otherwise for as long as it is retried.
pub(super) async fn send(client: &Client, job: &Value, report: &Report) {
    let (call, more) = report.call();
    let outcome = send_one(client, call, job, more).await;
    if let Some(("rejected", reason)) = outcome.as_ref().map(|(word, reason)| (word.as_str(), reason)) {
        let failed = Report::failed("result_rejected", reason.clone(), false);
        let (call, more) = failed.call();
        send_one(client, call, job, more).await;
    }
}

/// Gives a job back.
pub(super) async fn release(client: &Client, job: &Value) {
    send_one(client, "release", job, json!({})).await;
}

/// Sends one report until it is answered; the outcome and its reason.
async fn send_one(client: &Client, call: &str, job: &Value, mut more: Value) -> Option<(String, String)> {
    more["id"] = job["id"].clone();
    more["leaseToken"] = job["leaseToken"].clone();
    let body = json!({ "jobs": [more] });
    let until = tokio::time::Instant::now() + PATIENCE;
    loop {
        match client.post(&api_path!("jobs", call), &body).await {
            Ok(answer) => {
                let result = &answer["results"][0];
                let text = |field: &str| result[field].as_str().unwrap_or_default().to_owned();
                let (outcome, id) = (text("outcome"), job["id"].as_str().unwrap_or_default());
                if !matches!(outcome.as_str(), "ok" | "already_done") {
                    note!("{id}: {outcome} {}", crate::output::shown(&text("reason")));
                }
                return Some((outcome, text("reason")));
            }
            Err(error) if may_pass(&error) && tokio::time::Instant::now() < until => {
                tokio::time::sleep(PAUSE).await;
            }
            Err(error) => {
                note!("the server rejected a report: {error}");
                return None;
            }
        }
    }
}

/// Whether the same call may be answered later.
pub(super) fn may_pass(error: &ClientError) -> bool {
    match error {
        ClientError::Unreachable { .. } => true,
        ClientError::Problem { status, .. } | ClientError::NotJson { status, .. } => {
            *status == 429 || *status >= 500
        }
    }
}
