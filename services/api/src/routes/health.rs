//! `/healthz` and `/readyz`.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use domain::time::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::problem::{ApiResult, Problem};
use crate::state::ApiState;

/// How long the store may take to answer a trivial read.
const PING_TIMEOUT: Duration = Duration::from_secs(2);

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(healthz)).routes(routes!(readyz))
}

/// Server status.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Health)]
pub(crate) struct HealthResponse {
    /// `ok` or `ready`.
    #[schema(value_type = String)]
    status: &'static str,
    /// Since when this server does not reach Kafka, if it publishes jobs there. Jobs wait in the database meanwhile.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    broker_away_since: Option<Timestamp>,
}

/// Check liveness
#[utoipa::path(
    get, path = "/healthz", tag = "health",
    responses((status = 200, description = "The process is running.", body = HealthResponse))
)]
pub(crate) async fn healthz() -> Json<HealthResponse> {
    Json(HealthResponse { status: "ok", broker_away_since: None })
}

/// Check readiness
#[utoipa::path(
    get, path = "/readyz", tag = "health",
    responses((status = 200, description = "The server is ready: the database responds.", body = HealthResponse))
)]
async fn readyz(State(state): State<ApiState>) -> ApiResult<Json<HealthResponse>> {
    if state.engine.shutdown_started() {
        return Err(Problem::unavailable("The server is shutting down."));
    }
    match tokio::time::timeout(PING_TIMEOUT, state.engine.store().ping()).await {
        Ok(Ok(())) => {
            let broker_away_since = state.engine.broker_away_since();
            Ok(Json(HealthResponse { status: "ready", broker_away_since }))
        }
        Ok(Err(error)) => {
            tracing::warn!(error = &error as &dyn std::error::Error, "the store does not answer");
            Err(Problem::unavailable("The database is unavailable."))
        }
        Err(_) => Err(Problem::unavailable("The database did not respond in time.")),
    }
}
