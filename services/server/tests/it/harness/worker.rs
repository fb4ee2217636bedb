//! An external worker: polls over REST, runs a handler a job, reports, and writes all of it into a record. It survives
//! its server: lost answers are asked for again.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use reqwest::Method;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

use crate::harness::client::{Answer, Client};
use crate::harness::record::Record;
use crate::harness::wait::pause;

/// A leased job as a poll answers it.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PolledJob {
    pub(crate) id: String,
    pub(crate) job_type: String,
    pub(crate) data: Value,
    pub(crate) attempt: u32,
    pub(crate) lease_token: String,
    pub(crate) tenant: String,
    pub(crate) workflow: Option<String>,
    pub(crate) execution_id: Option<String>,
    pub(crate) node_id: Option<String>,
}

/// How a handler ends.
#[derive(Debug, Clone)]
pub(crate) enum Report {
    /// With a result.
    Complete(Value),
    /// With an error.
    Fail { message: String, retryable: bool },
}

type Handler = Arc<dyn Fn(PolledJob) -> Pin<Box<dyn Future<Output = Report> + Send>> + Send + Sync>;

/// What a worker does.
#[derive(Clone)]
pub(crate) struct WorkerSetup {
    pub(crate) name: String,
    pub(crate) job_types: Vec<String>,
    /// How many jobs it holds at most.
    pub(crate) jobs_max: usize,
    handler: Handler,
}

impl WorkerSetup {
    /// A worker that returns the data of each job as its result.
    pub(crate) fn echo(name: &str, job_types: &[&str]) -> Self {
        Self::new(name, job_types, |job| async { Report::Complete(job.data) })
    }

    /// A worker with a handler.
    pub(crate) fn new<F>(
        name: &str,
        job_types: &[&str],
        handler: impl Fn(PolledJob) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Report> + Send + 'static,
    {
        Self {
            name: name.to_owned(),
            job_types: job_types.iter().map(|name| (*name).to_owned()).collect(),
            jobs_max: 10,
            handler: Arc::new(move |job| Box::pin(handler(job))),
        }
    }

    /// The same with another number of jobs at once.
    pub(crate) fn jobs_max(self, jobs_max: usize) -> Self {
        Self { jobs_max, ..self }
    }
}

/// A running worker. Stops when it is dropped.
#[derive(Debug)]
pub(crate) struct Worker {
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Worker {
    /// Starts it.
    pub(crate) fn start(client: Client, setup: WorkerSetup, record: Record) -> Self {
        let (stop, stopped) = watch::channel(false);
        let task = tokio::spawn(run(client, setup, record, stopped));
        Self { stop, task }
    }

    /// Lets it finish what it holds, and waits for that.
    pub(crate) async fn stop(self) {
        self.stop.send_replace(true);
        self.task.await.expect("the worker does not panic");
    }
}

async fn run(client: Client, setup: WorkerSetup, record: Record, mut stopped: watch::Receiver<bool>) {
    let mut running = JoinSet::new();
    while !*stopped.borrow() {
        while running.try_join_next().is_some() {}
        let room = setup.jobs_max - running.len();
        if room == 0 {
            running.join_next().await;
            continue;
        }
        let jobs = tokio::select! {
            _ = stopped.changed() => break,
            jobs = poll(&client, &setup, room) => jobs,
        };
        for job in jobs {
            let run = record.begin(&job);
            let (client, record, handler) = (client.clone(), record.clone(), Arc::clone(&setup.handler));
            let stopped = stopped.clone();
            running.spawn(async move {
                let report = handler(job.clone()).await;
                record.leave(&job);
                if let Some(outcome) = settle(&client, &job, report, &stopped).await {
                    record.settle(run, &outcome);
                }
            });
        }
    }
    while let Some(ended) = running.join_next().await {
        ended.expect("handlers do not panic");
    }
}

/// The jobs of one poll; none where the server is away.
async fn poll(client: &Client, setup: &WorkerSetup, jobs_max: usize) -> Vec<PolledJob> {
    let body = json!({
        "workerId": setup.name, "jobTypes": setup.job_types, "maxJobs": jobs_max, "wait": "5s",
    });
    match client.call(Method::POST, "/v1/jobs/poll").json(&body).send().await {
        Ok(answer) if answer.is_success() => {
            let mut polled = answer.json();
            serde_json::from_value(polled["jobs"].take()).expect("a poll answers jobs")
        }
        other => {
            assert_passes(other);
            pause().await; // before the next poll
            Vec::new()
        }
    }
}

/// Reports until the report is answered; answers the outcome.
async fn settle(
    client: &Client,
    job: &PolledJob,
    report: Report,
    stopped: &watch::Receiver<bool>,
) -> Option<String> {
    let (path, mut item) = match report {
        Report::Complete(result) => ("/v1/jobs/complete", json!({ "result": result })),
        Report::Fail { message, retryable } => {
            ("/v1/jobs/fail", json!({ "error": { "message": message }, "retryable": retryable }))
        }
    };
    item["id"] = json!(job.id);
    item["leaseToken"] = json!(job.lease_token);
    let body = json!({ "jobs": [item] });
    loop {
        match client.call(Method::POST, path).json(&body).send().await {
            Ok(answer) if answer.is_success() => {
                let outcome = answer.json()["results"][0]["outcome"].clone();
                return Some(outcome.as_str().expect("each report has an outcome").to_owned());
            }
            other => assert_passes(other),
        }
        if *stopped.borrow() {
            return None;
        }
        pause().await; // between two tries of a polling worker
    }
}

/// A server that is away or has no store may be asked again; any other refusal is a fault of the test or the server.
fn assert_passes(answer: Result<Answer, reqwest::Error>) {
    if let Ok(answer) = answer {
        assert!(answer.status == 503, "a worker was answered {}: {}", answer.status, answer.text);
    }
}
