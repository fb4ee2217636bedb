//! What keys are limited to: scopes, networks, payloads, and the tenant whose workflow is meant.

use axum::body::Body;
use domain::access::Role;
use serde_json::{Value, json};

use crate::harness::{Client, Harness, from_address};
use crate::workflows::{definition, register};

/// A client with a key that is made by REST.
async fn made(harness: &Harness, key: &Value) -> (Client, Value) {
    let answer = harness.admin().post("/v1/api-keys", key).await.expect(201);
    (harness.client_of(answer.str("key")), answer.body)
}

#[tokio::test]
async fn scopes_are_checked_before_anything_else() {
    let harness = Harness::start().await;
    let scopes = json!([
        {"actions": ["jobs.enqueue"], "jobTypes": ["mail-*"]},
        {"actions": ["queues.read", "executions.start"]},
    ]);
    let (client, key) = made(&harness, &json!({"name": "k", "role": "client", "scopes": scopes})).await;
    assert_eq!(key["scopes"], scopes);
    client.get("/v1/queues").await.expect(200);
    client.post("/v1/jobs", &json!({"jobType": "mail-out", "data": 1})).await.expect(202);
    client.post("/v1/jobs", &json!({"jobType": "charge", "data": 1})).await.problem(403, "forbidden");
    let batch = json!({"jobs": [{"jobType": "mail-out", "data": 1}, {"jobType": "charge", "data": 1}]});
    client.post("/v1/jobs/batch", &batch).await.problem(403, "forbidden");
    for path in ["/v1/jobs", "/v1/executions", "/v1/api-keys", "/v1/audit"] {
        client.get(path).await.problem(403, "forbidden");
    }
    // The body is not even read.
    client.send(client.request("POST", "/v1/workflows", "{")).await.problem(403, "forbidden");
    let wrong =
        json!({"name": "k", "role": "client", "scopes": [{"actions": ["jobs.fly"]}], "networks": ["x"]});
    let refused = harness.admin().post("/v1/api-keys", &wrong).await.problem(422, "invalid");
    assert_eq!(refused.pointers(), ["/scopes/0/actions/0", "/networks/0"]);
}

#[tokio::test]
async fn a_worker_polls_all_tenants_only_where_its_scopes_say_so() {
    let harness = Harness::start().await;
    let poll = json!({"workerId": "w", "jobTypes": ["a"]});
    let of_one = json!({"workerId": "w", "jobTypes": ["a"], "tenant": "acme"});
    let worker = |scopes: Value| json!({"name": "k", "role": "worker", "scopes": scopes});
    let (one, _) = made(&harness, &worker(json!([{"actions": ["jobs.work"]}]))).await;
    one.post("/v1/jobs/poll", &poll).await.problem(403, "forbidden");
    one.post("/v1/jobs/poll", &of_one).await.expect(200);
    let (all, _) = made(&harness, &worker(json!([{"actions": ["jobs.work"], "tenants": ["*"]}]))).await;
    all.post("/v1/jobs/poll", &poll).await.expect(200);
    harness.client(Role::Worker, None).await.post("/v1/jobs/poll", &poll).await.expect(200);
}

#[tokio::test]
async fn keys_are_used_from_their_networks_only() {
    let harness = Harness::start().await;
    let (client, key) =
        made(&harness, &json!({"name": "k", "role": "client", "networks": ["192.0.2.0/24"]})).await;
    assert_eq!(key["networks"], json!(["192.0.2.0/24"]));
    let from = |address: &str| from_address(client.request("GET", "/v1/jobs", Body::empty()), address);
    client.send(from("192.0.2.9:4000")).await.expect(200);
    client.send(from("198.51.100.1:4000")).await.problem(403, "forbidden");
    client.get("/v1/jobs").await.problem(403, "forbidden");
}

#[tokio::test]
async fn keys_that_only_read_see_no_payloads_unless_they_are_to() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let job = admin.post("/v1/jobs", &json!({"jobType": "a", "data": {"card": "4111"}})).await.expect(202);
    let path = format!("/v1/jobs/{}", job.str("id"));
    let letter = format!("/v1/dead-letters/{}", harness.dead_letter("b").await);
    register(&admin, "hello").await;
    let run = admin.post("/v1/executions", &json!({"workflow": "hello", "input": {"who": "4111"}})).await;
    let run = format!("/v1/executions/{}", run.expect(202).str("id"));
    let (hidden, key) = made(&harness, &json!({"name": "k", "role": "viewer"})).await;
    assert_eq!(key["payloads"], false);
    let (shown, key) = made(&harness, &json!({"name": "k", "role": "viewer", "payloads": true})).await;
    assert_eq!(key["payloads"], true);
    let of_admin = admin.get(&path).await.expect(200);
    assert_eq!(of_admin.body["data"], json!({"card": "4111"}));
    assert_eq!(shown.get(&path).await.expect(200).body["data"], json!({"card": "4111"}));
    let veiled = hidden.get(&path).await.expect(200);
    assert!(veiled.body["data"].is_null() && veiled.body["id"] == of_admin.body["id"], "{}", veiled.text);
    assert!(hidden.get(&letter).await.expect(200).body["data"].is_null());
    assert!(hidden.get(&run).await.expect(200).body["input"].is_null());
    assert_eq!(shown.get(&run).await.expect(200).body["input"], json!({"who": "4111"}));
    for path in [&path, &letter, &run, &"/v1/jobs".to_owned()] {
        let answer = hidden.get(path).await.expect(200);
        assert!(!answer.text.contains("4111"), "{path}: {}", answer.text);
    }
}

#[tokio::test]
async fn a_key_is_rotated() {
    let harness = Harness::start().await;
    let (old, key) = made(&harness, &json!({"name": "k", "role": "client"})).await;
    let path = format!("/v1/api-keys/{}/rotate", key["id"].as_str().expect("an id"));
    let rotated = harness.admin().post_once(&path, "r", &json!({"overlap": "1h"})).await.expect(200);
    assert_eq!(rotated.body["id"], key["id"]);
    let new = harness.client_of(rotated.str("key"));
    for client in [&old, &new] {
        client.get("/v1/jobs").await.expect(200);
    }
    let again = harness.admin().post_once(&path, "r", &json!({"overlap": "1h"})).await.expect(200);
    assert!(again.body["key"].is_null(), "a repeat never holds a secret");
    harness.admin().post(&path, &json!({"overlap": "0s"})).await.expect(200);
    old.get("/v1/jobs").await.problem(401, "unauthenticated");
    new.get("/v1/jobs").await.problem(401, "unauthenticated");
    old.act(&path).await.problem(401, "unauthenticated");
}

#[tokio::test]
async fn the_last_admin_key_is_not_revoked() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let keys = admin.get("/v1/api-keys").await.expect(200);
    let path = format!("/v1/api-keys/{}", keys.body["items"][0]["id"].as_str().expect("an id"));
    admin.send(admin.request("DELETE", &path, "")).await.problem(409, "last_admin_key");
    admin.get("/v1/api-keys").await.expect(200);
}

#[tokio::test]
async fn an_operator_names_the_tenant_whose_workflow_is_meant() {
    let harness = Harness::start().await;
    let acme = harness.client(Role::Operator, Some("acme")).await;
    register(&acme, "own").await;
    register(&harness.admin(), "shared").await;
    acme.post("/v1/workflows", &definition("shared", 1)).await.expect(201);
    let operator = harness.client(Role::Operator, None).await;
    operator.act("/v1/workflows/own/pause").await.problem(404, "not_found");
    let limits = json!({"workflow-execution": {"maxConcurrent": 1}});
    operator.put("/v1/workflows/own/limits", &limits).await.problem(404, "not_found");
    operator.act("/v1/workflows/own/pause?tenant=acme").await.expect(200);
    operator.put("/v1/workflows/own/limits?tenant=acme", &limits).await.expect(200);
    assert_eq!(acme.get("/v1/workflows/own").await.expect(200).body["paused"], true);
    // Of two of the same name the one of the tenant is meant, or the shared one, never both.
    operator.act("/v1/workflows/shared/pause?tenant=acme").await.expect(200);
    assert_eq!(acme.get("/v1/workflows/shared").await.expect(200).body["paused"], true);
    assert_eq!(operator.get("/v1/workflows/shared").await.expect(200).body["paused"], false);
    // What all tenants share is not a tenant's.
    operator.act("/v1/workflows/shared/pause?tenant=umbrella").await.problem(403, "forbidden");
    acme.act("/v1/workflows/own/resume?tenant=umbrella").await.problem(403, "forbidden");
    let lines = operator.get("/v1/audit").await.expect(200);
    let pause = lines.body["items"].as_array().expect("lines").iter().find(|line| line["subject"] == "own");
    assert_eq!(pause.expect("listed")["tenant"], "acme", "the line is of the object's tenant");
}

#[tokio::test]
async fn commands_and_failures_to_come_in_are_in_the_audit_log() {
    let harness = Harness::start().await;
    let acme = harness.client(Role::Operator, Some("acme")).await;
    register(&acme, "hello").await;
    let run = json!({"workflow": "hello", "input": {"who": "Ada"}});
    let id = acme.post("/v1/executions", &run).await.expect(202).str("id").to_owned();
    let admin = harness.admin();
    let mut signal = admin.request("POST", &format!("/v1/executions/{id}/signals/go"), "{}");
    signal.headers_mut().insert("user-agent", "tester/1".parse().expect("a header"));
    signal.headers_mut().insert("x-request-id", "request-7".parse().expect("a header"));
    admin.send(from_address(signal, "192.0.2.9:4000")).await.expect(202);
    for header in ["Bearer tl_wrong", "Bearer tl_another", "Basic dXNlcjpwdw=="] {
        let wrong = harness.client_of("tl_wrong");
        let mut request = wrong.request("GET", "/v1/jobs", Body::empty());
        for (name, value) in
            [("authorization", header), ("user-agent", "guesser/1"), ("x-request-id", "guess-1")]
        {
            request.headers_mut().insert(name, value.parse().expect("a header"));
        }
        wrong.send(from_address(request, "192.0.2.66:4000")).await.problem(401, "unauthenticated");
    }
    harness.engine.engine.flush_audit().await;
    let log = admin.get("/v1/audit").await.expect(200);
    let lines = log.body["items"].as_array().expect("lines");
    let of = |action: &str| lines.iter().find(|line| line["action"] == action).expect("listed").clone();
    let signal = of("execution.signal");
    assert_eq!((&signal["subject"], &signal["tenant"]), (&json!(id), &json!("acme")), "the object's tenant");
    assert_eq!((&signal["address"], &signal["userAgent"]), (&json!("192.0.2.9"), &json!("tester/1")));
    assert_eq!(signal["requestId"], "request-7");
    let failed = of("auth.failed");
    assert_eq!((&failed["subject"], &failed["detail"]["count"]), (&json!("192.0.2.66"), &json!(3)));
    assert_eq!((&failed["address"], &failed["userAgent"]), (&json!("192.0.2.66"), &json!("guesser/1")));
    assert_eq!(failed["detail"]["requestIds"][0], "guess-1");
    assert_eq!(of("execution.start")["tenant"], "acme");
    assert!(!log.text.contains("tl_wrong"));
    let own = acme.get("/v1/audit").await.expect(200);
    assert!(!own.text.contains("auth.failed"), "strangers are nobody's");
}
