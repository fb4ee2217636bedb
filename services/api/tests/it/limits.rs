//! Limits of queues, tenants and workflows.

use domain::access::Role;
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

/// Whoever looks at the limits of a queue sees that some tenants, workflows or job types have others.
#[tokio::test]
async fn what_is_set_for_one_tenant_is_shown_beside_the_limits_of_all() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let set = async |path: &str, limits: Value| {
        admin.put(path, &json!({ "workflow-node": limits })).await.expect(200);
    };
    set("/v1/limits", json!({"maxConcurrent": 7, "tenantMaxConcurrent": 3})).await;
    set("/v1/tenants/globex/limits", json!({"maxConcurrent": 1, "rate": "5/1s"})).await;
    set("/v1/tenants/acme/limits", json!({"rate": "9/1s"})).await;
    set("/v1/job-types/send-mail/limits", json!({"maxConcurrent": 2})).await;
    set("/v1/job-types/send-mail/limits?tenant=acme", json!({"maxConcurrent": 4})).await;
    let node = admin.get("/v1/limits").await.expect(200).body["workflow-node"].clone();
    let own = |tenant: &str, value: Value| {
        let mut own = value;
        own["tenant"] = json!(tenant);
        own
    };
    let expected = json!([
        {"jobType": "send-mail", "maxConcurrent": 2},
        own("acme", json!({"rate": "9/1s"})),
        own("acme", json!({"jobType": "send-mail", "maxConcurrent": 4})),
        own("globex", json!({"maxConcurrent": 1, "rate": "5/1s"})),
    ]);
    assert_eq!((&node["overrides"], &node["overrideCount"]), (&expected, &json!(4)), "{node}");
    let execution = admin.get("/v1/limits").await.expect(200).body["workflow-execution"].clone();
    assert_eq!(execution.get("overrides"), None);
    // A key of one tenant sees no other tenant's.
    let bound = harness.client(Role::Viewer, Some("acme")).await;
    let node = bound.get("/v1/limits").await.expect(200).body["workflow-node"].clone();
    let expected = json!([expected[0], expected[1], expected[2]]);
    assert_eq!((&node["overrides"], &node["overrideCount"]), (&expected, &json!(3)), "{node}");
    set("/v1/tenants/globex/limits", Value::Null).await;
    let node = admin.get("/v1/limits").await.expect(200).body["workflow-node"].clone();
    assert_eq!(node["overrideCount"], 3);
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
async fn rates_are_set_shown_and_removed() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let bucket = json!({"starts": 100, "per": "1m", "burst": 20});
    let body = json!({"workflow-node": {"rate": "100/1m", "tenantRate": bucket, "jobTypeRate": "7/1s"}});
    let node = admin.put("/v1/limits", &body).await.expect(200).body["workflow-node"].clone();
    assert_eq!((node["rate"].as_str(), node["rateSource"].as_str()), (Some("100/1m"), Some("override")));
    assert_eq!((&node["tenantRate"], node["jobTypeRate"].as_str()), (&bucket, Some("7/1s")));
    let tenant = admin.get("/v1/tenants/acme/limits").await.expect(200).body["workflow-node"].clone();
    assert_eq!((&tenant["rate"], tenant["rateSource"].as_str()), (&bucket, Some("default")));
    let of_type = json!({"workflow-node": {"maxConcurrent": 3, "rate": "5/1s"}});
    let shown = admin.put("/v1/job-types/send-mail/limits", &of_type).await.expect(200).body;
    let expected =
        json!({"maxConcurrent": 3, "source": "override", "rate": "5/1s", "rateSource": "override"});
    assert_eq!(shown, json!({"workflow-node": expected}));
    let removed = json!({"workflow-node": {"rate": null}});
    let shown = admin.put("/v1/job-types/send-mail/limits", &removed).await.expect(200).body;
    assert_eq!(
        (&shown["workflow-node"]["rate"], &shown["workflow-node"]["maxConcurrent"]),
        (&json!("7/1s"), &json!(3))
    );
    let shown =
        admin.put("/v1/job-types/send-mail/limits", &json!({"workflow-node": null})).await.expect(200).body;
    assert_eq!(shown["workflow-node"]["maxConcurrent"], Value::Null);
    let shown = admin.put("/v1/limits", &json!({"workflow-node": null})).await.expect(200).body;
    assert_eq!(shown["workflow-node"].get("rate"), None);
    let elsewhere = json!({"workflow-execution": {"rate": "5/1s"}});
    admin.put("/v1/job-types/send-mail/limits", &elsewhere).await.problem(422, "invalid");
    let wrong = json!({"workflow-node": {"rate": "100"}});
    let refused = admin.put("/v1/limits", &wrong).await.problem(422, "invalid");
    assert_eq!(refused.pointers(), ["/workflow-node/rate"]);
}

#[tokio::test]
async fn a_job_type_of_a_tenant_has_limits_of_its_own() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let path = "/v1/job-types/send-mail/limits";
    let own = format!("{path}?tenant=acme");
    let limits = json!({"workflow-node": {"maxConcurrent": 1, "rate": "5/1h"}});
    let shown = admin.put(&own, &limits).await.expect(200).body;
    let expected =
        json!({"maxConcurrent": 1, "source": "override", "rate": "5/1h", "rateSource": "override"});
    assert_eq!(shown, json!({"workflow-node": expected}));
    let of_all = admin.get(path).await.expect(200).body;
    assert_eq!(of_all["workflow-node"]["maxConcurrent"], Value::Null, "it is not for all tenants");
    for _ in 0..2 {
        admin
            .post("/v1/jobs", &json!({"jobType": "send-mail", "tenant": "acme", "data": {}}))
            .await
            .expect(202);
    }
    admin.take("send-mail").await;
    let list = admin.get("/v1/jobs?jobType=send-mail&status=QUEUED").await.expect(200);
    let id = list.body["items"][0]["id"].as_str().expect("one waits").to_owned();
    let why = admin.get(&format!("/v1/jobs/{id}/why")).await.expect(200).body;
    assert_eq!(why["reason"], "limit_tenant_job_type");
    let command = "trunkline limits set --job-type send-mail --tenant acme workflow-node 2";
    assert!(why["freesWhen"].as_str().is_some_and(|text| text.contains(command)), "{why}");
    admin.put(&own, &json!({"workflow-node": {"maxConcurrent": null, "rate": "1/1h"}})).await.expect(200);
    let why = admin.get(&format!("/v1/jobs/{id}/why")).await.expect(200).body;
    assert_eq!(why["reason"], "rate_tenant_job_type");
    admin.get(&format!("{path}?owner=acme")).await.problem(422, "invalid");
}

#[tokio::test]
async fn a_rate_holds_a_job_back_and_says_until_when() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    admin.put("/v1/limits", &json!({"workflow-node": {"rate": "1/1h"}})).await.expect(200);
    for n in 0..2 {
        admin.post("/v1/jobs", &json!({"jobType": "l", "data": n})).await.expect(202);
    }
    admin.take("l").await;
    let list = admin.get("/v1/jobs?jobType=l&status=QUEUED").await.expect(200);
    let id = list.body["items"][0]["id"].as_str().expect("one waits").to_owned();
    let why = admin.get(&format!("/v1/jobs/{id}/why")).await.expect(200);
    assert_eq!((why.body["reason"].as_str(), why.body["rate"].as_str()), (Some("rate_global"), Some("1/1h")));
    assert_eq!(why.body["rank"], 0);
    assert!(why.body["canStartAt"].as_str().is_some_and(|at| at.ends_with('Z')), "{:?}", why.body);
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
