//! Who is let in, and what needs no key.

use api::{ApiOptions, LiveRateLimit, RateLimit};
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode};
use domain::access::Role;
use domain::time::DurationMs;
use futures::stream::{self, StreamExt as _};
use grpc::StreamOptions;
use grpc::proto::job_service_client::JobServiceClient;
use grpc::proto::queue_service_client::QueueServiceClient;
use grpc::proto::worker_service_client::WorkerServiceClient;
use grpc::proto::*;
use tonic::transport::Endpoint;
use tonic::{Code, Status, Streaming};
use tonic_types::StatusExt as _;
use tower::ServiceExt as _;

use crate::harness::{Harness, PATIENCE, with_key};

#[tokio::test]
async fn keys_roles_and_tenants_are_those_of_rest() {
    let harness = Harness::start().await;
    let jobs = |key: &str| JobServiceClient::with_interceptor(harness.channel(), with_key(key));
    let job = || EnqueueJobRequest { job_type: "a".to_owned(), ..Default::default() };
    for key in ["", "tl_nobody_has_ever_made_this_key_0000"] {
        let status = jobs(key).enqueue(job()).await.unwrap_err();
        assert_eq!(status.code(), Code::Unauthenticated, "{key}");
    }
    let viewer = harness.key_of(Role::Viewer, None).await;
    let status = jobs(&viewer).enqueue(job()).await.unwrap_err();
    assert_eq!(status.code(), Code::PermissionDenied);
    assert_eq!(status.get_error_details().error_info().unwrap().reason, "forbidden");

    let (acme, umbrella) = (
        harness.key_of(Role::Operator, Some("acme")).await,
        harness.key_of(Role::Operator, Some("umbrella")).await,
    );
    let id = jobs(&acme).enqueue(job()).await.unwrap().into_inner().id;
    let shown = jobs(&acme).get(GetJobRequest { id: id.clone() }).await.unwrap().into_inner();
    assert_eq!(shown.tenant, "acme");
    let status = jobs(&umbrella).get(GetJobRequest { id }).await.unwrap_err();
    assert_eq!(status.code(), Code::NotFound);

    let mut workers = WorkerServiceClient::with_interceptor(harness.channel(), with_key(&viewer));
    let status = workers.connect(tokio_stream::empty()).await.unwrap_err();
    assert_eq!(status.code(), Code::PermissionDenied);
}

#[tokio::test]
async fn calls_count_against_the_rate_of_their_key() {
    let limit = RateLimit { requests: 2, per: DurationMs::from_secs(600), burst: 2 };
    let options = ApiOptions { rate_limit: LiveRateLimit::new(Some(limit)), ..ApiOptions::default() };
    let harness = Harness::with_options(StreamOptions::default(), options).await;
    let mut jobs = JobServiceClient::with_interceptor(harness.channel(), with_key(&harness.key));
    for _ in 0..2 {
        jobs.list(ListJobsRequest::default()).await.unwrap();
    }
    let status = jobs.list(ListJobsRequest::default()).await.unwrap_err();
    assert_eq!(status.code(), Code::ResourceExhausted);
    let details = status.get_error_details();
    assert_eq!(details.error_info().unwrap().reason, "rate_limited");
    assert!(details.retry_info().unwrap().retry_delay.is_some());
    let mut workers = WorkerServiceClient::with_interceptor(harness.channel(), with_key(&harness.key));
    let status = workers.connect(tokio_stream::empty()).await.unwrap_err();
    assert_eq!(status.code(), Code::ResourceExhausted);
}

/// The code that a call is answered with which sends the beginning of a message of so many bytes, and then nothing more.
async fn code_for(harness: &Harness, key: &str, announced: u32, sent: usize) -> Code {
    let head = [&[0_u8][..], &announced.to_be_bytes()[..], &vec![b'x'; sent][..]].concat();
    let pieces = stream::iter([Ok::<_, std::convert::Infallible>(head)]).chain(stream::pending());
    let request = Request::post("/trunkline.v1.JobService/Enqueue")
        .header("content-type", "application/grpc")
        .header("authorization", format!("Bearer {key}"))
        .body(Body::from_stream(pieces));
    let answer = harness.router.clone().oneshot(request.unwrap());
    let answer = tokio::time::timeout(PATIENCE, answer).await.expect("it waits for the rest").unwrap();
    Code::from_bytes(answer.headers()["grpc-status"].as_bytes())
}

/// Nobody makes the server hold a message that he may not send, or more of them than there is room for.
#[tokio::test]
async fn messages_are_let_in_before_they_are_read() {
    let options =
        ApiOptions { max_single_body_bytes: 100_000, bodies_bytes_max: 64 * 1024, ..ApiOptions::default() };
    let harness = Harness::with_options(StreamOptions::default(), options).await;
    let viewer = harness.key_of(Role::Viewer, None).await;
    assert_eq!(code_for(&harness, "tl_nobody", 9, 1).await, Code::Unauthenticated);
    assert_eq!(code_for(&harness, &viewer, 9, 1).await, Code::PermissionDenied);
    assert_eq!(code_for(&harness, &harness.key, 100_001, 1).await, Code::InvalidArgument, "it is too large");
    assert_eq!(code_for(&harness, &harness.key, 90_000, 70_000).await, Code::Unavailable, "there is no room");
    // What was refused holds none.
    let mut jobs = JobServiceClient::with_interceptor(harness.channel(), with_key(&harness.key));
    let data = format!("\"{}\"", "x".repeat(20_000)).into_bytes();
    let job = EnqueueJobRequest { job_type: "a".to_owned(), data: data.into(), ..Default::default() };
    jobs.enqueue(job).await.unwrap();
}

/// REST and gRPC have one room: what a caller sends by one of them it cannot send by the other meanwhile.
#[tokio::test]
async fn messages_and_bodies_share_one_room() {
    let options =
        ApiOptions { max_single_body_bytes: 100_000, bodies_bytes_max: 64 * 1024, ..ApiOptions::default() };
    let harness = Harness::with_options(StreamOptions::default(), options).await;
    let (sender, came) = tokio::sync::oneshot::channel();
    let head = [&[0_u8][..], &90_000_u32.to_be_bytes()[..], &vec![b'x'; 40_000][..]].concat();
    // Asked for the rest, it has been counted.
    let rest = stream::once(async move {
        let _ = sender.send(());
        std::future::pending::<Result<Vec<u8>, std::convert::Infallible>>().await
    });
    let request = Request::post("/trunkline.v1.JobService/Enqueue")
        .header("content-type", "application/grpc")
        .header("authorization", format!("Bearer {}", harness.key))
        .body(Body::from_stream(stream::iter([Ok(head)]).chain(rest)));
    let call = tokio::spawn(harness.router.clone().oneshot(request.unwrap()));
    tokio::time::timeout(PATIENCE, came).await.expect("the beginning is read").unwrap();
    let body = serde_json::json!({"jobType": "a", "data": "x".repeat(30_000)}).to_string();
    let enqueue = async || {
        let request = Request::post("/v1/jobs")
            .header("content-type", "application/json")
            .header("authorization", format!("Bearer {}", harness.key))
            .body(Body::from(body.clone()));
        harness.rest.clone().oneshot(request.unwrap()).await.unwrap().status()
    };
    assert_eq!(enqueue().await, StatusCode::SERVICE_UNAVAILABLE);
    call.abort();
    assert!(call.await.is_err(), "it is given up");
    assert_eq!(enqueue().await, StatusCode::ACCEPTED, "its room is given back");
}

/// Asks for a job over a connection of its own, which takes as little unread as HTTP/2 allows; answers when the answer has begun.
async fn unread_job(harness: &Harness, key: &str, id: &str) -> Result<Streaming<Job>, Status> {
    let endpoint = Endpoint::from_shared(format!("http://{}", harness.address)).unwrap();
    let endpoint = endpoint.initial_stream_window_size(65_535).initial_connection_window_size(65_535);
    let mut raw = tonic::client::Grpc::new(endpoint.connect_lazy());
    raw.ready().await.unwrap();
    let mut request = tonic::Request::new(GetJobRequest { id: id.to_owned() });
    request.metadata_mut().insert("authorization", format!("Bearer {key}").parse().unwrap());
    let path = "/trunkline.v1.JobService/Get".parse().unwrap();
    let codec = tonic_prost::ProstCodec::<GetJobRequest, Job>::default();
    let answer = tokio::time::timeout(PATIENCE, raw.server_streaming(request, path, codec)).await;
    answer.expect("it answers in time").map(tonic::Response::into_inner)
}

/// Whoever asks for large answers and does not read them holds a part of the room, and gets no more of it.
#[tokio::test]
async fn messages_that_nobody_reads_take_a_bounded_room() {
    let options = ApiOptions { bodies_bytes_max: 1024 * 1024, ..ApiOptions::default() };
    let harness = Harness::with_options(StreamOptions::default(), options).await;
    let other = harness.key_of(Role::Operator, None).await;
    let mut jobs = JobServiceClient::with_interceptor(harness.channel(), with_key(&harness.key));
    let data = format!("\"{}\"", "x".repeat(300_000)).into_bytes();
    let job = EnqueueJobRequest { job_type: "a".to_owned(), data: data.into(), ..Default::default() };
    let id = jobs.enqueue(job).await.unwrap().into_inner().id;
    let mut unread = Vec::new();
    let refused = loop {
        match unread_job(&harness, &harness.key, &id).await {
            Ok(answer) => unread.push(answer),
            Err(refused) => break refused,
        }
        assert!(unread.len() < 4, "{} answers are held", unread.len());
    };
    assert_eq!(refused.code(), Code::Unavailable, "{refused}");
    unread_job(&harness, &other, &id).await.expect("others have room");
    for mut answer in unread {
        let job = answer.message().await.unwrap().expect("it is whole");
        assert!(job.data.len() > 300_000, "{} bytes", job.data.len());
        assert!(answer.message().await.unwrap().is_none(), "there is one");
    }
    testkit::eventually("its room is given back", || async {
        unread_job(&harness, &harness.key, &id).await.is_ok()
    })
    .await;
}

/// Strangers hold a bounded number of streams open, and send messages of a few names only.
#[tokio::test]
async fn calls_without_a_key_are_bounded() {
    let harness = Harness::start().await;
    let open = |method: &str, bytes: u32| {
        // A message of no fields, whose length may say something else.
        let head = [&[0_u8][..], &bytes.to_be_bytes()[..]].concat();
        let request = Request::post(format!("/grpc.health.v1.Health/{method}"))
            .header("content-type", "application/grpc")
            .body(Body::from(head));
        let answer = harness.router.clone().oneshot(request.unwrap());
        async move { tokio::time::timeout(PATIENCE, answer).await.expect("it waits for the rest").unwrap() }
    };
    let code = |answer: &axum::http::Response<Body>| {
        answer.headers().get("grpc-status").map_or(Code::Ok, |code| Code::from_bytes(code.as_bytes()))
    };
    assert_eq!(code(&open("Watch", 1024 * 1024).await), Code::OutOfRange);
    let mut held = Vec::new();
    while held.len() < 5_000 {
        let answer = open("Watch", 0).await;
        if code(&answer) != Code::Ok {
            break;
        }
        held.push(answer);
    }
    assert!((100..5_000).contains(&held.len()), "{} streams are open", held.len());
    assert_eq!(code(&open("Watch", 0).await), Code::Unavailable);
    drop(held.pop());
    assert_eq!(code(&open("Watch", 0).await), Code::Ok, "a place is free again");
    // Whoever has a key is served meanwhile.
    harness.enqueue("a").await;
}

#[tokio::test]
async fn the_audit_log_says_which_door_was_used() {
    let harness = Harness::start().await;
    let mut queues = QueueServiceClient::with_interceptor(harness.channel(), with_key(&harness.key));
    queues.pause(PauseQueueRequest { queue: "workflow-node".to_owned() }).await.unwrap();
    let request = Request::get("/v1/audit").header("authorization", format!("Bearer {}", harness.key));
    let answer = harness.rest.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
    let body = to_bytes(answer.into_body(), usize::MAX).await.unwrap();
    let lines: serde_json::Value = serde_json::from_slice(&body).unwrap();
    let line =
        lines["items"].as_array().unwrap().iter().find(|line| line["action"] == "queue.pause").unwrap();
    assert_eq!(line["door"], "grpc");
}

#[tokio::test]
async fn health_and_reflection_need_no_key() {
    use tonic_health::pb::HealthCheckRequest;
    use tonic_health::pb::health_client::HealthClient;
    use tonic_reflection::pb::v1::ServerReflectionRequest;
    use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
    use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
    use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;

    let harness = Harness::start().await;
    let mut health = HealthClient::new(harness.channel());
    let ask = |service: &str| HealthCheckRequest { service: service.to_owned() };
    for service in ["", "trunkline.v1.WorkerService"] {
        assert_eq!(health.check(ask(service)).await.unwrap().into_inner().status, 1, "{service}");
    }
    let mut reflection = ServerReflectionClient::new(harness.channel());
    let list = ServerReflectionRequest {
        host: String::new(),
        message_request: Some(MessageRequest::ListServices(String::new())),
    };
    let mut answers = reflection.server_reflection_info(tokio_stream::once(list)).await.unwrap().into_inner();
    let answer = answers.message().await.unwrap().unwrap().message_response.unwrap();
    let MessageResponse::ListServicesResponse(services) = answer else { panic!("a list") };
    let names: Vec<String> = services.service.into_iter().map(|service| service.name).collect();
    assert!(names.contains(&"trunkline.v1.ExecutionService".to_owned()), "{names:?}");
    harness.engine.engine.begin_shutdown();
    testkit::eventually("the server says that it ends", || {
        let mut health = health.clone();
        async move { health.check(ask("")).await.unwrap().into_inner().status == 2 }
    })
    .await;
}

#[tokio::test]
async fn what_the_contract_does_not_have_is_not_implemented() {
    let harness = Harness::start().await;
    let mut raw = tonic::client::Grpc::new(harness.channel());
    raw.ready().await.unwrap();
    let path = "/trunkline.v1.JobService/Explode".parse().unwrap();
    let codec = tonic_prost::ProstCodec::<GetJobRequest, Job>::default();
    let status = raw.unary(tonic::Request::new(GetJobRequest::default()), path, codec).await.unwrap_err();
    assert_eq!(status.code(), Code::Unimplemented);
}
