//! `/v1/me`: who calls and what they may do.

use api::{ApiOptions, EnvironmentOptions};
use domain::access::Role;
use serde_json::json;

use crate::harness::Harness;

#[tokio::test]
async fn callers_see_who_they_are_and_what_they_may_do() {
    let environment = EnvironmentOptions {
        name: "staging".to_owned(),
        color: "#b91c1c".to_owned(),
        ..EnvironmentOptions::default()
    };
    let harness = Harness::with(ApiOptions { environment, ..ApiOptions::default() }).await;
    let me = harness.client(Role::Viewer, Some("acme")).await.get("/v1/me").await.expect(200);
    assert_eq!((me.str("role"), me.str("tenant")), ("viewer", "acme"));
    assert_eq!(me.header("cache-control"), Some("no-store"));
    assert!(me.str("key").starts_with("key_") && me.str("actor") == me.str("key"));
    assert_eq!(me.body["server"]["environment"], "staging");
    assert_eq!(me.body["server"]["color"], "#b91c1c");
    assert!(me.body["server"]["version"].is_string());
    assert_eq!(me.body["server"]["readOnly"], false);
    let can: Vec<&str> =
        me.body["can"].as_array().expect("a list").iter().filter_map(serde_json::Value::as_str).collect();
    assert!(can.contains(&"jobs.read") && !can.contains(&"jobs.cancel") && !can.contains(&"audit.read"));
    assert_eq!(me.body["scopes"], json!([]));

    let scopes = json!([{"actions": ["jobs.enqueue"], "jobTypes": ["mail"]}]);
    let body = json!({"name": "k", "role": "client", "scopes": scopes, "person": "ann", "groups": ["ops"]});
    let made = harness.admin().post("/v1/api-keys", &body).await.expect(201);
    let me = harness.client_of(made.str("key")).get("/v1/me").await.expect(200);
    assert_eq!(me.body["can"], json!(["jobs.enqueue"]));
    assert_eq!(me.body["scopes"], scopes);
    assert_eq!((me.str("person"), &me.body["groups"]), ("ann", &json!(["ops"])));
    assert!(me.body["server"]["environment"].is_string());
    assert_eq!(me.body["payloads"], true);
    let viewer =
        harness.admin().post("/v1/api-keys", &json!({"name": "v", "role": "viewer"})).await.expect(201);
    let me = harness.client_of(viewer.str("key")).get("/v1/me").await.expect(200);
    assert_eq!(me.body["payloads"], false, "keys that only read see no payloads unless they are made to");
    harness.client(Role::Worker, None).await.get("/v1/me").await.expect(200);
}
