//! `/v1/search/suggest`, and lists of deliveries and schedules that take its queries.

use serde_json::{Value, json};

use crate::harness::{Client, Harness};

async fn texts(client: &Client, query: &str) -> Vec<String> {
    let answer: Value = client.get(&format!("/v1/search/suggest?{query}")).await.expect(200).body;
    let items = answer["items"].as_array().expect("a list");
    items.iter().map(|item| item["text"].as_str().expect("text").to_owned()).collect()
}

#[tokio::test]
async fn queries_are_completed() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let answer = admin.get("/v1/search/suggest?list=jobs&q=sta&at=3&limit=10").await.expect(200).body;
    assert_eq!(
        answer,
        json!({"from": 0, "to": 3, "items": [{"text": "status:", "kind": "key", "detail": "one of a few words"}]})
    );
    assert_eq!(texts(&admin, "list=executions&q=status:ca").await, ["CANCELLED"]);
    admin.post("/v1/jobs", &json!({"jobType": "charge-card", "tenant": "acme"})).await.expect(202);
    admin.post("/v1/jobs", &json!({"jobType": "charge-bank", "tenant": "umbrella"})).await.expect(202);
    assert_eq!(texts(&admin, "list=jobs&q=jobType:charge").await, ["charge-bank", "charge-card"]);
    assert_eq!(texts(&admin, "list=jobs&q=jobType:charge&limit=1").await, ["charge-bank"]);
    let acme = harness.client(domain::access::Role::Viewer, Some("acme")).await;
    assert_eq!(texts(&acme, "list=jobs&q=-jobType:x,ch").await, ["charge-card"]);
    assert_eq!(texts(&acme, "list=jobs&q=tenant:").await, ["acme"]);
    for (query, pointer) in [
        ("q=x", "/list"),
        ("list=planets", "/list"),
        ("list=jobs&limit=21", "/limit"),
        ("list=jobs&x=1", "/x"),
    ] {
        let problem = admin.get(&format!("/v1/search/suggest?{query}")).await.problem(422, "invalid");
        assert_eq!(problem.pointers(), [pointer], "{query}");
    }
}

/// Completions are values of the list: they are for those who may look at it.
#[tokio::test]
async fn queries_are_completed_for_those_who_may_look_at_the_list() {
    let harness = Harness::start().await;
    let key = json!({"name": "k", "role": "viewer", "scopes": [{"actions": ["jobs.read"]}]});
    let made = harness.admin().post("/v1/api-keys", &key).await.expect(201);
    let client = harness.client_of(made.str("key"));
    client.get("/v1/search/suggest?list=jobs&q=tag:").await.expect(200);
    for list in ["executions", "deliveries", "dead-letters", "schedules", "workers", "audit", "batches"] {
        let path = format!("/v1/search/suggest?list={list}&q=tag:");
        client.get(&path).await.problem(403, "forbidden");
    }
}

#[tokio::test]
async fn what_is_wrong_with_a_query_has_its_place() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    for list in ["jobs", "executions", "dead-letters", "archive", "deliveries", "audit"] {
        let answer = admin.get(&format!("/v1/{list}?q=-tenant:a%20colour:red")).await;
        let wrong = answer.problem(422, "query_invalid").body["errors"][0].clone();
        assert_eq!((&wrong["pointer"], &wrong["position"]), (&json!("/q"), &json!(10)), "{list}: {wrong}");
        assert!(wrong["length"] == 6 && wrong["message"].is_string(), "{wrong}");
    }
    let answer = admin.get("/v1/jobs?q=tag:a%20attr.colour:red").await.problem(422, "attribute_undeclared");
    let wrong = &answer.body["errors"][0];
    assert_eq!((&wrong["position"], &wrong["length"]), (&json!(6), &json!(11)));
    assert!(answer.str("hint").starts_with("trunkline attribute set "), "{}", answer.text);
}

#[tokio::test]
async fn deliveries_and_schedules_are_searched() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    for name in ["one", "two", "three"] {
        admin.post("/v1/events", &json!({"name": name, "data": {}})).await.expect(202);
    }
    let ids = |answer: &Value| answer["items"].as_array().expect("a list").len();
    for (query, count) in [
        ("", 3),
        ("?source=event&status=accepted,matched,unmatched", 3),
        ("?eventType=one,two", 2),
        ("?q=-eventType:t*", 1),
        ("?source=webhook", 0),
        ("?receivedBefore=now-1h", 0),
        ("?receivedAfter=now-1h&order=asc", 3),
    ] {
        let list = admin.get(&format!("/v1/deliveries{query}")).await.expect(200).body;
        assert_eq!(ids(&list), count, "{query}: {list}");
    }
    let page = admin.get("/v1/deliveries?limit=2&count=true").await.expect(200).body;
    assert_eq!(page["count"], json!({"value": 3, "exact": true}));
    let cursor = page["nextCursor"].as_str().expect("there is one more");
    assert_eq!(ids(&admin.get(&format!("/v1/deliveries?limit=2&cursor={cursor}")).await.expect(200).body), 1);
    for (query, pointer) in [("colour=red", "/colour"), ("status=done", "/status"), ("sort=died", "/sort")] {
        let problem = admin.get(&format!("/v1/deliveries?{query}")).await.problem(422, "invalid");
        assert_eq!(problem.pointers(), [pointer], "{query}");
    }
    let list =
        admin.get("/v1/schedules?paused=false&sort=nextRun&order=asc&count=true").await.expect(200).body;
    assert_eq!((ids(&list), &list["count"]["value"]), (0, &json!(0)));
    admin.get("/v1/schedules?q=workflow:billing-*").await.expect(200);
    admin.get("/v1/schedules?paused=maybe").await.problem(422, "invalid");
}
