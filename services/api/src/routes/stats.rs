//! `/v1/stats`: figures of queues over time.

use axum::Json;
use axum::extract::State;
use domain::names::{TenantName, WorkflowName};
use domain::queue::{QueueName, Tier};
use domain::search::InstantSpan;
use domain::stats::Step;
use domain::time::Timestamp;
use engine::StatRequest;
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{Identity, Query};
use crate::problem::{ApiResult, Problem};
use crate::shapes::stats::StatsResponse;
use crate::shapes::{PrioritySchema, QueueSchema};
use crate::state::ApiState;

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(get_stats))
}

/// Which figures to show.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct StatsQuery {
    #[param(value_type = Option<QueueSchema>, inline)]
    queue: Option<QueueName>,
    #[param(value_type = Option<PrioritySchema>, inline)]
    priority: Option<Tier>,
    #[param(value_type = Option<String>)]
    tenant: Option<TenantName>,
    #[param(value_type = Option<String>)]
    workflow: Option<WorkflowName>,
    /// At or after an RFC 3339 instant, a date, now, or a time from now such as now-6h (default: an hour before `to`, with
    /// step 1h a day).
    from: Option<String>,
    /// Before such an instant (default: now).
    to: Option<String>,
    /// `1m` (default; kept for a day) or `1h` (kept for 30 days).
    step: Option<String>,
}

/// Show figures of queues over time
///
/// Throughput, failures, backlog and percentiles of wait and run, by minute or hour. At most 15 seconds behind. Up to 1,500
/// points.
#[utoipa::path(
    get, path = "/v1/stats", tag = "operations", params(StatsQuery),
    responses((status = 200, description = "The figures.", body = StatsResponse))
)]
async fn get_stats(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    Query(query): Query<StatsQuery>,
) -> ApiResult<Json<StatsResponse>> {
    let now = state.engine.now();
    let step = match query.step.as_deref() {
        None => Step::Minute,
        Some(text) => {
            Step::parse(text).ok_or_else(|| Problem::fault("/step", "query parameter: expected 1m or 1h"))?
        }
    };
    let request = StatRequest {
        step,
        from: instant("/from", query.from.as_deref(), now)?,
        to: instant("/to", query.to.as_deref(), now)?,
        tenant: query.tenant,
        workflow: query.workflow,
        queue: query.queue,
        tier: query.priority,
    };
    Ok(Json(state.engine.stats(&caller, &request).await?.into()))
}

fn instant(pointer: &str, text: Option<&str>, now: Timestamp) -> ApiResult<Option<Timestamp>> {
    let read = |text: &str| {
        InstantSpan::parse(text, now).map(|span| span.from).ok_or_else(|| {
            let expected = "an RFC 3339 instant, a date, now, or a time from now such as now-15m";
            Problem::fault(pointer, format!("query parameter: expected {expected}"))
        })
    };
    text.map(read).transpose()
}
