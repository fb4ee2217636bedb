//! Metrics and health on their own port, also on nodes without the `api` role.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::get;
use store::Store;
use telemetry::MetricsHandle;

#[derive(Clone)]
struct MetricsState {
    handle: MetricsHandle,
    store: Arc<dyn Store>,
}

/// `/metrics`, `/healthz` and `/readyz`.
pub(super) fn router(handle: MetricsHandle, store: Arc<dyn Store>) -> Router {
    Router::new()
        .route("/metrics", get(render))
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .with_state(MetricsState { handle, store })
}

async fn render(State(state): State<MetricsState>) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], state.handle.render())
}

async fn ready(State(state): State<MetricsState>) -> impl IntoResponse {
    match state.store.ping().await {
        Ok(()) => (StatusCode::OK, "ready\n"),
        Err(_) => (StatusCode::SERVICE_UNAVAILABLE, "the database does not answer\n"),
    }
}
