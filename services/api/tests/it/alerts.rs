//! `/v1/alerts`.

use domain::access::Role;
use serde_json::{Value, json};

use crate::harness::Harness;

#[tokio::test]
async fn rules_are_listed_set_and_put_back() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let list = admin.get("/v1/alerts/rules").await.expect(200).body;
    let rules = list["items"].as_array().expect("a list");
    assert_eq!(rules.len(), 13, "{list}");
    let default = rules.iter().find(|rule| rule["name"] == "oldest_age").expect("a default").clone();
    assert_eq!(
        (&default["above"], &default["for"], &default["severity"]),
        (&json!("5m"), &json!("2m"), &json!("warning"))
    );
    assert_eq!((&default["routes"], &default["enabled"]), (&json!(["log"]), &json!(true)));

    let rule = json!({"metric": "error_rate", "above": 0.5, "clearAt": 0.1, "window": "10m", "scope": {"jobType": "pay"}});
    let set = admin.put("/v1/alerts/rules/pay.errors", &rule).await.expect(200).body;
    assert_eq!(
        (&set["name"], &set["for"], &set["scope"]),
        (&json!("pay.errors"), &json!("0s"), &json!({"jobType": "pay"}))
    );
    for (bad, pointer) in [
        (json!({"metric": "nothing", "above": 1}), "/metric"),
        (json!({"metric": "depth"}), "/above"),
        (json!({"metric": "depth", "above": 1, "below": 1}), "/above"),
        (json!({"metric": "depth", "above": "5m"}), "/above"),
        (json!({"metric": "oldest_age", "above": 5}), "/above"),
        (json!({"metric": "error_rate", "above": 2}), "/above"),
        (json!({"metric": "depth", "above": 1, "clearAt": 2}), "/clearAt"),
        (json!({"metric": "depth", "above": 1, "routes": ["nowhere"]}), "/routes/0"),
        (json!({"metric": "depth", "above": 1, "colour": "red"}), "/colour"),
    ] {
        let problem = admin.put("/v1/alerts/rules/bad", &bad).await.problem(422, "invalid");
        assert_eq!(problem.pointers(), [pointer], "{bad}");
    }
    assert_eq!(admin.get("/v1/alerts/rules/pay.errors").await.expect(200).body, set);
    admin.delete("/v1/alerts/rules/pay.errors").await.expect(204);
    admin.get("/v1/alerts/rules/pay.errors").await.problem(404, "not_found");
    admin.delete("/v1/alerts/rules/pay.errors").await.problem(404, "not_found");
}

#[tokio::test]
async fn routes_show_a_secret_once_and_are_tested() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let route = json!({"type": "webhook", "url": "https://pager.example/hook", "repeatEvery": "4h"});
    let made = admin.put("/v1/alerts/routes/on-call", &route).await.expect(200).body;
    assert!(made["secret"].as_str().is_some_and(|secret| secret.starts_with("whsec_")), "{made}");
    let list = admin.get("/v1/alerts/routes").await.expect(200).body;
    assert!(!list.to_string().contains("whsec_"), "{list}");
    let names: Vec<&Value> =
        list["items"].as_array().expect("a list").iter().map(|route| &route["name"]).collect();
    assert_eq!(names, ["log", "on-call"]);
    let one = admin.get("/v1/alerts/routes/on-call").await.expect(200).body;
    assert_eq!(one, list["items"][1]);
    admin.get("/v1/alerts/routes/nowhere").await.problem(404, "not_found");
    assert_eq!(one["url"], "https://pager.example/hook");
    let viewer = harness.client(Role::Viewer, None).await;
    let seen = viewer.get("/v1/alerts/routes/on-call").await.expect(200).body;
    assert_eq!(seen["url"], "https://pager.example", "the path may be a secret");
    let test = admin.act("/v1/alerts/routes/on-call/test").await.expect(202).body;
    assert_eq!(
        (&test["type"], &test["status"], &test["tries"]),
        (&json!("alert.test"), &json!("pending"), &json!(0))
    );
    let pending = admin.get("/v1/alerts/notifications?status=pending").await.expect(200).body;
    assert_eq!(pending["items"][0]["id"], test["id"]);
    let ended = admin.get("/v1/alerts/notifications?status=sent,failed").await.expect(200).body;
    assert_eq!(ended["items"], json!([]));
    admin.get("/v1/alerts/notifications?status=sent,lost").await.problem(422, "invalid");
    let id = test["id"].as_str().expect("an id");
    admin.act(&format!("/v1/alerts/notifications/{id}/retry")).await.expect(202);
    admin.act("/v1/alerts/routes/nowhere/test").await.problem(404, "not_found");
    let mail = json!({"type": "pigeon"});
    let problem = admin.put("/v1/alerts/routes/x", &mail).await.problem(422, "invalid");
    assert_eq!(problem.pointers(), ["/type"]);
}

#[tokio::test]
async fn silences_are_made_and_ended() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let silence =
        json!({"rule": "depth", "labels": {"queue": "workflow-node"}, "for": "2h", "reason": "a migration"});
    let made = admin.post("/v1/alerts/silences", &silence).await.expect(201).body;
    let id = made["id"].as_str().expect("an id").to_owned();
    assert!(id.starts_with("sil_"), "{made}");
    assert_eq!(admin.get("/v1/alerts/silences").await.expect(200).body["items"][0]["reason"], "a migration");
    assert_eq!(admin.get(&format!("/v1/alerts/silences/{id}")).await.expect(200).body, made);
    let bad = json!({"for": "0s", "reason": "x"});
    admin.post("/v1/alerts/silences", &bad).await.problem(422, "invalid");
    admin.delete(&format!("/v1/alerts/silences/{id}")).await.expect(204);
    admin.delete(&format!("/v1/alerts/silences/{id}")).await.problem(404, "not_found");
    assert_eq!(admin.get("/v1/alerts").await.expect(200).body["items"], json!([]));
    admin.get("/v1/alerts?status=loud").await.problem(422, "invalid");
}
