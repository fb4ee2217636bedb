//! Chains of nodes, and a worker for those that go through the queue.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Result, ensure};
use domain::names::{JobType, WorkerId, WorkflowName};
use domain::time::DurationMs;
use domain::workflow::parse::Format;
use engine::{Caller, CompleteItem, Engine, ExecutionRequest, PollRequest};
use serde_json::{Value, json};
use store::jobs::{ClaimedJob, LeaseAnswer, LeaseRef};
use tokio_util::sync::CancellationToken;

use crate::jobs::BULK;

/// Nodes of a chain.
pub(crate) const NODES: usize = 4;
/// Their ids, in order.
pub(crate) const IDS: [&str; NODES] = ["a", "b", "c", "d"];

const JOB_TYPE: &str = "step";
const BATCH: u32 = 500;

/// How the nodes of a chain run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Chain {
    /// TRANSFORM nodes, within their execution.
    InPlace,
    /// SERVICE_TASK nodes, each a job of the node queue that a worker polls.
    Queued,
    /// HTTP nodes, each a job of the node queue for the pool; nothing is called.
    Pooled,
}

impl Chain {
    /// Registers the workflow.
    pub(crate) async fn register(self, engine: &Engine) -> Result<()> {
        let chain = json!({ "name": "chain", "version": 1, "nodes": self.nodes() });
        engine.register_workflow(&Caller::system(), chain.to_string().as_bytes(), Format::Json).await?;
        Ok(())
    }

    fn nodes(self) -> Vec<Value> {
        let node = |(place, id): (usize, &&str)| {
            let before = place.checked_sub(1).map(|before| IDS[before]);
            let number = before.map_or("${input.n}".to_owned(), |id| format!("${{nodes.{id}.output.n + 1}}"));
            let mut node = match self {
                Self::InPlace => json!({ "id": id, "type": "TRANSFORM", "output": { "n": number } }),
                Self::Queued => {
                    json!({ "id": id, "type": "SERVICE_TASK", "jobType": JOB_TYPE, "input": { "n": number } })
                }
                Self::Pooled => {
                    json!({ "id": id, "type": "HTTP", "request": { "url": "http://127.0.0.1/", "body": { "n": number } } })
                }
            };
            if let Some(before) = before {
                node["dependsOn"] = json!([before]);
            }
            node
        };
        IDS.iter().enumerate().map(node).collect()
    }

    /// Starts so many executions.
    pub(crate) async fn start(self, engine: &Engine, count: usize) -> Result<()> {
        for first in (0..count).step_by(BULK) {
            let requests = (first..count.min(first + BULK))
                .map(|n| ExecutionRequest::new(WorkflowName::trusted("chain"), format!(r#"{{"n":{n}}}"#)))
                .collect();
            engine.start_executions(&Caller::system(), requests).await?;
        }
        Ok(())
    }
}

/// Polls steps as an external worker does, without the HTTP.
pub(crate) async fn poll(engine: &Engine, number: usize, lease: DurationMs) -> Result<Vec<ClaimedJob>> {
    let request = PollRequest {
        worker_id: WorkerId::trusted(format!("load-{number}")),
        job_types: vec![JobType::trusted(JOB_TYPE)],
        jobs_max: BATCH,
        lease: Some(lease),
        wait: Some(DurationMs::from_secs(1)),
        tenant: None,
        build: None,
        builds: Vec::new(),
    };
    let polled = engine.poll(&Caller::system(), request).await?;
    polled.receipt.sent();
    Ok(polled.jobs)
}

/// Completes steps.
pub(crate) async fn complete(engine: &Engine, leases: Vec<LeaseRef>) -> Result<()> {
    let result = Some(r#"{"n":1}"#.to_owned());
    let items = leases
        .into_iter()
        .map(|lease| CompleteItem { lease, result: result.clone(), attributes: BTreeMap::new() })
        .collect();
    let outcomes = engine.complete(&Caller::system(), items).await?;
    ensure!(outcomes.iter().all(|outcome| *outcome == Ok(LeaseAnswer::Ok(()))), "a lease was lost");
    Ok(())
}

/// Polls and completes until `stop` is set.
pub(crate) async fn work(engine: Engine, number: usize, stop: CancellationToken) -> Result<()> {
    let lease = DurationMs::from_secs(60);
    while !stop.is_cancelled() {
        let jobs = tokio::select! {
            jobs = poll(&engine, number, lease) => jobs?,
            () = stop.cancelled() => break,
        };
        if jobs.is_empty() {
            tokio::time::sleep(Duration::from_millis(1)).await;
            continue;
        }
        complete(&engine, jobs.iter().map(ClaimedJob::lease).collect()).await?;
    }
    Ok(())
}
