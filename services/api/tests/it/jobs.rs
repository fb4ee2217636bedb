//! `/v1/jobs`: enqueue, look, change.

use domain::access::Role;
use serde_json::{Value, json};

use crate::harness::Harness;

#[tokio::test]
async fn a_job_is_accepted_and_shown() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let sent = r#"{"jobType":"encode","data":{"b": 1.50, "a":[1,  2]},"priority":"high","tenant":"acme","tags":["x"],
        "maxRetries":2,"backoff":{"initial":"2s"},"timeout":"1m","concurrencyKey":"k"}"#;
    let accepted = admin.send(admin.request("POST", "/v1/jobs", sent)).await.expect(202);
    assert_eq!(accepted.body["status"], "QUEUED");
    assert!(accepted.body["position"].is_i64());
    assert!(accepted.body.get("existing").is_none());
    assert_eq!(accepted.headers["content-type"], "application/json");

    let job = admin.get(&format!("/v1/jobs/{}", accepted.str("id"))).await.expect(200);
    assert!(job.text.contains(r#""data":{"b": 1.50, "a":[1,  2]}"#), "data is not altered: {}", job.text);
    let expected = json!({
        "queue": "workflow-node", "jobType": "encode", "status": "QUEUED", "priority": "high", "tenant": "acme",
        "retryCount": 0, "maxRetries": 2, "timeout": "1m", "tags": ["x"], "concurrencyKey": "k",
        "createdAt": "2026-11-20T12:00:00.000Z", "runAt": "2026-11-20T12:00:00.000Z", "attempts": [],
    });
    for (field, value) in expected.as_object().expect("an object") {
        assert_eq!(&job.body[field], value, "{field}");
    }
    assert_eq!(job.body["backoff"]["initial"], "2s");
    for absent in ["result", "error", "workflow", "executionId", "nodeId", "processedAt", "completedAt"] {
        assert!(job.body.get(absent).is_none(), "{absent}");
    }
}

#[tokio::test]
async fn times_and_unique_keys() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let delayed = json!({"jobType": "t", "data": null, "delay": "1h30m", "uniqueKey": "once"});
    let first = admin.post("/v1/jobs", &delayed).await.expect(202);
    assert_eq!(first.body["status"], "SCHEDULED");
    let second = admin.post("/v1/jobs", &delayed).await.expect(202);
    assert_eq!(second.body["existing"], true);
    assert_eq!(second.body["id"], first.body["id"]);
    let job = admin.get(&format!("/v1/jobs/{}", first.str("id"))).await.expect(200);
    assert_eq!(job.body["runAt"], "2026-11-20T13:30:00.000Z");
    assert_eq!(job.body["data"], Value::Null);
    assert_eq!(job.body["uniqueKey"], "once");
}

#[tokio::test]
async fn what_nobody_starts_in_time_ends() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let body = json!({"jobType": "t", "expiresIn": "10m"});
    let id = admin.post("/v1/jobs", &body).await.expect(202).str("id").to_owned();
    harness.engine.clock.advance(domain::time::DurationMs::from_secs(600));
    harness.engine.engine.expire_tick().await.expect("expire works");
    let job = admin.get(&format!("/v1/jobs/{id}")).await.expect(200);
    assert_eq!(
        (job.body["status"].as_str(), job.body["error"]["code"].as_str()),
        (Some("CANCELLED"), Some("expired"))
    );
    let refused = admin.post("/v1/jobs", &json!({"jobType": "t", "expiresIn": "0s"})).await;
    assert_eq!(refused.problem(422, "invalid").pointers(), ["/expiresIn"]);
}

#[tokio::test]
async fn trace_context_comes_from_header_or_body() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let (one, other) = (
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-00f067aa0ba902b7-01",
    );
    let enqueue = async |body: Value, header: &str| {
        let mut request = admin.request("POST", "/v1/jobs", body.to_string());
        request.headers_mut().insert("traceparent", header.parse().expect("a header"));
        let id = admin.send(request).await.expect(202).str("id").to_owned();
        admin.get(&format!("/v1/jobs/{id}")).await.expect(200).body["traceparent"].clone()
    };
    assert_eq!(enqueue(json!({"jobType": "t", "data": 1}), one).await, one);
    assert_eq!(enqueue(json!({"jobType": "t", "data": 1, "traceparent": other}), one).await, other);
    assert_eq!(enqueue(json!({"jobType": "t", "data": 1}), "nonsense").await, Value::Null);
}

#[tokio::test]
async fn a_batch_is_all_or_nothing() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let good = json!({"jobType": "b", "data": 1});
    let batch = json!({"jobs": [good, good, {"jobType": "b", "tags": 1}, {"data": 1, "priority": "high"}]});
    let refused = admin.post("/v1/jobs/batch", &batch).await.problem(422, "invalid");
    assert_eq!(refused.pointers(), ["/jobs/2/tags", "/jobs/3/jobType"]);
    let refused =
        admin.post("/v1/jobs/batch", &json!({"jobs": [good, {"jobType": "b", "data": 1, "prio": 1}]})).await;
    assert_eq!(refused.problem(422, "invalid").pointers(), ["/jobs/1/prio"]);
    let refused = admin
        .post("/v1/jobs/batch", &json!({"jobs": [{"jobType": "b", "data": 1, "maxRetries": 999}]}))
        .await;
    assert_eq!(
        refused.problem(422, "invalid").pointers(),
        ["/jobs/0/maxRetries"],
        "a batch of one points the same way"
    );
    assert_eq!(admin.get("/v1/jobs?jobType=b").await.body["items"], json!([]), "nothing was stored");

    let accepted = admin.post("/v1/jobs/batch", &json!({"jobs": [good, good]})).await.expect(202);
    let results = accepted.body["results"].as_array().expect("a list");
    assert_eq!(results.len(), 2);
    assert!(results[0]["position"].as_i64() < results[1]["position"].as_i64());
    assert_eq!(
        admin.post("/v1/jobs/batch", &json!({"jobs": []})).await.problem(422, "invalid").pointers(),
        ["/jobs"]
    );
}

#[tokio::test]
async fn a_partial_batch_keeps_the_valid_jobs() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let good = json!({"jobType": "p", "data": 1});
    let batch = json!({"partial": true, "jobs": [good, {"jobType": 5, "data": 1}, good, {"jobType": "trunkline:http", "data": 1}]});
    let answer = admin.post("/v1/jobs/batch", &batch).await.expect(202);
    let results = answer.body["results"].as_array().expect("a list");
    assert!(results[0]["id"].is_string() && results[2]["id"].is_string());
    assert_eq!(results[1]["error"]["errors"][0]["pointer"], "/jobType");
    assert_eq!(results[1]["error"]["status"], 422);
    assert_eq!(results[3]["error"]["code"], "invalid");
    assert_eq!(admin.get("/v1/jobs?jobType=p").await.body["items"].as_array().map(Vec::len), Some(2));
}

#[tokio::test]
async fn lists_are_filtered_and_paged() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    for n in 0..5 {
        let job = json!({"jobType": "l", "data": n, "priority": if n % 2 == 0 { "low" } else { "high" }, "tags": [format!("n{n}")]});
        admin.post("/v1/jobs", &job).await.expect(202);
    }
    let mut seen = Vec::new();
    let mut uri = "/v1/jobs?jobType=l&limit=2".to_owned();
    loop {
        let part = admin.get(&uri).await.expect(200);
        for job in part.body["items"].as_array().expect("a list") {
            assert!(job.get("attempts").is_none(), "attempts are not in lists");
            seen.push(job["data"].as_i64().expect("a number"));
        }
        let Some(cursor) = part.body["nextCursor"].as_str() else {
            break;
        };
        assert!(cursor.starts_with("job_"));
        uri = format!("/v1/jobs?jobType=l&limit=2&cursor={cursor}");
    }
    assert_eq!(seen, [4, 3, 2, 1, 0], "newest first");
    for (filter, count) in [
        ("priority=low", 3),
        ("tag=n3", 1),
        ("status=QUEUED", 5),
        ("status=COMPLETED", 0),
        ("queue=workflow-node", 5),
        ("queue=workflow-webhook", 0),
        ("tenant=default", 5),
        ("tenant=other", 0),
        ("workflow=none", 0),
    ] {
        let part = admin.get(&format!("/v1/jobs?jobType=l&{filter}")).await.expect(200);
        assert_eq!(part.body["items"].as_array().map(Vec::len), Some(count), "{filter}");
        assert_eq!(part.body["nextCursor"], Value::Null);
    }
}

#[tokio::test]
async fn jobs_are_changed() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let id =
        admin.post("/v1/jobs", &json!({"jobType": "c", "data": 1, "delay": "1h"})).await.str("id").to_owned();
    let at = |verb: &str| format!("/v1/jobs/{id}/{verb}");
    let why = admin.get(&at("why")).await.expect(200);
    assert_eq!(why.body["reason"], "not_due");
    assert!(why.body["detail"].is_string() && why.body["freesWhen"].is_string());

    let moved = admin.post(&at("reprioritize"), &json!({"priority": "low"})).await.expect(200);
    assert_eq!(moved.body, json!({"id": id, "status": "SCHEDULED"}));
    assert_eq!(admin.get(&format!("/v1/jobs/{id}")).await.body["priority"], "low");
    let missing = admin.post(&at("reprioritize"), &json!({})).await.problem(422, "invalid");
    assert_eq!(missing.pointers(), ["/priority"]);

    assert_eq!(admin.act(&at("retry")).await.expect(200).body["status"], "QUEUED");
    assert_eq!(admin.act(&at("cancel")).await.expect(200).body["status"], "CANCELLED");
    admin.act(&at("cancel")).await.problem(409, "job_not_cancellable");
    admin.act(&at("retry")).await.problem(409, "job_not_waiting");
    assert_eq!(admin.get(&at("why")).await.expect(200).body["reason"], "finished");
}

#[tokio::test]
async fn the_end_of_a_job_can_be_waited_for() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let id = admin.post("/v1/jobs", &json!({"jobType": "w"})).await.expect(202).str("id").to_owned();
    let early = admin.get(&format!("/v1/jobs/{id}?wait=true&timeout=1ms")).await.expect(200);
    assert_eq!(early.body["status"], "QUEUED");
    let waits: Vec<_> = (0..3)
        .map(|_| {
            let (admin, uri) = (admin.clone(), format!("/v1/jobs/{id}?wait=true&timeout=30s"));
            tokio::spawn(async move { admin.get(&uri).await })
        })
        .collect();
    let job = admin.take("w").await;
    let done = json!({"jobs": [{"id": id, "leaseToken": job["leaseToken"], "result": 7}]});
    admin.post("/v1/jobs/complete", &done).await.expect(200);
    for wait in waits {
        let ended = wait.await.expect("no panic").expect(200);
        assert_eq!((&ended.body["status"], &ended.body["result"]), (&json!("COMPLETED"), &json!(7)));
    }
    let after = admin.get(&format!("/v1/jobs/{id}?wait=true")).await.expect(200);
    assert_eq!(after.body["status"], "COMPLETED", "what has ended is answered at once");
    let long = admin.get(&format!("/v1/jobs/{id}?wait=true&timeout=2h")).await;
    assert_eq!(long.problem(422, "invalid").pointers(), ["/timeout"]);
    admin.get("/v1/jobs/job_00000000000000000000000000000001?wait=true").await.problem(404, "not_found");
}

#[tokio::test]
async fn what_is_not_there_is_404() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    for id in [
        "job_00000000000000000000000000000001",
        "job_1",
        "exe_00000000000000000000000000000001",
        "%00",
        "%ff",
    ] {
        admin.get(&format!("/v1/jobs/{id}")).await.problem(404, "not_found");
        admin.act(&format!("/v1/jobs/{id}/cancel")).await.problem(404, "not_found");
    }
}

#[tokio::test]
async fn large_payloads_come_when_they_are_asked_for() {
    let harness = Harness::start().await;
    let (admin, viewer) = (harness.admin(), harness.client(Role::Viewer, None).await);
    let data = json!({"text": "x".repeat(100_000)});
    let job = admin.post("/v1/jobs", &json!({"jobType": "big", "data": data})).await.expect(202).body;
    let taken = admin.take("big").await;
    let report = json!({"jobs": [{"id": taken["id"], "leaseToken": taken["leaseToken"], "result": [1]}]});
    admin.post("/v1/jobs/complete", &report).await.expect(200);
    let path = format!("/v1/jobs/{}", job["id"].as_str().expect("an id"));
    let whole = admin.get(&path).await.expect(200).body;
    assert_eq!((&whole["data"], whole.get("omitted")), (&data, None));
    let shown = admin.get(&format!("{path}?maxPayload=65536")).await.expect(200).body;
    assert_eq!((&shown["data"], &shown["result"]), (&json!(null), &json!([1])));
    let omitted = &shown["omitted"][0];
    assert_eq!((&omitted["field"], &omitted["bytes"]), (&json!("data"), &json!(data.to_string().len())));
    assert_eq!(omitted["sha256"].as_str().map(str::len), Some(64));
    let href = omitted["href"].as_str().expect("a path");
    assert_eq!(admin.get(href).await.expect(200).body, data);
    assert_eq!(admin.get(&format!("{path}/result")).await.expect(200).body, json!([1]));
    admin.post("/v1/jobs", &json!({"jobType": "dies", "data": data, "maxRetries": 0})).await.expect(202);
    let taken = admin.take("dies").await;
    let report = json!({"jobs": [{"id": taken["id"], "leaseToken": taken["leaseToken"], "error": "no"}]});
    admin.post("/v1/jobs/fail", &report).await.expect(200);
    let letters = admin.get("/v1/dead-letters?jobType=dies").await.expect(200).body;
    let letter = format!("/v1/dead-letters/{}", letters["items"][0]["id"].as_str().expect("an id"));
    let shown = admin.get(&format!("{letter}?maxPayload=65536")).await.expect(200).body;
    assert_eq!(
        (&shown["data"], &shown["omitted"][0]["href"]),
        (&json!(null), &json!(format!("{letter}/data")))
    );
    assert_eq!(admin.get(&format!("{letter}/data")).await.expect(200).body, data);
    assert_eq!(admin.get(&letter).await.expect(200).body["data"], data);
    let hidden = viewer.get(&format!("{path}?maxPayload=0")).await.expect(200).body;
    assert_eq!(hidden.get("omitted"), None, "no digest for who sees no payloads");
    assert_eq!(viewer.get(href).await.expect(200).body, json!(null));
}
