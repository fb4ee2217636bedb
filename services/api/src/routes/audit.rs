//! `/v1/audit`: who changed what.

use axum::Json;
use axum::extract::State;
use domain::id::EventKind;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{Identity, PagesQuery, Query, page};
use crate::problem::ApiResult;
use crate::shapes::ListOf;
use crate::shapes::operations::AuditResponse;
use crate::state::ApiState;

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(list_audit))
}

/// List the audit log, newest first
#[utoipa::path(
    get, path = "/v1/audit", tag = "operations", params(PagesQuery),
    responses((status = 200, description = "Audit log entries.", body = ListOf<AuditResponse>))
)]
async fn list_audit(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    Query(query): Query<PagesQuery>,
) -> ApiResult<Json<ListOf<AuditResponse>>> {
    let page = page::<EventKind>(query.limit, query.cursor.as_deref())?;
    let lines = state.engine.list_audit(&caller, page).await?;
    Ok(Json(ListOf::of_page::<EventKind, _>(lines, AuditResponse::from)))
}
