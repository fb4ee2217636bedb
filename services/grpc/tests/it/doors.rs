//! Who is let in, and what needs no key.

use api::{ApiOptions, LiveRateLimit, RateLimit};
use axum::body::{Body, to_bytes};
use axum::http::Request;
use domain::access::Role;
use domain::time::DurationMs;
use grpc::StreamOptions;
use grpc::proto::job_service_client::JobServiceClient;
use grpc::proto::queue_service_client::QueueServiceClient;
use grpc::proto::worker_service_client::WorkerServiceClient;
use grpc::proto::*;
use tonic::Code;
use tonic_types::StatusExt as _;
use tower::ServiceExt as _;

use crate::harness::{Harness, with_key};

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
