//! How long things are kept, for all and for a tenant, and what is seen of payloads that were dropped.

use domain::access::Role;
use domain::time::DurationMs;
use serde_json::json;

use crate::harness::Harness;

#[tokio::test]
async fn a_tenants_times_count_before_those_of_all() {
    let harness = Harness::start().await;
    let (admin, viewer) = (harness.admin(), harness.client(Role::Viewer, Some("acme")).await);
    let shown = viewer.get("/v1/tenants/acme/retention").await.expect(200).body;
    assert_eq!(
        shown["workflow-node"],
        json!({"completed": "3d", "failed": "30d", "cancelled": "3d", "payloads": null})
    );
    assert_eq!(shown["source"]["executions"], "settings");
    assert_eq!(shown["audit"], json!(null));
    admin
        .put("/v1/retention", &json!({"executions": "5d", "workflow-node": {"payloads": "90m"}}))
        .await
        .expect(200);
    let own = json!({"executions": "12d", "archive": "60d"});
    let set = admin.put("/v1/tenants/acme/retention", &own).await.expect(200).body;
    assert_eq!((&set["executions"], &set["effective"]["executions"]), (&json!("12d"), &json!("14d")));
    assert_eq!(set["source"]["executions"], "tenant");
    assert_eq!(set["source"]["workflow-node"]["payloads"], "deployment");
    assert_eq!(set["effective"]["workflow-node"]["payloads"], "6h");
    let gone = admin.put("/v1/tenants/acme/retention", &json!({"executions": null})).await.expect(200).body;
    assert_eq!((&gone["executions"], &gone["source"]["executions"]), (&json!("5d"), &json!("deployment")));
    let of_all = admin.get("/v1/retention").await.expect(200).body;
    assert_eq!((&of_all["archive"], &of_all["audit"]), (&json!("365d"), &json!("365d")));
    let lines = admin.get("/v1/audit?action=retention.set").await.expect(200).body;
    assert_eq!(lines["items"].as_array().map(Vec::len), Some(3));
}

#[tokio::test]
async fn what_is_wrong_or_not_allowed_is_refused() {
    let harness = Harness::start().await;
    let (admin, operator) = (harness.admin(), harness.client(Role::Operator, None).await);
    operator.put("/v1/retention", &json!({"archive": "1d"})).await.problem(403, "forbidden");
    let viewer = harness.client(Role::Viewer, Some("umbrella")).await;
    viewer.get("/v1/tenants/acme/retention").await.problem(404, "not_found");
    for (path, body, pointer) in [
        ("/v1/tenants/acme/retention", json!({"audit": "1d"}), "/audit"),
        ("/v1/retention", json!({"workflow-node": {"failed": "0s"}}), "/workflow-node/failed"),
        ("/v1/retention", json!({"workflow-node": {"failed": "soon"}}), "/workflow-node/failed"),
        ("/v1/retention", json!({"jobs": "1d"}), "/jobs"),
    ] {
        let refused = admin.put(path, &body).await;
        assert_eq!(refused.status, 422, "{body}");
        assert_eq!(refused.body["errors"][0]["pointer"], pointer, "{body}");
    }
}

#[tokio::test]
async fn a_job_says_that_its_payload_was_dropped() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let job = admin.post("/v1/jobs", &json!({"jobType": "x", "data": {"n": 1}})).await.expect(202).body;
    let taken = admin.take("x").await;
    let report =
        json!({"jobs": [{"id": taken["id"], "leaseToken": taken["leaseToken"], "result": {"ok": 1}}]});
    admin.post("/v1/jobs/complete", &report).await.expect(200);
    admin
        .put("/v1/tenants/default/retention", &json!({"workflow-node": {"payloads": "1h"}}))
        .await
        .expect(200);
    let path = format!("/v1/jobs/{}", job["id"].as_str().expect("an id"));
    harness.engine.engine.prune_tick().await.expect("prune works");
    let before = admin.get(&path).await.expect(200).body;
    assert_eq!((&before["data"], before.get("payloadDroppedAt")), (&json!({"n": 1}), None));
    harness.engine.clock.advance(DurationMs::from_secs(3_601));
    harness.engine.engine.prune_tick().await.expect("prune works");
    let after = admin.get(&path).await.expect(200).body;
    assert_eq!((&after["data"], after.get("result")), (&json!(null), None));
    assert!(after["payloadDroppedAt"].is_string(), "{after}");
}
