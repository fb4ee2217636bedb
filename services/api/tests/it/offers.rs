//! Workers that receive jobs from Kafka: accept, and report under the new token.

use domain::names::JobType;
use domain::time::DurationMs;
use serde_json::{Value, json};

use crate::harness::{Client, Harness};

/// Enqueues a job and offers it, as a relay does. Answers what its message would hold.
async fn offered(harness: &Harness, client: &Client, job_type: &str) -> Value {
    client.post("/v1/jobs", &json!({"jobType": job_type, "data": {}})).await.expect(202);
    let types = vec![JobType::trusted(job_type)];
    let jobs =
        harness.engine.engine.claim_offers(1, types, 1, DurationMs::from_secs(60)).await.expect("it claims");
    json!({"id": jobs[0].id.to_string(), "leaseToken": jobs[0].token.to_string()})
}

#[tokio::test]
async fn an_offered_job_is_accepted_once() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let offer = offered(&harness, &admin, "charge").await;
    let id = offer["id"].as_str().expect("an id").to_owned();
    let shown = admin.get(&format!("/v1/jobs/{id}")).await.expect(200);
    assert_eq!(shown.body["status"], "QUEUED");
    assert_eq!(shown.body["offeredUntil"], "2026-11-20T12:01:00.000Z");
    for absent in ["workerId", "leaseExpiresAt", "processedAt"] {
        assert!(shown.body.get(absent).is_none(), "{absent}");
    }
    let why = admin.get(&format!("/v1/jobs/{id}/why")).await.expect(200);
    assert_eq!(why.body["reason"], "offered");
    let scaling = admin.get("/v1/queues/workflow-node/scaling").await.expect(200).body;
    let figures = ["desired", "processing", "offered", "queued"];
    assert_eq!(figures.map(|name| scaling[name].as_u64()), [1, 0, 1, 0].map(Some), "{scaling}");

    let body = json!({"workerId": "w1", "jobs": [offer, offer]});
    let accepted = admin.post("/v1/jobs/accept", &body).await.expect(200);
    let first = &accepted.body["results"][0];
    assert_eq!(first["outcome"], "ok");
    assert_eq!(first["leaseExpiresAt"], "2026-11-20T12:00:30.000Z");
    assert_ne!(first["leaseToken"], offer["leaseToken"]);
    assert_eq!(accepted.body["results"][1], json!({"id": id, "outcome": "taken"}));
    let other = json!({"workerId": "w2", "jobs": [offer]});
    let duplicate = admin.post("/v1/jobs/accept", &other).await.expect(200);
    assert_eq!(duplicate.body["results"][0], json!({"id": id, "outcome": "taken"}));
    let stale = admin.post("/v1/jobs/complete", &json!({"jobs": [offer]})).await.expect(200);
    assert_eq!(stale.body["results"][0]["outcome"], "lease_lost");
    let report = json!({"jobs": [{"id": id, "leaseToken": first["leaseToken"]}]});
    let done = admin.post("/v1/jobs/complete", &report).await.expect(200);
    assert_eq!(done.body["results"][0]["outcome"], "ok");
    let late = admin.post("/v1/jobs/accept", &other).await.expect(200);
    assert_eq!(late.body["results"][0], json!({"id": id, "outcome": "already_done"}));
}

#[tokio::test]
async fn wrong_calls_are_refused() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let offer = offered(&harness, &admin, "charge").await;
    let table = [
        (json!({"workerId": "w"}), "/jobs"),
        (json!({"jobs": [offer]}), "/workerId"),
        (json!({"workerId": "w", "jobs": []}), "/jobs"),
        (json!({"workerId": "w", "jobs": [{"id": offer["id"]}]}), "/jobs/0/leaseToken"),
        (json!({"workerId": "trunkline-relay/1", "jobs": [offer]}), "/workerId"),
    ];
    for (body, pointer) in table {
        let refused = admin.post("/v1/jobs/accept", &body).await.expect(422);
        assert_eq!(refused.body["errors"][0]["pointer"], pointer, "{body}");
    }
    let poll = json!({"workerId": "trunkline-relay/1", "jobTypes": ["charge"]});
    let refused = admin.post("/v1/jobs/poll", &poll).await.expect(422);
    assert_eq!(refused.body["errors"][0]["pointer"], "/workerId");
}
