//! The whole router: routes, gates around them, documentation, and answers for what is not there.

use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderName, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use engine::Engine;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::request_id::{MakeRequestUuid, PropagateRequestIdLayer, SetRequestIdLayer};
use tower_http::sensitive_headers::SetSensitiveRequestHeadersLayer;
use tower_http::trace::TraceLayer;
use tracing::Span;
use utoipa_swagger_ui::{Config, SwaggerUi};

use crate::gate;
use crate::openapi::openapi_json;
use crate::options::ApiOptions;
use crate::problem::Problem;
use crate::routes;
use crate::state::ApiState;

/// The header that names a request in logs and answers.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The REST interface over an engine.
///
/// Serve it with `into_make_service_with_connect_info::<SocketAddr>()`: without the peer's address nobody is let in
/// without a key.
pub fn router(engine: Engine, options: ApiOptions) -> Router {
    let state = ApiState::new(engine, options);
    let (guarded, _) = routes::guarded().split_for_parts();
    let guarded = guarded
        .route_layer(from_fn_with_state(state.clone(), gate::idempotency))
        .route_layer(from_fn_with_state(state.clone(), gate::limit_rate))
        .route_layer(from_fn_with_state(state.clone(), gate::authenticate))
        .route_layer(from_fn_with_state(state.clone(), gate::deadline));
    let (open, _) = routes::open().split_for_parts();
    Router::new()
        .merge(guarded)
        .merge(open)
        .merge(documentation())
        .fallback(nothing_here)
        .method_not_allowed_fallback(wrong_method)
        // Bodies are bounded where they are read, with a problem for an answer.
        .layer(DefaultBodyLimit::disable())
        .layer(CatchPanicLayer::custom(gate::panicked))
        .layer(from_fn(no_sniffing))
        .layer(from_fn(gate::figures))
        .layer(CompressionLayer::new())
        .layer(
            TraceLayer::new_for_http()
                .make_span_with(span_of)
                .on_request(())
                .on_response(log_answer)
                .on_failure(()),
        )
        .layer(PropagateRequestIdLayer::new(REQUEST_ID))
        .layer(SetRequestIdLayer::new(REQUEST_ID, MakeRequestUuid))
        .layer(SetSensitiveRequestHeadersLayer::new([AUTHORIZATION]))
        .with_state(state)
}

/// `/openapi.json` and the pages at `/docs`.
fn documentation() -> Router<ApiState> {
    let document = openapi_json();
    let serve = get(move || std::future::ready(([(CONTENT_TYPE, "application/json")], document.clone())));
    let config = Config::from("/openapi.json").validator_url("none");
    Router::new().route("/openapi.json", serve).merge(SwaggerUi::new("/docs").config(config))
}

async fn nothing_here(request: Request) -> Problem {
    let detail = format!("There is nothing at {}.", request.uri().path());
    Problem::new(StatusCode::NOT_FOUND, "not_found", detail)
}

async fn wrong_method(request: Request) -> Problem {
    let detail = format!("{} is not possible at {}.", request.method(), request.uri().path());
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", detail)
}

/// Browsers must not take an answer for something else than what it says it is.
async fn no_sniffing(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await.into_response();
    response.headers_mut().insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

/// Queries are left out: they can hold what callers search for.
fn span_of(request: &Request) -> Span {
    let id = request.headers().get(REQUEST_ID).and_then(|value| value.to_str().ok()).unwrap_or_default();
    tracing::info_span!(
        "request",
        http.method = %request.method(),
        http.path = request.uri().path(),
        request.id = id
    )
}

fn log_answer(response: &Response<impl Sized>, latency: Duration, _span: &Span) {
    let status = response.status().as_u16();
    tracing::debug!(http.status = status, latency_ms = latency.as_millis() as u64, "request answered");
}
