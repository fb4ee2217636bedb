//! Counts and times of requests, by route, and their spans; and what every answer says.

use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::http::header::X_CONTENT_TYPE_OPTIONS;
use axum::http::{HeaderValue, Method};
use axum::middleware::Next;
use axum::response::Response;

use super::spans;
use crate::state::ApiState;

/// Records each request under its route pattern: paths hold ids, and labels must not grow without bound. Says of each answer
/// that it is what its media type says: a layer of its own would cost more than this line.
pub(crate) async fn figures(State(state): State<ApiState>, mut request: Request, next: Next) -> Response {
    let started = Instant::now();
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or_else(|| "unmatched".to_owned(), |path| path.as_str().to_owned());
    let method = method_label(request.method());
    let span = spans::begin(&state.engine, &mut request, &route);
    let mut response = next.run(request).await;
    response.headers_mut().insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if let Some(span) = span {
        span.end(&route, response.status().as_u16());
    }
    let status = response.status().as_u16().to_string();
    metrics::counter!(
        "trunkline_http_requests_total",
        "method" => method, "route" => route.clone(), "status" => status
    )
    .increment(1);
    metrics::histogram!("trunkline_http_request_seconds", "method" => method, "route" => route)
        .record(started.elapsed().as_secs_f64());
    response
}

/// Callers can make up methods.
fn method_label(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::DELETE => "DELETE",
        Method::HEAD => "HEAD",
        _ => "other",
    }
}
