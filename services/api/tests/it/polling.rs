//! Workers: poll, complete, fail, heartbeat, release.

use serde_json::{Value, json};
use tower::ServiceExt as _;

use crate::harness::{Client, Harness};

const FOREIGN_TOKEN: &str = "00000000-0000-4000-8000-000000000001";

async fn enqueue(client: &Client, job_type: &str) -> String {
    let job = json!({"jobType": job_type, "data": {"n": 1}, "maxRetries": 1});
    client.post("/v1/jobs", &job).await.expect(202).str("id").to_owned()
}

fn report(job: &Value, more: &Value) -> Value {
    let mut item = json!({"id": job["id"], "leaseToken": job["leaseToken"]});
    for (name, value) in more.as_object().expect("an object") {
        item[name] = value.clone();
    }
    json!({"jobs": [item]})
}

#[tokio::test]
async fn a_worker_takes_and_completes_a_job() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let id = enqueue(&admin, "w").await;
    let job = admin.take("w").await;
    assert_eq!(job["id"], id.as_str());
    assert_eq!(job["jobType"], "w");
    assert_eq!(job["data"], json!({"n": 1}));
    assert_eq!(job["attempt"], 1);
    assert_eq!(job["tenant"], "default");
    assert_eq!(job["maxRetries"], 1);
    assert_eq!(job["idempotencyKey"], id.as_str());
    for absent in ["deadline", "lastError", "progress"] {
        assert!(job.get(absent).is_none(), "{absent}");
    }
    assert_eq!(job["leaseExpiresAt"], "2026-11-20T12:00:30.000Z");
    assert!(job["leaseToken"].is_string());

    let done = report(&job, &json!({"result": {"ok": true}}));
    let answer = admin.post("/v1/jobs/complete", &done).await.expect(200);
    assert_eq!(answer.body, json!({"results": [{"id": id, "outcome": "ok"}]}));
    let again = admin.post("/v1/jobs/complete", &done).await.expect(200);
    assert_eq!(again.body["results"][0]["outcome"], "already_done");
    let shown = admin.get(&format!("/v1/jobs/{id}")).await.expect(200);
    assert_eq!(shown.body["status"], "COMPLETED");
    assert_eq!(shown.body["result"], json!({"ok": true}));
    let attempt = &shown.body["attempts"][0];
    assert_eq!(attempt["attemptNumber"], 1);
    assert_eq!(attempt["status"], "COMPLETED");
    assert_eq!(attempt["durationMs"], 0);
    assert_eq!(attempt["workerId"], "tester");
}

#[tokio::test]
async fn failures_are_objects_or_strings() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let id = enqueue(&admin, "f").await;
    let job = admin.take("f").await;
    let error = json!({"message": "no disk", "code": "disk", "details": {"free": 0}});
    let failed =
        admin.post("/v1/jobs/fail", &report(&job, &json!({"error": error, "retryAfter": "0s"}))).await;
    assert_eq!(failed.expect(200).body["results"][0]["outcome"], "ok");
    let shown = admin.get(&format!("/v1/jobs/{id}")).await.expect(200);
    assert_eq!(shown.body["error"], error);
    harness.engine.engine.promote_tick().await.expect("promotes");

    let job = admin.take("f").await;
    assert_eq!(job["attempt"], 2);
    let failed =
        admin.post("/v1/jobs/fail", &report(&job, &json!({"error": "gone", "retryable": true}))).await;
    assert_eq!(failed.expect(200).body["results"][0]["outcome"], "ok");
    let shown = admin.get(&format!("/v1/jobs/{id}")).await.expect(200);
    assert_eq!(shown.body["status"], "DEAD_LETTER");
    assert_eq!(shown.body["error"], json!({"message": "gone"}));
    assert_eq!(shown.body["attempts"].as_array().map(Vec::len), Some(2));
}

#[tokio::test]
async fn leases_are_renewed() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let id = enqueue(&admin, "h").await;
    let job = admin.take("h").await;
    let beat = report(&job, &json!({"extend": "1m", "progress": {"percent": 40}}));
    let answer = admin.post("/v1/jobs/heartbeat", &beat).await.expect(200);
    let expected = json!({"id": id, "outcome": "ok", "leaseExpiresAt": "2026-11-20T12:01:00.000Z"});
    assert_eq!(answer.body["results"][0], expected);
    let shown = admin.get(&format!("/v1/jobs/{id}")).await.expect(200);
    assert_eq!(shown.body["progress"], json!({"percent": 40}));
    assert_eq!(shown.body["workerId"], "tester");
}

#[tokio::test]
async fn lost_leases_are_outcomes_and_not_errors() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let id = enqueue(&admin, "x").await;
    let job = admin.take("x").await;
    let unknown = "job_00000000000000000000000000000001";
    let jobs = json!({"jobs": [
        {"id": unknown, "leaseToken": FOREIGN_TOKEN},
        {"id": id, "leaseToken": FOREIGN_TOKEN},
        {"id": id, "leaseToken": job["leaseToken"]},
    ]});
    let answer = admin.post("/v1/jobs/complete", &jobs).await.expect(200);
    let outcomes: Vec<&str> = answer.body["results"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|result| result["outcome"].as_str())
        .collect();
    assert_eq!(outcomes, ["lease_lost", "lease_lost", "ok"]);
    let beat = admin.post("/v1/jobs/heartbeat", &report(&job, &json!({}))).await.expect(200);
    assert_ne!(beat.body["results"][0]["outcome"], "ok");
}

#[tokio::test]
async fn faults_in_reports_have_a_place() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let good = json!({"id": "job_00000000000000000000000000000001", "leaseToken": FOREIGN_TOKEN});
    let with = |name: &str, value: Value| {
        let mut item = good.clone();
        item[name] = value;
        json!({"jobs": [good, item]})
    };
    for (call, body, pointers) in [
        ("complete", with("id", json!("job_1")), vec!["/jobs/1/id"]),
        ("complete", with("leaseToken", json!("zzz")), vec!["/jobs/1/leaseToken"]),
        ("complete", json!({"jobs": [{}]}), vec!["/jobs/0/id", "/jobs/0/leaseToken"]),
        ("complete", json!({}), vec!["/jobs"]),
        ("fail", with("error", json!({"code": "x"})), vec!["/jobs/1/error"]),
        ("fail", with("error", json!({"message": "x", "colour": 1})), vec!["/jobs/1/error/colour"]),
        ("fail", with("error", json!(7)), vec!["/jobs/1/error"]),
        ("fail", json!({"jobs": [good]}), vec!["/jobs/0/error"]),
        ("heartbeat", with("extend", json!(30)), vec!["/jobs/1/extend"]),
    ] {
        let answer = admin.post(&format!("/v1/jobs/{call}"), &body).await.problem(422, "invalid");
        assert_eq!(answer.pointers(), pointers, "{call} {body}");
    }
}

#[tokio::test]
async fn polls_are_checked_and_wait() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let missing = admin.post("/v1/jobs/poll", &json!({})).await.problem(422, "invalid");
    assert_eq!(missing.pointers(), ["/workerId", "/jobTypes"]);
    let empty = json!({"workerId": "w", "jobTypes": ["late"]});
    assert_eq!(admin.post("/v1/jobs/poll", &empty).await.expect(200).body, json!({"jobs": []}));

    let waiting = {
        let admin = admin.clone();
        tokio::spawn(async move {
            let poll = json!({"workerId": "w", "jobTypes": ["late"], "wait": "20s"});
            admin.post("/v1/jobs/poll", &poll).await
        })
    };
    let id = enqueue(&admin, "late").await;
    let answer = waiting.await.expect("no panic").expect(200);
    assert_eq!(answer.body["jobs"][0]["id"], id.as_str());
}

/// A report, and a poll for the next job of this type.
fn report_and_poll(job: &Value, more: &Value, poll: Value) -> Value {
    let mut body = report(job, more);
    body["poll"] = poll;
    body
}

#[tokio::test]
async fn a_report_may_poll_next() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let ids = [enqueue(&admin, "w").await, enqueue(&admin, "w").await];
    let poll = || json!({"workerId": "w", "jobTypes": ["w"]});
    let first = admin.take("w").await;
    let done = report_and_poll(&first, &json!({"result": 1}), poll());
    let answer = admin.post("/v1/jobs/complete", &done).await.expect(200);
    assert_eq!(answer.body["results"], json!([{"id": ids[0], "outcome": "ok"}]));
    let second = answer.body["jobs"][0].clone();
    assert_eq!((&second["id"], &second["attempt"]), (&json!(ids[1]), &json!(1)));
    // A failure polls as well. Its own job waits for its backoff.
    let failed = report_and_poll(&second, &json!({"error": "no disk"}), poll());
    let answer = admin.post("/v1/jobs/fail", &failed).await.expect(200);
    assert_eq!(answer.body, json!({"results": [{"id": ids[1], "outcome": "ok"}], "jobs": []}));
}

#[tokio::test]
async fn a_wrong_poll_leaves_the_report_undone() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    enqueue(&admin, "w").await;
    let job = admin.take("w").await;
    for (poll, pointers) in [
        (json!({}), vec!["/poll/workerId", "/poll/jobTypes"]),
        (json!({"workerId": "w", "jobTypes": []}), vec!["/poll/jobTypes"]),
        (json!({"workerId": "w", "jobTypes": ["w"], "wait": "1s"}), vec!["/poll/wait"]),
    ] {
        let done = report_and_poll(&job, &json!({}), poll);
        let answer = admin.post("/v1/jobs/complete", &done).await.problem(422, "invalid");
        assert_eq!(answer.pointers(), pointers);
    }
    let answer = admin.post("/v1/jobs/complete", &report(&job, &json!({}))).await.expect(200);
    assert_eq!(answer.body["results"][0]["outcome"], "ok");
}

#[tokio::test]
async fn a_report_whose_answer_nobody_reads_gives_the_next_job_back() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    enqueue(&admin, "w").await;
    let id = enqueue(&admin, "w").await;
    let done =
        report_and_poll(&admin.take("w").await, &json!({}), json!({"workerId": "w", "jobTypes": ["w"]}));
    let request = admin.request("POST", "/v1/jobs/complete", done.to_string());
    drop(harness.router.clone().oneshot(request).await.expect("infallible"));
    let poll = json!({"workerId": "w", "jobTypes": ["w"], "wait": "20s"});
    let answer = admin.post("/v1/jobs/poll", &poll).await.expect(200);
    assert_eq!((&answer.body["jobs"][0]["id"], &answer.body["jobs"][0]["attempt"]), (&json!(id), &json!(1)));
}

#[tokio::test]
async fn an_answer_that_nobody_reads_gives_its_jobs_back() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    enqueue(&admin, "late").await;
    let poll = json!({"workerId": "w", "jobTypes": ["late"], "wait": "20s"});
    let request = admin.request("POST", "/v1/jobs/poll", poll.to_string());
    drop(harness.router.clone().oneshot(request).await.expect("infallible"));
    let answer = admin.post("/v1/jobs/poll", &poll).await.expect(200);
    assert_eq!(answer.body["jobs"][0]["attempt"], 1);
}

#[tokio::test]
async fn an_attempt_gets_what_the_one_before_left() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let request = json!({"jobType": "again", "maxRetries": 2, "timeout": "1m"});
    let id = admin.post("/v1/jobs", &request).await.expect(202).str("id").to_owned();
    let job = admin.take("again").await;
    assert_eq!(job["data"], Value::Null, "data is optional");
    assert_eq!(job["deadline"], "2026-11-20T12:01:00.000Z");
    let beat = report(&job, &json!({"progress": {"page": 7}}));
    admin.post("/v1/jobs/heartbeat", &beat).await.expect(200);
    let failed = report(&job, &json!({"error": {"message": "no disk", "code": "disk"}, "retryAfter": "0s"}));
    admin.post("/v1/jobs/fail", &failed).await.expect(200);
    harness.engine.engine.promote_tick().await.expect("promotes");

    let job = admin.take("again").await;
    assert_eq!((&job["attempt"], &job["maxRetries"]), (&json!(2), &json!(2)));
    assert_eq!(job["idempotencyKey"], id.as_str());
    assert_eq!(job["lastError"], json!({"message": "no disk", "code": "disk"}));
    assert_eq!(job["progress"], json!({"page": 7}));
}

#[tokio::test]
async fn jobs_are_given_back_and_put_off() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let id = enqueue(&admin, "back").await;
    let job = admin.take("back").await;
    let answer = admin.post("/v1/jobs/release", &report(&job, &json!({}))).await.expect(200);
    assert_eq!(answer.body, json!({"results": [{"id": id, "outcome": "ok"}]}));
    let again = admin.post("/v1/jobs/release", &report(&job, &json!({}))).await.expect(200);
    assert_eq!(again.body["results"][0]["outcome"], "lease_lost");

    let job = admin.take("back").await;
    assert_eq!(job["attempt"], 1);
    let later = admin.post("/v1/jobs/release", &report(&job, &json!({"delay": "10m"}))).await.expect(200);
    assert_eq!(later.body["results"][0]["outcome"], "ok");
    let shown = admin.get(&format!("/v1/jobs/{id}")).await.expect(200);
    assert_eq!((&shown.body["status"], &shown.body["retryCount"]), (&json!("SCHEDULED"), &json!(0)));
    assert_eq!(shown.body["runAt"], "2026-11-20T12:10:00.000Z");
    let refused = admin.post("/v1/jobs/release", &report(&job, &json!({"delay": 5}))).await;
    assert_eq!(refused.problem(422, "invalid").pointers(), ["/jobs/0/delay"]);
}

#[tokio::test]
async fn a_cancelled_job_is_distinguished_from_a_lost_lease() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let bound = harness.client(domain::access::Role::Worker, Some("default")).await;
    let other = harness.client(domain::access::Role::Worker, Some("other")).await;
    let id = enqueue(&admin, "stop").await;
    let job = admin.take("stop").await;
    admin.act(&format!("/v1/jobs/{id}/cancel")).await.expect(200);
    for (call, more) in [
        ("heartbeat", json!({})),
        ("complete", json!({})),
        ("fail", json!({"error": "x"})),
        ("release", json!({})),
    ] {
        for (client, expected) in [(&admin, "cancelled"), (&bound, "cancelled"), (&other, "lease_lost")] {
            let answer = client.post(&format!("/v1/jobs/{call}"), &report(&job, &more)).await.expect(200);
            assert_eq!(answer.body["results"][0]["outcome"], expected, "{call}");
        }
    }
}

#[tokio::test]
async fn a_report_out_of_bounds_is_rejected_alone() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let ids = [enqueue(&admin, "big").await, enqueue(&admin, "big").await];
    let jobs = [admin.take("big").await, admin.take("big").await];
    let items = |field: &str, good: Value, bad: Value| {
        let mut both = jobs.clone().map(|job| json!({"id": job["id"], "leaseToken": job["leaseToken"]}));
        both[0][field] = bad;
        both[1][field] = good;
        json!({"jobs": both})
    };
    let large = "x".repeat(1024 * 1024);
    let beats = admin.post("/v1/jobs/heartbeat", &items("extend", json!("1m"), json!("1000h"))).await;
    let results = &beats.expect(200).body["results"];
    assert_eq!((&results[0]["outcome"], &results[1]["outcome"]), (&json!("rejected"), &json!("ok")));

    let done = admin.post("/v1/jobs/complete", &items("result", json!(1), json!(large))).await.expect(200);
    let expected = json!([
        {"id": ids[0], "outcome": "rejected", "reason": "result: expected at most 1048576 bytes of JSON"},
        {"id": ids[1], "outcome": "ok"},
    ]);
    assert_eq!(done.body["results"], expected);
    let failed = items("error", json!("x"), json!({"message": "x", "code": "c".repeat(201)}));
    let failed = admin.post("/v1/jobs/fail", &failed).await.expect(200);
    assert_eq!(failed.body["results"][0]["outcome"], "rejected");
    assert!(failed.body["results"][0]["reason"].as_str().expect("text").starts_with("error.code: "));
    let one = report(&jobs[0], &json!({"result": "small"}));
    let done = admin.post("/v1/jobs/complete", &one).await.expect(200);
    assert_eq!(done.body["results"][0]["outcome"], "ok", "its lease held all the while");
}

/// Sends a request as a client does that accepts compressed answers, and tells the answer's encoding.
async fn encoding(harness: &Harness, mut request: axum::http::Request<axum::body::Body>) -> Option<String> {
    request.headers_mut().insert("accept-encoding", axum::http::HeaderValue::from_static("gzip"));
    let response = harness.router.clone().oneshot(request).await.expect("routers do not fail");
    assert_eq!(response.status(), 200);
    let encoding = response.headers().get("content-encoding")?;
    Some(encoding.to_str().expect("text").to_owned())
}

#[tokio::test]
async fn only_large_answers_are_compressed_and_none_of_workers() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let large = json!({"jobType": "w", "data": {"text": "a".repeat(8 * 1024)}});
    let id = admin.post("/v1/jobs", &large).await.expect(202).str("id").to_owned();
    let small = enqueue(&admin, "other").await;

    let shown = admin.request("GET", &format!("/v1/jobs/{id}"), axum::body::Body::empty());
    assert_eq!(encoding(&harness, shown).await.as_deref(), Some("gzip"));
    let shown = admin.request("GET", &format!("/v1/jobs/{small}"), axum::body::Body::empty());
    assert_eq!(encoding(&harness, shown).await, None);
    let poll = json!({"workerId": "tester", "jobTypes": ["w"], "maxJobs": 1}).to_string();
    assert_eq!(encoding(&harness, admin.request("POST", "/v1/jobs/poll", poll)).await, None);
    let shown = admin.get(&format!("/v1/jobs/{id}")).await.expect(200);
    assert_eq!(shown.body["status"], "PROCESSING");
}
