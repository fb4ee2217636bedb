//! Signals: early, in time, and too late.

use domain::names::CallerKey;
use domain::time::DurationMs;
use engine::EngineError;
use serde_json::json;
use store::executions::CommandStatus;
use testkit::EngineHarness;

use super::harness::{conflict, failure, fate, is_parked, output, run, waits, were_parked};

fn paid() -> CallerKey {
    CallerKey::trusted("paid")
}

async fn a_signal_ends_the_wait_for_it(harness: EngineHarness) {
    let pool = harness.run_executions(4);
    let id = run(&harness, json!([{"id": "wait", "type": "SIGNAL", "signal": "paid"}]), &json!({})).await;
    is_parked(&harness, id).await;
    assert_eq!(waits(&harness, id, "wait").await.reason, "signal");
    were_parked(&pool, 1).await;
    let admin = harness.admin();
    let position =
        harness.engine.signal_execution(&admin, id, &paid(), "{\"sum\": 12}".into()).await.unwrap();
    assert_eq!(output(&harness, id).await, json!({"wait": {"sum": 12}}));
    assert_eq!(fate(&harness, position).await, CommandStatus::Applied);
    let late = harness.engine.signal_execution(&admin, id, &paid(), "1".into()).await;
    assert_eq!(conflict(late), "execution_finished");
}

async fn an_early_signal_is_kept(harness: EngineHarness) {
    let nodes = json!([
        {"id": "work", "type": "SERVICE_TASK", "jobType": "work"},
        {"id": "wait", "type": "SIGNAL", "dependsOn": ["work"], "signal": "paid", "timeout": "1h"}
    ]);
    let id = run(&harness, nodes, &json!({})).await;
    let admin = harness.admin();
    // Before anybody owns the execution, and once more while its first node runs.
    harness.engine.signal_execution(&admin, id, &paid(), "\"first\"".into()).await.unwrap();
    let pool = harness.run_executions(4);
    let job = harness.take("work").await;
    let second = harness.engine.signal_execution(&admin, id, &paid(), "\"second\"".into()).await.unwrap();
    assert_eq!(fate(&harness, second).await, CommandStatus::Applied);
    harness.complete(&job, &json!(1)).await.unwrap();
    assert_eq!(output(&harness, id).await, json!({"wait": "first"}));
    assert_eq!(pool.parked(), 0, "there was nothing to wait for");
}

async fn a_wait_times_out(harness: EngineHarness) {
    let _pool = harness.run_executions(4);
    let nodes = json!([
        {"id": "wait", "type": "SIGNAL", "signal": "paid", "timeout": "24h", "onError": {"goto": "remind"}},
        {"id": "remind", "type": "TRANSFORM", "output": "${nodes.wait.output.error.code}"},
        {"id": "thank", "type": "TRANSFORM", "dependsOn": ["wait"], "output": "thanks"}
    ]);
    let id = run(&harness, nodes, &json!({})).await;
    is_parked(&harness, id).await;
    harness.clock.advance(DurationMs::from_secs(24 * 3_600));
    assert_eq!(output(&harness, id).await, json!({"remind": "timeout"}));
    let strict = json!({"name": "strict", "version": 1,
        "nodes": [{"id": "wait", "type": "SIGNAL", "signal": "paid", "timeout": "1s"}]});
    harness.register(&strict).await.unwrap();
    let id = harness.start("strict", &json!({})).await.unwrap();
    is_parked(&harness, id).await;
    harness.clock.advance(DurationMs::from_secs(1));
    assert_eq!(failure(&harness, id).await, "timeout");
}

async fn payloads_are_checked(harness: EngineHarness) {
    let id = run(&harness, json!([{"id": "wait", "type": "SIGNAL", "signal": "paid"}]), &json!({})).await;
    for payload in ["1e999".to_owned(), "\"\\u0000\"".to_owned(), format!("\"{}\"", "x".repeat(1 << 20))] {
        let refused = harness.engine.signal_execution(&harness.admin(), id, &paid(), payload).await;
        let Err(EngineError::Invalid(faults)) = refused else { panic!("it is refused: {refused:?}") };
        assert_eq!(faults[0].pointer, "/payload");
    }
}

on_both_databases!(
    a_signal_ends_the_wait_for_it,
    an_early_signal_is_kept,
    a_wait_times_out,
    payloads_are_checked,
);
