//! Large executions.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use domain::id::ExecutionId;
use domain::names::NodeId;
use domain::time::DurationMs;
use serde_json::{Value, json};
use testkit::EngineHarness;

use super::harness::{output, run, were_done};

/// How long each may take on a busy machine with an unoptimized build.
const PATIENCE: Duration = Duration::from_mins(5);

/// How long one call waits for an end.
const WAIT: DurationMs = DurationMs::from_secs(30);

async fn ended_in_time(harness: &EngineHarness, id: ExecutionId) {
    let (caller, until) = (harness.admin(), Instant::now() + PATIENCE);
    // Its end wakes whoever waits, who is answered after a bound of the engine's own at the latest.
    while !harness.engine.wait_execution(&caller, id, WAIT).await.unwrap().status.is_terminal() {
        assert!(Instant::now() < until, "it does not end");
    }
}

async fn a_map_takes_ten_thousand_items(harness: EngineHarness) {
    let _pool = harness.run_executions(2);
    let worker = harness.run_jobs(&["double"], |job| {
        let data: Value = serde_json::from_str(&job.data).expect("JSON");
        data["n"].as_i64().map(|n| json!(n * 2))
    });
    let nodes = json!([{
        "id": "each", "type": "MAP", "items": "${input.list}", "concurrency": 500,
        "node": {"type": "SERVICE_TASK", "jobType": "double", "input": {"n": "${item}"}}
    }]);
    let list: Vec<i64> = (0..10_000).collect();
    let id = run(&harness, nodes, &json!({ "list": list })).await;
    ended_in_time(&harness, id).await;
    let expected: Vec<i64> = list.iter().map(|n| n * 2).collect();
    assert_eq!(output(&harness, id).await, json!({ "each": expected }));
    were_done(&worker, 10_000).await;
    all_items_are_found(&harness, id).await;
}

/// The list of nodes has a thousand items; all are found page by page, and each by its key.
async fn all_items_are_found(harness: &EngineHarness, id: ExecutionId) {
    let (caller, map) = (harness.admin(), NodeId::trusted("each"));
    let (mut keys, mut after) = (BTreeSet::new(), 0);
    loop {
        let (items, next) = harness.engine.execution_items(&caller, id, &map, after, 500).await.unwrap();
        assert!(items.len() <= 500);
        keys.extend(items.into_iter().map(|item| item.node_id));
        let Some(next) = next else { break };
        after = next;
    }
    assert_eq!(keys.len(), 10_000);
    for index in [0, 4_711, 9_999] {
        let item = harness.engine.execution_node(&caller, id, &format!("each[{index}]")).await.unwrap();
        let (input, output) = (format!("{{\"n\":{index}}}"), (2 * index).to_string());
        assert_eq!(
            (item.input.as_deref(), item.output.as_deref()),
            (Some(&*input), Some(&*output)),
            "{index}"
        );
    }
}

async fn a_fan_out_of_five_thousand_ends(harness: EngineHarness) {
    let _pool = harness.run_executions(2);
    let worker = harness.run_jobs(&["work"], |_| Some(json!(1)));
    let nodes = json!([{
        "id": "each", "type": "MAP", "items": "${input.list}", "concurrency": 5_000,
        "node": {"type": "SERVICE_TASK", "jobType": "work"}
    }]);
    let id = run(&harness, nodes, &json!({ "list": vec![0; 5_000] })).await;
    ended_in_time(&harness, id).await;
    assert_eq!(output(&harness, id).await, json!({ "each": vec![1; 5_000] }));
    were_done(&worker, 5_000).await;
}

/// What one step brings about is bounded in bytes, and the next one follows by itself.
async fn a_map_of_large_inputs_starts_by_and_by(harness: EngineHarness) {
    let _pool = harness.run_executions(2);
    let nodes = json!([{
        "id": "each", "type": "MAP", "items": "${input.list}", "concurrency": 60,
        "node": {"type": "SERVICE_TASK", "jobType": "work", "input": {"text": "${input.large}"}}
    }]);
    let input = json!({"list": vec![0; 60], "large": "x".repeat(300_000)});
    let id = run(&harness, nodes, &input).await;
    let started = || async {
        let nodes = harness.engine.execution_nodes(&harness.admin(), id).await.unwrap();
        nodes[0].map.as_ref().map_or(0, |map| map.started)
    };
    // Nobody takes the jobs, so that nothing but the clock moves the execution on.
    testkit::eventually("all items are started", || async { started().await == 60 }).await;
    let worker = harness.run_jobs(&["work"], |_| Some(json!(1)));
    ended_in_time(&harness, id).await;
    assert_eq!(output(&harness, id).await, json!({ "each": vec![1; 60] }));
    were_done(&worker, 60).await;
}

on_both_databases!(
    a_map_takes_ten_thousand_items,
    a_fan_out_of_five_thousand_ends,
    a_map_of_large_inputs_starts_by_and_by,
);
