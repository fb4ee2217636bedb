//! Rates of keys: set, shown, removed, and obeyed by enqueued jobs.

use serde_json::json;

use crate::harness::Harness;

#[tokio::test]
async fn a_rate_of_keys_is_set_shown_and_removed() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let body = json!({"rate": "10/1s", "maxConcurrent": 5});
    let set = admin.put("/v1/rates/smtp:*", &body).await.expect(200);
    let expected = json!({"key": "smtp:*", "tenant": "default", "rate": "10/1s", "maxConcurrent": 5});
    assert_eq!(set.body, expected);
    let bucket = json!({"rate": {"starts": 5, "per": "1m", "burst": 2}});
    admin.put("/v1/rates/http%2Fa?tenant=acme", &bucket).await.expect(200);
    let shown = admin.get("/v1/rates").await.expect(200);
    let keys: Vec<_> =
        shown.body["items"].as_array().unwrap().iter().map(|rate| rate["key"].clone()).collect();
    assert_eq!(keys, ["http/a", "smtp:*"], "by tenant");
    assert_eq!(
        admin.get("/v1/rates?tenant=acme").await.expect(200).body["items"].as_array().unwrap().len(),
        1
    );
    for (path, body, pointer) in [
        ("/v1/rates/a*b", json!({"rate": "1/1s"}), "/key"),
        ("/v1/rates/a", json!({"rate": "often"}), "/rate"),
        ("/v1/rates/a", json!({}), "/rate"),
        ("/v1/rates/a", json!({"rate": "1/1s", "maxConcurrent": 4_000_000_000_u32}), "/maxConcurrent"),
    ] {
        assert_eq!(
            admin.put(path, &body).await.problem(422, "invalid").pointers(),
            [pointer],
            "{path} {body}"
        );
    }
    admin.delete("/v1/rates/smtp:*").await.expect(204);
    admin.delete("/v1/rates/smtp:*").await.expect(404);
}

#[tokio::test]
async fn a_job_with_a_rate_key_waits_and_says_why() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    admin.put("/v1/rates/a", &json!({"rate": "1/1h"})).await.expect(200);
    for _ in 0..2 {
        admin.post("/v1/jobs", &json!({"jobType": "mail", "rateKey": "a"})).await.expect(202);
    }
    let poll = json!({"workerId": "w", "jobTypes": ["mail"], "maxJobs": 10});
    let polled = admin.post("/v1/jobs/poll", &poll).await.expect(200);
    assert_eq!(polled.body["jobs"].as_array().unwrap().len(), 1);
    let listed = admin.get("/v1/jobs?rateKey=a&status=QUEUED").await.expect(200);
    let waiting = &listed.body["items"][0];
    assert_eq!(waiting["rateKey"], "a");
    let why = admin.get(&format!("/v1/jobs/{}/why", waiting["id"].as_str().unwrap())).await.expect(200);
    assert_eq!((&why.body["reason"], &why.body["rate"]), (&json!("rate_key"), &json!("1/1h")));
    assert!(why.body["canStartAt"].is_string());
}
