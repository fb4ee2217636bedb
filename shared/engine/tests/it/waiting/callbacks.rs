//! One-time callback addresses.

use domain::id::ExecutionId;
use domain::names::{NodeId, WorkflowName};
use engine::{Caller, EngineError, ExecutionRequest, Policy};
use serde_json::{Value, json};
use testkit::EngineBench;
use uuid::Uuid;

use super::bench::{conflict, is_parked, output, waits};

/// Hands its callback address to a worker, then waits for a request to it.
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
async fn token_of(bench: &EngineBench) -> (ExecutionId, String, store::jobs::ClaimedJob) {
    bench.register(&hook()).await.unwrap();
    let id = bench.start("hook", &json!({})).await.unwrap();
    let job = bench.take("ask").await;
    let data: Value = serde_json::from_str(&job.data).unwrap();
    let url = data["url"].as_str().unwrap().to_owned();
    let token = url.strip_prefix(&format!("/callbacks/{id}/wait/")).expect("a path").to_owned();
    (id, token, job)
}

async fn the_first_request_counts(bench: EngineBench) {
    let _pool = bench.run_executions(4);
    let (id, token, job) = token_of(&bench).await;
    bench.complete(&job, &json!(null)).await.unwrap();
    is_parked(&bench, id).await;
    assert_eq!(waits(&bench, id, "wait").await.reason, "callback");
    let node = NodeId::trusted("wait");
    bench.engine.callback(id, &node, &token, "{\"body\": 1}".into()).await.unwrap();
    waits(&bench, id, "more").await;
    let again = bench.engine.callback(id, &node, &token, "{\"body\": 2}".into()).await;
    assert_eq!(conflict(again), "node_settled");
    let more = domain::names::CallerKey::trusted("more");
    bench.engine.signal_execution(&bench.admin(), id, &more, "null".into()).await.unwrap();
    assert_eq!(output(&bench, id).await, json!({"body": 1}));
    let late = bench.engine.callback(id, &node, &token, "3".into()).await;
    assert_eq!(conflict(late), "execution_finished");
}

async fn an_early_request_is_kept(bench: EngineBench) {
    let pool = bench.run_executions(4);
    let (id, token, job) = token_of(&bench).await;
    bench.engine.callback(id, &NodeId::trusted("wait"), &token, "\"early\"".into()).await.unwrap();
    bench.complete(&job, &json!(null)).await.unwrap();
    waits(&bench, id, "more").await;
    is_parked(&bench, id).await;
    assert_eq!(pool.parked(), 1, "it never waited for the request");
}

async fn another_token_is_no_address(bench: EngineBench) {
    let _pool = bench.run_executions(4);
    let (id, token, _job) = token_of(&bench).await;
    let other = bench.start("hook", &json!({})).await.unwrap();
    for (id, node, token) in [
        (id, "wait", "0".repeat(32)),
        (id, "wait", token[..30].to_owned()),
        (id, "ask", token.clone()),
        (other, "wait", token.clone()),
        (id, "wait", "not hex".to_owned()),
    ] {
        let refused = bench.engine.callback(id, &NodeId::trusted(node), &token, "1".into()).await;
        assert!(matches!(refused, Err(EngineError::NotFound { what: "callback", .. })), "{refused:?}");
    }
}

async fn addresses_are_the_same_on_all_nodes(bench: EngineBench) {
    let policy = Policy { public_url: "https://jobs.example.com".into(), ..Policy::default() };
    let other = EngineBench::with_policy(std::sync::Arc::clone(&bench.store), policy);
    bench.register(&hook()).await.unwrap();
    let (first, second) = (bench.start("hook", &json!({})).await.unwrap(), {
        let _pool = bench.run_executions(1);
        bench.take("ask").await
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
