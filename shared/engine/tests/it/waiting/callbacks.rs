//! One-time callback addresses.

use domain::id::ExecutionId;
use domain::names::{CallerKey, NodeId, WorkflowName};
use domain::workflow::execution::ExecutionStatus;
use engine::{Caller, EngineError, ExecutionRequest, Origin, Policy};
use serde_json::{Value, json};
use store::executions::CommandStatus;
use testkit::{EngineHarness, eventually};
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

/// The answer to a request is lost, and until its sender repeats it the node waits in the next round.
async fn i01_a_request_that_is_repeated_under_its_key_counts_once(harness: EngineHarness) {
    let _pool = harness.run_executions(4);
    let again = json!({
        "name": "again", "version": 1,
        "nodes": [
            {"id": "ask", "type": "SERVICE_TASK", "jobType": "ask", "input": {"url": "${nodes.wait.callbackUrl}"}},
            {"id": "wait", "type": "WAIT_WEBHOOK", "repeat": {"until": "nodes.wait.output.done == true", "max": 5}}
        ]
    });
    harness.register(&again).await.unwrap();
    let id = harness.start("again", &json!({})).await.unwrap();
    let job = harness.take("ask").await;
    let data: Value = serde_json::from_str(&job.data).unwrap();
    let token = data["url"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    harness.complete(&job, &json!(null)).await.unwrap();
    let node = NodeId::trusted("wait");
    let send = async |key: &str, done: bool| {
        let (key, payload) = (CallerKey::trusted(key), json!({ "done": done }).to_string());
        harness.engine.callback_from((Origin::default(), Some(&key)), (id, &node), &token, payload).await
    };
    let status = async |position| harness.engine.command(&harness.admin(), position).await.unwrap().status;
    let first = send("one", false).await.unwrap();
    eventually("it is applied", || async { status(first).await == CommandStatus::Applied }).await;
    assert_eq!(send("one", true).await.unwrap(), first, "the next round still waits");
    let last = send("two", true).await.unwrap();
    assert_ne!(last, first);
    assert_eq!(harness.ended(id).await.status, ExecutionStatus::Completed);
    assert_eq!(send("one", false).await.unwrap(), first, "though it has ended since");
    assert_eq!(conflict(send("three", true).await), "execution_finished");
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
    i01_a_request_that_is_repeated_under_its_key_counts_once,
    an_early_request_is_kept,
    another_token_is_no_address,
    addresses_are_the_same_on_all_nodes,
);
