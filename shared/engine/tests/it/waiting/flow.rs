//! Switches and loops.

use domain::time::DurationMs;
use domain::workflow::execution::NodeStatus;
use serde_json::json;
use testkit::EngineBench;

use super::bench::{failure, is_parked, lines, output, run, statuses, waits};

async fn a_switch_takes_one_way(bench: EngineBench) {
    let _pool = bench.run_executions(4);
    let nodes = json!([
        {"id": "route", "type": "SWITCH", "default": "post",
         "cases": [{"when": "input.express", "goto": "courier"}, {"when": "input.heavy", "goto": "truck"}]},
        {"id": "courier", "type": "TRANSFORM", "output": "courier"},
        {"id": "truck", "type": "TRANSFORM", "output": "truck"},
        {"id": "post", "type": "TRANSFORM", "output": "post"},
        {"id": "tell", "type": "TRANSFORM", "dependsOn": ["courier", "truck", "post"], "output": "told"}
    ]);
    let id = run(&bench, nodes, &json!({"express": false, "heavy": true})).await;
    assert_eq!(output(&bench, id).await, json!({"tell": "told"}));
    let (done, skipped) = (NodeStatus::Completed, NodeStatus::Skipped);
    let seen: Vec<NodeStatus> = statuses(&bench, id).await.into_iter().map(|(_, status)| status).collect();
    assert_eq!(seen, [done, skipped, done, skipped, done]);
    let id = bench.start("flow", &json!({"express": false, "heavy": false})).await.unwrap();
    output(&bench, id).await;
    assert_eq!(statuses(&bench, id).await[3], ("post".to_owned(), done));
}

async fn a_loop_ends_when_its_condition_holds(bench: EngineBench) {
    let _pool = bench.run_executions(4);
    let nodes = json!([{
        "id": "poll", "type": "SERVICE_TASK", "jobType": "poll",
        "repeat": {"until": "nodes.poll.output.ready", "max": 5, "delay": "1m"}
    }]);
    let id = run(&bench, nodes, &json!({})).await;
    let first = bench.take("poll").await;
    bench.complete(&first, &json!({"ready": false})).await.unwrap();
    is_parked(&bench, id).await;
    assert_eq!(waits(&bench, id, "poll").await.reason, "delay");
    assert_eq!(statuses(&bench, id).await, [("poll".to_owned(), NodeStatus::Waiting)]);
    bench.clock.advance(DurationMs::from_secs(60));
    let second = bench.take("poll").await;
    assert_ne!(first.id, second.id);
    bench.complete(&second, &json!({"ready": true})).await.unwrap();
    assert_eq!(output(&bench, id).await, json!({"poll": {"ready": true}}));
    assert_eq!(lines(&bench, id, "node_repeated").await, ["poll"]);
}

async fn a_loop_has_a_last_round(bench: EngineBench) {
    let _pool = bench.run_executions(4);
    let nodes = json!([{
        "id": "count", "type": "TRANSFORM", "output": "${input.n}",
        "repeat": {"until": "nodes.count.output > 3", "max": 3}
    }]);
    let id = run(&bench, nodes, &json!({"n": 1})).await;
    assert_eq!(failure(&bench, id).await, "repeat_exhausted");
    assert_eq!(lines(&bench, id, "node_repeated").await.len(), 2);
}

on_both_databases!(a_switch_takes_one_way, a_loop_ends_when_its_condition_holds, a_loop_has_a_last_round,);
