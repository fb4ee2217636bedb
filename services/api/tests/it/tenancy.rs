//! A key that is bound to a tenant never sees or touches another's data.

use domain::access::Role;
use serde_json::json;

use crate::harness::Harness;

#[tokio::test]
async fn i13_a_bound_key_sees_its_own_tenant_only() {
    let harness = Harness::start().await;
    let acme = harness.client(Role::Operator, Some("acme")).await;
    let umbrella = harness.client(Role::Operator, Some("umbrella")).await;
    let job = json!({"jobType": "t", "data": 1});
    let id = acme.post("/v1/jobs", &job).await.expect(202).str("id").to_owned();
    assert_eq!(acme.get(&format!("/v1/jobs/{id}")).await.expect(200).str("tenant"), "acme");

    for uri in [format!("/v1/jobs/{id}"), format!("/v1/jobs/{id}/why"), "/v1/tenants/acme/limits".to_owned()]
    {
        umbrella.get(&uri).await.problem(404, "not_found");
    }
    for verb in ["cancel", "retry"] {
        umbrella.act(&format!("/v1/jobs/{id}/{verb}")).await.problem(404, "not_found");
    }
    assert_eq!(umbrella.get("/v1/jobs").await.expect(200).body["items"], json!([]));
    assert_eq!(umbrella.get("/v1/jobs?tenant=acme").await.expect(200).body["items"], json!([]));
    assert_eq!(umbrella.get("/v1/queues/workflow-node").await.expect(200).body["queued"], 0);
}

#[tokio::test]
async fn i13_a_bound_key_changes_nothing_of_others() {
    let harness = Harness::start().await;
    let acme = harness.client(Role::Operator, Some("acme")).await;
    let umbrella = harness.client(Role::Operator, Some("umbrella")).await;
    let job = json!({"jobType": "t", "data": 1});
    let id = acme.post("/v1/jobs", &job).await.expect(202).str("id").to_owned();
    let foreign = json!({"jobType": "t", "data": 1, "tenant": "acme"});
    umbrella.post("/v1/jobs", &foreign).await.problem(403, "forbidden");
    umbrella
        .put("/v1/tenants/acme/limits", &json!({"workflow-node": {"maxConcurrent": 0}}))
        .await
        .problem(403, "forbidden");
    umbrella
        .put("/v1/limits", &json!({"workflow-node": {"maxConcurrent": 0}}))
        .await
        .problem(403, "forbidden");
    umbrella.act("/v1/queues/workflow-node/pause").await.problem(403, "forbidden");
    let poll = json!({"workerId": "w", "jobTypes": ["t"], "tenant": "acme"});
    umbrella.post("/v1/jobs/poll", &poll).await.problem(403, "forbidden");

    let poll = json!({"workerId": "w", "jobTypes": ["t"]});
    assert_eq!(umbrella.post("/v1/jobs/poll", &poll).await.expect(200).body["jobs"], json!([]));
    let leased = acme.take("t").await;
    let report = json!({"jobs": [{"id": id, "leaseToken": leased["leaseToken"]}]});
    for call in ["complete", "heartbeat"] {
        let answer = umbrella.post(&format!("/v1/jobs/{call}"), &report).await.expect(200);
        assert_eq!(answer.body["results"][0]["outcome"], "lease_lost", "{call}");
    }
    let answer = acme.post("/v1/jobs/complete", &report).await.expect(200);
    assert_eq!(answer.body["results"][0]["outcome"], "ok");
}
