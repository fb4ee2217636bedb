//! Switches and loops.

use domain::time::DurationMs;
use domain::workflow::execution::NodeStatus;
use serde_json::json;
use testkit::EngineHarness;

use super::harness::{failure, is_parked, lines, output, run, statuses, waits};

async fn a_switch_takes_one_way(harness: EngineHarness) {
    let _pool = harness.run_executions(4);
    let nodes = json!([
        {"id": "route", "type": "SWITCH", "default": "post",
         "cases": [{"when": "input.express", "goto": "courier"}, {"when": "input.heavy", "goto": "truck"}]},
        {"id": "courier", "type": "TRANSFORM", "output": "courier"},
        {"id": "truck", "type": "TRANSFORM", "output": "truck"},
        {"id": "post", "type": "TRANSFORM", "output": "post"},
        {"id": "tell", "type": "TRANSFORM", "dependsOn": ["courier", "truck", "post"], "output": "told"}
    ]);
    let id = run(&harness, nodes, &json!({"express": false, "heavy": true})).await;
    assert_eq!(output(&harness, id).await, json!({"tell": "told"}));
    let (done, skipped) = (NodeStatus::Completed, NodeStatus::Skipped);
    let seen: Vec<NodeStatus> = statuses(&harness, id).await.into_iter().map(|(_, status)| status).collect();
    assert_eq!(seen, [done, skipped, done, skipped, done]);
    let id = harness.start("flow", &json!({"express": false, "heavy": false})).await.unwrap();
    output(&harness, id).await;
    assert_eq!(statuses(&harness, id).await[3], ("post".to_owned(), done));
}

async fn a_loop_ends_when_its_condition_holds(harness: EngineHarness) {
    let _pool = harness.run_executions(4);
    let nodes = json!([{
        "id": "poll", "type": "SERVICE_TASK", "jobType": "poll",
        "repeat": {"until": "nodes.poll.output.ready", "max": 5, "delay": "1m"}
    }]);
    let id = run(&harness, nodes, &json!({})).await;
    let first = harness.take("poll").await;
    harness.complete(&first, &json!({"ready": false})).await.unwrap();
    is_parked(&harness, id).await;
    assert_eq!(waits(&harness, id, "poll").await.reason, "delay");
    assert_eq!(statuses(&harness, id).await, [("poll".to_owned(), NodeStatus::Waiting)]);
    harness.clock.advance(DurationMs::from_secs(60));
    let second = harness.take("poll").await;
    assert_ne!(first.id, second.id);
    harness.complete(&second, &json!({"ready": true})).await.unwrap();
    assert_eq!(output(&harness, id).await, json!({"poll": {"ready": true}}));
    assert_eq!(lines(&harness, id, "node_repeated").await, ["poll"]);
}

async fn a_loop_has_a_last_round(harness: EngineHarness) {
    let _pool = harness.run_executions(4);
    let nodes = json!([{
        "id": "count", "type": "TRANSFORM", "output": "${input.n}",
        "repeat": {"until": "nodes.count.output > 3", "max": 3}
    }]);
    let id = run(&harness, nodes, &json!({"n": 1})).await;
    assert_eq!(failure(&harness, id).await, "repeat_exhausted");
    assert_eq!(lines(&harness, id, "node_repeated").await.len(), 2);
}

on_both_databases!(a_switch_takes_one_way, a_loop_ends_when_its_condition_holds, a_loop_has_a_last_round,);
