//! Repeats under an `Idempotency-Key`.

use domain::access::Role;
use domain::names::CallerKey;
use domain::time::DurationMs;
use serde_json::json;

use crate::harness::Harness;
use crate::workflows::register;

#[tokio::test]
async fn a_repeat_gets_the_first_answer() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let job = json!({"jobType": "i", "data": 1});
    let first = admin.post_once("/v1/jobs", "k1", &job).await.expect(202);
    assert!(first.header("idempotency-replayed").is_none());
    let again = admin.post_once("/v1/jobs", "k1", &job).await.expect(202);
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    assert_eq!(again.header("content-type"), Some("application/json"));
    assert_eq!(again.text, first.text);
    assert_eq!(admin.get("/v1/jobs?jobType=i").await.body["items"].as_array().map(Vec::len), Some(1));

    admin
        .post_once("/v1/jobs", "k1", &json!({"jobType": "i", "data": 2}))
        .await
        .problem(422, "idempotency_key_reused");
    admin.post_once("/v1/jobs/batch", "k1", &job).await.problem(422, "idempotency_key_reused");
    admin.post_once("/v1/jobs", "k2", &job).await.expect(202);
    for tenant in [Some("acme"), Some("acme"), None] {
        let other = harness.client(Role::Client, tenant).await;
        let own = other.post_once("/v1/jobs", "k1", &job).await.expect(202);
        assert!(own.header("idempotency-replayed").is_none(), "each API key has its own");
    }
}

#[tokio::test]
async fn a_refusal_answers_nobody_elses_call() {
    let harness = Harness::start().await;
    let job = json!({"jobType": "i", "data": 1});
    let viewer = harness.client(Role::Viewer, Some("acme")).await;
    viewer.post_once("/v1/jobs", "order-1001", &job).await.problem(403, "forbidden");
    let client = harness.client(Role::Client, Some("acme")).await;
    let made = client.post_once("/v1/jobs", "order-1001", &job).await.expect(202);
    assert!(made.header("idempotency-replayed").is_none());
    // Nothing was reserved for the viewer either: another request of its own does not learn that the key was used.
    viewer.post_once("/v1/jobs", "order-1001", &json!({"jobType": "j"})).await.problem(403, "forbidden");
}

#[tokio::test]
async fn what_was_not_there_is_looked_for_again() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let run = json!({"workflow": "hello", "input": {"who": "Ada"}});
    admin.post_once("/v1/executions", "k", &run).await.problem(404, "not_found");
    register(&admin, "hello").await;
    admin.post_once("/v1/executions", "k", &run).await.expect(202);
}

#[tokio::test]
async fn refusals_are_repeated_too() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let first = admin.post_once("/v1/jobs", "k", &json!({"data": 1})).await.problem(422, "invalid");
    let again = admin.post_once("/v1/jobs", "k", &json!({"data": 1})).await.problem(422, "invalid");
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    assert_eq!(again.text, first.text);
}

#[tokio::test]
async fn a_call_in_flight_is_not_started_twice() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let body = json!({"jobType": "i", "data": 1});
    // The same reservation that the first call makes before its work.
    let caller = harness.caller().await;
    let key = CallerKey::trusted("k");
    harness
        .engine
        .engine
        .reserve_idempotency(&caller, &key, &fingerprint("/v1/jobs", &body.to_string()))
        .await
        .expect("kept");
    let second = admin.post_once("/v1/jobs", "k", &body).await.problem(409, "idempotency_in_flight");
    assert_eq!(second.header("retry-after"), Some("1"));
    assert_eq!(admin.get("/v1/jobs").await.body["items"], json!([]));
    harness.engine.engine.forget_idempotency(&caller, &key).await.expect("given back");
    admin.post_once("/v1/jobs", "k", &body).await.expect(202);
}

/// As the gate does it: the length and the bytes of method, target and body.
fn fingerprint(target: &str, body: &str) -> String {
    use sha2::{Digest, Sha256};
    let mut hash = Sha256::new();
    for part in ["POST", target, body] {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hex::encode(hash.finalize())
}

#[tokio::test]
async fn what_may_pass_is_tried_again() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    admin.act("/v1/queues/workflow-node/drain").await.expect(200);
    let job = json!({"jobType": "i", "data": 1});
    for _ in 0..2 {
        let refused = admin.post_once("/v1/jobs", "k", &job).await.problem(409, "queue_draining");
        assert!(refused.header("idempotency-replayed").is_none(), "each is a first call");
    }
    admin.act("/v1/queues/workflow-node/resume").await.expect(200);
    let made = admin.post_once("/v1/jobs", "k", &job).await.expect(202);
    assert!(made.header("idempotency-replayed").is_none());
    let again = admin.post_once("/v1/jobs", "k", &job).await.expect(202);
    assert_eq!((again.header("idempotency-replayed"), &again.text), (Some("true"), &made.text));
    // An execution whose unique key is held starts when it is free.
    let wait = json!({"name": "w", "version": 1, "nodes": [{"id": "go", "type": "SIGNAL", "signal": "go"}]});
    admin.post("/v1/workflows", &wait).await.expect(201);
    let start = json!({"workflow": "w", "uniqueKey": "one", "uniquePolicy": "reject"});
    let first = admin.post_once("/v1/executions", "first", &start).await.expect(202).str("id").to_owned();
    let refused = admin.post_once("/v1/executions", "second", &start).await.problem(409, "execution_exists");
    assert_eq!(refused.str("existingId"), first);
    admin.act(&format!("/v1/executions/{first}/cancel")).await.expect(202);
    let second = admin.post_once("/v1/executions", "second", &start).await.expect(202);
    assert_ne!(second.str("id"), first);
}

#[tokio::test]
async fn a_call_whose_caller_hung_up_is_carried_out_and_answered_later() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    register(&admin, "hello").await;
    let body = json!({"workflow": "hello", "input": {"who": "Ada"}});
    let uri = "/v1/executions?wait=true&timeout=20s";
    let first = {
        let (admin, body) = (admin.clone(), body.clone());
        tokio::spawn(async move { admin.post_once(uri, "k", &body).await })
    };
    testkit::eventually("the execution is there", || async {
        admin.get("/v1/executions").await.body["items"][0].is_object()
    })
    .await;
    first.abort();
    let id = admin.get("/v1/executions").await.body["items"][0]["id"].clone();
    admin.post_once(uri, "k", &body).await.problem(409, "idempotency_in_flight");
    // Also when the reservation is so old that its process might be gone: here it is known not to be.
    harness.engine.clock.advance(DurationMs::from_secs(30));
    admin.post_once(uri, "k", &body).await.problem(409, "idempotency_in_flight");
    let id = id.as_str().expect("an id");
    admin.act(&format!("/v1/executions/{id}/cancel")).await.expect(202);
    testkit::eventually("the first answer is kept", || async {
        admin.post_once(uri, "k", &body).await.status == 200
    })
    .await;
    let replayed = admin.post_once(uri, "k", &body).await.expect(200);
    assert_eq!(replayed.header("idempotency-replayed"), Some("true"));
    assert_eq!((replayed.str("id"), replayed.str("status")), (id, "CANCELLED"));
}

#[tokio::test]
async fn a_repeat_never_holds_a_secret() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let key = json!({"name": "ci", "role": "viewer"});
    let first = admin.post_once("/v1/api-keys", "k", &key).await.expect(201);
    assert!(first.str("key").starts_with("tl_"));
    let again = admin.post_once("/v1/api-keys", "k", &key).await.expect(201);
    assert_eq!(again.body["id"], first.body["id"]);
    assert!(again.body["key"].is_null(), "{}", again.text);
}

#[tokio::test]
async fn keys_are_checked_and_not_needed_by_leased_calls() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let refused = admin.post_once("/v1/jobs", &"k".repeat(201), &json!({"jobType": "i", "data": 1})).await;
    assert_eq!(refused.problem(422, "invalid").pointers(), ["/Idempotency-Key"]);
    let poll = json!({"workerId": "w", "jobTypes": ["i"]});
    for _ in 0..2 {
        let answer = admin.post_once("/v1/jobs/poll", "p", &poll).await.expect(200);
        assert!(answer.header("idempotency-replayed").is_none());
    }
}

#[tokio::test]
async fn a_call_that_another_process_took_over_is_dropped() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    register(&admin, "hello").await;
    let body = json!({"workflow": "hello", "input": {"who": "Ada"}});
    let uri = "/v1/executions?wait=true&timeout=20s";
    let first = {
        let (admin, body) = (admin.clone(), body.clone());
        tokio::spawn(async move { admin.post_once(uri, "k", &body).await })
    };
    testkit::eventually("the execution is there", || async {
        admin.get("/v1/executions").await.body["items"][0].is_object()
    })
    .await;
    // On SQLite there is one process at a time: the other one knows that this one's calls are lost.
    let (other, caller, key) = (harness.engine.node(2), harness.caller().await, CallerKey::trusted("k"));
    let taken = other.engine.reserve_idempotency(&caller, &key, &fingerprint(uri, &body.to_string())).await;
    assert!(matches!(taken.expect("taken over"), store::access::Idempotency::Proceed { .. }));
    first.await.expect("answered").problem(409, "idempotency_in_flight");
}
