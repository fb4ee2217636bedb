//! Endpoints: saved, shown, steered; who may do so; faults and their places.

use domain::access::Role;
use serde_json::{Value, json};

use super::sender::{endpoint, started};

#[tokio::test]
async fn an_endpoint_is_saved_and_shown() {
    let (_harness, admin) = started().await;
    let whole = json!({
        "name": "orders", "provider": "hmac", "secrets": ["a-secret-of-some-length"],
        "scheme": {"header": "X-Sig", "algorithm": "sha512", "encoding": "base64", "tolerance": "1m",
                   "timestampHeader": "X-Time", "signedContent": "{timestamp}.{body}"},
        "publicUrl": "https://example.com/in", "dedupe": {"on": {"field": "/id"}, "window": "2h"},
        "rateLimit": {"requests": 100, "per": "1s", "burst": 200}, "maxBody": "2MiB", "respondWith": 204,
        "paused": true, "triggers": [{
            "id": "first", "workflow": "greeter", "version": 1, "events": ["order.*"], "filter": "body.total > 3",
            "input": {"who": "${body.who}"}, "priority": "low"
        }]
    });
    let made = admin.post("/v1/webhooks", &whole).await.expect(201);
    let id = made.str("id");
    assert_eq!(
        (made.str("url"), made.str("fullUrl")),
        (format!("/hooks/{id}").as_str(), "https://example.com/in")
    );
    for field in [
        "name",
        "provider",
        "scheme",
        "publicUrl",
        "dedupe",
        "rateLimit",
        "respondWith",
        "paused",
        "triggers",
    ] {
        assert_eq!(made.body[field], whole[field], "{field}");
    }
    assert_eq!(
        (&made.body["maxBody"], &made.body["maxBodyEffective"]),
        (&json!(2_097_152), &json!(2_097_152))
    );
    assert_eq!((&made.body["verified"], &made.body["version"]), (&json!(true), &json!(1)));
    assert!(made.body.get("secret").is_none(), "a given secret is not shown: {}", made.text);
    let secret = &made.body["secrets"][0];
    assert_eq!((&secret["purpose"], &secret["openable"]), (&json!("signature"), &json!(true)));
    let shown = admin.get(&format!("/v1/webhooks/{id}")).await.expect(200);
    assert_eq!(shown.body, made.body);
    let listed = admin.get("/v1/webhooks?limit=1").await.expect(200);
    assert_eq!(listed.body["items"][0]["id"], id);
    assert!(listed.body["items"][0].get("secrets").is_none(), "{}", listed.text);
    admin.post("/v1/webhooks", &whole).await.problem(409, "webhook_name_taken");
}

#[tokio::test]
async fn an_endpoint_is_replaced_and_steered() {
    let (_harness, admin) = started().await;
    let made = admin.post("/v1/webhooks", &endpoint("github")).await.expect(201);
    let path = format!("/v1/webhooks/{}", made.str("id"));
    let mut other = endpoint("github");
    other["name"] = json!("renamed");
    other["version"] = json!(1);
    other.as_object_mut().expect("an object").remove("secrets");
    let replaced = admin.put(&path, &other).await.expect(200);
    assert_eq!((replaced.str("name"), &replaced.body["version"]), ("renamed", &json!(2)));
    assert_eq!(replaced.body["secrets"][0]["id"], made.body["secrets"][0]["id"], "absent secrets are kept");
    admin.put(&path, &other).await.problem(409, "webhook_version_conflict");
    assert_eq!(admin.act(&format!("{path}/pause")).await.expect(200).body["paused"], true);
    other.as_object_mut().expect("an object").remove("version");
    assert_eq!(admin.put(&path, &other).await.expect(200).body["paused"], true, "it stays as it is");
    assert_eq!(admin.act(&format!("{path}/resume")).await.expect(200).body["paused"], false);
    admin.send(admin.request("DELETE", &path, "")).await.expect(204);
    admin.get(&path).await.problem(404, "not_found");
    admin.get(&format!("{path}/deliveries")).await.problem(404, "not_found");
}

#[tokio::test]
async fn nothing_is_verified_only_if_that_is_said() {
    let (_harness, admin) = started().await;
    let mut open = endpoint("none");
    let refused = admin.post("/v1/webhooks", &open).await.problem(422, "invalid");
    assert_eq!(refused.pointers(), ["/secrets/0"]);
    open.as_object_mut().expect("an object").remove("secrets");
    let made = admin.post("/v1/webhooks", &open).await.expect(201);
    assert_eq!((&made.body["verified"], &made.body["lacksSecret"]), (&json!(false), &json!(false)));
    assert!(made.body["warnings"][0].as_str().is_some_and(|text| text.contains("verified")), "{}", made.text);
}

/// The provider chooses its secret, and what it sends is refused until the endpoint has it.
#[tokio::test]
async fn an_endpoint_without_a_secret_says_so_in_lists_too() {
    let (_harness, admin) = started().await;
    let mut waits = endpoint("stripe");
    waits.as_object_mut().expect("an object").remove("secrets");
    let made = admin.post("/v1/webhooks", &waits).await.expect(201);
    admin.post("/v1/webhooks", &endpoint("github")).await.expect(201);
    let path = format!("/v1/webhooks/{}", made.str("id"));
    let lacking = async || {
        let listed = admin.get("/v1/webhooks").await.expect(200).body;
        let items = listed["items"].as_array().expect("a list");
        let lacking = items.iter().filter(|webhook| webhook["lacksSecret"] == true);
        lacking.map(|webhook| webhook["name"].as_str().expect("a name").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(made.body["lacksSecret"], true, "{}", made.text);
    assert!(made.text.contains("it has no secret yet"), "{}", made.text);
    assert_eq!(lacking().await, ["from-stripe"]);
    let secret = json!({"secret": "whsec_0123456789abcdef0123456789abcdef"});
    admin.post(&format!("{path}/rotate-secret"), &secret).await.expect(200);
    assert_eq!(admin.get(&path).await.expect(200).body["lacksSecret"], false);
    assert!(lacking().await.is_empty());
}

#[tokio::test]
async fn faults_point_at_their_places() {
    let (_harness, admin) = started().await;
    let table: [(&str, Value, &str); 19] = [
        ("name", json!(""), "/name"),
        ("provider", json!("gitbub"), "/provider"),
        ("scheme", json!({"header": "X-A"}), "/scheme"),
        ("scheme", json!({"colour": "red"}), "/scheme/colour"),
        ("scheme", json!({"tolerance": 5}), "/scheme/tolerance"),
        ("secrets", json!([" "]), "/secrets/0"),
        ("secrets", json!("text"), "/secrets"),
        ("publicUrl", json!("example"), "/publicUrl"),
        ("dedupe", json!({"on": "sometimes"}), "/dedupe/on"),
        ("dedupe", json!({"window": "1s"}), "/dedupe/window"),
        ("rateLimit", json!({"requests": 0, "per": "1s"}), "/rateLimit/requests"),
        ("rateLimit", json!({"requests": 1, "per": "0s"}), "/rateLimit/per"),
        ("maxBody", json!("26MiB"), "/maxBody"),
        ("maxBody", json!("much"), "/maxBody"),
        ("respondWith", json!(201), "/respondWith"),
        ("triggers", json!([{"filter": "true"}]), "/triggers/0/workflow"),
        ("triggers", json!([{"workflow": "greeter", "filter": "body."}]), "/triggers/0/filter"),
        ("triggers", json!([{"workflow": "greeter"}, {"workflow": "absent"}]), "/triggers/1/workflow"),
        ("version", json!(1), "/version"),
    ];
    for (field, value, pointer) in table {
        let mut body = endpoint("github");
        body[field] = value.clone();
        let refused = admin.post("/v1/webhooks", &body).await.problem(422, "invalid");
        assert_eq!(refused.pointers(), [pointer], "{field}: {value}: {}", refused.text);
    }
    let refused = admin.post("/v1/webhooks", &json!({"triggers": [{}]})).await.problem(422, "invalid");
    assert_eq!(refused.pointers(), ["/name", "/provider", "/triggers/0/workflow"]);
    let refused =
        admin.post("/v1/webhooks", &json!({"name": "a", "colour": 1})).await.problem(422, "invalid");
    assert_eq!(refused.pointers(), ["/colour"]);
    admin.get("/v1/webhooks/whk_7").await.problem(404, "not_found");
    for query in ["colour=red", "limit=0", "cursor=x"] {
        admin.get(&format!("/v1/webhooks?{query}")).await.problem(422, "invalid");
    }
}

#[tokio::test]
async fn viewers_look_and_operators_change() {
    let (harness, admin) = started().await;
    let made = admin.post("/v1/webhooks", &endpoint("github")).await.expect(201);
    let path = format!("/v1/webhooks/{}", made.str("id"));
    let viewer = harness.client(Role::Viewer, None).await;
    for uri in [path.clone(), format!("{path}/deliveries"), "/v1/webhooks".into(), "/v1/deliveries".into()] {
        viewer.get(&uri).await.expect(200);
    }
    for role in [Role::Viewer, Role::Client, Role::Worker] {
        let weak = harness.client(role, None).await;
        weak.post("/v1/webhooks", &endpoint("stripe")).await.problem(403, "forbidden");
        weak.put(&path, &endpoint("github")).await.problem(403, "forbidden");
        weak.send(weak.request("DELETE", &path, "")).await.problem(403, "forbidden");
        for verb in ["rotate-secret", "test", "pause", "resume"] {
            weak.act(&format!("{path}/{verb}")).await.problem(403, "forbidden");
        }
        weak.post("/v1/deliveries/replay", &json!({"all": true})).await.problem(403, "forbidden");
    }
    let operator = harness.client(Role::Operator, None).await;
    operator.act(&format!("{path}/pause")).await.expect(200);
}

#[tokio::test]
async fn i13_endpoints_belong_to_their_tenant() {
    let (harness, admin) = started().await;
    let acme = harness.client(Role::Operator, Some("acme")).await;
    let umbrella = harness.client(Role::Operator, Some("umbrella")).await;
    let mut body = endpoint("github");
    body["triggers"] = json!([]);
    let made = acme.post("/v1/webhooks", &body).await.expect(201);
    assert_eq!(made.str("tenant"), "acme");
    let path = format!("/v1/webhooks/{}", made.str("id"));
    for uri in [path.clone(), format!("{path}/deliveries")] {
        umbrella.get(&uri).await.problem(404, "not_found");
    }
    umbrella.put(&path, &body).await.problem(404, "not_found");
    umbrella.send(umbrella.request("DELETE", &path, "")).await.problem(404, "not_found");
    for verb in ["rotate-secret", "test", "pause", "resume"] {
        umbrella.act(&format!("{path}/{verb}")).await.problem(404, "not_found");
    }
    assert_eq!(umbrella.get("/v1/webhooks?tenant=acme").await.expect(200).body["items"], json!([]));
    umbrella.post("/v1/webhooks", &body).await.expect(201);
    let mut foreign = body.clone();
    foreign["tenant"] = json!("acme");
    umbrella.post("/v1/webhooks", &foreign).await.problem(403, "forbidden");
    assert_eq!(admin.get("/v1/webhooks").await.expect(200).body["items"].as_array().map(Vec::len), Some(2));
}
