//! One-time callback addresses.

use domain::id::ExecutionId;
use domain::names::{NodeId, WorkflowName};
use engine::{Caller, EngineError, ExecutionRequest, Policy};
use serde_json::{Value, json};
use testkit::EngineHarness;
use uuid::Uuid;

use super::harness::{conflict, is_parked, output, waits, were_parked};

/// Passes its callback address to a worker, then waits for a request to it.
fn hook() -> Value {
    json!({
        "name": "hook", "version": 1,
        "nodes": [
            {"id": "ask", "type": "SERVICE_TASK", "jobType": "ask", "input": {"url": "${nodes.wait.callbackUrl}"}},
            {"id": "wait", "type": "WAIT_WEBHOOK", "dependsOn": ["ask"]},
            {"id": "more", "type": "SIGNAL", "dependsOn": ["wait"], "signal": "more"}
        ],
        "output": "${nodes.wait.output}"
    })
}

/// Starts it and answers the token in its address.
async fn token_of(harness: &EngineHarness) -> (ExecutionId, String, store::jobs::ClaimedJob) {
    harness.register(&hook()).await.unwrap();
    let id = harness.start("hook", &json!({})).await.unwrap();
    let job = harness.take("ask").await;
    let data: Value = serde_json::from_str(&job.data).unwrap();
    let url = data["url"].as_str().unwrap().to_owned();
    let token = url.strip_prefix(&format!("/callbacks/{id}/wait/")).expect("a path").to_owned();
    (id, token, job)
}

async fn the_first_request_counts(harness: EngineHarness) {
    let _pool = harness.run_executions(4);
    let (id, token, job) = token_of(&harness).await;
    harness.complete(&job, &json!(null)).await.unwrap();
    is_parked(&harness, id).await;
    assert_eq!(waits(&harness, id, "wait").await.reason, "callback");
    let node = NodeId::trusted("wait");
    harness.engine.callback(id, &node, &token, "{\"body\": 1}".into()).await.unwrap();
    waits(&harness, id, "more").await;
    let again = harness.engine.callback(id, &node, &token, "{\"body\": 2}".into()).await;
    assert_eq!(conflict(again), "node_settled");
    let more = domain::names::CallerKey::trusted("more");
    harness.engine.signal_execution(&harness.admin(), id, &more, "null".into()).await.unwrap();
    assert_eq!(output(&harness, id).await, json!({"body": 1}));
    let late = harness.engine.callback(id, &node, &token, "3".into()).await;
    assert_eq!(conflict(late), "execution_finished");
}

async fn an_early_request_is_kept(harness: EngineHarness) {
    let pool = harness.run_executions(4);
    let (id, token, job) = token_of(&harness).await;
    harness.engine.callback(id, &NodeId::trusted("wait"), &token, "\"early\"".into()).await.unwrap();
    harness.complete(&job, &json!(null)).await.unwrap();
    waits(&harness, id, "more").await;
    is_parked(&harness, id).await;
    // It never waited for the request.
    were_parked(&pool, 1).await;
}

async fn another_token_is_no_address(harness: EngineHarness) {
    let _pool = harness.run_executions(4);
    let (id, token, _job) = token_of(&harness).await;
    let other = harness.start("hook", &json!({})).await.unwrap();
    for (id, node, token) in [
        (id, "wait", "0".repeat(32)),
        (id, "wait", token[..30].to_owned()),
        (id, "ask", token.clone()),
        (other, "wait", token.clone()),
        (id, "wait", "not hex".to_owned()),
    ] {
        let refused = harness.engine.callback(id, &NodeId::trusted(node), &token, "1".into()).await;
        assert!(matches!(refused, Err(EngineError::NotFound { what: "callback", .. })), "{refused:?}");
    }
}

async fn addresses_are_the_same_on_all_nodes(harness: EngineHarness) {
    let policy = Policy { public_url: "https://jobs.example.com".into(), ..Policy::default() };
    let other = EngineHarness::with_policy(std::sync::Arc::clone(&harness.store), policy);
    harness.register(&hook()).await.unwrap();
    let (first, second) = (harness.start("hook", &json!({})).await.unwrap(), {
        let _pool = harness.run_executions(1);
        harness.take("ask").await
    });
    let own: Value = serde_json::from_str(&second.data).unwrap();
    let token = own["url"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    // The key is the cluster's, whoever made it.
    other.engine.callback(first, &NodeId::trusted("wait"), &token, "1".into()).await.unwrap();
    let caller = Caller { seed: Some(Uuid::from_u128(1)), ..other.admin() };
    let request = ExecutionRequest::new(WorkflowName::trusted("hook"), "{}");
    let next = other.engine.start_executions(&caller, vec![request]).await.unwrap()[0].id;
    let _pool = other.run_executions(4);
    let job = other.take("ask").await;
    assert_eq!(job.execution_id, Some(next));
    let data: Value = serde_json::from_str(&job.data).unwrap();
    assert!(data["url"].as_str().unwrap().starts_with("https://jobs.example.com/callbacks/exe_"));
}

on_both_databases!(
    the_first_request_counts,
    an_early_request_is_kept,
    another_token_is_no_address,
    addresses_are_the_same_on_all_nodes,
);
