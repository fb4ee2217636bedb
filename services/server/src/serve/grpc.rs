//! The gRPC interface of a process: REST's own gates and calls behind another port.

use std::sync::Arc;

use async_trait::async_trait;
use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response};
use domain::access::Action;
use domain::error::Fault;
use domain::time::DurationMs;
use engine::{Caller, Engine};
use grpc::{Gate, GrpcOptions, GrpcParts, StreamOptions};
use settings::Settings;

/// Everything behind the gRPC port. `rest` is the router that REST itself is served by, and `rest_options` are its options.
pub(super) async fn router(
    engine: &Engine,
    settings: &Settings,
    rest: Router,
    rest_options: api::ApiOptions,
) -> Router {
    let admission = api::Admission::new(engine.clone(), rest_options);
    let parts = GrpcParts {
        engine: engine.clone(),
        rest,
        gate: Arc::new(RestGate(admission)),
        options: options(settings),
    };
    grpc::router(parts).await
}

fn options(settings: &Settings) -> GrpcOptions {
    let grpc = &settings.grpc;
    GrpcOptions {
        message_bytes_max: grpc.message_size.as_usize(),
        request_timeout: settings.http.request_timeout,
        streams: StreamOptions {
            alive_interval: grpc.alive_interval,
            silence_max: grpc.silence_max,
            receipt_within: grpc.receipt_timeout,
            age: grpc.age,
            drain_within: grpc.drain_timeout,
            ..StreamOptions::default()
        },
    }
}

/// Lets callers in as REST does.
struct RestGate(api::Admission);

#[async_trait]
impl Gate for RestGate {
    async fn identify(&self, head: Request<Body>) -> Result<Caller, Response<Body>> {
        self.0.identify(head).await
    }

    async fn admit(&self, head: Request<Body>, action: Action) -> Result<Caller, Response<Body>> {
        self.0.admit(head, action).await
    }

    async fn count(&self, caller: &Caller) -> Option<DurationMs> {
        self.0.count(caller).await
    }

    fn check_json(&self, text: &str) -> Result<(), Fault> {
        self.0.check_json(text)
    }
}
