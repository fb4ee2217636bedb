//! Lines that handlers log: sent by themselves or with reports, and read by whoever may read the job.

use std::time::Duration;

use axum::body::Body;
use domain::access::Role;
use futures::StreamExt as _;
use serde_json::{Value, json};
use tower::ServiceExt as _;

use crate::harness::{Client, Harness};

fn item(job: &Value, name: &str, value: &Value) -> Value {
    json!({"jobs": [{"id": job["id"], "leaseToken": job["leaseToken"], name: value}]})
}

async fn taken(harness: &Harness, client: &Client) -> Value {
    let job = json!({"jobType": "l", "data": 1, "maxRetries": 1, "tenant": "acme"});
    harness.admin().post("/v1/jobs", &job).await.expect(202);
    client.take("l").await
}

#[tokio::test]
async fn lines_come_alone_and_with_every_report() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let job = taken(&harness, &admin).await;
    let path = format!("/v1/jobs/{}/logs", job["id"].as_str().expect("an id"));
    assert_eq!(admin.get(&path).await.expect(200).body, json!({"items": [], "nextCursor": null}));
    let line = |text: &str, sequence: u32| json!({"level": "info", "message": text, "sequence": sequence});
    let alone = item(
        &job,
        "lines",
        &json!([
            {"at": "2026-11-20T11:59:59.5Z", "level": "debug", "message": "a", "fields": {"n": 1}, "sequence": 1},
            line("b", 2),
        ]),
    );
    for _ in 0..2 {
        let answer = admin.post("/v1/jobs/logs", &alone).await.expect(200);
        assert_eq!(answer.body["results"][0]["outcome"], "ok");
    }
    admin.post("/v1/jobs/heartbeat", &item(&job, "logs", &json!([line("c", 3)]))).await.expect(200);
    let mut failure = item(&job, "logs", &json!([{"level": "error", "message": "d"}]));
    failure["jobs"][0]["error"] = json!("no");
    failure["jobs"][0]["retryAfter"] = json!("0s");
    admin.post("/v1/jobs/fail", &failure).await.expect(200);
    let second = admin.take("l").await;
    admin.post("/v1/jobs/complete", &item(&second, "logs", &json!([line("e", 1)]))).await.expect(200);
    let late =
        admin.post("/v1/jobs/complete", &item(&second, "logs", &json!([line("f", 2)]))).await.expect(200);
    assert_eq!(late.body["results"][0]["outcome"], "already_done");

    let all = admin.get(&path).await.expect(200);
    let messages = |body: &Value| -> Vec<String> {
        let items = body["items"].as_array().expect("a list");
        items
            .iter()
            .map(|line| format!("{} {}", line["attempt"], line["message"].as_str().unwrap_or("-")))
            .collect()
    };
    assert_eq!(messages(&all.body), ["1 a", "1 b", "1 c", "1 d", "2 e"]);
    assert_eq!(
        all.body["items"][0],
        json!({"at": "2026-11-20T11:59:59.500Z", "level": "debug", "message": "a", "fields": {"n": 1},
            "jobId": job["id"], "attempt": 1, "line": 1})
    );
    let first = admin.get(&format!("{path}?attempt=1&level=info&limit=2")).await.expect(200);
    assert_eq!(messages(&first.body), ["1 b", "1 c"]);
    let rest = admin.get(&format!("{path}?attempt=1&cursor={}", first.str("nextCursor"))).await.expect(200);
    assert_eq!(messages(&rest.body), ["1 d"]);
    let shown = admin.get(path.trim_end_matches("/logs")).await.expect(200);
    assert!(!shown.text.contains("\"logs\"") && !shown.text.contains("\"lines\""), "{}", shown.text);
}

/// What a tenant reports is taken all the same, and the lines of others in the same call are kept.
#[tokio::test]
async fn a_tenant_keeps_as_many_bytes_of_lines_as_it_may() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    admin.put("/v1/tenants/acme/quotas", &json!({"logBytes": 300})).await.expect(200);
    let job = taken(&harness, &admin).await;
    let lines = |count: usize| Value::from(vec![json!({"level": "info", "message": "m".repeat(22)}); count]);
    admin.post("/v1/jobs/logs", &item(&job, "lines", &lines(2))).await.expect(200);
    let one = item(&job, "lines", &lines(1));
    let refused = admin.post("/v1/jobs/logs", &one).await.problem(429, "quota_exceeded").body;
    let figures = (&refused["quota"], &refused["used"], &refused["limit"]);
    assert_eq!(figures, (&json!("logBytes"), &json!(300), &json!(300)));

    admin.post("/v1/jobs", &json!({"jobType": "l", "data": 1, "tenant": "umbrella"})).await.expect(202);
    let other = admin.take("l").await;
    let mut both = item(&other, "lines", &lines(1));
    both["jobs"].as_array_mut().expect("a list").push(one["jobs"][0].clone());
    admin.post("/v1/jobs/logs", &both).await.expect(200);
    let done = admin.post("/v1/jobs/complete", &item(&job, "logs", &lines(1))).await.expect(200);
    assert_eq!(done.body["results"][0]["outcome"], "ok");
    let log = async |job: &Value| {
        let path = format!("/v1/jobs/{}/logs", job["id"].as_str().expect("an id"));
        admin.get(&path).await.expect(200).body["items"].as_array().expect("a list").clone()
    };
    let (own, others) = (log(&job).await, log(&other).await);
    assert_eq!((own.len(), others.len()), (3, 1));
    let note = own[2]["message"].as_str().expect("a text");
    assert!(note.starts_with("2 more lines were dropped: the quota logBytes"), "{note}");
    testkit::eventually("all bytes are added up in time", || async {
        let usage = admin.get("/v1/tenants/acme/usage").await.expect(200);
        usage.body["logBytes"] == json!({"used": 300, "exact": true, "quota": 300})
    })
    .await;
}

#[tokio::test]
async fn lines_are_bounded_and_checked() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let job = taken(&harness, &admin).await;
    let lines = |count: usize| Value::from(vec![json!({"level": "info", "message": "x"}); count]);
    admin.post("/v1/jobs/logs", &item(&job, "lines", &lines(100))).await.expect(200);
    for (call, name) in [("logs", "lines"), ("heartbeat", "logs"), ("complete", "logs")] {
        let refused = admin.post(&format!("/v1/jobs/{call}"), &item(&job, name, &lines(101))).await;
        assert_eq!(refused.problem(422, "invalid").pointers(), ["/jobs"], "{call}");
    }
    for (line, pointer) in [
        (json!({"level": "loud", "message": "x"}), "/jobs/0/lines/0/level"),
        (json!({"level": "info", "message": "x", "fields": [1]}), "/jobs/0/lines/0/fields"),
        (json!({"level": "info", "message": 1}), "/jobs/0/lines/0/message"),
    ] {
        let refused = admin.post("/v1/jobs/logs", &item(&job, "lines", &json!([line]))).await;
        assert_eq!(refused.problem(422, "invalid").pointers(), [pointer]);
    }
    let odd = json!([{"level": "warn", "message": format!("a{}", "é".repeat(5_000)), "fields": {"a": 1}}]);
    admin.post("/v1/jobs/logs", &item(&job, "lines", &odd)).await.expect(200);
    let path = format!("/v1/jobs/{}/logs?level=warn", job["id"].as_str().expect("an id"));
    let kept = admin.get(&path).await.expect(200);
    let message = kept.body["items"][0]["message"].as_str().expect("a message");
    assert!(message.len() <= 8192 && message.starts_with("aé") && message.ends_with('…'), "{message}");
    admin.get(&format!("{path}&cursor=x")).await.problem(422, "invalid");
    admin.get("/v1/jobs/job_00000000000000000000000000/logs").await.problem(404, "not_found");
}

#[tokio::test]
async fn i13_lines_stay_within_the_tenant_and_its_roles() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let worker = harness.client(Role::Worker, Some("acme")).await;
    let job = taken(&harness, &worker).await;
    let body = item(&job, "lines", &json!([{"level": "info", "message": "x"}]));
    worker.post("/v1/jobs/logs", &body).await.expect(200);
    let path = format!("/v1/jobs/{}/logs", job["id"].as_str().expect("an id"));
    let viewer = harness.client(Role::Viewer, Some("acme")).await;
    assert_eq!(viewer.get(&path).await.expect(200).body["items"][0]["line"], 1);
    viewer.post("/v1/jobs/logs", &body).await.problem(403, "forbidden");
    let other = harness.client(Role::Admin, Some("umbrella")).await;
    other.get(&path).await.problem(404, "not_found");
    let answer = other.post("/v1/jobs/logs", &body).await.expect(200);
    assert_eq!(answer.body["results"][0]["outcome"], "lease_lost");
    assert_eq!(admin.get(&path).await.expect(200).body["items"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn who_follows_hears_of_new_lines() {
    let harness = Harness::start().await;
    let worker = harness.client(Role::Worker, Some("acme")).await;
    let job = taken(&harness, &worker).await;
    let viewer = harness.client(Role::Viewer, Some("acme")).await;
    let request = viewer.request("GET", "/v1/events", Body::empty());
    let response = harness.router.clone().oneshot(request).await.expect("routers do not fail");
    let mut events = response.into_body().into_data_stream();
    worker
        .post("/v1/jobs/logs", &item(&job, "lines", &json!([{"level": "info", "message": "x"}])))
        .await
        .expect(200);
    let expected = format!(r#"data: {{"kind":"job.logged","jobId":{}}}"#, job["id"]);
    let found = async {
        while let Some(event) = events.next().await {
            let text = String::from_utf8(event.expect("no error").to_vec()).expect("text");
            if text.contains(&expected) {
                return text;
            }
        }
        String::new()
    };
    let text = tokio::time::timeout(Duration::from_secs(20), found).await.expect("in time");
    assert!(text.contains("event: job.logged"), "{text}");
    harness.engine.engine.begin_shutdown();
}
