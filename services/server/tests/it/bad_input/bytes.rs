//! Bodies that are not even JSON, too large or too deep, and callers without a key.

use reqwest::Method;
use serde_json::json;

use super::refusal::refused;
use crate::harness::{Client, Database, Server, on_both_databases};

on_both_databases!(
    bad_bytes_are_refused,
    other_media_types_and_callers_without_a_key_are_refused,
    odd_but_valid_data_is_carried_unaltered
);

const JSON: &str = "application/json";

/// Stands for any status below 500.
const ANY: u16 = 0;

/// What it is, the status (or ANY below 500), the body.
const BAD_TEXTS: [(&str, u16, &str); 9] = [
    ("nothing", 400, ""),
    ("no JSON", 400, "job please"),
    ("cut JSON", 400, r#"{"jobType": "a", "data": {"#),
    ("JSON and more", 400, r#"{"jobType": "a", "data": {}} {}"#),
    ("a comma too many", 400, r#"{"jobType": "a", "data": {},}"#),
    ("a lone surrogate", ANY, r#"{"jobType": "a", "data": "\ud800"}"#),
    ("a NUL", 422, r#"{"jobType": "a", "data": "\u0000"}"#),
    ("a number that fits nowhere", 422, r#"{"jobType": "a", "data": 1e400}"#),
    ("a field twice", ANY, r#"{"jobType": "a", "jobType": "b", "data": {}}"#),
];

async fn bad_bytes_are_refused(database: Database) {
    let server = Server::start(&database).await;
    let client = server.client();
    for (what, status, text) in BAD_TEXTS {
        is_refused(&client, what, status, text.as_bytes().to_vec()).await;
    }
    is_refused(&client, "invalid UTF-8", 400, b"{\"jobType\": \"a\xff\", \"data\": {}}".to_vec()).await;
    let deep = format!(r#"{{"jobType":"a","data":{}{}}}"#, "[".repeat(10_000), "]".repeat(10_000));
    is_refused(&client, "10,000 levels", ANY, deep.into_bytes()).await;
    for (what, status, bytes) in [("2 MiB of data", ANY, 2 << 20), ("40 MiB", 413, 40 << 20)] {
        let large = format!(r#"{{"jobType":"a","data":"{}"}}"#, "x".repeat(bytes));
        is_refused(&client, what, status, large.into_bytes()).await;
    }
    assert_eq!(client.all("/v1/jobs?queue=workflow-node").await.len(), 0, "nothing was stored");
}

async fn is_refused(client: &Client, what: &str, status: u16, body: Vec<u8>) {
    let call = client.call(Method::POST, "/v1/jobs").bytes(body, JSON);
    let Ok(answer) = call.send().await else {
        // A body that is refused before it was read may end the connection while it is sent.
        assert_eq!(status, 413, "{what}: no answer");
        return;
    };
    refused(what, &answer);
    assert!(status == ANY || answer.status == status, "{what}: {} {}", answer.status, answer.text);
}

async fn other_media_types_and_callers_without_a_key_are_refused(database: Database) {
    let server = Server::start(&database).await;
    let client = server.client();
    let job = json!({"jobType": "a", "data": {}});
    for media_type in ["text/plain", "application/x-www-form-urlencoded"] {
        let call = client.call(Method::POST, "/v1/jobs").bytes(job.to_string().into_bytes(), media_type);
        call.answer().await.problem(415);
    }
    for key in [None, Some("tl_wrong"), Some("x y")] {
        client.with_key(key).try_post("/v1/jobs", &job).await.problem(401);
    }
    let nobody = client.with_key(None);
    let basic = nobody.call(Method::GET, "/v1/jobs").header("authorization", "Basic dXNlcjpwdw==");
    basic.answer().await.problem(401);
    assert_eq!(client.all("/v1/jobs?queue=workflow-node").await.len(), 0, "nothing was stored");
}

async fn odd_but_valid_data_is_carried_unaltered(database: Database) {
    let server = Server::start(&database).await;
    let client = server.client();
    let data = r#"{"z":1,"a":[1e300,123456789012345678901234567890,-0.0],"é\n":"\ud83d\ude00"}"#;
    let body = format!(r#"{{"jobType":"odd","data":{data}}}"#);
    let id = client.call(Method::POST, "/v1/jobs").bytes(body.into_bytes(), JSON).done().await["id"].clone();
    let polled = client.try_post("/v1/jobs/poll", &json!({"workerId": "w", "jobTypes": ["odd"]})).await;
    assert!(polled.text.contains(data), "{id}: {}", polled.text);
    let shown = client.try_get(&format!("/v1/jobs/{}", id.as_str().expect("an id"))).await;
    assert!(shown.text.contains(data), "{id}: {}", shown.text);
}
