//! Metrics and health on their own port, also on nodes without the `api` role.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::get;
use store::Store;
use telemetry::{MetricsHandle, TextFormat};

use super::figures::Scrapes;

#[derive(Clone)]
struct MetricsState {
    handle: MetricsHandle,
    scrapes: Scrapes,
    store: Arc<dyn Store>,
}

/// `/metrics`, `/healthz` and `/readyz`.
pub(super) fn router(handle: MetricsHandle, scrapes: Scrapes, store: Arc<dyn Store>) -> Router {
    Router::new()
        .route("/metrics", get(render))
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .with_state(MetricsState { handle, scrapes, store })
}

async fn render(State(state): State<MetricsState>, headers: HeaderMap) -> impl IntoResponse {
    let accepted = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let (format, content_type) = if accepted.contains("application/openmetrics-text") {
        (TextFormat::OpenMetrics, "application/openmetrics-text; version=1.0.0; charset=utf-8")
    } else {
        (TextFormat::Prometheus, "text/plain; version=0.0.4")
    };
    state.scrapes.refresh().await;
    ([(header::CONTENT_TYPE, content_type)], state.handle.render(format))
}

async fn ready(State(state): State<MetricsState>) -> impl IntoResponse {
    match state.store.ping().await {
        Ok(()) => (StatusCode::OK, "ready\n"),
        Err(_) => (StatusCode::SERVICE_UNAVAILABLE, "the database does not answer\n"),
    }
}
