//! Timers, and what the clock does to nodes that wait.

use domain::time::{DurationMs, Timestamp};
use serde_json::json;
use testkit::EngineHarness;

use super::harness::{failure, is_parked, output, run, waits, were_parked};

async fn a_timer_ends_when_its_time_has_come(harness: EngineHarness) {
    let _pool = harness.run_executions(4);
    let nodes = json!([
        {"id": "cool", "type": "TIMER", "duration": "10m"},
        {"id": "after", "type": "TRANSFORM", "dependsOn": ["cool"], "output": "done"}
    ]);
    let id = run(&harness, nodes, &json!({})).await;
    is_parked(&harness, id).await;
    let wait = waits(&harness, id, "cool").await;
    let start: Timestamp = testkit::FixedClock::START;
    assert_eq!((wait.reason, wait.until), ("timer", Some(start.plus(DurationMs::from_secs(600)))));
    harness.clock.advance(DurationMs::from_secs(599));
    is_parked(&harness, id).await;
    harness.clock.advance(DurationMs::from_secs(1));
    assert_eq!(output(&harness, id).await, json!({"after": "done"}));
}

async fn a_timer_can_end_at_an_instant_and_in_the_past(harness: EngineHarness) {
    let pool = harness.run_executions(4);
    let nodes = json!([
        {"id": "past", "type": "TIMER", "until": "2020-01-01T00:00:00Z"},
        {"id": "soon", "type": "TIMER", "dependsOn": ["past"], "until": "${input.at}"}
    ]);
    let at = testkit::FixedClock::START.plus(DurationMs::from_secs(3_600));
    let id = run(&harness, nodes, &json!({"at": at.to_string()})).await;
    assert_eq!(waits(&harness, id, "soon").await.until, Some(at));
    is_parked(&harness, id).await;
    were_parked(&pool, 1).await;
    harness.clock.advance(DurationMs::from_secs(3_600));
    output(&harness, id).await;
}

async fn the_timeout_of_an_execution_holds_while_it_is_parked(harness: EngineHarness) {
    let _pool = harness.run_executions(4);
    let definition = json!({
        "name": "slow", "version": 1, "timeout": "1h",
        "nodes": [{"id": "never", "type": "SIGNAL", "signal": "never"}]
    });
    harness.register(&definition).await.unwrap();
    let id = harness.start("slow", &json!({})).await.unwrap();
    is_parked(&harness, id).await;
    harness.clock.advance(DurationMs::from_secs(3_600));
    assert_eq!(failure(&harness, id).await, "timeout");
}

on_both_databases!(
    a_timer_ends_when_its_time_has_come,
    a_timer_can_end_at_an_instant_and_in_the_past,
    the_timeout_of_an_execution_holds_while_it_is_parked,
);
