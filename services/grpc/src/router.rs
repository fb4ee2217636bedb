//! The whole interface as one router: methods of the contract, health, reflection.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::Response;
use axum::http::header::CONTENT_TYPE;
use axum::middleware::from_fn_with_state;
use axum::routing::post;
use domain::problem::ProblemCode;
use prost_reflect::DynamicMessage;
use tokio_util::sync::CancellationToken;
use tonic::Status;
use tonic::server::Grpc;
use tonic_health::ServingStatus;

use crate::contract::{Call, Contract, DESCRIPTORS};
use crate::door::{GrpcParts, Head};
use crate::meter::{Meter, held};
use crate::open_calls::{self, OpenCalls, refused};
use crate::streams::Shared;
use crate::unary::DynamicCodec;
use crate::{changes, connect, door, status, streams, unary};

/// How much longer than the request itself a call may take, with the reading of its message.
const READING: Duration = Duration::from_secs(10);

/// The gRPC interface. Serve it over HTTP/2 with the peer's address as `ConnectInfo<SocketAddr>`; a
/// `tokio_util::sync::CancellationToken` among a request's extensions says when its connection is about to end.
pub async fn router(parts: GrpcParts) -> Router {
    let contract = Contract::read();
    let (reporter, health) = tonic_health::server::health_reporter();
    let names: Vec<String> = contract.services.iter().cloned().chain([String::new()]).collect();
    for name in &names {
        reporter.set_service_status(name, ServingStatus::Serving).await;
    }
    let engine = parts.engine.clone();
    tokio::spawn(async move {
        engine.until_shutdown().await;
        for name in &names {
            reporter.set_service_status(name, ServingStatus::NotServing).await;
        }
    });
    let mut router = Router::new();
    for service in &contract.services {
        let handler = if service.ends_with(".WorkerService") { post(worker) } else { post(call) };
        router = router.route(&format!("/{service}/{{method}}"), handler);
    }
    let shared = Shared { parts, contract: Arc::new(contract), streams: Arc::default() };
    let health = health.max_decoding_message_size(open_calls::BYTES_MAX);
    let mut open = Router::new().route_service("/grpc.health.v1.Health/{method}", health);
    let reflection =
        || tonic_reflection::server::Builder::configure().register_encoded_file_descriptor_set(DESCRIPTORS);
    match (reflection().build_v1(), reflection().build_v1alpha()) {
        (Ok(v1), Ok(v1alpha)) => {
            let v1 = v1.max_decoding_message_size(open_calls::BYTES_MAX);
            let v1alpha = v1alpha.max_decoding_message_size(open_calls::BYTES_MAX);
            open = open
                .route_service("/grpc.reflection.v1.ServerReflection/{method}", v1)
                .route_service("/grpc.reflection.v1alpha.ServerReflection/{method}", v1alpha);
        }
        (Err(error), _) | (_, Err(error)) => tracing::error!(%error, "gRPC reflection is not available"),
    }
    let open = open.layer(from_fn_with_state(OpenCalls::default(), open_calls::bounded));
    router.with_state(shared).merge(open).fallback(unknown)
}

async fn unknown(request: Request) -> Response<Body> {
    refused(Status::unimplemented(format!("There is no method {}.", request.uri().path())))
}

/// The worker's service has one stream beside its unary methods.
async fn worker(State(shared): State<Shared>, request: Request) -> Response<Body> {
    if request.uri().path().ends_with("/Connect") {
        return match spoken(&request) {
            Ok(()) => connect::serve(shared, request).await,
            Err(status) => refused(status),
        };
    }
    if let Some(id) = request.headers().get(streams::STREAM_ID).and_then(|value| value.to_str().ok())
        && !shared.streams.has(id)
    {
        return refused(streams::reconnect());
    }
    call(State(shared), request).await
}

/// A call that mirrors one of REST.
async fn call(State(shared): State<Shared>, request: Request) -> Response<Body> {
    let started = Instant::now();
    let contract = Arc::clone(&shared.contract);
    let Some(call) = contract.call(request.uri().path()) else {
        return unknown(request).await;
    };
    let limit = shared.parts.options.request_timeout.to_std() + READING;
    let limit = door::of(request.headers()).map_or(limit, |asked| asked.min(limit));
    let path = request.uri().path().to_owned();
    let answer = tokio::time::timeout(limit, carry_out(shared, call, request)).await;
    let response = answer.unwrap_or_else(|_late| {
        refused(Status::deadline_exceeded("The request timed out; it may still be executed."))
    });
    let code = response.headers().get("grpc-status").and_then(|value| value.to_str().ok()).unwrap_or("0");
    metrics::counter!("trunkline_grpc_requests_total", "method" => path.clone(), "status" => code.to_owned())
        .increment(1);
    metrics::histogram!("trunkline_grpc_request_seconds", "method" => path)
        .record(started.elapsed().as_secs_f64());
    response
}

async fn carry_out(shared: Shared, call: &Call, request: Request) -> Response<Body> {
    if let Err(status) = spoken(&request) {
        return refused(status);
    }
    let head = Head::of(request.headers(), request.uri(), request.extensions());
    let gate = &shared.parts.gate;
    // Asked before the message is read: nobody without a key and a right makes us hold one. REST asks again.
    let (caller, bytes_max) = match gate.admit_call(head.bare(), call.rest()).await {
        Ok(admitted) => admitted,
        Err(answer) => return refused(status::of_answer(answer).await),
    };
    let meter = Meter::new(gate.room(&caller));
    let request = request.map(|body| meter.counted(body));
    let codec = DynamicCodec::reading(call.input.clone());
    let max = shared.parts.options.message_bytes_max.min(bytes_max);
    let mut grpc = Grpc::new(codec).apply_max_message_size_config(Some(max), None);
    let rest = shared.parts.rest;
    let answer = if call.is_stream {
        let connection = request.extensions().get::<CancellationToken>().cloned().unwrap_or_default();
        let alive_interval = shared.parts.options.streams.alive_interval.to_std();
        let service = tower::service_fn(|message: tonic::Request<DynamicMessage>| {
            let (rest, head) = (rest.clone(), head.clone());
            let keeping = changes::Keeping { alive_interval, connection: connection.clone() };
            async move { changes::open(call, rest, &head, message.get_ref(), keeping).await }
        });
        grpc.server_streaming(service, request).await.map(Body::new)
    } else {
        let service = tower::service_fn(|message: tonic::Request<DynamicMessage>| {
            let (rest, head) = (rest.clone(), head.clone());
            async move { unary::carry_out(call, rest, &head, message.get_ref()).await }
        });
        grpc.unary(service, request).await.map(Body::new)
    };
    // Held until here: what the message became is worked on until the answer.
    drop(meter);
    if answer.headers().get("grpc-status").is_some_and(|code| code == TOO_LARGE) {
        return refused(status::of_problem(too_large(max)));
    }
    held(answer)
}

/// `OUT_OF_RANGE`: the code of a message beyond its bound, and of nothing else here. Callers get what REST answers.
const TOO_LARGE: &str = "11";

fn too_large(max: usize) -> engine::Problem {
    engine::Problem::new(413, ProblemCode::BodyTooLarge, format!("The message is larger than {max} bytes."))
}

/// Whether the caller speaks gRPC at all.
fn spoken(request: &Request) -> Result<(), Status> {
    let media_type = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let is_grpc =
        media_type.is_some_and(|name| name == "application/grpc" || name.starts_with("application/grpc+"));
    if is_grpc { Ok(()) } else { Err(Status::invalid_argument("Expected content-type application/grpc.")) }
}
