//! Requeue one dead letter, or archive it.

use axum::Json;
use axum::extract::State;
use domain::id::DeadLetterId;

use crate::extract::{Identity, JsonBody, OptionalJsonBody, PathOf};
use crate::problem::{ApiResult, Problem};
use crate::shapes::dead_letters::{ArchiveBody, DeadLetterChangeResponse, RequeueBody};
use crate::state::ApiState;

/// Requeue a dead letter
///
/// The job returns to its queue with its original ID, its history and a new retry budget. Repeating the call creates no
/// second job.
#[utoipa::path(
    post, path = "/v1/dead-letters/{id}/requeue", tag = "dead letters", params(("id" = String, Path)),
    request_body(content = RequeueBody, description = "Optional."),
    responses((status = 200, description = "The dead letter is requeued.", body = DeadLetterChangeResponse))
)]
pub(super) async fn requeue_dead_letter(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<DeadLetterId>,
    OptionalJsonBody(body): OptionalJsonBody<RequeueBody>,
) -> ApiResult<Json<DeadLetterChangeResponse>> {
    let job_id = state.engine.requeue_dead_letter(&caller, id, body.into()).await?;
    Ok(Json(DeadLetterChangeResponse { id, job_id, status: "requeued" }))
}

/// Archive a dead letter
#[utoipa::path(
    post, path = "/v1/dead-letters/{id}/archive", tag = "dead letters", params(("id" = String, Path)),
    request_body = ArchiveBody,
    responses((status = 200, description = "The dead letter is archived.", body = DeadLetterChangeResponse))
)]
pub(super) async fn archive_dead_letter(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<DeadLetterId>,
    JsonBody(body): JsonBody<ArchiveBody>,
) -> ApiResult<Json<DeadLetterChangeResponse>> {
    let reason = body.reason.ok_or_else(|| Problem::fault("/reason", "is required"))?;
    let job_id = state.engine.archive_dead_letter(&caller, id, &reason).await?;
    Ok(Json(DeadLetterChangeResponse { id, job_id, status: "archived" }))
}
