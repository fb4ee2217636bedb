//! Jobs and runs by their ids.

use std::collections::BTreeMap;
use std::future::Future;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::time::{Instant, sleep, timeout_at};

use crate::api::{GetExecutionQuery, GetJobQuery, ListNodesQuery};
use crate::client::Client;
use crate::error::{ClientError, JobFailed, RunFailed};
use crate::json::{Json, Payload, PayloadKind};
use crate::models::{
    CancelRequest, Execution, ExecutionStatus, Job, JobStatus, Node, NodeStatus, SignalRequest,
};
use crate::{repeat, timestamp};

/// How long one question to the server may be held, and how much longer its answer may take.
const HELD_MAX: Duration = Duration::from_secs(20);
const HELD_GRACE: Duration = Duration::from_secs(10);
/// An answer that comes sooner was not held: the next question waits.
const NOT_HELD: Duration = Duration::from_secs(1);

/// A handle of a job.
#[derive(Clone)]
pub struct JobHandle {
    client: Client,
    id: String,
    existing: bool,
}

impl JobHandle {
    pub(crate) fn new(client: Client, id: String, existing: bool) -> Self {
        Self { client, id, existing }
    }

    /// The id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Whether the job existed before the enqueue that returned this handle.
    pub fn existing(&self) -> bool {
        self.existing
    }

    /// Reads the job as it is now, with its attempts.
    pub async fn get(&self) -> Result<Job, ClientError> {
        self.client.api().get_job(&self.id, &GetJobQuery::default()).await
    }

    /// Cancels the job; its handler is notified with the next heartbeat.
    pub async fn cancel(&self) -> Result<(), ClientError> {
        self.client.api().cancel_job(&self.id).await.map(drop)
    }

    /// Waits for the result. Fails with [`ClientError::JobFailed`] once the job is a dead letter or cancelled, and with
    /// [`ClientError::Timeout`] after the timeout, while the job continues.
    pub async fn wait<T: DeserializeOwned>(&self, limit: Duration) -> Result<T, ClientError> {
        let job = until_ended(format!("job {}", self.id), limit, |held| async move {
            let query =
                GetJobQuery { wait: Some(true), timeout: Some(timestamp::text(held)), max_payload: None };
            let job = self.client.api().timeout(held + HELD_GRACE).get_job(&self.id, &query).await?;
            let has_ended =
                matches!(job.status, JobStatus::Completed | JobStatus::DeadLetter | JobStatus::Cancelled);
            Ok(has_ended.then_some(job))
        })
        .await?;
        if job.status != JobStatus::Completed {
            let failed = JobFailed { job_id: self.id.clone(), status: job.status, error: job.error };
            return Err(ClientError::JobFailed(Box::new(failed)));
        }
        let payload = Payload { kind: PayloadKind::Result, job_type: &job.job_type };
        let result = job.result.unwrap_or_default();
        let result = self.client.codec.decode(result, payload).await.map_err(ClientError::Codec)?;
        result.decode().map_err(|error| ClientError::json("the result is something else", error))
    }
}

/// A handle of a run of a workflow, called an execution by the server.
#[derive(Clone)]
pub struct RunHandle {
    client: Client,
    id: String,
}

impl RunHandle {
    pub(crate) fn new(client: Client, id: String) -> Self {
        Self { client, id }
    }

    /// The id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Reads the run as it is now.
    pub async fn get(&self) -> Result<Execution, ClientError> {
        self.client.api().get_execution(&self.id, &GetExecutionQuery::default()).await
    }

    /// Reads its nodes, in the order of the definition, with their outputs.
    pub async fn nodes(&self) -> Result<Vec<Node>, ClientError> {
        Ok(self.client.api().list_nodes(&self.id, &ListNodesQuery::default()).await?.items)
    }

    /// Reads the outputs of the nodes that completed, by node.
    pub async fn outputs(&self) -> Result<BTreeMap<String, Json>, ClientError> {
        let completed = self.nodes().await?.into_iter().filter(|node| node.status == NodeStatus::Completed);
        Ok(completed.map(|node| (node.node_id, node.output.unwrap_or_default())).collect())
    }

    /// Sends a signal, whose payload goes to the node that waits for it, or to the next node that will.
    pub async fn signal<T: Serialize + ?Sized>(&self, name: &str, payload: &T) -> Result<(), ClientError> {
        let payload =
            Json::of(payload).map_err(|error| ClientError::json("the payload is no JSON", error))?;
        let body = SignalRequest { payload: Some(payload) };
        self.client.api().signal_execution(&self.id, name, &body).await.map(drop)
    }

    /// Cancels the run.
    pub async fn cancel(&self) -> Result<(), ClientError> {
        self.client.api().cancel_execution(&self.id, &CancelRequest::default()).await.map(drop)
    }

    /// Compensates completed nodes, then cancels the run.
    pub async fn compensate(&self, reason: Option<&str>) -> Result<(), ClientError> {
        let body = CancelRequest { compensate: Some(true), reason: reason.map(str::to_owned) };
        self.client.api().cancel_execution(&self.id, &body).await.map(drop)
    }

    /// Waits for the output. Fails with [`ClientError::RunFailed`] once the run failed or was cancelled, and with
    /// [`ClientError::Timeout`] after the timeout, while the run continues.
    pub async fn wait<T: DeserializeOwned>(&self, limit: Duration) -> Result<T, ClientError> {
        let run = until_ended(format!("run {}", self.id), limit, |held| async move {
            let query = GetExecutionQuery {
                wait: Some(true),
                timeout: Some(timestamp::text(held)),
                max_payload: None,
            };
            let run = self.client.api().timeout(held + HELD_GRACE).get_execution(&self.id, &query).await?;
            let has_ended = matches!(
                run.status,
                ExecutionStatus::Completed | ExecutionStatus::Failed | ExecutionStatus::Cancelled
            );
            Ok(has_ended.then_some(run))
        })
        .await?;
        if run.status != ExecutionStatus::Completed {
            let failed = RunFailed { run_id: self.id.clone(), status: run.status, error: run.error };
            return Err(ClientError::RunFailed(Box::new(failed)));
        }
        let output = run.output.unwrap_or_default();
        output.decode().map_err(|error| ClientError::json("the output is something else", error))
    }
}

/// Asks until there is an end, with growing pauses where the server does not hold the answer.
async fn until_ended<T, F: Future<Output = Result<Option<T>, ClientError>>>(
    what: String,
    limit: Duration,
    read: impl Fn(Duration) -> F,
) -> Result<T, ClientError> {
    let deadline = Instant::now() + limit;
    let ended = async {
        for round in 0.. {
            let asked = Instant::now();
            let held = deadline.saturating_duration_since(asked).min(HELD_MAX).max(Duration::from_millis(1));
            if let Some(ended) = read(held).await? {
                return Ok(ended);
            }
            if asked.elapsed() < NOT_HELD {
                sleep(repeat::backoff(round.min(4), repeat::random())).await;
            }
        }
        unreachable!("rounds end by returning")
    };
    timeout_at(deadline, ended).await.unwrap_or(Err(ClientError::Timeout { what, limit }))
}
