//! Bodies that are not even JSON, too large or too deep, and callers without a key.

use reqwest::Method;
use serde_json::json;

use super::refusal::refused;
use crate::harness::{Database, Server, on_both_databases};

on_both_databases!(bad_bytes_are_refused, odd_but_valid_data_is_carried_unaltered);

const JSON: &str = "application/json";

/// Stands for any status below 500.
const ANY: u16 = 0;

async fn bad_bytes_are_refused(database: Database) {
    let server = Server::start(&database).await;
    let client = server.client();
    let deep = |depth: usize| {
        format!(
            "{{\"jobType\":\"a\",\"data\":{}{}}}",
            "[".repeat(depth),
            "]".repeat(depth)
        )
    };
    let large = |bytes: usize| format!("{{\"jobType\":\"a\",\"data\":\"{}\"}}", "x".repeat(bytes));
    let bodies: [(&str, Vec<u8>, u16); 13] = [
        ("nothing", b"".to_vec(), 400),
        ("no JSON", b"job please".to_vec(), 400),
        ("cut JSON", b"{\"jobType\": \"a\", \"data\": {".to_vec(), 400),
        (
            "JSON and more",
            b"{\"jobType\": \"a\", \"data\": {}} {}".to_vec(),
            400,
        ),
        (
            "a comma too many",
            b"{\"jobType\": \"a\", \"data\": {},}".to_vec(),
            400,
        ),
        (
            "invalid UTF-8",
            b"{\"jobType\": \"a\xff\", \"data\": {}}".to_vec(),
            400,
        ),
        (
            "a lone surrogate",
            b"{\"jobType\": \"a\", \"data\": \"\\ud800\"}".to_vec(),
            ANY,
        ),
        (
            "a NUL",
            b"{\"jobType\": \"a\", \"data\": \"\\u0000\"}".to_vec(),
            422,
        ),
        (
            "a number that fits nowhere",
            b"{\"jobType\": \"a\", \"data\": 1e400}".to_vec(),
            422,
        ),
        (
            "a field twice",
            b"{\"jobType\": \"a\", \"jobType\": \"b\", \"data\": {}}".to_vec(),
            ANY,
        ),
        ("10,000 levels", deep(10_000).into_bytes(), ANY),
        ("2 MiB of data", large(2 << 20).into_bytes(), ANY),
        ("40 MiB", large(40 << 20).into_bytes(), 413),
    ];
    for (what, body, status) in bodies {
        let Ok(answer) = client
            .call(Method::POST, "/v1/jobs")
            .bytes(body, JSON)
            .send()
            .await
        else {
            // A body that is refused before it was read may end the connection while it is sent.
            assert_eq!(status, 413, "{what}: no answer");
            continue;
        };
        refused(what, &answer);
        assert!(
            status == ANY || answer.status == status,
            "{what}: {} {}",
            answer.status,
            answer.text
        );
    }
    let job = json!({"jobType": "a", "data": {}});
    for media_type in ["text/plain", "application/x-www-form-urlencoded"] {
        let call = client
            .call(Method::POST, "/v1/jobs")
            .bytes(job.to_string().into_bytes(), media_type);
        call.answer().await.problem(415);
    }
    for key in [None, Some("tl_wrong"), Some("x y")] {
        client.with_key(key).try_post("/v1/jobs", &job).await.problem(401);
    }
    let basic = client
        .with_key(None)
        .call(Method::GET, "/v1/jobs")
        .header("authorization", "Basic dXNlcjpwdw==");
    basic.answer().await.problem(401);
    assert_eq!(client.all("/v1/jobs").await.len(), 0, "nothing was stored");
}

async fn odd_but_valid_data_is_carried_unaltered(database: Database) {
    let server = Server::start(&database).await;
    let client = server.client();
    let data = r#"{"z":1,"a":[1e300,123456789012345678901234567890,-0.0],"é\n":"\ud83d\ude00"}"#;
    let body = format!(r#"{{"jobType":"odd","data":{data}}}"#);
    let id = client
        .call(Method::POST, "/v1/jobs")
        .bytes(body.into_bytes(), JSON)
        .done()
        .await["id"]
        .clone();
    let polled = client
        .try_post("/v1/jobs/poll", &json!({"workerId": "w", "jobTypes": ["odd"]}))
        .await;
    assert!(polled.text.contains(data), "{id}: {}", polled.text);
    let shown = client
        .try_get(&format!("/v1/jobs/{}", id.as_str().expect("an id")))
        .await;
    assert!(shown.text.contains(data), "{id}: {}", shown.text);
}
