//! Executions that start executions.

use domain::id::ExecutionId;
use domain::names::WorkflowName;
use domain::workflow::execution::ExecutionStatus;
use serde_json::json;
use store::PageRequest;
use store::executions::{ExecutionFilter, ExecutionRecord};
use store::workflows::WorkflowPause;
use testkit::EngineBench;

use super::bench::{failure, is_parked, output, run, waits};

async fn register_child(bench: &EngineBench) {
    let child = json!({
        "name": "child", "version": 1,
        "input": {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}},
        "nodes": [{"id": "work", "type": "SERVICE_TASK", "jobType": "work", "retryCount": 0,
                   "input": {"n": "${input.n}"}}],
        "output": {"n": "${nodes.work.output}"}
    });
    bench.register(&child).await.unwrap();
}

async fn children_of(bench: &EngineBench, id: ExecutionId) -> Vec<ExecutionRecord> {
    let filter = ExecutionFilter { parent_id: Some(id), ..ExecutionFilter::default() };
    let page = PageRequest { limit: 100, after: None };
    bench.engine.list_executions(&bench.admin(), &filter, page).await.unwrap().items
}

async fn a_child_runs_while_its_parent_is_parked(bench: EngineBench) {
    register_child(&bench).await;
    let pool = bench.run_executions(4);
    let nodes = json!([{"id": "sub", "type": "WORKFLOW", "workflow": "child", "input": {"n": "${input.n}"}}]);
    let id = run(&bench, nodes, &json!({"n": 3})).await;
    is_parked(&bench, id).await;
    let children = children_of(&bench, id).await;
    assert_eq!(children.len(), 1);
    let parent = children[0].parent.as_ref().expect("it is a child");
    assert_eq!((parent.execution_id, parent.node_id.as_str(), parent.depth), (id, "sub", 1));
    assert_eq!(children[0].trigger.kind, "parent");
    let wait = waits(&bench, id, "sub").await;
    assert_eq!((wait.reason, wait.child_id), ("child", Some(children[0].id)));
    let job = bench.take("work").await;
    bench.complete(&job, &json!(4)).await.unwrap();
    assert_eq!(output(&bench, id).await, json!({"sub": {"n": 4}}));
    assert_eq!(pool.parked(), 1);
}

async fn a_failed_child_fails_its_node(bench: EngineBench) {
    register_child(&bench).await;
    let _pool = bench.run_executions(4);
    let nodes = json!([
        {"id": "sub", "type": "WORKFLOW", "workflow": "child", "input": {"n": 1}, "onError": "continue"},
        {"id": "see", "type": "TRANSFORM", "dependsOn": ["sub"], "output": "${nodes.sub.output.error.code}"}
    ]);
    let id = run(&bench, nodes, &json!({})).await;
    let job = bench.take("work").await;
    bench.fail(&job, false).await.unwrap();
    assert_eq!(output(&bench, id).await, json!({"see": "boom"}));
}

async fn a_cancel_reaches_the_children(bench: EngineBench) {
    register_child(&bench).await;
    let _pool = bench.run_executions(4);
    let nodes = json!([{
        "id": "subs", "type": "MAP", "items": [1, 2, 3],
        "node": {"type": "WORKFLOW", "workflow": "child", "input": {"n": "${item}"}}
    }]);
    let id = run(&bench, nodes, &json!({})).await;
    is_parked(&bench, id).await;
    let running = bench.take("work").await;
    bench.engine.cancel_execution(&bench.admin(), id, None, false).await.unwrap();
    assert_eq!(bench.ended(id).await.status, ExecutionStatus::Cancelled);
    let children = children_of(&bench, id).await;
    assert_eq!(children.len(), 3);
    for child in children {
        assert_eq!(bench.ended(child.id).await.status, ExecutionStatus::Cancelled);
    }
    let lost = bench.complete(&running, &json!(1)).await.unwrap();
    assert_eq!(lost, engine::LeaseOutcome::Cancelled);
}

async fn children_that_cannot_be_started_fail_their_nodes(bench: EngineBench) {
    register_child(&bench).await;
    let _pool = bench.run_executions(4);
    let start = |name: &'static str, sub: serde_json::Value| {
        let bench = &bench;
        async move {
            let mut node = json!({"id": "sub", "type": "WORKFLOW"});
            node.as_object_mut().unwrap().extend(sub.as_object().unwrap().clone());
            bench.register(&json!({"name": name, "version": 1, "nodes": [node]})).await.unwrap();
            let id = bench.start(name, &json!({})).await.unwrap();
            failure(bench, id).await
        }
    };
    assert_eq!(start("missing", json!({"workflow": "nobody"})).await, "workflow_not_found");
    assert_eq!(start("version", json!({"workflow": "child", "version": 9})).await, "workflow_not_found");
    assert_eq!(start("input", json!({"workflow": "child", "input": {"n": "x"}})).await, "invalid_input");
    assert_eq!(start("endless", json!({"workflow": "endless"})).await, "too_deep");
    let child = WorkflowName::trusted("child");
    bench.engine.pause_workflow(&bench.admin(), &child, Some(WorkflowPause::Refuse)).await.unwrap();
    assert_eq!(start("paused", json!({"workflow": "child", "input": {"n": 1}})).await, "workflow_paused");
}

on_both_databases!(
    a_child_runs_while_its_parent_is_parked,
    a_failed_child_fails_its_node,
    a_cancel_reaches_the_children,
    children_that_cannot_be_started_fail_their_nodes,
);
