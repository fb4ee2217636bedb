//! The server itself: `/v1/me`, `/v1/servers`, `/v1/doctor`, `/healthz` and `/readyz`.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::header::CACHE_CONTROL;
use axum::response::IntoResponse;
use domain::time::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{Identity, NoQuery, SessionToken};
use crate::problem::{ApiResult, Problem};
use crate::shapes::ListOf;
use crate::shapes::server::{DoctorResponse, MeResponse, ServerResponse};
use crate::state::ApiState;

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(read_me))
}

/// Show the caller, its rights, and the server
///
/// `can` lists the actions that the role and scopes allow on at least one object; scopes may restrict an action to
/// certain names. For sessions of a read-only console, it lists only actions that change nothing.
#[utoipa::path(
    get, path = "/v1/me", tag = "access",
    responses((status = 200, description = "The caller and the server.", body = MeResponse))
)]
async fn read_me(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    token: Option<SessionToken>,
    _: NoQuery,
) -> impl IntoResponse {
    let only_looks = token.is_some_and(|token| token.only_looks);
    let me = MeResponse::of(&caller, only_looks, &state.options.environment);
    ([(CACHE_CONTROL, "no-store")], Json(me))
}

// `/v1/servers`: the processes of the deployment.

/// The routes.
pub(super) fn servers_router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(list_servers))
}

/// List the processes of the deployment
///
/// Lists processes seen within the last minute, in the order in which they started. Requires a key that is not bound to
/// a tenant.
#[utoipa::path(
    get, path = "/v1/servers", tag = "operations",
    responses((status = 200, description = "Processes with their roles and clocks.", body = ListOf<ServerResponse>))
)]
async fn list_servers(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    _: NoQuery,
) -> ApiResult<Json<ListOf<ServerResponse>>> {
    let servers = state.engine.list_servers(&caller).await?;
    Ok(Json(ListOf::whole(servers.into_iter().map(ServerResponse::from).collect())))
}

// `/healthz` and `/readyz`.

/// How long the store may take to answer a trivial read.
const PING_TIMEOUT: Duration = Duration::from_secs(2);

/// The routes.
pub(super) fn health_router() -> OpenApiRouter<ApiState> {
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
    /// Time since which this server has been unable to reach Kafka, if it publishes jobs there. Meanwhile, jobs wait in
    /// the database.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    broker_away_since: Option<Timestamp>,
}

/// Check liveness
///
/// Requires no API key, and does not use the database.
#[utoipa::path(
    get, path = "/healthz", tag = "health",
    responses((status = 200, description = "The process is running.", body = HealthResponse))
)]
pub(crate) async fn healthz() -> Json<HealthResponse> {
    Json(HealthResponse { status: "ok", broker_away_since: None })
}

/// Check readiness
///
/// Requires no API key. Fails while the server shuts down, or if the database does not respond in time.
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
            tracing::warn!(error = &error as &dyn std::error::Error, "the database does not respond");
            Err(Problem::unavailable("The database is unavailable."))
        }
        Err(_) => Err(Problem::unavailable("The database did not respond in time.")),
    }
}

// `/v1/doctor`: what a person would check first.

/// The routes.
pub(super) fn doctor_router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(examine))
}

/// Check the deployment
///
/// Checks schema, connection pooler, old snapshots, dead rows, clocks, leases, parked executions, disk, certificates,
/// keys and dispatch. Each warning and failure says how to fix it. Requires role `admin` and a key that is not bound to
/// a tenant.
#[utoipa::path(
    get, path = "/v1/doctor", tag = "operations",
    responses((status = 200, description = "Checks.", body = DoctorResponse))
)]
async fn examine(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    _: NoQuery,
) -> ApiResult<Json<DoctorResponse>> {
    Ok(Json(state.engine.doctor(&caller).await?.into()))
}
