//! Callers that wait for the end.

use std::sync::Arc;

use domain::names::{CallerKey, Tag, WorkflowName};
use domain::time::DurationMs;
use domain::workflow::execution::ExecutionStatus;
use engine::{Caller, ExecutionRequest};
use serde_json::json;
use testkit::EngineHarness;
use tokio::task::JoinSet;
use uuid::Uuid;

use super::harness::{is_parked, run};

/// On the node that owns it, on another one, and on one that receives no hints.
async fn a_thousand_callers_wait_on_three_nodes(harness: EngineHarness) {
    let _pool = harness.run_executions(2);
    let id = run(&harness, json!([{"id": "wait", "type": "SIGNAL", "signal": "go"}]), &json!({})).await;
    is_parked(&harness, id).await;
    let deaf = EngineHarness::new(Arc::clone(&harness.store));
    let engines = [harness.engine.clone(), harness.node(2).engine, deaf.engine.clone()];
    let mut callers = JoinSet::new();
    for number in 0..1_000 {
        let (engine, admin) = (engines[number % 3].clone(), harness.admin());
        callers.spawn(async move { engine.wait_execution(&admin, id, DurationMs::from_secs(20)).await });
    }
    tokio::task::yield_now().await;
    let go = CallerKey::trusted("go");
    harness.engine.signal_execution(&harness.admin(), id, &go, "null".into()).await.unwrap();
    for answer in callers.join_all().await {
        assert_eq!(answer.unwrap().status, ExecutionStatus::Completed);
    }
}

async fn a_wait_ends_with_its_time(harness: EngineHarness) {
    let _pool = harness.run_executions(2);
    let id = run(&harness, json!([{"id": "wait", "type": "SIGNAL", "signal": "go"}]), &json!({})).await;
    let record = harness.engine.wait_execution(&harness.admin(), id, DurationMs(50)).await.unwrap();
    assert!(!record.status.is_terminal());
    let request = ExecutionRequest::new(WorkflowName::trusted("flow"), "{}");
    let (created, started) = harness.engine.start_awaited(&harness.admin(), request).await.unwrap();
    let record = harness.engine.wait_started(&harness.admin(), started, DurationMs(50)).await.unwrap();
    assert!(record.id == created.id && !record.status.is_terminal());
}

/// However soon it ends, and however: with an output, or because an expression cannot be evaluated.
async fn a_start_that_is_waited_for_is_answered_as_it_reads(harness: EngineHarness) {
    let _pool = harness.run_executions(4);
    let (node, admin) =
        (json!({"id": "n", "type": "TRANSFORM", "output": "${120 / input.n}"}), harness.admin());
    let definition = json!({"name": "flow", "version": 1, "nodes": [node], "output": "${nodes.n.output}"});
    harness.register(&definition).await.unwrap();
    for number in 0..40 {
        let completes = number % 4 > 0;
        let input = json!({"n": if completes { number } else { 0 }});
        let request = ExecutionRequest {
            correlation_id: Some(CallerKey::trusted(format!("order-{number}"))),
            tags: vec![Tag::trusted("eu")],
            ..ExecutionRequest::new(WorkflowName::trusted("flow"), input.to_string())
        };
        let (created, started) = harness.engine.start_awaited(&admin, request).await.unwrap();
        let record = harness.engine.wait_started(&admin, started, DurationMs::from_secs(20)).await.unwrap();
        let expected = if completes { ExecutionStatus::Completed } else { ExecutionStatus::Failed };
        assert_eq!(record.status, expected, "{:?}", record.error);
        assert_eq!(record, harness.engine.execution(&admin, created.id).await.unwrap());
    }
}

/// Whoever repeats a start finds the execution, and what became of it.
async fn a_repeated_start_is_answered_at_once(harness: EngineHarness) {
    let pool = harness.run_executions(2);
    let caller = Caller { seed: Some(Uuid::from_u128(7)), ..harness.admin() };
    let node = json!({"id": "n", "type": "TRANSFORM", "output": 1});
    let definition = json!({"name": "flow", "version": 1, "nodes": [node]});
    harness.register(&definition).await.unwrap();
    let request = || ExecutionRequest::new(WorkflowName::trusted("flow"), "{}");
    let (first, started) = harness.engine.start_awaited(&caller, request()).await.unwrap();
    let record = harness.engine.wait_started(&caller, started, DurationMs::from_secs(20)).await.unwrap();
    assert_eq!(record.status, ExecutionStatus::Completed);
    drop(pool);
    let (again, started) = harness.engine.start_awaited(&caller, request()).await.unwrap();
    assert_eq!((first.existing, again.existing, again.id), (false, true, first.id));
    assert_eq!(
        harness.engine.wait_started(&caller, started, DurationMs::from_secs(20)).await.unwrap(),
        record
    );
}

on_both_databases!(
    a_thousand_callers_wait_on_three_nodes,
    a_wait_ends_with_its_time,
    a_start_that_is_waited_for_is_answered_as_it_reads,
    a_repeated_start_is_answered_at_once,
);
