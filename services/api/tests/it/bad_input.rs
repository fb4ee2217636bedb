//! Bad input is a 4xx that points at the fault, never a 500, and stores nothing.

use api::ApiOptions;
use axum::body::Body;
use serde_json::json;

use crate::harness::Harness;

/// Body, status, code, pointer of the first fault (empty where there is none).
type Row = (&'static [u8], u16, &'static str, &'static str);

const ROWS: &[Row] = &[
    (br#"{"jobType":"t","data":1,"colour":"red"}"#, 422, "invalid", "/colour"),
    (br#"{"data":1}"#, 422, "invalid", "/jobType"),
    (br#"{"jobType":null,"data":1}"#, 422, "invalid", "/jobType"),
    (br#"{"jobType":5,"data":1}"#, 422, "invalid", "/jobType"),
    (br#"{"jobType":"","data":1}"#, 422, "invalid", "/jobType"),
    (br#"{"jobType":"trunkline:http","data":1}"#, 422, "invalid", "/jobType"),
    (br#"{"jobType":"t","data":1,"priority":"urgent"}"#, 422, "invalid", "/priority"),
    (br#"{"jobType":"t","data":1,"priority":1}"#, 422, "invalid", "/priority"),
    (br#"{"jobType":"t","data":1,"delay":30}"#, 422, "invalid", "/delay"),
    (br#"{"jobType":"t","data":1,"delay":"30"}"#, 422, "invalid", "/delay"),
    (br#"{"jobType":"t","data":1,"delay":"-1s"}"#, 422, "invalid", "/delay"),
    (br#"{"jobType":"t","data":1,"delay":"99999999999d"}"#, 422, "invalid", "/delay"),
    (br#"{"jobType":"t","data":1,"runAt":"tomorrow"}"#, 422, "invalid", "/runAt"),
    (br#"{"jobType":"t","data":1,"runAt":"2026-01-01T00:00:00Z","delay":"1s"}"#, 422, "invalid", "/delay"),
    (br#"{"jobType":"t","data":1,"maxRetries":-1}"#, 422, "invalid", "/maxRetries"),
    (br#"{"jobType":"t","data":1,"maxRetries":1.5}"#, 422, "invalid", "/maxRetries"),
    (br#"{"jobType":"t","data":1,"maxRetries":99999999999}"#, 422, "invalid", "/maxRetries"),
    (br#"{"jobType":"t","data":1,"timeout":"0s"}"#, 422, "invalid", "/timeout"),
    (br#"{"jobType":"t","data":1,"backoff":{"factor":0}}"#, 422, "invalid", "/backoff/factor"),
    (br#"{"jobType":"t","data":1,"backoff":{"speed":1}}"#, 422, "invalid", "/backoff/speed"),
    (br#"{"jobType":"t","data":1,"tags":"x"}"#, 422, "invalid", "/tags"),
    (br#"{"jobType":"t","data":1,"tags":["x",""]}"#, 422, "invalid", "/tags/1"),
    (br#"{"jobType":"t","data":1,"tenant":"no spaces"}"#, 422, "invalid", "/tenant"),
    (br#"{"jobType":"t","data":{"a":["\u0000"]}}"#, 422, "invalid", "/data/a/0"),
    (br#"{"jobType":"t\u0000","data":1}"#, 422, "invalid", "/jobType"),
    (br#"{"jobType":"t","data":{"a":"\ud800"}}"#, 422, "invalid", "/data/a"),
    (br#"{"jobType":"t","data":{"n":1e400}}"#, 422, "invalid", "/data/n"),
    (br#"{"jobType":"t","data":1,"maxRetries":1e400}"#, 422, "invalid", "/maxRetries"),
    (b"[]", 422, "invalid", ""),
    (b"null", 422, "invalid", ""),
    (b"\"x\"", 422, "invalid", ""),
    (b"", 400, "malformed_json", ""),
    (b"{", 400, "malformed_json", ""),
    (br#"{"jobType":"t","data":1,}"#, 400, "malformed_json", ""),
    (br#"{"jobType":"t","data":1} x"#, 400, "malformed_json", ""),
    (br#"{"jobType":"t","data":NaN}"#, 400, "malformed_json", ""),
    (b"{\"jobType\":\"t\0\",\"data\":1}", 400, "malformed_json", ""),
    (b"{\"jobType\":\"\xff\xfe\",\"data\":1}", 400, "malformed_json", ""),
    (b"\xef\xbb\xbf{\"jobType\":\"t\",\"data\":1}", 400, "malformed_json", ""),
];

#[tokio::test]
async fn bad_jobs_are_refused_with_a_pointer() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    for &(body, status, code, pointer) in ROWS {
        let shown = String::from_utf8_lossy(body);
        let answer = admin.send(admin.request("POST", "/v1/jobs", body)).await;
        assert_eq!(answer.status.as_u16(), status, "{shown}: {}", answer.text);
        assert!(!answer.text.contains("struct"), "the answer speaks of our code: {}", answer.text);
        let answer = answer.problem(status, code);
        let expected: &[&str] = if status == 400 { &[] } else { &[pointer] };
        assert_eq!(answer.pointers(), expected, "{shown}: {}", answer.text);
    }
    assert_eq!(admin.get("/v1/jobs").await.expect(200).body["items"], json!([]), "nothing was stored");
}

#[tokio::test]
async fn deep_json_is_refused_without_recursion() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let job = |levels: usize| {
        let (open, close) = ("[".repeat(levels), "]".repeat(levels));
        format!(r#"{{"jobType":"t","data":{open}{close}}}"#)
    };
    for body in [job(64), job(10_000), "[".repeat(10_000), "{\"a\":".repeat(100_000)] {
        let answer = admin.send(admin.request("POST", "/v1/jobs", body)).await.problem(422, "invalid");
        assert!(answer.str("detail").contains("64 levels"), "{}", answer.text);
    }
    admin.send(admin.request("POST", "/v1/jobs", job(63))).await.expect(202);
}

#[tokio::test]
async fn malformed_json_has_line_and_column() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let answer = admin
        .send(admin.request("POST", "/v1/jobs", "{\n \"jobType\": }"))
        .await
        .problem(400, "malformed_json");
    assert!(answer.str("detail").contains("line 2 column"), "{}", answer.text);
}

#[tokio::test]
async fn bodies_are_bounded_and_typed() {
    let harness = Harness::with(ApiOptions { max_body_bytes: 1_000, ..ApiOptions::default() }).await;
    let admin = harness.admin();
    let large = json!({"jobType": "t", "data": "x".repeat(2_000)});
    admin.post("/v1/jobs", &large).await.problem(413, "body_too_large");
    admin.post_once("/v1/jobs", "k", &large).await.problem(413, "body_too_large");
    let chunks = futures::stream::iter((0..20).map(|_| Ok::<_, std::io::Error>("x".repeat(100))));
    admin
        .send(admin.request("POST", "/v1/jobs", Body::from_stream(chunks)))
        .await
        .problem(413, "body_too_large");
    let broken = futures::stream::iter([Ok("{"), Err(std::io::Error::other("reset"))]);
    admin
        .send(admin.request("POST", "/v1/jobs", Body::from_stream(broken)))
        .await
        .problem(400, "body_incomplete");
    for media_type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"] {
        for uri in ["/v1/jobs", "/v1/workflows"] {
            let mut request = admin.request("POST", uri, r#"{"jobType":"t","data":1}"#);
            request.headers_mut().insert("content-type", media_type.parse().expect("a header"));
            admin.send(request).await.problem(415, "unsupported_media_type");
        }
    }
    let mut request = admin.request("POST", "/v1/jobs", r#"{"jobType":"t","data":1}"#);
    request
        .headers_mut()
        .insert("content-type", "application/json; charset=utf-8".parse().expect("a header"));
    admin.send(request).await.expect(202);
}

#[tokio::test]
async fn query_parameters_are_checked() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    for (uri, pointer) in [
        ("/v1/jobs?limit=501", "/limit"),
        ("/v1/jobs?limit=0", "/limit"),
        ("/v1/jobs?limit=-1", "/limit"),
        ("/v1/jobs?limit=ten", "/limit"),
        ("/v1/jobs?limit=99999999999", "/limit"),
        ("/v1/jobs?cursor=x", "/cursor"),
        ("/v1/jobs?cursor=exe_00000000000000000000000000000001", "/cursor"),
        ("/v1/jobs?status=DONE", "/status"),
        ("/v1/jobs?queue=main", "/queue"),
        ("/v1/jobs?priority=urgent", "/priority"),
        ("/v1/jobs?tag=%00", "/tag"),
        ("/v1/jobs?tenant=%20", "/tenant"),
        ("/v1/jobs?colour=red", "/colour"),
        ("/v1/executions?correlationId=%00", "/correlationId"),
        ("/v1/executions?status=QUEUED", "/status"),
        ("/v1/dead-letters?from=yesterday", "/from"),
        ("/v1/dead-letters?fingerprint=%00", "/fingerprint"),
        ("/v1/dead-letters?reason=bored", "/reason"),
        ("/v1/workflows?cursor=%00", "/cursor"),
        ("/v1/workflows/x/versions?cursor=a", "/cursor"),
        ("/v1/audit?limit=501", "/limit"),
        ("/v1/api-keys?limit=501", "/limit"),
        ("/v1/tenants?limit=501", "/limit"),
        ("/v1/workers?limit=501", "/limit"),
    ] {
        let answer = admin.get(uri).await.problem(422, "invalid");
        assert_eq!(answer.pointers(), [pointer], "{uri}");
    }
    admin.get("/v1/queues?colour=red").await.problem(422, "invalid");
    admin.get("/v1/jobs?limit=500").await.expect(200);
}

#[tokio::test]
async fn calls_without_a_body_refuse_one_with_content() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    admin.post("/v1/queues/workflow-node/resume", &json!({})).await.expect(200);
    let refused =
        admin.post("/v1/queues/workflow-node/resume", &json!({"force": true})).await.problem(422, "invalid");
    assert_eq!(refused.pointers(), ["/force"]);
}
