//! A server in memory for workers and clients of a test: a transport that knows enqueue, poll, the reports and reading a job. Retries
//! and snoozes come at once.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::future::BoxFuture;
use futures::{StreamExt as _, stream};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use crate::client::{Client, ClientBuilder};
use crate::error::{ClientError, ProblemError};
use crate::json::Json;
use crate::models::{
    Enqueued, Job, JobError, JobRequest, JobStatus, LeaseOutcome, Outcome, Poll, PolledJob, PolledJobs,
    Problem,
};
use crate::timestamp::Timestamp;
use crate::transport::{CallOptions, EventStream, Request, Transport};
use crate::worker::Worker;

const LEASE: Duration = Duration::from_mins(1);
const RETRIES: i32 = 3;

/// A job of [`InMemoryWorker`].
#[derive(Debug, Clone)]
pub struct MemoryJob {
    /// Its id.
    pub id: String,
    /// Its type.
    pub job_type: String,
    /// Its encoded data.
    pub data: Json,
    /// Its status.
    pub status: JobStatus,
    /// How many attempts it has had.
    pub attempt: i32,
    /// Number of times that it was released without consuming an attempt.
    pub snoozes: u32,
    /// Its encoded result.
    pub result: Option<Json>,
    /// What the last failed attempt reported.
    pub error: Option<JobError>,
    /// The last progress.
    pub progress: Option<Json>,
    /// Delays that retries and snoozes requested; no time actually passes.
    pub waits: Vec<String>,
    max_retries: i32,
    traceparent: Option<String>,
    token: String,
}

/// Runs workers against jobs in memory.
///
/// ```
/// # tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap().block_on(async {
/// use std::time::Duration;
/// use trunkline_client::testing::InMemoryWorker;
/// use trunkline_client::{Context, Worker};
///
/// let memory = InMemoryWorker::new();
/// let client = memory.client();
/// let worker = Worker::new(client.clone())
///     .handle("double", |n: i32, _ctx: Context| async move { Ok(2 * n) });
/// let job = client.enqueue("double", &21).await.unwrap();
/// memory.drain(worker).await.unwrap();
/// assert_eq!(job.wait::<i32>(Duration::from_secs(1)).await.unwrap(), 42);
/// # });
/// ```
#[derive(Clone)]
pub struct InMemoryWorker(Arc<Memory>);

struct Memory {
    state: Mutex<State>,
    changes: watch::Sender<u64>,
}

#[derive(Default)]
struct State {
    jobs: BTreeMap<String, MemoryJob>,
    queue: Vec<String>,
    polls: usize,
}

impl Default for InMemoryWorker {
    fn default() -> Self {
        Self::new()
    }
}

impl InMemoryWorker {
    /// No jobs yet.
    #[must_use]
    pub fn new() -> Self {
        Self(Arc::new(Memory { state: Mutex::default(), changes: watch::Sender::new(0) }))
    }

    /// A client of it.
    pub fn client(&self) -> Client {
        self.client_builder().build().expect("with a transport of its own, nothing is opened that could fail")
    }

    /// A client of it, before it is built.
    pub fn client_builder(&self) -> ClientBuilder {
        let transport: Arc<dyn Transport> = Arc::<Memory>::clone(&self.0);
        Client::builder().with_transport(transport)
    }

    /// Runs the worker until nothing is queued or running.
    pub async fn drain(&self, worker: Worker) -> Result<(), ClientError> {
        let memory = Arc::clone(&self.0);
        worker
            .run_until(async move {
                let mut changes = memory.changes.subscribe();
                while memory.is_busy() && changes.changed().await.is_ok() {}
            })
            .await
    }

    /// The current state of a job.
    pub fn job(&self, id: &str) -> Option<MemoryJob> {
        self.0.state.lock().jobs.get(id).cloned()
    }

    /// Number of separate polls, excluding polls in reports.
    pub fn polls(&self) -> usize {
        self.0.state.lock().polls
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reports {
    jobs: Vec<AnyReport>,
    poll: Option<Poll>,
}

/// A report of any kind.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AnyReport {
    id: String,
    lease_token: String,
    result: Option<Json>,
    error: Option<JobError>,
    retryable: Option<bool>,
    retry_after: Option<String>,
    delay: Option<String>,
    progress: Option<Json>,
}

#[derive(Serialize)]
struct Answer {
    results: Vec<Outcome>,
    #[serde(skip_serializing_if = "Option::is_none")]
    jobs: Option<Vec<PolledJob>>,
}

impl Transport for Memory {
    fn name(&self) -> &'static str {
        "memory"
    }

    fn call(&self, request: Request, options: CallOptions) -> BoxFuture<'_, Result<Bytes, ClientError>> {
        Box::pin(async move {
            let limit = options.timeout.unwrap_or(LEASE);
            let late = |_| ClientError::Timeout { what: request.name.to_owned(), limit };
            tokio::time::timeout(limit, self.answer(&request)).await.map_err(late)?
        })
    }

    fn events(&self) -> BoxFuture<'_, Result<EventStream, ClientError>> {
        Box::pin(async { Ok(stream::pending().boxed()) })
    }
}

impl Memory {
    async fn answer(&self, request: &Request) -> Result<Bytes, ClientError> {
        let body = request.body.as_deref().unwrap_or(b"null");
        match request.name {
            "enqueueJob" => text(&self.enqueue(read(body)?)),
            "pollJobs" => text(&self.poll(read(body)?).await),
            "completeJobs" | "failJobs" | "releaseJobs" | "heartbeatJobs" => {
                text(&self.report(request.name, read(body)?))
            }
            "logJobs" => text(&Answer { results: Vec::new(), jobs: None }),
            "getJob" => text(&self.read(request.path.trim_start_matches("/v1/jobs/")).await?),
            other => Err(ClientError::Configuration(format!(
                "{other}: the server in memory does not know this call; use dev_server"
            ))),
        }
    }

    fn is_busy(&self) -> bool {
        let state = self.state.lock();
        state.jobs.values().any(|job| matches!(job.status, JobStatus::Queued | JobStatus::Processing))
    }

    fn announce(&self) {
        self.changes.send_modify(|changes| *changes += 1);
    }

    fn enqueue(&self, request: JobRequest) -> Enqueued {
        let mut state = self.state.lock();
        let id = format!("job_{:032x}", state.jobs.len() + 1);
        let job = MemoryJob {
            id: id.clone(),
            job_type: request.job_type,
            data: request.data.unwrap_or_default(),
            status: JobStatus::Queued,
            attempt: 0,
            snoozes: 0,
            result: None,
            error: None,
            progress: None,
            waits: Vec::new(),
            max_retries: request.max_retries.unwrap_or(RETRIES),
            traceparent: request.traceparent,
            token: String::new(),
        };
        state.jobs.insert(id.clone(), job);
        state.queue.push(id.clone());
        drop(state);
        self.announce();
        Enqueued { id, status: JobStatus::Queued, ..Enqueued::default() }
    }

    async fn poll(&self, poll: Poll) -> PolledJobs {
        let mut changes = self.changes.subscribe();
        self.state.lock().polls += 1;
        loop {
            let jobs = self.state.lock().take(&poll);
            if !jobs.is_empty() || poll.wait.as_deref().is_none_or(|wait| wait == "0ms") {
                return PolledJobs { jobs, ..PolledJobs::default() };
            }
            if changes.changed().await.is_err() {
                return PolledJobs::default();
            }
        }
    }

    fn report(&self, name: &str, reports: Reports) -> Answer {
        let mut state = self.state.lock();
        let results = reports.jobs.into_iter().map(|report| state.apply(name, report)).collect();
        let jobs = reports.poll.map(|poll| state.take(&poll));
        drop(state);
        self.announce();
        Answer { results, jobs }
    }

    /// Holds the answer until the job has ended.
    async fn read(&self, id: &str) -> Result<Job, ClientError> {
        let mut changes = self.changes.subscribe();
        loop {
            let found = self.state.lock().jobs.get(id).cloned();
            let Some(job) = found else {
                let problem = Problem { status: 404, code: "not_found".to_owned(), ..Problem::default() };
                return Err(ClientError::Problem(Box::new(ProblemError { problem, retry_after: None })));
            };
            if matches!(job.status, JobStatus::Completed | JobStatus::DeadLetter) {
                return Ok(Job {
                    id: job.id,
                    job_type: job.job_type,
                    status: job.status,
                    result: job.result,
                    error: job.error,
                    ..Job::default()
                });
            }
            // The sender lives as long as this.
            let _ = changes.changed().await;
        }
    }
}

impl State {
    fn take(&mut self, poll: &Poll) -> Vec<PolledJob> {
        let max = usize::try_from(poll.max_jobs.unwrap_or(1)).unwrap_or(1);
        let mut taken = Vec::new();
        for id in std::mem::take(&mut self.queue) {
            let job = self.jobs.get_mut(&id).filter(|job| poll.job_types.contains(&job.job_type));
            let Some(job) = job.filter(|_| taken.len() < max) else {
                self.queue.push(id);
                continue;
            };
            job.status = JobStatus::Processing;
            job.attempt += 1;
            job.token = format!("{id}-{}-{}", job.attempt, job.snoozes);
            taken.push(PolledJob {
                id: id.clone(),
                job_type: job.job_type.clone(),
                data: job.data.clone(),
                attempt: job.attempt,
                max_retries: job.max_retries,
                tenant: "default".to_owned(),
                lease_token: job.token.clone(),
                lease_expires_at: Timestamp::now() + LEASE,
                progress: job.progress.clone(),
                idempotency_key: id,
                last_error: job.error.clone(),
                traceparent: job.traceparent.clone(),
                ..PolledJob::default()
            });
        }
        taken
    }

    fn apply(&mut self, name: &str, report: AnyReport) -> Outcome {
        let job = self.jobs.get_mut(&report.id);
        let held = job.filter(|job| job.status == JobStatus::Processing && job.token == report.lease_token);
        let Some(job) = held else {
            return Outcome { id: report.id, outcome: LeaseOutcome::LeaseLost, ..Outcome::default() };
        };
        match name {
            "heartbeatJobs" => job.progress = report.progress.or(job.progress.take()),
            "completeJobs" => {
                job.status = JobStatus::Completed;
                job.result = report.result;
            }
            "releaseJobs" => {
                job.attempt -= 1;
                job.snoozes += 1;
                job.status = JobStatus::Queued;
                job.waits.extend(report.delay);
            }
            _ => {
                job.error = report.error;
                let is_over = report.retryable == Some(false) || job.attempt > job.max_retries;
                job.status = if is_over { JobStatus::DeadLetter } else { JobStatus::Queued };
                job.waits.extend(report.retry_after);
            }
        }
        if job.status == JobStatus::Queued {
            self.queue.push(report.id.clone());
        }
        Outcome { id: report.id, outcome: LeaseOutcome::Ok, ..Outcome::default() }
    }
}

fn read<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, ClientError> {
    serde_json::from_slice(body).map_err(|error| ClientError::json("the request", error))
}

fn text(answer: &impl Serialize) -> Result<Bytes, ClientError> {
    serde_json::to_vec(answer).map(Bytes::from).map_err(|error| ClientError::json("the answer", error))
}
