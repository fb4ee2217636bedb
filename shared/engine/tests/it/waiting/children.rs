//! Executions that start executions.

use domain::id::ExecutionId;
use domain::names::WorkflowName;
use domain::workflow::execution::ExecutionStatus;
use serde_json::json;
use store::executions::ExecutionRecord;
use store::workflows::WorkflowPause;
use testkit::EngineHarness;

use super::harness::{failure, is_parked, output, run, waits, were_parked};

async fn register_child(harness: &EngineHarness) {
    let child = json!({
        "name": "child", "version": 1,
        "input": {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}},
        "nodes": [{"id": "work", "type": "SERVICE_TASK", "jobType": "work", "retryCount": 0,
                   "input": {"n": "${input.n}"}}],
        "output": {"n": "${nodes.work.output}"}
    });
    harness.register(&child).await.unwrap();
}

async fn children_of(harness: &EngineHarness, id: ExecutionId) -> Vec<ExecutionRecord> {
    harness.executions(&format!("parent:{id}")).await
}

async fn a_child_runs_while_its_parent_is_parked(harness: EngineHarness) {
    register_child(&harness).await;
    let pool = harness.run_executions(4);
    let nodes = json!([{"id": "sub", "type": "WORKFLOW", "workflow": "child", "input": {"n": "${input.n}"}}]);
    let id = run(&harness, nodes, &json!({"n": 3})).await;
    is_parked(&harness, id).await;
    let children = children_of(&harness, id).await;
    assert_eq!(children.len(), 1);
    let parent = children[0].parent.as_ref().expect("it is a child");
    assert_eq!((parent.execution_id, parent.node_id.as_str(), parent.depth), (id, "sub", 1));
    assert_eq!(children[0].trigger.kind, "parent");
    let wait = waits(&harness, id, "sub").await;
    assert_eq!((wait.reason, wait.child_id), ("child", Some(children[0].id)));
    let job = harness.take("work").await;
    harness.complete(&job, &json!(4)).await.unwrap();
    assert_eq!(output(&harness, id).await, json!({"sub": {"n": 4}}));
    were_parked(&pool, 1).await;
}

async fn a_failed_child_fails_its_node(harness: EngineHarness) {
    register_child(&harness).await;
    let _pool = harness.run_executions(4);
    let nodes = json!([
        {"id": "sub", "type": "WORKFLOW", "workflow": "child", "input": {"n": 1}, "onError": "continue"},
        {"id": "see", "type": "TRANSFORM", "dependsOn": ["sub"], "output": "${nodes.sub.output.error.code}"}
    ]);
    let id = run(&harness, nodes, &json!({})).await;
    let job = harness.take("work").await;
    harness.fail(&job, false).await.unwrap();
    assert_eq!(output(&harness, id).await, json!({"see": "boom"}));
}

async fn a_cancel_reaches_the_children(harness: EngineHarness) {
    register_child(&harness).await;
    let _pool = harness.run_executions(4);
    let nodes = json!([{
        "id": "subs", "type": "MAP", "items": [1, 2, 3],
        "node": {"type": "WORKFLOW", "workflow": "child", "input": {"n": "${item}"}}
    }]);
    let id = run(&harness, nodes, &json!({})).await;
    is_parked(&harness, id).await;
    let running = harness.take("work").await;
    harness.engine.cancel_execution(&harness.admin(), id, None, false).await.unwrap();
    assert_eq!(harness.ended(id).await.status, ExecutionStatus::Cancelled);
    let children = children_of(&harness, id).await;
    assert_eq!(children.len(), 3);
    for child in children {
        assert_eq!(harness.ended(child.id).await.status, ExecutionStatus::Cancelled);
    }
    let lost = harness.complete(&running, &json!(1)).await.unwrap();
    assert_eq!(lost, store::jobs::LeaseAnswer::Cancelled);
}

async fn children_that_cannot_be_started_fail_their_nodes(harness: EngineHarness) {
    register_child(&harness).await;
    let _pool = harness.run_executions(4);
    let start = |name: &'static str, sub: serde_json::Value| {
        let harness = &harness;
        async move {
            let mut node = json!({"id": "sub", "type": "WORKFLOW"});
            node.as_object_mut().unwrap().extend(sub.as_object().unwrap().clone());
            harness.register(&json!({"name": name, "version": 1, "nodes": [node]})).await.unwrap();
            let id = harness.start(name, &json!({})).await.unwrap();
            failure(harness, id).await
        }
    };
    assert_eq!(start("missing", json!({"workflow": "nobody"})).await, "workflow_not_found");
    assert_eq!(start("version", json!({"workflow": "child", "version": 9})).await, "workflow_not_found");
    assert_eq!(start("input", json!({"workflow": "child", "input": {"n": "x"}})).await, "invalid_input");
    assert_eq!(start("endless", json!({"workflow": "endless"})).await, "too_deep");
    let child = WorkflowName::trusted("child");
    harness.engine.pause_workflow(&harness.admin(), &child, Some(WorkflowPause::Refuse)).await.unwrap();
    assert_eq!(start("paused", json!({"workflow": "child", "input": {"n": 1}})).await, "workflow_paused");
}

on_both_databases!(
    a_child_runs_while_its_parent_is_parked,
    a_failed_child_fails_its_node,
    a_cancel_reaches_the_children,
    children_that_cannot_be_started_fail_their_nodes,
);
