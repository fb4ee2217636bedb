//! `/v1/executions` and `/v1/commands`.

use serde_json::{Value, json};

use crate::harness::{Client, Harness};
use crate::workflows::register;

async fn start(client: &Client, workflow: &str) -> String {
    let body = json!({"workflow": workflow, "input": {"who": "Ada"}});
    client.post("/v1/executions", &body).await.expect(202).str("id").to_owned()
}

/// Does the one node of the workflow.
async fn greet(client: &Client) {
    let poll = json!({"workerId": "tester", "jobTypes": ["greet"], "wait": "20s"});
    let polled = client.post("/v1/jobs/poll", &poll).await.expect(200);
    let job = &polled.body["jobs"][0];
    assert_eq!(job["nodeId"], "greet", "{}", polled.text);
    assert_eq!(job["data"], json!({"who": "Ada"}));
    assert!(job["executionId"].is_string() && job["workflow"].is_string());
    let done = json!({"jobs": [{"id": job["id"], "leaseToken": job["leaseToken"], "result": {"text": "Hello Ada"}}]});
    client.post("/v1/jobs/complete", &done).await.expect(200);
}

#[tokio::test]
async fn an_execution_runs_to_its_end() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    register(&admin, "hello").await;
    let body =
        json!({"workflow": "hello", "input": {"who": "Ada"}, "correlationId": "order-7", "tags": ["t"]});
    let accepted = admin.post("/v1/executions", &body).await.expect(202);
    assert_eq!(accepted.body["status"], "PENDING");
    assert!(accepted.str("jobId").starts_with("job_") && accepted.body["position"].is_i64());
    let id = accepted.str("id").to_owned();
    let shown = admin.get(&format!("/v1/executions/{id}")).await.expect(200);
    let expected = json!({
        "workflow": "hello", "version": 1, "status": "PENDING", "priority": "high", "tenant": "default",
        "trigger": {"kind": "user"}, "input": {"who": "Ada"}, "correlationId": "order-7", "tags": ["t"],
        "createdAt": "2026-11-20T12:00:00.000Z", "jobId": accepted.body["jobId"],
    });
    for (field, value) in expected.as_object().expect("an object") {
        assert_eq!(&shown.body[field], value, "{field}");
    }
    assert!(shown.body.get("output").is_none() && shown.body.get("completedAt").is_none());

    let owned = harness.engine.own_next().await;
    greet(&admin).await;
    let ended = admin.get(&format!("/v1/executions/{id}?wait=true&timeout=20s")).await.expect(200);
    assert_eq!(ended.body["status"], "COMPLETED");
    assert_eq!(ended.body["output"], json!({"greeting": "Hello Ada"}));
    owned.end.await.expect("no panic");

    let nodes = admin.get(&format!("/v1/executions/{id}/nodes")).await.expect(200);
    let node = &nodes.body["items"][0];
    assert_eq!((node["nodeId"].as_str(), node["type"].as_str()), (Some("greet"), Some("SERVICE_TASK")));
    assert_eq!((node["status"].as_str(), node["attempts"].as_u64()), (Some("COMPLETED"), Some(1)));
    assert_eq!(node["output"], json!({"text": "Hello Ada"}));
    let timeline = admin.get(&format!("/v1/executions/{id}/events")).await.expect(200);
    let kinds: Vec<&str> = timeline.body["items"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|event| event["kind"].as_str())
        .collect();
    assert_eq!(kinds.first().copied(), Some("execution_started"));
    assert_eq!(kinds.last().copied(), Some("execution_completed"));
    let part = admin.get(&format!("/v1/executions/{id}/events?limit=1")).await.expect(200);
    let cursor = part.str("nextCursor").to_owned();
    let rest = admin.get(&format!("/v1/executions/{id}/events?cursor={cursor}")).await.expect(200);
    assert_eq!(rest.body["items"].as_array().map(Vec::len), Some(kinds.len() - 1));
}

#[tokio::test]
async fn a_start_can_come_later_or_not_at_all() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    register(&admin, "hello").await;
    let with = |field: &str, value: &str| {
        let mut body = json!({"workflow": "hello", "input": {"who": "Ada"}});
        body[field] = json!(value);
        body
    };
    for (field, value) in [("delay", "1h"), ("runAt", "2026-11-20T13:00:00Z")] {
        let later = admin.post("/v1/executions", &with(field, value)).await.expect(202);
        assert_eq!(later.body["status"], "PENDING");
        let why = admin.get(&format!("/v1/executions/{}/why", later.str("id"))).await.expect(200);
        assert_eq!(why.body["job"]["reason"], "not_due", "{}", why.text);
        assert_eq!(why.body["job"]["freesWhen"], "2026-11-20T13:00:00.000Z", "{}", why.text);
    }
    let brief = admin.post("/v1/executions", &with("expiresIn", "5s")).await.expect(202);
    harness.engine.clock.advance(domain::time::DurationMs::from_secs(5));
    harness.engine.engine.expire_tick().await.expect("expire works");
    let ended = admin.get(&format!("/v1/executions/{}", brief.str("id"))).await.expect(200);
    assert_eq!(
        (ended.body["status"].as_str(), ended.body["error"]["code"].as_str()),
        (Some("CANCELLED"), Some("expired"))
    );
    for (field, value) in [("delay", "-1s"), ("runAt", "tomorrow"), ("expiresIn", "0s")] {
        let refused = admin.post("/v1/executions", &with(field, value)).await.problem(422, "invalid");
        assert_eq!(refused.pointers(), [format!("/{field}")]);
    }
}

#[tokio::test]
async fn a_start_can_wait_for_the_end() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    register(&admin, "hello").await;
    let body = json!({"workflow": "hello", "input": {"who": "Ada"}});
    let late = admin.post("/v1/executions?wait=true&timeout=10ms", &body).await.expect(202);
    assert_eq!(late.body["status"], "PENDING");
    admin.act(&format!("/v1/executions/{}/cancel", late.str("id"))).await.expect(202);

    let waiting = {
        let (admin, body) = (admin.clone(), body.clone());
        tokio::spawn(async move { admin.post("/v1/executions?wait=true&timeout=20s", &body).await })
    };
    testkit::eventually("the execution is queued", || async {
        admin.get("/v1/executions?status=PENDING").await.body["items"][0].is_object()
    })
    .await;
    let owned = harness.engine.own_next().await;
    greet(&admin).await;
    let ended = waiting.await.expect("no panic").expect(200);
    assert_eq!(ended.body["status"], "COMPLETED");
    assert_eq!(ended.body["output"], json!({"greeting": "Hello Ada"}));
    owned.end.await.expect("no panic");
}

#[tokio::test]
async fn faults_of_a_start_have_a_place() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    register(&admin, "hello").await;
    for (body, pointers) in [
        (json!({"workflow": "hello", "input": {"who": 5}}), vec!["/input/who"]),
        (json!({"input": {}}), vec!["/workflow"]),
        (json!({"workflow": "no spaces", "input": {}}), vec!["/workflow"]),
        (json!({"workflow": "hello", "input": {"who": "a"}, "version": -1}), vec!["/version"]),
        (json!({"workflow": "hello", "input": {"who": "a"}, "traceparent": "x"}), vec!["/traceparent"]),
    ] {
        let refused = admin.post("/v1/executions", &body).await.problem(422, "invalid");
        assert_eq!(refused.pointers(), pointers, "{body}");
    }
    admin.post("/v1/executions", &json!({"workflow": "none", "input": {}})).await.problem(404, "not_found");
    let late = admin.post("/v1/executions?wait=true&timeout=61s", &json!({"workflow": "hello"})).await;
    assert_eq!(late.problem(422, "invalid").pointers(), ["/timeout"]);
    let good = json!({"workflow": "hello", "input": {"who": "a"}});
    let batch = json!({"executions": [good, {"workflow": "hello", "input": {"who": 5}}]});
    let refused = admin.post("/v1/executions/batch", &batch).await.problem(422, "invalid");
    assert_eq!(refused.pointers(), ["/executions/1/input/who"]);
    assert_eq!(admin.get("/v1/executions").await.body["items"], json!([]), "nothing was stored");
}

#[tokio::test]
async fn batches_of_executions() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    register(&admin, "hello").await;
    let good = json!({"workflow": "hello", "input": {"who": "a"}});
    let answer = admin.post("/v1/executions/batch", &json!({"executions": [good, good]})).await.expect(202);
    assert_eq!(answer.body["results"].as_array().map(Vec::len), Some(2));
    let mixed = json!({"partial": true, "executions": [{"workflow": "none", "input": {}}, good, {"workflow": "hello", "input": 1}]});
    let answer = admin.post("/v1/executions/batch", &mixed).await.expect(202);
    let results = answer.body["results"].as_array().expect("a list");
    assert_eq!(results[0]["error"]["code"], "not_found");
    assert!(results[1]["id"].as_str().is_some_and(|id| id.starts_with("exe_")));
    assert_eq!(results[2]["error"]["code"], "invalid");
    let list = admin.get("/v1/executions?workflow=hello&status=PENDING&priority=high").await.expect(200);
    assert_eq!(list.body["items"].as_array().map(Vec::len), Some(3));
    assert!(list.body["items"][0].get("input").is_none(), "inputs are not in lists");
    let page = admin.get("/v1/executions?limit=2").await.expect(200);
    let cursor = page.str("nextCursor").to_owned();
    let page = admin.get(&format!("/v1/executions?limit=2&cursor={cursor}")).await.expect(200);
    assert_eq!(page.body["items"].as_array().map(Vec::len), Some(1));
    assert_eq!(page.body["nextCursor"], Value::Null);
}

#[tokio::test]
async fn commands_are_recorded_and_looked_up() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    register(&admin, "hello").await;
    let id = start(&admin, "hello").await;
    admin.act(&format!("/v1/executions/{id}/retry")).await.expect(409);
    let cancel = admin
        .post(&format!("/v1/executions/{id}/cancel"), &json!({"reason": "not wanted"}))
        .await
        .expect(202);
    let position = cancel.body["commandPosition"].as_i64().expect("a position");
    let command = admin.get(&format!("/v1/commands/{position}")).await.expect(200);
    let expected = json!({"position": position, "executionId": id, "intent": "cancel", "status": "applied"});
    assert_eq!(command.body, expected);
    assert_eq!(admin.get(&format!("/v1/executions/{id}")).await.body["status"], "CANCELLED");
    for missing in
        ["/v1/commands/999999", "/v1/commands/x", "/v1/executions/exe_1", "/v1/executions/exe_1/nodes"]
    {
        admin.get(missing).await.problem(404, "not_found");
    }
    let unknown = "/v1/executions/exe_00000000000000000000000000000001";
    admin.get(&format!("{unknown}/events")).await.problem(404, "not_found");
    admin.act(&format!("{unknown}/cancel")).await.problem(404, "not_found");
}
