//! `/v1/tenants/{tenant}/secrets`, and what a registration warns of.

use domain::access::Role;
use serde_json::json;

use crate::harness::Harness;

#[tokio::test]
async fn secrets_come_in_and_never_go_out() {
    let harness = Harness::start().await;
    let acme = harness.client(Role::Operator, Some("acme")).await;
    let path = "/v1/tenants/acme/secrets/stripe";
    let body = json!({"value": "sk_live_4eC39HqLyjWD", "hosts": ["api.stripe.com"]});
    let made = acme.put(path, &body).await.expect(201);
    assert_eq!((made.str("name"), made.str("tenant"), made.str("provider")), ("stripe", "acme", "store"));
    let again = acme.put(path, &body).await.expect(200);
    let list = acme.get("/v1/tenants/acme/secrets").await.expect(200);
    assert_eq!(list.body["items"][0]["hosts"], json!(["api.stripe.com"]));
    let audit = acme.get("/v1/audit").await.expect(200);
    assert!(audit.text.contains("secret.put"), "{}", audit.text);
    for answer in [&made, &again, &list, &audit] {
        assert!(!answer.text.contains("sk_live"), "{}", answer.text);
    }
    let wrong = json!({"value": "a\nb", "hosts": ["https://x"]});
    let refused = acme.put(path, &wrong).await.problem(422, "invalid");
    assert_eq!(refused.pointers(), ["/hosts", "/value"]);
    acme.put("/v1/tenants/acme/secrets/no%20name", &body).await.problem(404, "not_found");
    acme.get("/v1/tenants/umbrella/secrets").await.problem(403, "forbidden");
    for role in [Role::Client, Role::Viewer, Role::Worker] {
        let other = harness.client(role, Some("acme")).await;
        other.get("/v1/tenants/acme/secrets").await.problem(403, "forbidden");
        other.put(path, &body).await.problem(403, "forbidden");
    }
    acme.send(acme.request("DELETE", path, "")).await.expect(204);
    acme.send(acme.request("DELETE", path, "")).await.problem(404, "not_found");
}

#[tokio::test]
async fn a_credential_in_a_definition_is_warned_of() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let definition = |header: &str| {
        json!({"name": "w", "version": 1, "nodes": [
            {"id": "a", "type": "HTTP", "request": {"url": "https://x.example/", "headers": {"Authorization": header}}},
        ]})
    };
    let pointer = "/nodes/0/request/headers/Authorization";
    let checked = admin.post("/v1/workflows?validate=true", &definition("Bearer abc")).await.expect(200);
    assert_eq!(checked.body["warnings"][0]["pointer"], pointer);
    let registered = admin.post("/v1/workflows", &definition("Bearer abc")).await.expect(201);
    assert_eq!(registered.body["warnings"][0]["pointer"], pointer);
    let sealed = admin.post("/v1/workflows?validate=true", &definition("Bearer ${secrets.api}")).await;
    assert!(sealed.expect(200).body.get("warnings").is_none());
}
