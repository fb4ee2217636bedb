//! Callers that wait for the end.

use std::sync::Arc;

use domain::names::CallerKey;
use domain::time::DurationMs;
use domain::workflow::execution::ExecutionStatus;
use serde_json::json;
use testkit::EngineHarness;
use tokio::task::JoinSet;

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
}

on_both_databases!(a_thousand_callers_wait_on_three_nodes, a_wait_ends_with_its_time,);
