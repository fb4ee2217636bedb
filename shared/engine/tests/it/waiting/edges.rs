//! Where two things meet: pages of the inbox and the end, cancels without an owner, loops and memory.

use domain::id::ExecutionId;
use domain::names::{CallerKey, WorkflowName};
use domain::workflow::execution::{ExecutionStatus, NodeStatus};
use serde_json::json;
use store::workflows::WorkflowPause;
use testkit::EngineHarness;

use super::harness::{failure, is_parked, output, run, statuses};

/// The only child of an execution.
async fn child_of(harness: &EngineHarness, id: ExecutionId) -> ExecutionId {
    harness.executions(&format!("parent:{id}")).await[0].id
}

async fn a_child_that_ends_with_a_full_page_gives_its_output(harness: EngineHarness) {
    let _pool = harness.run_executions(4);
    let (admin, name) = (harness.admin(), WorkflowName::trusted("child"));
    let child =
        json!({"name": "child", "version": 1, "nodes": [{"id": "s", "type": "SIGNAL", "signal": "go"}]});
    harness.register(&child).await.unwrap();
    let id = run(&harness, json!([{"id": "sub", "type": "WORKFLOW", "workflow": "child"}]), &json!({})).await;
    is_parked(&harness, id).await;
    let child = child_of(&harness, id).await;
    is_parked(&harness, child).await;
    harness.engine.pause_workflow(&admin, &name, Some(WorkflowPause::Queue)).await.unwrap();
    for number in 1..=500 {
        let signal = CallerKey::trusted(if number == 500 { "go" } else { "noise" });
        harness.engine.signal_execution(&admin, child, &signal, "7".into()).await.unwrap();
    }
    harness.engine.pause_workflow(&admin, &name, None).await.unwrap();
    assert_eq!(output(&harness, id).await, json!({"sub": {"s": 7}}));
}

async fn nodes_of_an_execution_that_was_cancelled_without_an_owner_are_cancelled(harness: EngineHarness) {
    let _pool = harness.run_executions(4);
    let nodes = json!([
        {"id": "wait", "type": "SIGNAL", "signal": "go"},
        {"id": "after", "type": "TRANSFORM", "dependsOn": ["wait"], "output": 1}
    ]);
    let id = run(&harness, nodes, &json!({})).await;
    is_parked(&harness, id).await;
    let (admin, name) = (harness.admin(), WorkflowName::trusted("flow"));
    harness.engine.pause_workflow(&admin, &name, Some(WorkflowPause::Queue)).await.unwrap();
    harness.engine.cancel_execution(&admin, id, None, false).await.unwrap();
    assert_eq!(harness.ended(id).await.status, ExecutionStatus::Cancelled);
    let shown = statuses(&harness, id).await;
    assert_eq!(shown, [("wait".into(), NodeStatus::Cancelled), ("after".into(), NodeStatus::Pending)]);
}

async fn a_loop_of_large_outputs_goes_on_from_step_to_step(harness: EngineHarness) {
    let _pool = harness.run_executions(1);
    let nodes = json!([{"id": "loop", "type": "TRANSFORM", "output": "${input.large}",
        "repeat": {"until": "false", "max": 30}}]);
    let id = run(&harness, nodes, &json!({"large": "x".repeat(400_000)})).await;
    assert_eq!(failure(&harness, id).await, "repeat_exhausted");
}

on_both_databases!(
    a_child_that_ends_with_a_full_page_gives_its_output,
    nodes_of_an_execution_that_was_cancelled_without_an_owner_are_cancelled,
    a_loop_of_large_outputs_goes_on_from_step_to_step,
);
