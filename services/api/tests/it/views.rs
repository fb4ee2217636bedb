//! `/v1/views`.

use domain::access::Role;
use serde_json::{Value, json};

use crate::harness::Harness;

#[tokio::test]
async fn views_are_saved_shared_changed_and_deleted() {
    let harness = Harness::start().await;
    let viewer = harness.client(Role::Viewer, None).await;
    let other = harness.client(Role::Viewer, None).await;
    let body = json!({
        "name": "Failed today", "list": "jobs", "q": "status:FAILED created:>=now-1d", "sort": "created",
        "order": "desc", "columns": ["id", "status"],
    });
    let made = viewer.post("/v1/views", &body).await.expect(201).body;
    let id = made["id"].as_str().expect("an id").to_owned();
    assert!(id.starts_with("viw_"), "{made}");
    for (field, value) in body.as_object().expect("an object") {
        assert_eq!(&made[field], value, "{field}");
    }
    assert_eq!((&made["shared"], &made["own"]), (&json!(false), &json!(true)));
    let path = format!("/v1/views/{id}");
    other.get(&path).await.problem(404, "not_found");
    assert_eq!(other.get("/v1/views").await.expect(200).body["items"], json!([]));

    let shared = json!({"name": "Failed", "list": "jobs", "shared": true});
    assert_eq!(viewer.put(&path, &shared).await.expect(200).body["q"], "");
    let seen = other.get("/v1/views?list=jobs").await.expect(200).body["items"][0].clone();
    assert_eq!((&seen["name"], &seen["own"]), (&json!("Failed"), &json!(false)));
    assert_eq!(other.get("/v1/views?list=audit").await.expect(200).body["items"], json!([]));
    other.put(&path, &shared).await.problem(403, "forbidden");
    other.delete(&path).await.problem(403, "forbidden");
    let tenant = harness.client(Role::Operator, Some("acme")).await;
    tenant.get(&path).await.problem(404, "not_found");
    tenant.delete(&path).await.problem(404, "not_found");
    harness.admin().delete(&path).await.expect(204);
    viewer.get(&path).await.problem(404, "not_found");
    let audit = harness.admin().get("/v1/audit?action=view.delete").await.expect(200).body;
    assert_eq!(audit["items"][0]["subject"], id.as_str(), "{audit}");
}

#[tokio::test]
async fn views_are_checked_and_bounded() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    for (bad, pointer) in [
        (json!({"list": "jobs"}), "/name"),
        (json!({"name": "x", "list": "planets"}), "/list"),
        (json!({"name": "x", "list": "jobs", "q": "colour:red"}), "/q"),
        (json!({"name": "x", "list": "jobs", "order": "up"}), "/order"),
        (json!({"name": "x", "list": "jobs", "sort": "died"}), "/sort"),
        (json!({"name": "x", "list": "jobs", "colour": "red"}), "/colour"),
    ] {
        let problem = admin.post("/v1/views", &bad).await.problem(422, "invalid");
        assert_eq!(problem.pointers(), [pointer], "{bad}");
    }
    let view = json!({"name": "x", "list": "jobs"});
    for _ in 0..100 {
        admin.post("/v1/views", &view).await.expect(201);
    }
    admin.post("/v1/views", &view).await.problem(409, "too_many_views");
    let page: Value = admin.get("/v1/views?limit=60").await.expect(200).body;
    let cursor = page["nextCursor"].as_str().expect("there are more");
    let rest = admin.get(&format!("/v1/views?limit=60&cursor={cursor}")).await.expect(200).body;
    assert_eq!(rest["items"].as_array().map(Vec::len), Some(40));
}
