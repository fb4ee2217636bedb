//! What callers may hold open and send: bodies, waits, and pages for browsers.

use api::ApiOptions;
use axum::body::Body;
use axum::http::StatusCode;
use domain::access::Role;
use domain::time::DurationMs;
use engine::{Caller, Waiting, WaitingBound};
use serde_json::{Value, json};
use tower::ServiceExt as _;

use crate::harness::{Client, Harness, bare, send};

#[tokio::test]
async fn a_body_that_stops_coming_is_cut() {
    let harness = Harness::with(ApiOptions { body_grace: DurationMs(50), ..ApiOptions::default() }).await;
    let admin = harness.admin();
    let never = futures::stream::pending::<Result<axum::body::Bytes, std::io::Error>>();
    let mut request = admin.request("POST", "/v1/jobs", "");
    *request.body_mut() = Body::from_stream(never);
    let cut = send(&harness.router, request).await.problem(408, "body_too_slow");
    assert_eq!(cut.header("connection"), Some("close"));
}

#[tokio::test]
async fn bodies_share_one_room_and_leave_some_for_others() {
    let harness = Harness::with(ApiOptions { bodies_bytes_max: 64 * 1024, ..ApiOptions::default() }).await;
    let (greedy, other) = (harness.admin(), harness.client(Role::Client, None).await);
    let job = |bytes: usize| json!({"jobType": "x", "data": {"text": "a".repeat(bytes)}});
    greedy.post("/v1/jobs", &job(70 * 1024)).await.problem(503, "unavailable");
    // A body of which a part has come holds its room.
    let text = job(24 * 1024).to_string();
    let (first, rest) = text.split_at(20 * 1024);
    let (second, third) = rest.split_at(1);
    let (sender, pieces) = tokio::sync::mpsc::channel::<Result<Vec<u8>, std::io::Error>>(1);
    let pieces = futures::stream::unfold(pieces, |mut pieces| async move {
        let piece = pieces.recv().await?;
        Some((piece, pieces))
    });
    let mut request = greedy.request("POST", "/v1/jobs", "");
    *request.body_mut() = Body::from_stream(pieces);
    let router = harness.router.clone();
    let slow = tokio::spawn(async move { send(&router, request).await });
    sender.send(Ok(first.into())).await.expect("it is read");
    // There is room for one piece: this one is taken over when the first was read.
    sender.send(Ok(second.into())).await.expect("it is read");
    greedy.post("/v1/jobs", &job(20 * 1024)).await.problem(503, "unavailable");
    other.post("/v1/jobs", &job(20 * 1024)).await.expect(202);
    sender.send(Ok(third.into())).await.expect("it is read");
    drop(sender);
    slow.await.expect("no panic").expect(202);
    greedy.post("/v1/jobs", &job(20 * 1024)).await.expect(202);
}

/// Whoever asks for large answers and does not read them holds a part of the room, and gets no more of it.
#[tokio::test]
async fn answers_that_nobody_reads_take_a_bounded_room() {
    let harness = Harness::with(ApiOptions { bodies_bytes_max: 1024 * 1024, ..ApiOptions::default() }).await;
    let (greedy, other) = (harness.admin(), harness.client(Role::Operator, None).await);
    let text = "a".repeat(300_000);
    let job = json!({"jobType": "x", "data": {"text": text}});
    let id = greedy.post("/v1/jobs", &job).await.expect(202).str("id").to_owned();
    let path = format!("/v1/jobs/{id}");
    let asked = async |client: &Client| {
        let request = client.request("GET", &path, Body::empty());
        harness.router.clone().oneshot(request).await.expect("it answers")
    };
    let mut unread = Vec::new();
    let refused = loop {
        let answer = asked(&greedy).await;
        if answer.status() != StatusCode::OK {
            break answer;
        }
        assert!(answer.headers().contains_key("content-length"), "it is announced");
        unread.push(answer);
        assert!(unread.len() < 4, "{} answers are held", unread.len());
    };
    assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert!(refused.headers().contains_key("retry-after"));
    assert_eq!(asked(&other).await.status(), StatusCode::OK, "others have room");
    drop(unread);
    let whole = greedy.get(&path).await.expect(200);
    assert_eq!(whole.body["data"]["text"], text, "it is sent whole, and its room is given back");
}

/// Jobs are claimed when their answer is made, which is sent in any case: whoever leaves such answers unread gets no more of them.
#[tokio::test]
async fn whoever_does_not_read_its_jobs_gets_no_others() {
    let harness = Harness::with(ApiOptions { bodies_bytes_max: 1024 * 1024, ..ApiOptions::default() }).await;
    let (greedy, other) = (harness.admin(), harness.client(Role::Operator, None).await);
    for _ in 0..4 {
        let job = json!({"jobType": "large", "data": {"text": "a".repeat(300_000)}});
        greedy.post("/v1/jobs", &job).await.expect(202);
    }
    let poll = json!({"workerId": "w", "jobTypes": ["large"]});
    let polled = async |client: &Client| {
        let request = client.request("POST", "/v1/jobs/poll", poll.to_string());
        harness.router.clone().oneshot(request).await.expect("it answers")
    };
    let mut unread = Vec::new();
    let refused = loop {
        let answer = polled(&greedy).await;
        if answer.status() != StatusCode::OK {
            break answer;
        }
        unread.push(answer);
        assert!(unread.len() < 4, "{} answers are held", unread.len());
    };
    assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert!(refused.headers().contains_key("retry-after"));
    assert_eq!(polled(&other).await.status(), StatusCode::OK, "others have room");
    drop(unread);
    let next = greedy.post("/v1/jobs/poll", &poll).await.expect(200);
    assert_eq!(next.body["jobs"][0]["data"]["text"].as_str().map(str::len), Some(300_000), "it is whole");
}

#[tokio::test]
async fn only_batches_may_be_as_large_as_the_largest_body() {
    let options = ApiOptions { max_single_body_bytes: 2_000, ..ApiOptions::default() };
    let harness = Harness::with(options).await;
    let admin = harness.admin();
    let job = json!({"jobType": "x", "data": {"text": "a".repeat(2_000)}});
    admin.post("/v1/jobs", &job).await.problem(413, "body_too_large");
    admin.post_once("/v1/jobs", "k", &job).await.problem(413, "body_too_large");
    admin.post("/v1/jobs/batch", &json!({"jobs": [job]})).await.expect(202);
}

/// Whoever waits for jobs has been read, and does not keep the room of its body for as long as it waits.
#[tokio::test]
async fn a_poll_that_waits_gives_the_room_of_its_body_back() {
    let options = ApiOptions { bodies_bytes_max: 64 * 1024, ..ApiOptions::default() };
    let bound = WaitingBound { per_key: 1, per_tenant: 9 };
    let harness = Harness::with_policy(options, |policy| policy.waiting.polls = bound).await;
    let admin = harness.admin();
    let caller = admin.caller(&harness).await;
    // Spaces are bytes of a body as well.
    let large = poll("patient", "30s").to_string() + &" ".repeat(20 * 1024);
    let (router, request) = (harness.router.clone(), admin.request("POST", "/v1/jobs/poll", large));
    let waiting = tokio::spawn(async move { drop(send(&router, request).await) });
    testkit::eventually("it waits", || async {
        harness.engine.engine.take_seat(&caller, Waiting::Poll).is_err()
    })
    .await;
    let job = json!({"jobType": "x", "data": {"text": "a".repeat(20 * 1024)}});
    admin.post("/v1/jobs", &job).await.expect(202);
    waiting.abort();
}

fn poll(worker: &str, wait: &str) -> Value {
    json!({"workerId": worker, "jobTypes": ["none"], "wait": wait})
}

/// A long poll that goes on until it is dropped.
fn waiting_poll(harness: &Harness, client: &Client) -> tokio::task::JoinHandle<()> {
    let (router, request) =
        (harness.router.clone(), client.request("POST", "/v1/jobs/poll", poll("patient", "30s").to_string()));
    tokio::spawn(async move { drop(send(&router, request).await) })
}

#[tokio::test]
async fn long_polls_are_bounded_by_key_and_by_tenant() {
    let bound = WaitingBound { per_key: 2, per_tenant: 3 };
    let harness = Harness::with_policy(ApiOptions::default(), |policy| policy.waiting.polls = bound).await;
    let [one, two] =
        [harness.client(Role::Worker, Some("acme")).await, harness.client(Role::Worker, Some("acme")).await];
    let other = harness.client(Role::Worker, Some("umbrella")).await;
    let take = |caller: &Caller| harness.engine.engine.take_seat(caller, Waiting::Poll);
    let (first, second) = (one.caller(&harness).await, two.caller(&harness).await);
    // A poll that waits has a seat: of two there is one left. Taken and given back without a pause, so that it is not refused
    // because of the look.
    let live = waiting_poll(&harness, &one);
    testkit::eventually("it has a seat", || async {
        let looks = [take(&first), take(&first)];
        looks[0].is_ok() && looks[1].is_err()
    })
    .await;
    let seat = take(&first).expect("one is left");
    let refused = one.post("/v1/jobs/poll", &poll("w", "1s")).await.problem(429, "too_many_waiting");
    assert!(refused.header("retry-after").is_some());
    assert!(refused.text.contains("2 long polls"), "{}", refused.text);
    one.post("/v1/jobs/poll", &json!({"workerId": "w", "jobTypes": ["none"]})).await.expect(200);
    let third = take(&second).expect("the tenant may have three");
    two.post("/v1/jobs/poll", &poll("w", "1ms")).await.problem(429, "too_many_waiting");
    other.post("/v1/jobs/poll", &poll("w", "1ms")).await.expect(200);
    drop((seat, third));
    live.abort();
    testkit::eventually("the seat of one who left is free", || async {
        [take(&first), take(&first)].iter().all(Result::is_ok)
    })
    .await;
    one.post("/v1/jobs/poll", &poll("w", "1ms")).await.expect(200);
}

#[tokio::test]
async fn event_streams_are_bounded() {
    let bound = WaitingBound { per_key: 1, per_tenant: 1 };
    let harness = Harness::with_policy(ApiOptions::default(), |policy| policy.waiting.streams = bound).await;
    let admin = harness.admin();
    let open = || harness.router.clone().oneshot(admin.request("GET", "/v1/events", Body::empty()));
    let stream = open().await.expect("routers do not fail");
    assert_eq!(stream.status(), StatusCode::OK);
    admin.get("/v1/events").await.problem(429, "too_many_waiting");
    drop(stream);
    let stream = open().await.expect("routers do not fail");
    assert_eq!(stream.status(), StatusCode::OK, "its place is free again");
}

#[tokio::test]
async fn a_start_that_may_not_wait_starts_nothing() {
    let bound = WaitingBound { per_key: 0, per_tenant: 0 };
    let harness = Harness::with_policy(ApiOptions::default(), |policy| policy.waiting.ends = bound).await;
    let admin = harness.admin();
    let definition =
        json!({"name": "w", "version": 1, "nodes": [{"id": "go", "type": "SIGNAL", "signal": "go"}]});
    admin.post("/v1/workflows", &definition).await.expect(201);
    let start = json!({"workflow": "w"});
    admin.post("/v1/executions?wait=true", &start).await.problem(429, "too_many_waiting");
    let list = admin.get("/v1/executions").await.expect(200);
    assert_eq!(list.body["items"], json!([]));
    let id = admin.post("/v1/executions", &start).await.expect(202).str("id").to_owned();
    admin.get(&format!("/v1/executions/{id}?wait=true")).await.problem(429, "too_many_waiting");
    admin.get(&format!("/v1/executions/{id}")).await.expect(200);
}

#[tokio::test]
async fn worker_ids_are_bounded() {
    let bound = WaitingBound { per_key: 2, per_tenant: 9 };
    let harness = Harness::with_policy(ApiOptions::default(), |policy| policy.waiting.workers = bound).await;
    let admin = harness.admin();
    let look = |worker: &str| json!({"workerId": worker, "jobTypes": ["none"]});
    for worker in ["a", "b", "a", "b"] {
        admin.post("/v1/jobs/poll", &look(worker)).await.expect(200);
    }
    admin.post("/v1/jobs/poll", &look("c")).await.problem(429, "too_many_workers");
    admin.post("/v1/jobs/poll", &look("a")).await.expect(200);
}

#[tokio::test]
async fn pages_are_sent_once_and_packed_and_keep_to_themselves() {
    let harness = Harness::start().await;
    let get = |uri: &str, header: Option<(&'static str, String)>| {
        let mut request = bare("GET", uri);
        if let Some((name, value)) = header {
            request.headers_mut().insert(name, value.parse().expect("a header"));
        }
        harness.router.clone().oneshot(request)
    };
    for uri in ["/openapi.json", "/docs/", "/docs/swagger-ui-bundle.js"] {
        let plain = get(uri, None).await.expect("routers do not fail");
        assert_eq!(plain.status(), StatusCode::OK, "{uri}");
        let tag = plain.headers()["etag"].to_str().expect("text").to_owned();
        let packed =
            get(uri, Some(("accept-encoding", "gzip".to_owned()))).await.expect("routers do not fail");
        assert_eq!(packed.headers()["content-encoding"], "gzip", "{uri}");
        assert_eq!(packed.headers()["etag"], tag.as_str());
        let plain = axum::body::to_bytes(plain.into_body(), usize::MAX).await.expect("a body");
        let packed = axum::body::to_bytes(packed.into_body(), usize::MAX).await.expect("a body");
        assert!(packed.len() < plain.len(), "{uri}");
        let known =
            get(uri, Some(("if-none-match", format!("W/{tag}, \"x\"")))).await.expect("routers do not fail");
        assert_eq!(known.status(), StatusCode::NOT_MODIFIED, "{uri}");
        if uri.starts_with("/docs") {
            let headers = known.headers();
            let policy = headers["content-security-policy"].to_str().expect("text");
            assert!(
                policy.contains("frame-ancestors 'none'") && policy.contains("script-src 'self';"),
                "{policy}"
            );
            assert_eq!(headers["x-frame-options"], "DENY");
            assert_eq!(headers["referrer-policy"], "no-referrer");
            assert_eq!(headers["x-content-type-options"], "nosniff");
        }
    }
    assert_eq!(send(&harness.router, bare("GET", "/docs/nothing.js")).await.status, StatusCode::NOT_FOUND);
}
