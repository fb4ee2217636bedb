//! `/v1/events`, `/v1/triggers`, and what deliveries of events look like.

use domain::access::Role;
use serde_json::{Value, json};

use crate::harness::Harness;

fn flow() -> Value {
    json!({"name": "ship", "version": 1, "nodes": [{"id": "a", "type": "TRANSFORM", "output": 1}]})
}

#[tokio::test]
async fn i07_an_event_is_accepted_once() {
    let harness = Harness::start().await;
    let client = harness.client(Role::Client, Some("acme")).await;
    let body = json!({"name": "order.paid", "id": "pay_1", "data": {"order": 7}});
    let first = client.post("/v1/events", &body).await.expect(202);
    assert!(first.body.get("deduplicated").is_none(), "{}", first.text);
    let again = client.post("/v1/events", &body).await.expect(200);
    assert_eq!(again.body, json!({"deliveryId": first.body["deliveryId"], "deduplicated": true}));
    let shown = client.get(&format!("/v1/deliveries/{}", first.str("deliveryId"))).await.expect(200);
    let part = |name: &str| shown.body[name].clone();
    assert_eq!((part("source"), part("eventType")), (json!("event"), json!("order.paid")));
    assert_eq!((part("body"), part("bodyEncoding")), (json!("{\"order\":7}"), json!("text")));
    for name in ["webhookId", "method", "target"] {
        assert_eq!(shown.body.get(name), Some(&Value::Null), "{name} is there and null");
    }
    assert_eq!((part("woke"), part("providerEventId")), (json!([]), json!("pay_1")));
    assert!(shown.body.get("curl").is_none());
    let list = |query: &'static str| {
        let client = client.clone();
        async move { client.get(query).await.expect(200).body["items"].as_array().map(Vec::len) }
    };
    assert_eq!(list("/v1/deliveries?source=event").await, Some(2), "the repetition has a line of its own");
    assert_eq!(list("/v1/deliveries?source=webhook").await, Some(0));
    client.get("/v1/deliveries?source=other").await.problem(422, "invalid");
}

#[tokio::test]
async fn what_is_wrong_with_an_event_has_its_place() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    for (body, pointer) in [
        (json!({}), "/name"),
        (json!({"name": "no spaces"}), "/name"),
        (json!({"name": "a", "data": "x".repeat(1 << 20)}), "/data"),
        (json!({"name": "a", "payload": 1}), "/payload"),
    ] {
        let problem = admin.post("/v1/events", &body).await.problem(422, "invalid");
        assert_eq!(problem.pointers(), [pointer]);
    }
    let batch = |events: Value| json!({ "events": events });
    let sent =
        admin.post("/v1/events/batch", &batch(json!([{"name": "a"}, {"name": "b", "data": [1]}]))).await;
    assert_eq!(sent.expect(202).body["results"].as_array().map(Vec::len), Some(2));
    let wrong = admin.post("/v1/events/batch", &batch(json!([{"name": "a"}, {"name": ""}]))).await;
    assert_eq!(wrong.problem(422, "invalid").pointers(), ["/events/1/name"]);
    admin.post("/v1/events/batch", &batch(json!([]))).await.problem(422, "invalid");
    let many: Vec<Value> = (0..1_001).map(|_| json!({"name": "a"})).collect();
    admin.post("/v1/events/batch", &batch(json!(many))).await.problem(422, "invalid");
    for role in [Role::Viewer, Role::Worker] {
        let other = harness.client(role, Some("acme")).await;
        other.post("/v1/events", &json!({"name": "a"})).await.problem(403, "forbidden");
    }
}

#[tokio::test]
async fn a_trigger_may_put_its_starts_off() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    admin.post("/v1/workflows", &flow()).await.expect(201);
    let mut body = json!({
        "name": "ship", "events": ["order.*"], "workflow": "ship", "input": {"all": "${batch}"},
        "batch": {"maxSize": 50, "timeout": "10s", "key": "${body.shop}"}, "throttle": {"rate": "10/1m"}
    });
    let made = admin.post("/v1/triggers", &body).await.expect(201);
    assert_eq!((&made.body["batch"], &made.body["throttle"]), (&body["batch"], &body["throttle"]));
    assert!(made.body.get("debounce").is_none());
    body["throttle"]["rate"] = json!("often");
    let refused = admin.post("/v1/triggers", &body).await.problem(422, "invalid");
    assert_eq!(refused.pointers(), ["/throttle/rate"]);
    body["throttle"] = json!({"rate": "1/1s"});
    body["batch"]["size"] = json!(3);
    assert_eq!(admin.post("/v1/triggers", &body).await.problem(422, "invalid").pointers(), ["/batch/size"]);
}

#[tokio::test]
async fn i13_triggers_are_managed_by_operators_of_their_tenant() {
    let harness = Harness::start().await;
    harness.admin().post("/v1/workflows", &flow()).await.expect(201);
    let acme = harness.client(Role::Operator, Some("acme")).await;
    let body =
        json!({"name": "ship", "events": ["order.*"], "workflow": "ship", "filter": "body.total > 100"});
    let made = acme.post("/v1/triggers", &body).await.expect(201);
    let path = format!("/v1/triggers/{}", made.str("id"));
    assert_eq!((made.str("tenant"), &made.body["paused"]), ("acme", &json!(false)));
    assert_eq!((&made.body["events"], &made.body["revision"]), (&json!(["order.*"]), &json!(1)));
    acme.post("/v1/triggers", &body).await.problem(409, "trigger_name_taken");
    let mut next = body.clone();
    next["paused"] = json!(true);
    next["revision"] = json!(1);
    assert_eq!(acme.put(&path, &next).await.expect(200).body["paused"], json!(true));
    acme.put(&path, &next).await.problem(409, "trigger_version_conflict");
    acme.post("/v1/triggers", &next).await.problem(422, "invalid");
    let listed = acme.get("/v1/triggers").await.expect(200);
    assert_eq!(listed.body["items"][0]["id"], made.body["id"]);
    let other = harness.client(Role::Operator, Some("other")).await;
    other.get(&path).await.problem(404, "not_found");
    assert_eq!(other.get("/v1/triggers").await.expect(200).body["items"], json!([]));
    let client = harness.client(Role::Client, Some("acme")).await;
    client.get(&path).await.expect(200);
    client.post("/v1/triggers", &body).await.problem(403, "forbidden");
    let missing = acme.post("/v1/triggers", &json!({"name": "x"})).await.problem(422, "invalid");
    assert_eq!(missing.pointers(), ["/events", "/workflow"]);
    acme.send(acme.request("DELETE", &path, "")).await.expect(204);
    acme.send(acme.request("DELETE", &path, "")).await.problem(404, "not_found");
    let audit = acme.get("/v1/audit").await.expect(200);
    for action in ["trigger.create", "trigger.edit", "trigger.delete"] {
        assert!(audit.text.contains(action), "{action}: {}", audit.text);
    }
}
