//! The jobs of one worker, over one stream after another. It is opened by polls; a stream that breaks leaves what the worker has
//! to it, whose reports go over the next stream or in calls of their own.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;
use prost_reflect::DynamicMessage;
use serde::Deserialize;
use tokio::time::{Instant, timeout, timeout_at};

use super::contract::contract;
use super::proto::from_worker::Message as Sent;
use super::proto::{self, Outcomes, PolledJobs};
use super::status::problem_of;
use super::stream::{Stream, Taken};
use super::{Shared, read};
use crate::context::CancelReason;
use crate::error::ClientError;
use crate::models::Poll;
use crate::timestamp;
use crate::transport::{OnCancel, Request};

/// How long a new stream may take to say that it is there.
const OPEN_TIMEOUT: Duration = Duration::from_secs(10);

/// What one worker has and gets.
#[derive(Default)]
pub(super) struct Delivery {
    /// Held while a stream is opened.
    opening: tokio::sync::Mutex<()>,
    current: Mutex<Option<Arc<Stream>>>,
    on_cancel: Mutex<Option<OnCancel>>,
    has_ended: AtomicBool,
    /// An operator drains the worker: no other stream is opened.
    is_drained: AtomicBool,
    /// Tokens of the leases that the worker has, by job.
    tokens: Mutex<HashMap<String, String>>,
}

impl Delivery {
    pub(super) fn begin(&self, call: OnCancel) {
        *self.on_cancel.lock() = Some(call);
        self.has_ended.store(false, Ordering::Relaxed);
        self.is_drained.store(false, Ordering::Relaxed);
    }

    /// An operator drains the worker.
    pub(super) fn drain(&self) {
        self.is_drained.store(true, Ordering::Relaxed);
    }

    /// Takes no more jobs: what was offered and not taken goes back.
    pub(super) fn end(&self) {
        self.has_ended.store(true, Ordering::Relaxed);
        if let Some(stream) = self.current.lock().take() {
            stream.half_close();
        }
    }

    pub(super) fn has(&self, job_id: &str, token: &str) -> bool {
        self.tokens.lock().get(job_id).is_some_and(|own| own == token)
    }

    /// Drops jobs whose end is reported elsewhere.
    fn leave(&self, leases: &[Lease]) {
        let mut tokens = self.tokens.lock();
        for lease in leases {
            if tokens.get(&lease.id) == Some(&lease.lease_token) {
                tokens.remove(&lease.id);
            }
        }
    }

    /// A job is not the worker's any more.
    pub(super) fn cancelled(&self, job_id: &str, reason: &str) {
        let token = self.tokens.lock().remove(job_id);
        let call = self.on_cancel.lock().clone();
        let reason = if reason == "cancelled" { CancelReason::Cancelled } else { CancelReason::LeaseLost };
        if let (Some(token), Some(call)) = (token, call) {
            call(&token, reason);
        }
    }

    /// Gives what has come, else what comes within the wait, and whether an operator drains the worker.
    async fn poll(
        self: &Arc<Self>,
        shared: &Arc<Shared>,
        poll: &Poll,
        wait: Duration,
    ) -> Result<PolledJobs, ClientError> {
        let deadline = Instant::now() + wait;
        let room = usize::try_from(poll.max_jobs.unwrap_or(1)).unwrap_or(1).max(1);
        loop {
            let Some(stream) = self.open(shared, poll).await? else {
                return Ok(PolledJobs { jobs: Vec::new(), drain: Some(true) });
            };
            stream.grant(room);
            let mut changes = match stream.take(room, |jobs| self.keep(jobs))? {
                Taken::Jobs(jobs) => return Ok(PolledJobs { jobs, drain: None }),
                Taken::Over => continue,
                Taken::Nothing(changes) => changes,
            };
            if timeout_at(deadline, changes.changed()).await.is_err() {
                return Ok(PolledJobs::default());
            }
        }
    }

    /// Keeps the tokens of jobs that the worker is about to take.
    fn keep(&self, jobs: &[proto::PolledJob]) {
        self.tokens.lock().extend(jobs.iter().map(|job| (job.id.clone(), job.lease_token.clone())));
    }

    /// The stream from which jobs come, a new one where there is none; `None` where an operator drains the worker.
    async fn open(
        self: &Arc<Self>,
        shared: &Arc<Shared>,
        poll: &Poll,
    ) -> Result<Option<Arc<Stream>>, ClientError> {
        let _one = self.opening.lock().await;
        if self.has_ended.load(Ordering::Relaxed) {
            return Err(ClientError::connection("pollJobs", "the worker takes no more jobs"));
        }
        let current = self.current.lock().clone();
        if let Some(stream) = current.filter(|stream| stream.delivers()) {
            return Ok(Some(stream));
        }
        if self.is_drained.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let (link, begun) = (shared.link(), Instant::now());
        let opened = timeout(OPEN_TIMEOUT, Stream::open(shared, self, link.clone(), poll)).await;
        let Ok(opened) = opened else {
            shared.replace(&link, begun);
            return Err(ClientError::connection("pollJobs", "the stream was not opened in time"));
        };
        let stream = opened?;
        *self.current.lock() = Some(Arc::clone(&stream));
        if self.has_ended.load(Ordering::Relaxed) {
            self.end();
        }
        Ok(Some(stream))
    }

    /// Reports over the stream; `None` where none is open. Without an answer it is not known whether the server took it: reports
    /// carry their lease, so that they may come twice.
    async fn report(&self, name: &str, body: &[u8]) -> Option<proto::ReportOutcome> {
        let stream = self.current.lock().clone()?;
        stream.report(report_of(name, body)?).await
    }

    /// Drops jobs that the worker is done with.
    fn forget(&self, results: &[proto::Outcome]) {
        let mut tokens = self.tokens.lock();
        for result in results.iter().filter(|result| result.outcome != "rejected") {
            tokens.remove(&result.id);
        }
    }
}

#[derive(Deserialize)]
struct Leases {
    jobs: Vec<Lease>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Lease {
    id: String,
    lease_token: String,
}

impl Shared {
    /// Carries a poll out over the worker's stream.
    pub(super) async fn poll(self: &Arc<Self>, request: &Request) -> Result<Bytes, ClientError> {
        let body = request.body.as_deref().unwrap_or_default();
        let poll: Poll =
            serde_json::from_slice(body).map_err(|error| ClientError::json(request.name, error))?;
        let wait = poll.wait.as_deref().and_then(timestamp::parse).unwrap_or_default();
        let polled = self.delivery(&poll.worker_id).poll(self, &poll, wait).await?;
        text_of("PolledJobs", &polled)
    }

    /// Reports over the worker's stream; `None` where none is open, and the call is made by itself.
    pub(super) async fn report(&self, request: &Request) -> Option<Result<Bytes, ClientError>> {
        let body = request.body.as_deref()?;
        // What cannot be read is for the server to refuse.
        let leases: Leases = serde_json::from_slice(body).ok()?;
        let has = |lease: &Lease| self.owner(&lease.id, &lease.lease_token);
        let delivery = leases.jobs.iter().find_map(has)?;
        let said = delivery.report(request.name, body).await;
        if said.is_none() && request.name != "heartbeatJobs" {
            delivery.leave(&leases.jobs);
        }
        let said = said?;
        if let Some(error) = said.error {
            return Some(Err(problem_of(error)));
        }
        if request.name != "heartbeatJobs" {
            delivery.forget(&said.results);
        }
        Some(text_of("Outcomes", &Outcomes { results: said.results, ..Outcomes::default() }))
    }
}

fn report_of(name: &str, body: &[u8]) -> Option<Sent> {
    let message = |name| read::read(&contract().message(name), body).ok();
    Some(match name {
        "completeJobs" => Sent::Complete(message("CompleteJobsRequest")?.transcode_to().ok()?),
        "failJobs" => Sent::Fail(message("FailJobsRequest")?.transcode_to().ok()?),
        "releaseJobs" => Sent::Release(message("ReleaseJobsRequest")?.transcode_to().ok()?),
        _ => Sent::Heartbeat(message("HeartbeatJobsRequest")?.transcode_to().ok()?),
    })
}

/// A message as the JSON of REST.
fn text_of(name: &str, message: &impl prost::Message) -> Result<Bytes, ClientError> {
    let mut dynamic = DynamicMessage::new(contract().message(name));
    dynamic.transcode_from(message).map_err(|error| ClientError::connection(name, error))?;
    let mut out = String::new();
    read::write(&dynamic, &mut out);
    Ok(out.into())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Grpc;
    use super::*;
    use crate::transport::TransportSettings;

    #[tokio::test]
    async fn jobs_whose_end_is_reported_beside_the_stream_are_not_kept() {
        let url = "http://127.0.0.1:1".to_owned();
        let settings = TransportSettings { url, grpc_url: None, api_key: None, timeout: OPEN_TIMEOUT };
        let shared = Arc::clone(&Grpc::open(&settings).expect("a transport").shared);
        let delivery = shared.delivery("w");
        let job = |id: &str| proto::PolledJob {
            id: id.to_owned(),
            lease_token: format!("t-{id}"),
            ..proto::PolledJob::default()
        };
        delivery.keep(&["job_1", "job_2", "job_3"].map(job));
        // The first of a report is not the worker's any more.
        delivery.cancelled("job_1", "cancelled");
        let jobs = ["job_1", "job_2"].map(|id| json!({ "id": id, "leaseToken": format!("t-{id}") }));
        let body = json!({ "jobs": jobs });
        for (name, is_kept) in [("heartbeatJobs", true), ("completeJobs", false)] {
            let request = Request::new(name, "POST", "/v1/jobs").body(&body).expect("JSON");
            assert!(shared.report(&request).await.is_none(), "no stream is open");
            assert_eq!(delivery.has("job_2", "t-job_2"), is_kept, "{name}");
        }
        assert!(delivery.has("job_3", "t-job_3"));
    }
}
