//! What these tests share.

use domain::id::ExecutionId;
use domain::workflow::execution::{ExecutionStatus, NodeStatus};
use engine::{EngineError, NodeWait};
use serde_json::{Value, json};
use store::executions::CommandStatus;
use testkit::{EngineHarness, ExecutionPool, HarnessWorker, eventually};

/// Registers a workflow of these nodes and starts it.
pub(crate) async fn run(harness: &EngineHarness, nodes: Value, input: &Value) -> ExecutionId {
    harness.register(&json!({"name": "flow", "version": 1, "nodes": nodes})).await.unwrap();
    harness.start("flow", input).await.unwrap()
}

/// The execution's output, once it is COMPLETED.
pub(crate) async fn output(harness: &EngineHarness, id: ExecutionId) -> Value {
    let record = harness.ended(id).await;
    assert_eq!(record.status, ExecutionStatus::Completed, "{:?}", record.error);
    serde_json::from_str(&record.output.expect("it has an output")).unwrap()
}

/// The code of the execution's error, once it is FAILED.
pub(crate) async fn failure(harness: &EngineHarness, id: ExecutionId) -> String {
    let record = harness.ended(id).await;
    assert_eq!(record.status, ExecutionStatus::Failed);
    record.error.and_then(|error| error.code).unwrap_or_default()
}

/// Waits until a node waits for something, and answers for what.
pub(crate) async fn waits(harness: &EngineHarness, id: ExecutionId, node: &str) -> NodeWait {
    eventually("the node waits", || async { found(harness, id, node).await.is_some() }).await;
    found(harness, id, node).await.expect("it still waits")
}

async fn found(harness: &EngineHarness, id: ExecutionId, node: &str) -> Option<NodeWait> {
    let why = harness.engine.why_execution(&harness.admin(), id).await.unwrap();
    why.waits_for.into_iter().find(|wait| wait.node_id.as_str() == node)
}

/// Waits until the execution is parked.
pub(crate) async fn is_parked(harness: &EngineHarness, id: ExecutionId) {
    harness.reaches(id, ExecutionStatus::Waiting).await;
}

/// Waits until executions were parked so often. Each shows as parked a moment before its owner has left.
pub(crate) async fn were_parked(pool: &ExecutionPool, times: usize) {
    eventually("executions are parked", || async { pool.parked() == times }).await;
}

/// Waits until a worker has reported so many jobs. The last one ends its execution a moment before its report is answered.
pub(crate) async fn were_done(worker: &HarnessWorker, jobs: usize) {
    eventually("jobs are reported", || async { worker.done() == jobs }).await;
}

/// Waits until a command is applied or refused.
pub(crate) async fn fate(harness: &EngineHarness, position: i64) -> CommandStatus {
    let admin = harness.admin();
    let status = || async { harness.engine.command(&admin, position).await.unwrap().status };
    eventually("the command is applied", || async { status().await != CommandStatus::Pending }).await;
    status().await
}

/// The status of each node, in the order of the definition.
pub(crate) async fn statuses(harness: &EngineHarness, id: ExecutionId) -> Vec<(String, NodeStatus)> {
    let nodes = harness.engine.execution_nodes(&harness.admin(), id).await.unwrap();
    nodes.into_iter().map(|node| (node.node_id.to_string(), node.status)).collect()
}

/// The nodes that lines of one kind are about, in the order of the timeline.
pub(crate) async fn lines(harness: &EngineHarness, id: ExecutionId, kind: &str) -> Vec<String> {
    let events = harness.engine.execution_events(&harness.admin(), id, 0, 10_000).await.unwrap();
    let of_kind = events.into_iter().filter(|event| event.line.kind == kind);
    of_kind.map(|event| event.line.node_id.map(|node| node.to_string()).unwrap_or_default()).collect()
}

/// The code of a conflict.
pub(crate) fn conflict<T: std::fmt::Debug>(answer: Result<T, EngineError>) -> &'static str {
    match answer {
        Err(EngineError::Conflict { code, .. }) => code.as_str(),
        other => panic!("no conflict: {other:?}"),
    }
}
