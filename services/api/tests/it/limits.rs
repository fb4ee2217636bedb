//! Limits of queues, tenants and workflows.

use serde_json::{Value, json};

use crate::harness::Harness;
use crate::workflows::register;

#[tokio::test]
async fn the_defaults_are_the_products() {
    let harness = Harness::start().await;
    let limits = harness.admin().get("/v1/limits").await.expect(200);
    assert_eq!(
        limits.body["workflow-execution"],
        json!({
            "maxConcurrent": 100, "source": "settings",
            "tenantMaxConcurrent": 10, "tenantSource": "settings",
            "workflowMaxConcurrent": 5, "workflowSource": "settings",
        })
    );
    assert_eq!(limits.body["workflow-node"]["maxConcurrent"], Value::Null);
    assert_eq!(limits.body.as_object().map(serde_json::Map::len), Some(4));
}

#[tokio::test]
async fn limits_are_set_and_removed() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let set = admin
        .put("/v1/limits", &json!({"workflow-node": {"maxConcurrent": 7, "tenantMaxConcurrent": 3}}))
        .await;
    let node = set.expect(200).body["workflow-node"].clone();
    assert_eq!((node["maxConcurrent"].as_u64(), node["source"].as_str()), (Some(7), Some("override")));
    assert_eq!(node["tenantMaxConcurrent"], 3);

    let tenant = admin.get("/v1/tenants/acme/limits").await.expect(200);
    assert_eq!(tenant.body["workflow-node"], json!({"maxConcurrent": 3, "source": "default"}));
    let tenant = admin
        .put("/v1/tenants/acme/limits", &json!({"workflow-node": {"maxConcurrent": 1}}))
        .await
        .expect(200);
    assert_eq!(tenant.body["workflow-node"], json!({"maxConcurrent": 1, "source": "override"}));
    let tenant = admin
        .put("/v1/tenants/acme/limits", &json!({"workflow-node": {"maxConcurrent": null}}))
        .await
        .expect(200);
    assert_eq!(tenant.body["workflow-node"]["maxConcurrent"], 3);

    let removed = admin.put("/v1/limits", &json!({"workflow-node": null})).await.expect(200);
    assert_eq!(removed.body["workflow-node"]["maxConcurrent"], Value::Null);
    assert_eq!(removed.body["workflow-node"]["tenantMaxConcurrent"], Value::Null);
}

#[tokio::test]
async fn a_workflow_has_its_definitions_limit_until_overridden() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    register(&admin, "limited").await;
    let limits = admin.get("/v1/workflows/limited/limits").await.expect(200);
    assert_eq!(limits.body["workflow-execution"], json!({"maxConcurrent": 4, "source": "definition"}));
    let body = json!({"workflow-execution": {"maxConcurrent": 2}});
    let limits = admin.put("/v1/workflows/limited/limits", &body).await.expect(200);
    assert_eq!(limits.body["workflow-execution"], json!({"maxConcurrent": 2, "source": "override"}));
    admin.get("/v1/workflows/unknown/limits").await.problem(404, "not_found");
}

#[tokio::test]
async fn a_limit_holds_a_job_back_and_says_so() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    admin.put("/v1/limits", &json!({"workflow-node": {"maxConcurrent": 1}})).await.expect(200);
    for n in 0..2 {
        admin.post("/v1/jobs", &json!({"jobType": "l", "data": n})).await.expect(202);
    }
    let held = admin.take("l").await;
    let list = admin.get("/v1/jobs?jobType=l&status=QUEUED").await.expect(200);
    let id = list.body["items"][0]["id"].as_str().expect("one waits").to_owned();
    let why = admin.get(&format!("/v1/jobs/{id}/why")).await.expect(200);
    assert_eq!(why.body["reason"], "limit_global");
    assert_eq!((why.body["limit"].as_u64(), why.body["running"].as_u64()), (Some(1), Some(1)));
    assert_eq!(why.body["holders"], json!([held["id"]]));
    assert_eq!(why.body["rank"], 0);
}
