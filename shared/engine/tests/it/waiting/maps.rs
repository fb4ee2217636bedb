//! Maps: one thing for each item.

use serde_json::{Value, json};
use testkit::EngineHarness;

use super::harness::{failure, lines, output, run};

fn doubled(job: &store::jobs::ClaimedJob) -> Option<Value> {
    let data: Value = serde_json::from_str(&job.data).expect("JSON");
    data["n"].as_i64().filter(|n| *n >= 0).map(|n| json!(n * 2))
}

async fn results_stand_in_the_order_of_the_items(harness: EngineHarness) {
    let _pool = harness.run_executions(4);
    let _worker = harness.run_jobs(&["double"], doubled);
    let nodes = json!([{
        "id": "each", "type": "MAP", "items": "${input.list}", "concurrency": 3,
        "node": {"type": "SERVICE_TASK", "jobType": "double", "input": {"n": "${item}", "index": "${index}"}}
    }]);
    let list: Vec<i64> = (0..50).collect();
    let id = run(&harness, nodes, &json!({ "list": list })).await;
    let expected: Vec<i64> = list.iter().map(|n| n * 2).collect();
    assert_eq!(output(&harness, id).await, json!({ "each": expected }));
}

async fn a_failed_item_fails_the_map_or_is_collected(harness: EngineHarness) {
    let _pool = harness.run_executions(4);
    let _worker = harness.run_jobs(&["double"], doubled);
    let map = |mode: &str| {
        json!([{
            "id": "each", "type": "MAP", "items": "${input.list}", "onItemError": mode,
            "node": {"type": "SERVICE_TASK", "jobType": "double", "input": {"n": "${item}"}}
        }])
    };
    let list = json!({"list": [1, -1, 3]});
    let id = run(&harness, map("collect"), &list).await;
    let collected = output(&harness, id).await;
    assert_eq!((&collected["each"][0], &collected["each"][2]), (&json!(2), &json!(6)));
    assert_eq!(collected["each"][1]["error"]["code"], json!("boom"));
    harness.register(&json!({"name": "strict", "version": 1, "nodes": map("fail")})).await.unwrap();
    let id = harness.start("strict", &list).await.unwrap();
    assert_eq!(failure(&harness, id).await, "boom");
    assert_eq!(lines(&harness, id, "execution_failed").await, ["each"]);
}

async fn items_in_place_need_no_worker(harness: EngineHarness) {
    let _pool = harness.run_executions(4);
    let nodes = json!([{
        "id": "each", "type": "MAP", "items": "${input.list}",
        "node": {"type": "TRANSFORM", "output": "${item + index}"}
    }]);
    let id = run(&harness, nodes, &json!({"list": [10, 20, 30]})).await;
    assert_eq!(output(&harness, id).await, json!({"each": [10, 21, 32]}));
}

on_both_databases!(
    results_stand_in_the_order_of_the_items,
    a_failed_item_fails_the_map_or_is_collected,
    items_in_place_need_no_worker,
);
