//! A caller over its rate is answered when to retry; others are not disturbed.

use serde_json::json;

use crate::harness::{Database, Server, on_both_databases};

on_both_databases!(a_caller_over_its_rate_learns_when_to_retry);

async fn a_caller_over_its_rate_learns_when_to_retry(database: Database) {
    let server = Server::start_with(&database, &[("TRUNKLINE_HTTP__RATE_LIMIT", "5/1h")]).await;
    let client = server.client();
    let made = client.post("/v1/api-keys", &json!({"name": "other", "role": "viewer"})).await;
    let other = client.with_key(made["key"].as_str());
    let mut answers = Vec::new();
    for _ in 0..6 {
        answers.push(client.try_get("/v1/queues").await);
    }
    let refused = answers.pop().expect("six answers");
    assert_eq!(refused.problem(429)["code"], "rate_limited");
    let wait = refused.header("retry-after").and_then(|text| text.parse::<u32>().ok());
    assert!(wait.is_some_and(|seconds| (1..=3_600).contains(&seconds)), "{wait:?}");
    assert!(other.try_get("/v1/queues").await.is_success(), "each key has its own rate");
    assert!(client.with_key(None).try_get("/healthz").await.is_success(), "health needs no key and no rate");
}
