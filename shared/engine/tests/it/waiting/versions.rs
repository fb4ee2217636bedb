//! Versions: what was started on one finishes on it, whatever is registered meanwhile and whoever goes on with it.

use domain::id::ExecutionId;
use domain::names::{CallerKey, NodeId};
use domain::workflow::execution::ExecutionStatus;
use serde_json::{Value, json};
use store::executions::CommandStatus;
use testkit::EngineHarness;

use super::harness::{fate, is_parked, output};

fn parent(version: u32) -> Value {
    json!({
        "name": "flow", "version": version,
        "nodes": [
            {"id": "wait", "type": "SIGNAL", "signal": "go"},
            {"id": "work", "type": "SERVICE_TASK", "jobType": format!("work-{version}"), "dependsOn": ["wait"],
             "retryCount": 0},
            {"id": "sub", "type": "WORKFLOW", "workflow": "child", "dependsOn": ["work"]}
        ],
        "output": {"version": version, "said": "${execution.version}", "child": "${nodes.sub.output}"}
    })
}

fn child(version: u32) -> Value {
    json!({"name": "child", "version": version, "output": version,
        "nodes": [{"id": "end", "type": "SIGNAL", "signal": "end"}]})
}

async fn go(harness: &EngineHarness, id: ExecutionId) {
    harness
        .engine
        .signal_execution(&harness.admin(), id, &CallerKey::trusted("go"), "1".into())
        .await
        .unwrap();
}

/// The child that `id` waits for.
async fn child_of(harness: &EngineHarness, id: ExecutionId) -> ExecutionId {
    super::harness::waits(harness, id, "sub").await.child_id.expect("it waits for a child")
}

async fn end_child(harness: &EngineHarness, id: ExecutionId) {
    let child = child_of(harness, id).await;
    is_parked(harness, child).await;
    // What a child was started on holds for it, too.
    harness.register(&child_at(harness, child).await).await.unwrap();
    let end = CallerKey::trusted("end");
    harness.engine.signal_execution(&harness.admin(), child, &end, "1".into()).await.unwrap();
}

/// The next version of the child's workflow.
async fn child_at(harness: &EngineHarness, id: ExecutionId) -> Value {
    child(harness.engine.execution(&harness.admin(), id).await.unwrap().version + 1)
}

async fn an_execution_finishes_on_the_version_that_it_was_started_on(harness: EngineHarness) {
    let pool = harness.run_executions(4);
    harness.register(&child(1)).await.unwrap();
    harness.register(&parent(3)).await.unwrap();
    let id = harness.start("flow", &json!({})).await.unwrap();
    is_parked(&harness, id).await;
    harness.register(&parent(4)).await.unwrap();
    // Another node goes on, which has never seen the definition.
    drop(pool);
    let other = harness.node(2);
    let _pool = other.run_executions(4);
    go(&other, id).await;
    let job = other.take("work-3").await;
    other.fail(&job, false).await.unwrap();
    assert_eq!(other.ended(id).await.status, ExecutionStatus::Failed);
    // A retry is the same execution, and a rerun one of the same version.
    let position = other.engine.retry_execution(&other.admin(), id).await.unwrap();
    let job = other.take("work-3").await;
    assert_eq!(fate(&other, position).await, CommandStatus::Applied);
    other.complete(&job, &json!(1)).await.unwrap();
    end_child(&other, id).await;
    assert_eq!(output(&other, id).await, json!({"version": 3, "said": 3, "child": 1}));
    let rerun =
        other.engine.rerun_execution(&other.admin(), id, &NodeId::trusted("sub"), None, false).await.unwrap();
    end_child(&other, rerun.id).await;
    // Without a version of its own the node takes the child's latest when it starts.
    assert_eq!(output(&other, rerun.id).await, json!({"version": 3, "said": 3, "child": 2}));
    assert_eq!(other.engine.execution(&other.admin(), rerun.id).await.unwrap().version, 3);
    let newest = other.start("flow", &json!({})).await.unwrap();
    assert_eq!(other.engine.execution(&other.admin(), newest).await.unwrap().version, 4);
    go(&other, newest).await;
    let job = other.take("work-4").await;
    other.complete(&job, &json!(1)).await.unwrap();
    end_child(&other, newest).await;
    assert_eq!(output(&other, newest).await, json!({"version": 4, "said": 4, "child": 3}));
}

on_both_databases!(an_execution_finishes_on_the_version_that_it_was_started_on,);
