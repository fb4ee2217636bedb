//! Workers, the audit log, and the stream of changes.

use std::time::Duration;

use axum::body::Body;
use futures::StreamExt;
use serde_json::json;
use tower::ServiceExt;

use crate::harness::Harness;

#[tokio::test]
async fn workers_are_listed() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let poll = json!({"workerId": "w-1", "jobTypes": ["a", "b"]});
    admin.post("/v1/jobs/poll", &poll).await.expect(200);
    testkit::eventually("the worker is noted", || async {
        harness.engine.engine.flush_workers().await.expect("notes");
        admin.get("/v1/workers").await.expect(200).body["items"][0]["id"] == "w-1"
    })
    .await;
    let list = admin.get("/v1/workers").await.expect(200);
    let worker = &list.body["items"][0];
    assert_eq!((worker["kind"].as_str(), worker["leased"].as_u64()), (Some("external"), Some(0)));
    assert_eq!(worker["jobTypes"], json!(["a", "b"]));
    for (filter, count) in [
        ("kind=external&jobType=b,c", 1),
        ("jobType=c", 0),
        ("lastSeenBefore=2020-01-01", 0),
        ("q=-kind:pool", 1),
    ] {
        let list = admin.get(&format!("/v1/workers?{filter}")).await.expect(200);
        assert_eq!(list.body["items"].as_array().map(Vec::len), Some(count), "{filter}");
    }
    admin.get("/v1/workers?status=idle").await.problem(422, "invalid");
}

#[tokio::test]
async fn a_drained_worker_gets_no_jobs_and_is_asked_to_end() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let poll = json!({"workerId": "w-1", "jobTypes": ["a"], "build": "2026.11"});
    assert_eq!(admin.post("/v1/jobs/poll", &poll).await.expect(200).body, json!({"jobs": []}));
    admin.post("/v1/jobs", &json!({"jobType": "a"})).await.expect(202);
    let held = admin.post("/v1/jobs/poll", &poll).await.expect(200).body["jobs"][0].clone();
    let next = admin.post("/v1/jobs", &json!({"jobType": "a"})).await.expect(202).str("id").to_owned();
    admin.act("/v1/workers/w-1/drain").await.expect(204);
    let drained = json!({"jobs": [], "drain": true});
    assert_eq!(admin.post("/v1/jobs/poll", &poll).await.expect(200).body, drained);
    let why = admin.get(&format!("/v1/jobs/{next}/why")).await.expect(200).body;
    assert_eq!(why["reason"], "no_worker", "nobody else takes its type: {why}");
    let list = admin.get("/v1/workers").await.expect(200);
    let worker = &list.body["items"][0];
    assert_eq!((&worker["draining"], &worker["build"]), (&json!(true), &json!("2026.11")), "{worker}");

    // What it has it may report, and the next jobs are not for it.
    let report = json!({"jobs": [{"id": held["id"], "leaseToken": held["leaseToken"]}], "poll": poll});
    let answer = admin.post("/v1/jobs/complete", &report).await.expect(200).body;
    assert_eq!(
        (&answer["results"][0]["outcome"], &answer["drain"]),
        (&json!("ok"), &json!(true)),
        "{answer}"
    );
    assert_eq!(answer["jobs"], json!([]));
    let other = json!({"workerId": "w-2", "jobTypes": ["a"]});
    assert_eq!(
        admin.post("/v1/jobs/poll", &other).await.expect(200).body["jobs"].as_array().map(Vec::len),
        Some(1)
    );

    admin.act("/v1/workers/nobody/drain").await.problem(404, "not_found");
    admin.act("/v1/workers/w-1/drain?tenant=acme").await.problem(404, "not_found");
    let tenant = harness.client(domain::access::Role::Operator, Some("acme")).await;
    tenant.act("/v1/workers/w-1/drain").await.problem(404, "not_found");
    harness.engine.clock.advance(domain::time::DurationMs::from_secs(61));
    assert_eq!(admin.post("/v1/jobs/poll", &poll).await.expect(200).body, json!({"jobs": []}), "it was gone");
}

#[tokio::test]
async fn job_types_are_pinned_to_builds() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let path = "/v1/job-types/greet/builds";
    let pin = admin.put(path, &json!({"builds": ["v2"]})).await.expect(200).body;
    assert_eq!((&pin["builds"], &pin["source"]), (&json!(["v2"]), &json!("operator")), "{pin}");
    let id = admin.post("/v1/jobs", &json!({"jobType": "greet"})).await.expect(202).str("id").to_owned();
    let poll = |worker: &str, build: &str| json!({"workerId": worker, "jobTypes": ["greet"], "build": build});
    let none = admin.post("/v1/jobs/poll", &poll("w-1", "v1")).await.expect(200).body;
    assert_eq!(none, json!({"jobs": []}));
    let why = admin.get(&format!("/v1/jobs/{id}/why")).await.expect(200).body;
    assert_eq!(why["reason"], "no_worker_of_build", "{why}");
    let got = admin.post("/v1/jobs/poll", &poll("w-2", "v2")).await.expect(200).body;
    assert_eq!(got["jobs"][0]["id"], json!(id));
    assert_eq!(admin.get("/v1/builds").await.expect(200).body["items"], json!([pin]));
    admin.delete(path).await.expect(204);
    admin.delete(path).await.problem(404, "not_found");

    // Who was there before the pin was removed does not bring it back.
    harness.engine.clock.advance(domain::time::DurationMs::from_secs(1));
    let mut pinning = poll("w-3", "v3");
    pinning["builds"] = json!(["v3"]);
    admin.post("/v1/jobs/poll", &pinning).await.expect(200);
    let pins = admin.get("/v1/builds").await.expect(200).body;
    assert_eq!(
        (&pins["items"][0]["builds"], &pins["items"][0]["source"]),
        (&json!(["v3"]), &json!("worker"))
    );
    pinning["builds"] = json!(["v4"]);
    admin.post("/v1/jobs/poll", &pinning).await.problem(422, "invalid");
    let worker = harness.client(domain::access::Role::Worker, None).await;
    worker.put(path, &json!({"builds": ["v1"]})).await.problem(403, "forbidden");
}

#[tokio::test]
async fn changes_by_operators_are_in_the_audit_log() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    admin.act("/v1/queues/workflow-node/pause").await.expect(200);
    let log = admin.get("/v1/audit?limit=1").await.expect(200);
    let line = &log.body["items"][0];
    assert!(line["id"].as_str().is_some_and(|id| id.starts_with("evt_")));
    assert!(line["actor"].as_str().is_some_and(|actor| actor.starts_with("key_")), "{line}");
    assert!(line["action"].as_str().is_some_and(|action| action.starts_with("queue.")), "{line}");
    assert!(log.str("nextCursor").starts_with("evt_"));
}

#[tokio::test]
async fn changes_are_streamed() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let request = admin.request("GET", "/v1/events", Body::empty());
    let response = harness.router.clone().oneshot(request).await.expect("routers do not fail");
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let mut events = response.into_body().into_data_stream();
    admin.post("/v1/jobs", &json!({"jobType": "s", "data": 1})).await.expect(202);
    let event = tokio::time::timeout(Duration::from_secs(20), events.next()).await.expect("in time");
    let text = String::from_utf8(event.expect("an event").expect("no error").to_vec()).expect("text");
    assert!(text.contains("event: queue"), "{text}");
    assert!(text.contains(r#"data: {"kind":"queue","queue":"workflow-node"}"#), "{text}");
    admin.put("/v1/alerts/rules/depth", &json!({"metric": "depth", "above": 0})).await.expect(200);
    assert!(harness.engine.engine.alerts_tick().await.expect("rules are evaluated"));
    let mut seen = String::new();
    while !seen.contains(r#"data: {"kind":"alert"}"#) {
        let event = tokio::time::timeout(Duration::from_secs(20), events.next()).await.expect("in time");
        let bytes = event.expect("an event").expect("no error");
        seen.push_str(std::str::from_utf8(&bytes).expect("text"));
    }
    harness.engine.engine.begin_shutdown();
    let rest = tokio::time::timeout(Duration::from_secs(20), events.collect::<Vec<_>>()).await;
    assert!(rest.is_ok(), "a shutdown ends the stream");
}

#[tokio::test]
async fn a_revoked_key_ends_its_event_stream() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let made = admin.post("/v1/api-keys", &json!({"name": "w", "role": "viewer"})).await.expect(201);
    let viewer = harness.client_of(made.str("key"));
    let request = viewer.request("GET", "/v1/events", Body::empty());
    let response = harness.router.clone().oneshot(request).await.expect("routers do not fail");
    assert_eq!(response.status(), 200);
    let events = response.into_body().into_data_stream();
    let path = format!("/v1/api-keys/{}", made.str("id"));
    admin.send(admin.request("DELETE", &path, "")).await.expect(204);
    let rest = tokio::time::timeout(Duration::from_secs(20), events.collect::<Vec<_>>()).await;
    assert!(rest.is_ok(), "nobody whose key is revoked is told of changes");
}

#[tokio::test]
async fn processes_of_the_deployment_are_listed() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let engine = &harness.engine.engine;
    engine.record_server().await.expect("nothing is shown by who has not said what it is");
    assert_eq!(admin.get("/v1/servers").await.expect(200).body["items"], json!([]));
    let info = engine::ServerInfo { version: "1.2.3".into(), roles: vec!["api".into()] };
    engine.describe_server(info);
    engine.record_server().await.expect("it is shown");
    let list = admin.get("/v1/servers").await.expect(200).body;
    let server = &list["items"][0];
    assert!(server["id"].as_str().is_some_and(|id| id.starts_with("srv_")), "{server}");
    assert_eq!((&server["version"], &server["roles"]), (&json!("1.2.3"), &json!(["api"])));
    assert!(server["clockOffsetMs"].is_i64() || server["clockOffsetMs"].is_u64(), "{server}");
    harness
        .client(domain::access::Role::Admin, Some("acme"))
        .await
        .get("/v1/servers")
        .await
        .problem(403, "forbidden");
    harness.engine.clock.advance(domain::time::DurationMs::from_secs(61));
    assert_eq!(admin.get("/v1/servers").await.expect(200).body["items"], json!([]), "it is silent");
    engine.remove_server().await.expect("it goes");
}
