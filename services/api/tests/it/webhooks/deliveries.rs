//! `/v1/deliveries`: the log of what came, and replays.

use domain::access::Role;
use domain::time::DurationMs;
use serde_json::{Value, json};
use testkit::eventually;

use super::sender::{Sender, endpoint, match_delivery, started};
use crate::harness::{Client, send};

async fn items(client: &Client, uri: &str) -> Vec<Value> {
    client.get(uri).await.expect(200).body["items"].as_array().cloned().expect("a list")
}

#[tokio::test]
async fn a_delivery_is_shown_with_all_that_is_kept() {
    let (harness, admin) = started().await;
    let sender = Sender::github(&admin).await;
    let id = sender.matched(&harness, "guid-1", &json!({"who": "Ada"})).await;
    let shown = admin.get(&format!("/v1/deliveries/{id}")).await.expect(200);
    assert_eq!((shown.str("status"), shown.str("eventType")), ("matched", "push"));
    assert_eq!((shown.str("webhookId"), shown.str("method")), (sender.id.as_str(), "POST"));
    assert_eq!((shown.str("target"), shown.str("bodyEncoding")), (sender.path.as_str(), "text"));
    assert_eq!((shown.str("body"), &shown.body["bodyBytes"]), ("{\"who\":\"Ada\"}", &json!(13)));
    assert!(shown.str("secretId").starts_with("sec_"));
    let execution_id = shown.body["executions"][0].as_str().expect("an execution");
    let outcome = &shown.body["triggers"][0];
    assert_eq!((&outcome["workflow"], &outcome["result"]), (&json!("greeter"), &json!("started")));
    assert_eq!(outcome["executionId"], execution_id);
    let execution = admin.get(&format!("/v1/executions/{execution_id}")).await.expect(200);
    let trigger = &execution.body["trigger"];
    assert_eq!((&trigger["kind"], &trigger["deliveryId"]), (&json!("webhook"), &json!(id)));
    assert_eq!((execution.str("priority"), &execution.body["input"]), ("high", &json!({"who": "Ada"})));
    let headers: Vec<(String, String)> =
        serde_json::from_value(shown.body["headers"].clone()).expect("pairs");
    assert!(headers.contains(&("x-github-delivery".to_owned(), "guid-1".to_owned())), "{headers:?}");
    assert!(headers.contains(&("x-hub-signature-256".to_owned(), "[redacted]".to_owned())), "{headers:?}");
    assert!(headers.iter().all(|(name, _)| name != "x-request-id"), "only what was sent: {headers:?}");
    let curl = shown.str("curl");
    assert!(curl.contains("--data-raw '{\"who\":\"Ada\"}'") && !curl.contains("x-hub-signature"), "{curl}");

    let listed = items(&admin, "/v1/deliveries").await;
    assert!(listed[0].get("body").is_none() && listed[0].get("headers").is_none(), "{}", listed[0]);
    assert_eq!(listed[0]["executions"][0], execution_id);
}

#[tokio::test]
async fn bytes_that_are_no_text_are_base64() {
    let (harness, admin) = started().await;
    let sender = Sender::github(&admin).await;
    let sent = send(&harness.router, sender.signed(&harness, &[], &[0xff, 0x00, 0x01])).await.expect(202);
    let shown = admin.get(&format!("/v1/deliveries/{}", sent.str("deliveryId"))).await.expect(200);
    assert_eq!((shown.str("bodyEncoding"), shown.str("body")), ("base64", "/wAB"));
}

#[tokio::test]
async fn a_large_body_comes_when_it_is_asked_for() {
    let (harness, admin) = started().await;
    let viewer = harness.client(Role::Viewer, None).await;
    let sender = Sender::github(&admin).await;
    let body = json!({"who": "x".repeat(50_000)});
    let path = format!("/v1/deliveries/{}", sender.matched(&harness, "guid-1", &body).await);
    let whole = admin.get(&path).await.expect(200).body;
    assert_eq!((&whole["body"], whole.get("omitted")), (&json!(body.to_string()), None));
    let shown = admin.get(&format!("{path}?maxPayload=4096")).await.expect(200).body;
    let omitted = &shown["omitted"][0];
    assert_eq!((shown.get("body"), shown.get("bodyEncoding")), (None, None));
    assert_eq!((&omitted["field"], &omitted["bytes"]), (&json!("body"), &json!(body.to_string().len())));
    assert_eq!(omitted["href"], format!("{path}/body"));
    let bytes = admin.get(&format!("{path}/body")).await.expect(200);
    assert_eq!(bytes.text, body.to_string());
    assert_eq!(bytes.header("content-type"), Some("application/octet-stream"));
    assert_eq!(bytes.header("content-disposition"), Some("attachment"));
    assert_eq!(bytes.header("x-content-type-options"), Some("nosniff"));
    let hidden = viewer.get(&format!("{path}?maxPayload=0")).await.expect(200).body;
    assert_eq!((hidden.get("body"), hidden.get("omitted")), (None, None));
    viewer.get(&format!("{path}/body")).await.problem(403, "forbidden");
    let other = harness.client(Role::Admin, Some("umbrella")).await;
    other.get(&format!("{path}/body")).await.problem(404, "not_found");
}

#[tokio::test]
async fn the_log_is_filtered() {
    let (harness, admin) = started().await;
    let sender = Sender::github(&admin).await;
    let mut picky = endpoint("stripe");
    picky["triggers"] = json!([{"workflow": "greeter", "filter": "body.type == 'x'"}]);
    let stripe = Sender::of(&admin, &picky).await;
    sender.matched(&harness, "1", &json!({"who": "Ada"})).await;
    sender.send(&harness, "1", &json!({"who": "Ada"})).await.expect(200);
    let event = json!({"id": "evt_1", "type": "charge.failed"}).to_string();
    let unmatched = send(&harness.router, stripe.signed(&harness, &[], event.as_bytes())).await.expect(202);
    match_delivery(&harness, unmatched.str("deliveryId")).await;

    let count = async |query: &str| items(&admin, &format!("/v1/deliveries?{query}")).await.len();
    assert_eq!(count("").await, 3);
    assert_eq!(count("status=matched").await, 1);
    assert_eq!(count("status=duplicate").await, 1);
    assert_eq!(count("status=unmatched&eventType=charge.failed").await, 1);
    assert_eq!(count(&format!("webhookId={}", stripe.id)).await, 1);
    assert_eq!(count("from=2030-01-01T00:00:00Z").await, 0);
    assert_eq!(count("tenant=nobody").await, 0);
    assert_eq!(items(&admin, &format!("/v1/webhooks/{}/deliveries", sender.id)).await.len(), 2);
    assert_eq!(
        items(&admin, &format!("/v1/webhooks/{}/deliveries?status=matched", sender.id)).await.len(),
        1
    );
    let page = admin.get("/v1/deliveries?limit=2").await.expect(200);
    assert_eq!(count(&format!("cursor={}", page.str("nextCursor"))).await, 1);
    for query in ["status=lost", "webhookId=7", "colour=red", "limit=501", "from=yesterday", "eventType="] {
        let refused = admin.get(&format!("/v1/deliveries?{query}")).await.problem(422, "invalid");
        assert_eq!(refused.pointers(), [format!("/{}", query.split('=').next().expect("a name"))], "{query}");
    }
}

#[tokio::test]
async fn a_filter_that_fails_parks_the_delivery_and_a_replay_mends_it() {
    let (harness, admin) = started().await;
    let mut body = endpoint("github");
    body["triggers"] =
        json!([{"workflow": "greeter", "filter": "body.deep.er > 3", "input": {"who": "${body.who}"}}]);
    let sender = Sender::of(&admin, &body).await;
    let id = sender.matched(&harness, "1", &json!({"who": "Ada"})).await;
    let parked = admin.get(&format!("/v1/deliveries/{id}")).await.expect(200);
    assert_eq!(parked.str("status"), "parked");
    assert!(!parked.str("reason").is_empty());
    assert_eq!(parked.body["triggers"][0]["result"], "error");

    body["triggers"] = json!([{"workflow": "greeter", "input": {"who": "${body.who}"}}]);
    admin.put(&format!("/v1/webhooks/{}", sender.id), &body).await.expect(200);
    let replayed = admin.act(&format!("/v1/deliveries/{id}/replay")).await.expect(202);
    assert_eq!(replayed.str("replayOf"), id);
    let new = replayed.str("deliveryId").to_owned();
    assert_ne!(new, id);
    match_delivery(&harness, &new).await;
    let shown = admin.get(&format!("/v1/deliveries/{new}")).await.expect(200);
    assert_eq!((shown.str("status"), shown.str("replayOf")), ("matched", id.as_str()));
}

#[tokio::test]
async fn many_are_replayed_by_filter() {
    let (harness, admin) = started().await;
    let sender = Sender::github(&admin).await;
    for n in 0..3 {
        sender.matched(&harness, &n.to_string(), &json!({"who": "Ada", "n": n})).await;
    }
    // What came in the very millisecond of a replay may be its own.
    harness.engine.clock.advance(DurationMs(1));
    let replay = async |body: Value| admin.post("/v1/deliveries/replay", &body).await;
    let refused = replay(json!({})).await.problem(422, "invalid");
    assert_eq!(refused.pointers(), ["/filter"]);
    let refused = replay(json!({"filter": {"status": "lost"}})).await.problem(422, "invalid");
    assert_eq!(refused.pointers(), ["/filter/status"]);
    let counted = replay(json!({"filter": {"webhookId": sender.id}, "dryRun": true})).await.expect(200);
    assert_eq!((&counted.body["count"], &counted.body["exact"]), (&json!(3), &json!(true)));
    assert_eq!(counted.body["samples"].as_array().map(Vec::len), Some(3));
    let counted = replay(json!({"filter": {}, "all": true, "dryRun": true, "limit": 2})).await.expect(200);
    assert_eq!(counted.body["count"], 2);
    let batch = replay(json!({"filter": {"eventType": "push"}, "limit": 2})).await.expect(202);
    assert!(batch.str("id").starts_with("bat_"));
    assert_eq!(batch.body["kind"], "deliveries.replay");
    let path = format!("/v1/batches/{}", batch.str("id"));
    eventually("the batch ends", || async {
        let batch = admin.get(&path).await.expect(200);
        !["preparing", "running"].contains(&batch.str("status"))
    })
    .await;
    let ended = admin.get(&path).await.expect(200);
    assert_eq!((ended.str("status"), &ended.body["done"]), ("completed", &json!(2)));
    assert_eq!(items(&admin, "/v1/deliveries?status=accepted").await.len(), 2);
}

#[tokio::test]
async fn a_test_is_a_delivery() {
    let (harness, admin) = started().await;
    let sender = Sender::github(&admin).await;
    let tested = admin.act(&format!("/v1/webhooks/{}/test", sender.id)).await.expect(202);
    assert_eq!(tested.str("eventType"), "push");
    match_delivery(&harness, tested.str("deliveryId")).await;
    admin.get(&format!("/v1/deliveries/{}", tested.str("deliveryId"))).await.expect(200);
    let key = domain::webhook::test_key(domain::webhook::Provider::Discord, &[7; 32]).expect("a key");
    let mut body = endpoint("discord");
    body["secrets"] = json!([key.public_text()]);
    let discord = Sender::of(&admin, &body).await;
    admin.act(&format!("/v1/webhooks/{}/test", discord.id)).await.problem(409, "cannot_sign");
    admin.act(&format!("/v1/webhooks/{}/pause", sender.id)).await.expect(200);
    admin.act(&format!("/v1/webhooks/{}/test", sender.id)).await.problem(409, "webhook_paused");
}

#[tokio::test]
async fn i13_deliveries_belong_to_their_tenant() {
    let (harness, admin) = started().await;
    let sender = Sender::github(&admin).await;
    let id = sender.matched(&harness, "1", &json!({"who": "Ada"})).await;
    let foreign = harness.client(Role::Operator, Some("acme")).await;
    foreign.get(&format!("/v1/deliveries/{id}")).await.problem(404, "not_found");
    foreign.act(&format!("/v1/deliveries/{id}/replay")).await.problem(404, "not_found");
    assert_eq!(items(&foreign, "/v1/deliveries").await, Vec::<Value>::new());
    let counted =
        foreign.post("/v1/deliveries/replay", &json!({"all": true, "dryRun": true})).await.expect(200);
    assert_eq!(counted.body["count"], 0);
    let client = harness.client(Role::Client, None).await;
    client.act(&format!("/v1/deliveries/{id}/replay")).await.problem(403, "forbidden");
}
