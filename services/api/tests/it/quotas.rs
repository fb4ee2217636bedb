//! What tenants may keep: jobs, executions, answers for repeats, definitions; what they use of it.

use api::ApiOptions;
use axum::body::Body;
use axum::http::{Request, StatusCode};
use domain::access::Role;
use domain::quota::{QuotaKind, Quotas};
use serde_json::{Value, json};

use crate::harness::{Answer, Client, Harness, send};

fn job() -> Value {
    json!({"jobType": "x", "data": {"n": 1}})
}

/// The figures of `quota_exceeded`.
fn exceeded(answer: &Answer) -> (Value, Value, Value) {
    let body = &answer.body;
    (body["quota"].clone(), body["used"].clone(), body["limit"].clone())
}

async fn set(admin: &Client, tenant: &str, quotas: &Value) {
    admin.put(&format!("/v1/tenants/{tenant}/quotas"), quotas).await.expect(200);
}

#[tokio::test]
async fn a_tenant_has_as_many_open_jobs_as_it_may_and_others_have_theirs() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    set(&admin, "acme", &json!({"openJobs": 3})).await;
    let (acme, other) = (
        harness.client(Role::Client, Some("acme")).await,
        harness.client(Role::Client, Some("umbrella")).await,
    );
    acme.post("/v1/jobs", &job()).await.expect(202);
    let batch = json!({"jobs": [job(), job(), job()]});
    let refused = acme.post("/v1/jobs/batch", &batch).await.problem(429, "quota_exceeded");
    assert_eq!(exceeded(&refused), (json!("openJobs"), json!(1), json!(3)));
    assert!(refused.header("retry-after").is_some());
    acme.post("/v1/jobs/batch", &json!({"jobs": [job(), job()]})).await.expect(202);
    acme.post("/v1/jobs", &job()).await.problem(429, "quota_exceeded");
    other.post("/v1/jobs/batch", &batch).await.expect(202);
    let viewer = harness.client(Role::Viewer, Some("acme")).await;
    let usage = viewer.get("/v1/tenants/acme/usage").await.expect(200);
    assert_eq!(usage.body["openJobs"], json!({"used": 3, "exact": true, "quota": 3}));
    assert_eq!(usage.body["openExecutions"], json!({"used": 0, "exact": true, "quota": null}));
    viewer.get("/v1/tenants/umbrella/usage").await.problem(404, "not_found");
    let taken = harness.admin().take("x").await;
    let report = json!({"jobs": [{"id": taken["id"], "leaseToken": taken["leaseToken"], "result": {}}]});
    admin.post("/v1/jobs/complete", &report).await.expect(200);
    // Whether it was acme's or umbrella's: with no quota both go on.
    set(&admin, "acme", &json!({"openJobs": "unlimited"})).await;
    acme.post("/v1/jobs", &job()).await.expect(202);
}

#[tokio::test]
async fn what_ended_makes_room() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    set(&admin, "default", &json!({"openJobs": 1})).await;
    admin.post("/v1/jobs", &job()).await.expect(202);
    admin.post("/v1/jobs", &job()).await.problem(429, "quota_exceeded");
    let taken = admin.take("x").await;
    let report = json!({"jobs": [{"id": taken["id"], "leaseToken": taken["leaseToken"], "result": {}}]});
    admin.post("/v1/jobs/complete", &report).await.expect(200);
    testkit::eventually("the figure is measured anew", || async {
        admin.post("/v1/jobs", &job()).await.status == StatusCode::ACCEPTED
    })
    .await;
}

#[tokio::test]
async fn history_that_is_kept_has_a_quota() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    admin.post("/v1/jobs", &job()).await.expect(202);
    let taken = admin.take("x").await;
    let report = json!({"jobs": [{"id": taken["id"], "leaseToken": taken["leaseToken"], "result": {}}]});
    admin.post("/v1/jobs/complete", &report).await.expect(200);
    set(&admin, "default", &json!({"historyRows": 1})).await;
    let refused = admin.post("/v1/jobs", &job()).await.problem(429, "quota_exceeded");
    assert_eq!(exceeded(&refused), (json!("historyRows"), json!(1), json!(1)));
    let usage = admin.get("/v1/tenants/default/usage").await.expect(200);
    assert_eq!(usage.body["historyRows"]["quota"], json!(1));
    testkit::eventually("what has ended is counted", || async {
        let usage = admin.get("/v1/tenants/default/usage").await.expect(200);
        usage.body["historyRows"] == json!({"used": 1, "exact": true, "quota": 1})
    })
    .await;
    set(&admin, "default", &json!({"historyRows": 2})).await;
    admin.post("/v1/jobs", &job()).await.expect(202);
}

#[tokio::test]
async fn executions_and_bytes_have_quotas_too() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let definition =
        json!({"name": "w", "version": 1, "nodes": [{"id": "go", "type": "SIGNAL", "signal": "go"}]});
    admin.post("/v1/workflows", &definition).await.expect(201);
    set(&admin, "default", &json!({"openExecutions": 1, "payloadBytes": 1_000})).await;
    let start = json!({"workflow": "w", "input": {"a": 1}});
    admin.post("/v1/executions", &start).await.expect(202);
    let refused = admin.post("/v1/executions", &start).await.problem(429, "quota_exceeded");
    assert_eq!(exceeded(&refused).0, "openExecutions");
    let large = json!({"jobType": "x", "data": {"text": "a".repeat(1_000)}});
    let refused = admin.post("/v1/jobs", &large).await.problem(429, "quota_exceeded");
    assert_eq!(exceeded(&refused).0, "payloadBytes");
    admin.post("/v1/jobs", &job()).await.expect(202);
}

/// What is open answers a start that creates nothing, also at the quota; the others count.
#[tokio::test]
async fn a_start_that_joins_needs_no_room() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let definition =
        json!({"name": "w", "version": 1, "nodes": [{"id": "go", "type": "SIGNAL", "signal": "go"}]});
    admin.post("/v1/workflows", &definition).await.expect(201);
    set(&admin, "default", &json!({"openExecutions": 2})).await;
    let start = |key: &str, policy: &str| json!({"workflow": "w", "input": {}, "uniqueKey": key, "uniquePolicy": policy});
    let first = admin.post("/v1/executions", &start("a", "join")).await.expect(202).str("id").to_owned();
    for _ in 0..3 {
        let joined = admin.post("/v1/executions", &start("a", "join")).await.expect(202);
        assert_eq!((joined.str("id"), &joined.body["existing"]), (first.as_str(), &json!(true)));
    }
    admin.post("/v1/executions", &start("b", "reject")).await.expect(202);
    let joined = admin.post("/v1/executions", &start("a", "join")).await.expect(202);
    assert_eq!(joined.str("id"), first);
    let mut signals = start("a", "join");
    signals["signal"] = json!({"name": "go", "payload": 1});
    let signalled = admin.post("/v1/executions", &signals).await.expect(202);
    assert_eq!(signalled.str("id"), first);
    assert!(signalled.body["commandPosition"].is_number(), "{}", signalled.text);
    admin.post("/v1/executions", &start("b", "reject")).await.problem(409, "execution_exists");
    for (key, policy) in [("b", "replace"), ("b", "queue"), ("c", "join"), ("c", "reject")] {
        let refused = admin.post("/v1/executions", &start(key, policy)).await.problem(429, "quota_exceeded");
        assert_eq!(exceeded(&refused), (json!("openExecutions"), json!(2), json!(2)), "{key} {policy}");
    }
}

/// Whoever may not start more may not run again what has ended, nor the slots of a schedule.
#[tokio::test]
async fn reruns_and_runs_by_hand_count_like_starts() {
    let harness = Harness::start().await;
    let _pool = harness.engine.run_executions(1);
    let admin = harness.admin();
    let definition =
        json!({"name": "w", "version": 1, "nodes": [{"id": "a", "type": "TRANSFORM", "output": "${1}"}]});
    admin.post("/v1/workflows", &definition).await.expect(201);
    let start = json!({"workflow": "w", "input": {}});
    let ended = admin.post("/v1/executions?wait=true&timeout=20s", &start).await.expect(200);
    let schedule = json!({"name": "s", "workflow": "w", "cron": "0 * * * *", "input": {}});
    let schedule = admin.post("/v1/schedules", &schedule).await.expect(201).str("id").to_owned();
    set(&admin, "default", &json!({"openExecutions": 0})).await;
    let rerun = format!("/v1/executions/{}/rerun", ended.str("id"));
    let backfill = format!("/v1/schedules/{schedule}/backfill");
    let span = json!({"from": "2026-11-20T08:00:00Z", "to": "2026-11-20T09:00:00Z"});
    let by_hand = admin.act(&format!("/v1/schedules/{schedule}/run")).await;
    let rerun = admin.post(&rerun, &json!({"fromNode": "a"})).await;
    let backfill = admin.post(&backfill, &span).await;
    for refused in [by_hand, rerun, backfill] {
        let refused = refused.problem(429, "quota_exceeded");
        assert_eq!(exceeded(&refused), (json!("openExecutions"), json!(0), json!(0)));
    }
}

#[tokio::test]
async fn answers_for_repeats_are_kept_for_as_many_as_a_key_may_have() {
    let harness = Harness::with_policy(ApiOptions::default(), |policy| {
        policy.quotas.defaults = Quotas::default().with(QuotaKind::IdempotencyKeys, Some(2));
    })
    .await;
    let admin = harness.admin();
    let first = admin.post_once("/v1/jobs", "one", &job()).await.expect(202);
    admin.post_once("/v1/jobs", "two", &job()).await.expect(202);
    let refused = admin.post_once("/v1/jobs", "three", &job()).await.problem(429, "quota_exceeded");
    assert_eq!(exceeded(&refused), (json!("idempotencyKeys"), json!(2), json!(2)));
    let again = admin.post_once("/v1/jobs", "one", &job()).await.expect(202);
    assert_eq!(again.text, first.text, "what was kept is answered");
    admin.post("/v1/jobs", &job()).await.expect(202);
}

/// A definition that waits for a signal.
fn definition(name: &str, version: u32) -> Value {
    json!({"name": name, "version": version, "nodes": [{"id": "go", "type": "SIGNAL", "signal": "go"}]})
}

/// Nobody but people removes these, so that they have quotas where nobody sets any.
#[tokio::test]
async fn definitions_and_keys_have_quotas() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let own = harness.client(Role::Admin, Some("acme")).await;
    let other = harness.client(Role::Admin, Some("umbrella")).await;
    let quotas = json!({"workflowVersions": 2, "schedules": 1, "webhooks": 1, "apiKeys": 2});
    set(&admin, "acme", &quotas).await;
    let schedule = |name: &str| json!({"name": name, "workflow": "w", "cron": "0 * * * *", "input": {}});
    let webhook = |name: &str| json!({"name": name, "provider": "none", "triggers": []});
    let key = |name: &str| json!({"name": name, "role": "viewer"});
    for (number, path, quota, body, next) in [
        (2, "/v1/workflows", "workflowVersions", definition("w", 2), definition("w", 3)),
        (1, "/v1/schedules", "schedules", schedule("one"), schedule("two")),
        (1, "/v1/webhooks", "webhooks", webhook("one"), webhook("two")),
        (2, "/v1/api-keys", "apiKeys", key("one"), key("two")),
    ] {
        if quota == "workflowVersions" {
            own.post(path, &definition("w", 1)).await.expect(201);
        }
        own.post(path, &body).await.expect(201);
        let refused = own.post(path, &next).await.problem(429, "quota_exceeded");
        assert_eq!(exceeded(&refused), (json!(quota), json!(number), json!(number)));
        if quota == "workflowVersions" {
            other.post(path, &definition("w", 1)).await.expect(201);
        }
        other.post(path, &body).await.expect(201);
        other.post(path, &next).await.expect(201);
        let usage = own.get("/v1/tenants/acme/usage").await.expect(200);
        let figure = json!({"used": number, "exact": true, "quota": number});
        assert_eq!(usage.body[quota], figure, "{}", usage.text);
    }
    own.post("/v1/workflows", &definition("w", 2)).await.expect(200);
    admin.post("/v1/workflows", &definition("shared", 1)).await.expect(201);
    let unset = admin.get("/v1/tenants/umbrella/quotas").await.expect(200);
    for quota in ["workflowVersions", "schedules", "webhooks", "apiKeys", "definitionBytes"] {
        assert!(unset.body[quota].is_u64(), "{quota}: {}", unset.text);
    }
    let too_many = json!({"schedules": 1_000_001});
    admin.put("/v1/tenants/acme/quotas", &too_many).await.problem(422, "invalid");
}

/// Events that would only be tried again and again are refused, and say why.
#[tokio::test]
async fn events_that_would_wait_to_start_are_refused_where_nothing_more_may() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let acme = harness.client(Role::Admin, Some("acme")).await;
    admin.post("/v1/workflows", &definition("w", 1)).await.expect(201);
    let trigger = json!({"name": "t", "events": ["order.*"], "workflow": "w", "debounce": {"period": "1h"}});
    acme.post("/v1/triggers", &trigger).await.expect(201);
    let event = |name: &str| json!({"name": name, "data": {}});
    acme.post("/v1/events", &event("order.paid")).await.expect(202);
    set(&admin, "acme", &json!({"waitingStartBytes": 0})).await;
    let refused = acme.post("/v1/events", &event("order.paid")).await.problem(429, "quota_exceeded");
    assert_eq!(exceeded(&refused).0, "waitingStartBytes");
    assert!(refused.str("detail").contains("Starts that no longer wait make room."), "{}", refused.text);
    let batch = json!({"events": [event("page.read"), event("order.paid")]});
    acme.post("/v1/events/batch", &batch).await.problem(429, "quota_exceeded");
    acme.post("/v1/events", &event("page.read")).await.expect(202);
    let usage = acme.get("/v1/tenants/acme/usage").await.expect(200);
    assert_eq!(usage.body["waitingStartBytes"], json!({"used": 0, "exact": true, "quota": 0}));
    set(&admin, "acme", &json!({"waitingStartBytes": null})).await;
    acme.post("/v1/events", &event("order.paid")).await.expect(202);
}

/// Also where they become larger.
#[tokio::test]
async fn definitions_have_a_number_of_bytes() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let own = harness.client(Role::Admin, Some("acme")).await;
    own.post("/v1/workflows", &definition("w", 1)).await.expect(201);
    let schedule =
        |text: &str| json!({"name": "s", "workflow": "w", "cron": "0 * * * *", "input": {"a": text}});
    let id = own.post("/v1/schedules", &schedule("")).await.expect(201).str("id").to_owned();
    let usage = own.get("/v1/tenants/acme/usage").await.expect(200);
    let used = usage.body["definitionBytes"]["used"].as_u64().expect("a number");
    set(&admin, "acme", &json!({"definitionBytes": used + 100})).await;
    let large = "a".repeat(200);
    let path = format!("/v1/schedules/{id}");
    let refused = own.put(&path, &schedule(&large)).await.problem(429, "quota_exceeded");
    assert_eq!(exceeded(&refused), (json!("definitionBytes"), json!(used), json!(used + 100)));
    let webhook = json!({"name": large, "provider": "none", "triggers": []});
    own.put(&path, &schedule("b")).await.expect(200);
    set(&admin, "acme", &json!({"definitionBytes": 1})).await;
    own.post("/v1/webhooks", &webhook).await.problem(429, "quota_exceeded");
    own.put(&path, &schedule("")).await.expect(200);
    own.delete(&path).await.expect(204);
}

#[tokio::test]
async fn quotas_are_for_those_who_see_all_tenants() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let path = "/v1/tenants/acme/quotas";
    let own = harness.client(Role::Admin, Some("acme")).await;
    own.put(path, &json!({"openJobs": 1})).await.problem(403, "forbidden");
    let operator = harness.client(Role::Operator, None).await;
    operator.put(path, &json!({"openJobs": 1})).await.problem(403, "forbidden");
    admin.put(path, &json!({"openJobs": -1})).await.problem(422, "invalid");
    admin.put(path, &json!({"jobs": 1})).await.problem(422, "invalid");
    admin.put(path, &json!({"openJobs": 5, "historyRows": "unlimited"})).await.expect(200);
    let quotas = own.get(path).await.expect(200);
    assert_eq!((&quotas.body["openJobs"], &quotas.body["historyRows"]), (&json!(5), &Value::Null));
    let quotas = admin.put(path, &json!({"openJobs": null})).await.expect(200);
    assert_eq!(quotas.body["openJobs"], Value::Null, "the default");
}

#[tokio::test]
async fn deliveries_of_an_endpoint_take_as_many_bytes_as_they_may() {
    // Room for two rows with a small body, and not for a third.
    let harness = Harness::with_policy(ApiOptions::default(), |policy| {
        policy.quotas.webhook_bytes = Some(2 * (4 * 1024 + 100));
    })
    .await;
    let admin = harness.admin();
    let mut paths = Vec::new();
    for name in ["open", "other"] {
        let body = json!({"name": name, "provider": "none", "triggers": []});
        paths.push(admin.post("/v1/webhooks", &body).await.expect(201).str("url").to_owned());
    }
    let send_to = |path: &str, body: String| {
        let request = Request::builder().method("POST").uri(path).body(Body::from(body));
        let router = harness.router.clone();
        async move { send(&router, request.expect("a request")).await }
    };
    for number in 0..2 {
        send_to(&paths[0], format!("{{\"n\": {number}}}")).await.expect(202);
    }
    let refused = send_to(&paths[0], "{\"n\": 2}".to_owned()).await;
    assert_eq!(beyond(&refused.expect(429)), "webhooks.stored_per_webhook");
    send_to(&paths[1], "{\"n\": 2}".to_owned()).await.expect(202);
}

/// What a delivery is beyond. It says what makes room, and when to come again.
fn beyond(refused: &Answer) -> String {
    assert_eq!(refused.body["error"], "quota_exceeded", "{}", refused.text);
    assert!(refused.header("retry-after").is_some());
    assert!(refused.str("detail").contains("makes room"), "{}", refused.text);
    refused.str("quota").to_owned()
}

/// The path of a new endpoint of a tenant, whose deliveries nobody signs.
async fn unsigned(admin: &Client, name: &str, tenant: &str) -> String {
    let body = json!({"name": name, "tenant": tenant, "provider": "none", "triggers": []});
    admin.post("/v1/webhooks", &body).await.expect(201).str("url").to_owned()
}

async fn deliver(harness: &Harness, path: &str, number: u32) -> Answer {
    let body = Body::from(format!("{{\"n\": {number}}}"));
    send(&harness.router, Request::post(path).body(body).expect("a request")).await
}

#[tokio::test]
async fn unsigned_deliveries_count_against_the_bytes_of_their_tenant() {
    // Room for two rows with a small body, and not for a third.
    let harness = Harness::with_policy(ApiOptions::default(), |policy| {
        let room = Some(2 * (4 * 1024 + 100));
        policy.quotas.defaults = Quotas::default().with(QuotaKind::DeliveryBytes, room);
    })
    .await;
    let admin = harness.admin();
    let (one, two) = (unsigned(&admin, "one", "acme").await, unsigned(&admin, "two", "acme").await);
    let other = unsigned(&admin, "other", "umbrella").await;
    deliver(&harness, &one, 1).await.expect(202);
    deliver(&harness, &two, 2).await.expect(202);
    for path in [&one, &two] {
        assert_eq!(beyond(&deliver(&harness, path, 3).await.expect(429)), "deliveryBytes");
    }
    deliver(&harness, &other, 4).await.expect(202);
    let usage = admin.get("/v1/tenants/acme/usage").await.expect(200);
    let bytes = &usage.body["deliveryBytes"];
    assert!(bytes["used"].as_u64().is_some_and(|used| used > 8 * 1024), "{}", usage.text);
    assert_eq!(bytes["quota"], json!(2 * (4 * 1024 + 100)));
}

#[tokio::test]
async fn unsigned_deliveries_count_against_the_bytes_of_all_tenants() {
    let harness = Harness::with_policy(ApiOptions::default(), |policy| {
        policy.quotas.all_delivery_bytes = Some(4 * (4 * 1024 + 100));
    })
    .await;
    let admin = harness.admin();
    let paths = [unsigned(&admin, "one", "acme").await, unsigned(&admin, "two", "umbrella").await];
    // The sum over all of them is measured beside the first deliveries, which do not wait for it.
    let number = std::sync::atomic::AtomicU32::new(0);
    testkit::eventually("all of them together have as much as they may", || async {
        let number = number.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let answer = deliver(&harness, &paths[number as usize % 2], number).await;
        assert!([202, 429].contains(&answer.status.as_u16()), "{}", answer.text);
        answer.status == StatusCode::TOO_MANY_REQUESTS && beyond(&answer) == "webhooks.stored"
    })
    .await;
}

/// One tenant with many endpoints does not use up what all tenants may keep.
#[tokio::test]
async fn a_tenant_keeps_no_more_than_its_part_of_all_deliveries() {
    // Room for two rows with a small body, and not for a third.
    let harness = Harness::with_policy(ApiOptions::default(), |policy| {
        policy.quotas.tenant_delivery_bytes = Some(2 * (4 * 1024 + 100));
    })
    .await;
    let admin = harness.admin();
    let mut paths = Vec::new();
    for name in ["one", "two", "three"] {
        paths.push(unsigned(&admin, name, "acme").await);
    }
    let other = unsigned(&admin, "other", "umbrella").await;
    deliver(&harness, &paths[0], 1).await.expect(202);
    deliver(&harness, &paths[1], 2).await.expect(202);
    assert_eq!(beyond(&deliver(&harness, &paths[2], 3).await.expect(429)), "deliveryBytes");
    let event = json!({"name": "order.paid", "tenant": "acme", "data": {}});
    let refused = admin.post("/v1/events", &event).await.problem(429, "quota_exceeded");
    assert_eq!(exceeded(&refused).0, "deliveryBytes");
    deliver(&harness, &other, 4).await.expect(202);
    let quotas = admin.get("/v1/tenants/acme/quotas").await.expect(200);
    assert_eq!(quotas.body["deliveryBytes"], json!(2 * (4 * 1024 + 100)));
    // The quota of one tenant is its own.
    set(&admin, "acme", &json!({"deliveryBytes": "unlimited"})).await;
    deliver(&harness, &paths[2], 3).await.expect(202);
}
