//! `/v1/tenants/{tenant}/encryption` without keys in the settings. With keys it is shown in the tests of the engine and the binary.

use domain::access::Role;
use serde_json::json;

use crate::harness::Harness;

#[tokio::test]
async fn encryption_needs_keys_and_an_administrator() {
    let harness = Harness::start().await;
    let (admin, path) = (harness.admin(), "/v1/tenants/acme/encryption");
    let shown = admin.get(path).await.expect(200);
    assert_eq!(shown.body, json!({"enabled": false, "keys": []}));
    admin.put(path, &json!({"enabled": true})).await.problem(409, "encryption_needs_keys");
    admin.put(path, &json!({"enabled": false})).await.expect(200);
    admin.put(path, &json!({})).await.problem(422, "invalid");
    admin.post(&format!("{path}/rotate"), &json!({})).await.problem(409, "encryption_disabled");
    let bound = harness.client(Role::Operator, Some("acme")).await;
    bound.get(path).await.expect(200);
    bound.put(path, &json!({"enabled": true})).await.problem(403, "forbidden");
    let elsewhere = harness.client(Role::Viewer, Some("umbrella")).await;
    elsewhere.get(path).await.problem(404, "not_found");
}
