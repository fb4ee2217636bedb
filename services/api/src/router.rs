//! The whole router: routes, gates around them, documentation, and answers for what is not there.

use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::StatusCode;
use axum::http::header::{AUTHORIZATION, COOKIE};
use axum::middleware::from_fn_with_state;
use axum::response::Response;
use axum::routing::get;
use domain::problem::ProblemCode;
use engine::Engine;
use tower::ServiceBuilder;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::request_id::{MakeRequestUuid, PropagateRequestIdLayer, SetRequestIdLayer};
use tower_http::sensitive_headers::SetSensitiveRequestHeadersLayer;
use tower_http::trace::TraceLayer;
use tracing::Span;

use crate::gate::spans::loggable;
use crate::gate::{self, REQUEST_ID};
use crate::options::ApiOptions;
use crate::pages::documentation;
use crate::problem::Problem;
use crate::state::ApiState;
use crate::{compression, routes};

/// The REST interface over an engine.
///
/// Serve it with `into_make_service_with_connect_info::<SocketAddr>()`: without the peer's address nobody is let in
/// without a key.
pub fn router(engine: Engine, options: ApiOptions) -> Router {
    let (serves_rest, serves_hooks) = (options.serves_rest, options.serves_hooks);
    let state = ApiState::new(engine, options);
    let (edge, _) = routes::edge().split_for_parts();
    let mut all = edge;
    if serves_rest {
        all = all.merge(rest(&state));
    }
    // Answers to senders are short, and are sent as they are.
    all = all.layer(compression::layer());
    if serves_hooks {
        let (hooks, _) = routes::hooks().split_for_parts();
        all = all.merge(hooks);
    }
    // One layer of several, from the outside in: each layer of a router has its services boxed and cloned for each request, and
    // so has each function that is a layer.
    let gates = ServiceBuilder::new()
        .layer(SetSensitiveRequestHeadersLayer::new([AUTHORIZATION, COOKIE]))
        .map_request(gate::record_request_id)
        .layer(SetRequestIdLayer::new(REQUEST_ID, MakeRequestUuid))
        .layer(PropagateRequestIdLayer::new(REQUEST_ID))
        .layer(
            TraceLayer::new_for_http()
                .make_span_with(span_of)
                .on_request(())
                .on_response(log_answer)
                .on_failure(()),
        )
        .layer(from_fn_with_state(state.clone(), gate::figures))
        .layer(CatchPanicLayer::custom(gate::panicked))
        // Bodies are bounded where they are read, with a problem for an answer.
        .layer(DefaultBodyLimit::disable());
    all.fallback(nothing_here).method_not_allowed_fallback(wrong_method).layer(gates).with_state(state)
}

/// Answers every call with 503 and this sentence, but says that the process lives.
pub fn unavailable_router(detail: &'static str) -> Router {
    let health = Router::new().route("/healthz", get(routes::healthz));
    health.fallback(move || async move { Problem::unavailable(detail) })
}

/// `/v1` behind its gates, and the documentation.
fn rest(state: &ApiState) -> Router<ApiState> {
    let (guarded, _) = routes::guarded().split_for_parts();
    let guarded = guarded.route_layer(from_fn_with_state(state.clone(), gate::pass));
    let (open, _) = routes::open().split_for_parts();
    guarded.merge(open).merge(documentation())
}

async fn nothing_here(request: Request) -> Problem {
    let detail = format!("No such route: {}.", request.uri().path());
    Problem::new(StatusCode::NOT_FOUND, ProblemCode::NotFound, detail)
}

async fn wrong_method(request: Request) -> Problem {
    let detail = format!("{} is not supported at {}.", request.method(), request.uri().path());
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, ProblemCode::MethodNotAllowed, detail)
}

/// Queries are left out: they can hold what callers search for.
fn span_of(request: &Request) -> Span {
    let id = request.headers().get(REQUEST_ID).and_then(|value| value.to_str().ok()).unwrap_or_default();
    tracing::info_span!(
        "request",
        http.method = %request.method(),
        http.path = loggable(request.uri().path()),
        request.id = loggable(id)
    )
}

fn log_answer(response: &Response<impl Sized>, latency: Duration, _span: &Span) {
    let status = response.status().as_u16();
    tracing::debug!(http.status = status, latency_ms = latency.as_millis() as u64, "request answered");
}
