//! Signals: early, in time, and too late.

use domain::names::CallerKey;
use domain::time::DurationMs;
use engine::EngineError;
use serde_json::json;
use store::executions::CommandStatus;
use testkit::EngineBench;

use super::bench::{conflict, failure, fate, is_parked, output, run, waits};

fn paid() -> CallerKey {
    CallerKey::trusted("paid")
}

async fn a_signal_ends_the_wait_for_it(bench: EngineBench) {
    let pool = bench.run_executions(4);
    let id = run(&bench, json!([{"id": "wait", "type": "SIGNAL", "signal": "paid"}]), &json!({})).await;
    is_parked(&bench, id).await;
    assert_eq!(waits(&bench, id, "wait").await.reason, "signal");
    assert_eq!(pool.parked(), 1);
    let admin = bench.admin();
    let position = bench.engine.signal_execution(&admin, id, &paid(), "{\"sum\": 12}".into()).await.unwrap();
    assert_eq!(output(&bench, id).await, json!({"wait": {"sum": 12}}));
    assert_eq!(fate(&bench, position).await, CommandStatus::Applied);
    let late = bench.engine.signal_execution(&admin, id, &paid(), "1".into()).await;
    assert_eq!(conflict(late), "execution_finished");
}

async fn an_early_signal_is_kept(bench: EngineBench) {
    let nodes = json!([
        {"id": "work", "type": "SERVICE_TASK", "jobType": "work"},
        {"id": "wait", "type": "SIGNAL", "dependsOn": ["work"], "signal": "paid", "timeout": "1h"}
    ]);
    let id = run(&bench, nodes, &json!({})).await;
    let admin = bench.admin();
    // Before anybody owns the execution, and once more while its first node runs.
    bench.engine.signal_execution(&admin, id, &paid(), "\"first\"".into()).await.unwrap();
    let pool = bench.run_executions(4);
    let job = bench.take("work").await;
    let second = bench.engine.signal_execution(&admin, id, &paid(), "\"second\"".into()).await.unwrap();
    assert_eq!(fate(&bench, second).await, CommandStatus::Applied);
    bench.complete(&job, &json!(1)).await.unwrap();
    assert_eq!(output(&bench, id).await, json!({"wait": "first"}));
    assert_eq!(pool.parked(), 0, "there was nothing to wait for");
}

async fn a_wait_times_out(bench: EngineBench) {
    let _pool = bench.run_executions(4);
    let nodes = json!([
        {"id": "wait", "type": "SIGNAL", "signal": "paid", "timeout": "24h", "onError": {"goto": "remind"}},
        {"id": "remind", "type": "TRANSFORM", "output": "${nodes.wait.output.error.code}"},
        {"id": "thank", "type": "TRANSFORM", "dependsOn": ["wait"], "output": "thanks"}
    ]);
    let id = run(&bench, nodes, &json!({})).await;
    is_parked(&bench, id).await;
    bench.clock.advance(DurationMs::from_secs(24 * 3_600));
    assert_eq!(output(&bench, id).await, json!({"remind": "timeout"}));
    let strict = json!({"name": "strict", "version": 1,
        "nodes": [{"id": "wait", "type": "SIGNAL", "signal": "paid", "timeout": "1s"}]});
    bench.register(&strict).await.unwrap();
    let id = bench.start("strict", &json!({})).await.unwrap();
    is_parked(&bench, id).await;
    bench.clock.advance(DurationMs::from_secs(1));
    assert_eq!(failure(&bench, id).await, "timeout");
}

async fn payloads_are_checked(bench: EngineBench) {
    let id = run(&bench, json!([{"id": "wait", "type": "SIGNAL", "signal": "paid"}]), &json!({})).await;
    for payload in ["1e999".to_owned(), "\"\\u0000\"".to_owned(), format!("\"{}\"", "x".repeat(1 << 20))] {
        let refused = bench.engine.signal_execution(&bench.admin(), id, &paid(), payload).await;
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
