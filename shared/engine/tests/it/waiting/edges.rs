//! Where two things meet: pages of the inbox and the end, cancels without an owner, loops and memory.

use domain::id::ExecutionId;
use domain::names::{CallerKey, WorkflowName};
use domain::workflow::execution::{ExecutionStatus, NodeStatus};
use serde_json::json;
use store::PageRequest;
use store::executions::ExecutionFilter;
use store::workflows::WorkflowPause;
use testkit::EngineBench;

use super::bench::{failure, is_parked, output, run, statuses};

/// The only child of an execution.
async fn child_of(bench: &EngineBench, id: ExecutionId) -> ExecutionId {
    let filter = ExecutionFilter { parent_id: Some(id), ..ExecutionFilter::default() };
    let page = PageRequest { limit: 10, after: None };
    bench.engine.list_executions(&bench.admin(), &filter, page).await.unwrap().items[0].id
}

async fn a_child_that_ends_with_a_full_page_gives_its_output(bench: EngineBench) {
    let _pool = bench.run_executions(4);
    let (admin, name) = (bench.admin(), WorkflowName::trusted("child"));
    let child =
        json!({"name": "child", "version": 1, "nodes": [{"id": "s", "type": "SIGNAL", "signal": "go"}]});
    bench.register(&child).await.unwrap();
    let id = run(&bench, json!([{"id": "sub", "type": "WORKFLOW", "workflow": "child"}]), &json!({})).await;
    is_parked(&bench, id).await;
    let child = child_of(&bench, id).await;
    is_parked(&bench, child).await;
    bench.engine.pause_workflow(&admin, &name, Some(WorkflowPause::Queue)).await.unwrap();
    for number in 1..=500 {
        let signal = CallerKey::trusted(if number == 500 { "go" } else { "noise" });
        bench.engine.signal_execution(&admin, child, &signal, "7".into()).await.unwrap();
    }
    bench.engine.pause_workflow(&admin, &name, None).await.unwrap();
    assert_eq!(output(&bench, id).await, json!({"sub": {"s": 7}}));
}

async fn nodes_of_an_execution_that_was_cancelled_without_an_owner_are_cancelled(bench: EngineBench) {
    let _pool = bench.run_executions(4);
    let nodes = json!([
        {"id": "wait", "type": "SIGNAL", "signal": "go"},
        {"id": "after", "type": "TRANSFORM", "dependsOn": ["wait"], "output": 1}
    ]);
    let id = run(&bench, nodes, &json!({})).await;
    is_parked(&bench, id).await;
    let (admin, name) = (bench.admin(), WorkflowName::trusted("flow"));
    bench.engine.pause_workflow(&admin, &name, Some(WorkflowPause::Queue)).await.unwrap();
    bench.engine.cancel_execution(&admin, id, None, false).await.unwrap();
    assert_eq!(bench.ended(id).await.status, ExecutionStatus::Cancelled);
    let shown = statuses(&bench, id).await;
    assert_eq!(shown, [("wait".into(), NodeStatus::Cancelled), ("after".into(), NodeStatus::Pending)]);
}

async fn a_loop_of_large_outputs_goes_on_from_step_to_step(bench: EngineBench) {
    let _pool = bench.run_executions(1);
    let nodes = json!([{"id": "loop", "type": "TRANSFORM", "output": "${input.large}",
        "repeat": {"until": "false", "max": 30}}]);
    let id = run(&bench, nodes, &json!({"large": "x".repeat(400_000)})).await;
    assert_eq!(failure(&bench, id).await, "repeat_exhausted");
}

on_both_databases!(
    a_child_that_ends_with_a_full_page_gives_its_output,
    nodes_of_an_execution_that_was_cancelled_without_an_owner_are_cancelled,
    a_loop_of_large_outputs_goes_on_from_step_to_step,
);
