//! Tenants and API keys, and who may do what.

use domain::access::Role;
use serde_json::json;

use crate::harness::Harness;

#[tokio::test]
async fn keys_are_made_listed_and_revoked() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let made = admin
        .post("/v1/api-keys", &json!({"name": "ci", "role": "client", "tenant": "acme"}))
        .await
        .expect(201);
    let secret = made.str("key").to_owned();
    assert!(secret.starts_with("tl_"));
    assert_eq!((made.str("name"), made.str("role"), made.str("tenant")), ("ci", "client", "acme"));
    let id = made.str("id").to_owned();
    let client = harness.client_of(&secret);
    client.get("/v1/jobs").await.expect(200);

    let list = admin.get("/v1/api-keys").await.expect(200);
    assert!(!list.text.contains(&secret), "the secret is shown once");
    assert!(list.body["items"].as_array().expect("a list").iter().any(|key| key["id"] == id.as_str()));
    let revoked = admin.send(admin.request("DELETE", &format!("/v1/api-keys/{id}"), "")).await.expect(204);
    assert_eq!(revoked.text, "");
    client.get("/v1/jobs").await.problem(401, "unauthenticated");
    admin.send(admin.request("DELETE", "/v1/api-keys/key_1", "")).await.problem(404, "not_found");
    let missing = admin.post("/v1/api-keys", &json!({})).await.problem(422, "invalid");
    assert_eq!(missing.pointers(), ["/name", "/role"]);
    let wrong =
        admin.post("/v1/api-keys", &json!({"name": "x", "role": "root"})).await.problem(422, "invalid");
    assert_eq!(wrong.pointers(), ["/role"]);
}

#[tokio::test]
async fn tenants_are_made_once() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    admin.post("/v1/tenants", &json!({"name": "acme"})).await.expect(201);
    let again = admin.post("/v1/tenants", &json!({"name": "acme"})).await.expect(200);
    assert_eq!(again.body["name"], "acme");
    let list = admin.get("/v1/tenants").await.expect(200);
    assert!(list.body["items"].as_array().expect("a list").iter().any(|tenant| tenant["name"] == "acme"));
    let wrong = admin.post("/v1/tenants", &json!({"name": "no spaces"})).await.problem(422, "invalid");
    assert_eq!(wrong.pointers(), ["/name"]);
}

#[tokio::test]
async fn roles_bound_what_a_key_may_do() {
    let harness = Harness::start().await;
    let job = json!({"jobType": "r", "data": 1});
    let poll = json!({"workerId": "w", "jobTypes": ["r"]});
    let key = json!({"name": "k", "role": "viewer"});
    for (role, reads, starts, works, operates, administers) in [
        (Role::Admin, 200, 202, 200, 200, 201),
        (Role::Operator, 200, 202, 200, 200, 403),
        (Role::Client, 200, 202, 403, 403, 403),
        (Role::Worker, 403, 403, 200, 403, 403),
        (Role::Viewer, 200, 403, 403, 403, 403),
    ] {
        let client = harness.client(role, None).await;
        client.get("/v1/jobs").await.expect(reads);
        client.post("/v1/jobs", &job).await.expect(starts);
        client.post("/v1/jobs/poll", &poll).await.expect(works);
        client.act("/v1/queues/workflow-webhook/resume").await.expect(operates);
        let made = client.post("/v1/api-keys", &key).await.expect(administers);
        if administers == 403 {
            made.problem(403, "forbidden");
        }
    }
}
