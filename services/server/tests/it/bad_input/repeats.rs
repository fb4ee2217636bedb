//! `Idempotency-Key`: a repeat gets the first answer, another request is refused, a crowd makes one job.

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{Database, Server, on_both_databases};

on_both_databases!(idempotency_keys_are_kept_to_their_request);

/// How many calls with the same key are sent at once.
const CROWD: usize = 100;

async fn idempotency_keys_are_kept_to_their_request(database: Database) {
    let server = Server::start(&database).await;
    let client = server.client();
    let job = json!({"jobType": "once", "data": {"n": 1}});
    let call = |body: &Value| client.call(Method::POST, "/v1/jobs").idempotent("the-key").json(body);
    let first = call(&job).answer().await;
    assert_eq!((first.status, first.header("idempotency-replayed")), (202, None));
    let again = call(&job).answer().await;
    assert_eq!((again.status, again.header("idempotency-replayed")), (202, Some("true")));
    assert_eq!(again.json(), first.json());
    let problem = call(&json!({"jobType": "once", "data": {"n": 2}})).answer().await.problem(422);
    assert_eq!(problem["code"], "idempotency_key_reused");

    let crowd =
        (0..CROWD).map(|_| client.call(Method::POST, "/v1/jobs").idempotent("crowd").json(&job).answer());
    let mut ids = BTreeSet::new();
    for answer in futures::future::join_all(crowd).await {
        if answer.is_success() {
            ids.insert(answer.json()["id"].as_str().expect("an id").to_owned());
        } else {
            answer.problem(409);
            assert!(answer.header("retry-after").is_some());
        }
    }
    assert_eq!(ids.len(), 1);
    assert_eq!(client.all("/v1/jobs?queue=workflow-node").await.len(), 2);
}
