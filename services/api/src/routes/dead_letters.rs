//! `/v1/dead-letters`: look at what died, requeue it, archive it.

mod groups;

use axum::Json;
use axum::extract::State;
use domain::failure::{DeadLetterStatus, DeadReason};
use domain::id::DeadLetterId;
use domain::names::{CallerKey, JobType, TenantName, WorkflowName};
use domain::queue::QueueName;
use domain::time::Timestamp;
use serde::Deserialize;
use store::dead_letters::DeadLetterFilter;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{Identity, JsonBody, LettersQuery, NoQuery, OptionalJsonBody, PathOf, Query};
use crate::json::RawJson;
use crate::problem::{ApiResult, Problem};
use crate::shapes::dead_letters::{ArchiveBody, DeadLetterChangeResponse, DeadLetterResponse, RequeueBody};
use crate::shapes::{
    DeadLetterStatusSchema, DeadReasonSchema, ListOf, QueueSchema, dead_letter_status, dead_reason,
};
use crate::state::ApiState;

// Which dead letters to list.

/// Which dead letters to list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(in crate::routes) struct DeadLettersQuery {
    #[param(value_type = Option<QueueSchema>, inline)]
    queue: Option<QueueName>,
    #[param(value_type = Option<String>)]
    workflow: Option<WorkflowName>,
    #[param(value_type = Option<String>)]
    job_type: Option<JobType>,
    #[param(value_type = Option<String>)]
    tenant: Option<TenantName>,
    #[param(value_type = Option<String>)]
    fingerprint: Option<CallerKey>,
    #[serde(default, deserialize_with = "dead_reason")]
    #[param(value_type = Option<DeadReasonSchema>, inline)]
    reason: Option<DeadReason>,
    /// Status (default `open`).
    #[serde(default, deserialize_with = "dead_letter_status")]
    #[param(value_type = Option<DeadLetterStatusSchema>, inline)]
    status: Option<DeadLetterStatus>,
    /// Failed permanently at or after this instant.
    #[param(value_type = Option<String>, format = DateTime)]
    from: Option<Timestamp>,
    /// Failed permanently before this instant.
    #[param(value_type = Option<String>, format = DateTime)]
    to: Option<Timestamp>,
    /// Page size, 1 to 500 (default 50).
    pub(in crate::routes) limit: Option<u32>,
    /// The `nextCursor` of the previous page.
    pub(in crate::routes) cursor: Option<String>,
}

impl DeadLettersQuery {
    /// The filter.
    pub(in crate::routes) fn filter(self) -> DeadLetterFilter {
        DeadLetterFilter {
            queue: self.queue,
            workflow: self.workflow,
            job_type: self.job_type,
            tenant: self.tenant,
            fingerprint: self.fingerprint.map(|text| text.to_string()),
            reason: self.reason,
            from: self.from,
            to: self.to,
            status: self.status,
        }
    }

    /// The filter of a list that shows archived ones only.
    pub(in crate::routes) fn archive_filter(self) -> ApiResult<DeadLetterFilter> {
        match self.status {
            None | Some(DeadLetterStatus::Archived) => {
                Ok(DeadLetterFilter { status: Some(DeadLetterStatus::Archived), ..self.filter() })
            }
            Some(_) => Err(Problem::fault("/status", "the archive contains only archived dead letters")),
        }
    }
}

// Look at dead letters.

/// List dead letters, newest first
#[utoipa::path(
    get, path = "/v1/dead-letters", tag = "dead letters", params(LettersQuery),
    responses((status = 200, description = "Dead letters without their attempts.", body = ListOf<DeadLetterResponse>))
)]
async fn list_dead_letters(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    query: LettersQuery,
) -> ApiResult<Json<ListOf<DeadLetterResponse>>> {
    let letters = state.engine.search_dead_letters(&caller, query.request()).await?;
    let ids = letters.items.iter().map(|letter| letter.job_id.uuid());
    let shown = state.engine.shown_attributes(&caller, ids).await?;
    let each = |letter| DeadLetterResponse::in_list(letter).with_attributes(&shown);
    Ok(Json(query.answer(letters, each)))
}

/// How to show a dead letter.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct LetterQuery {
    /// Maximum payload size in bytes. A larger payload is null and listed in `omitted` with its path (default: no
    /// maximum).
    max_payload: Option<usize>,
}

/// Show a dead letter with its attempts
#[utoipa::path(
    get, path = "/v1/dead-letters/{id}", tag = "dead letters", params(("id" = String, Path), LetterQuery),
    responses((status = 200, description = "The dead letter.", body = DeadLetterResponse))
)]
async fn get_dead_letter(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<DeadLetterId>,
    Query(query): Query<LetterQuery>,
) -> ApiResult<Json<DeadLetterResponse>> {
    let letter = state.engine.dead_letter(&caller, id).await?;
    let shown = state.engine.shown_attributes(&caller, [letter.job_id.uuid()]).await?;
    Ok(Json(DeadLetterResponse::whole(letter, query.max_payload).with_attributes(&shown)))
}

/// Get the data of a dead letter
#[utoipa::path(
    get, path = "/v1/dead-letters/{id}/data", tag = "dead letters", params(("id" = String, Path)),
    responses((status = 200, description = "The data.", body = RawJson))
)]
async fn get_dead_letter_data(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<DeadLetterId>,
    _: NoQuery,
) -> ApiResult<Json<RawJson>> {
    Ok(Json(RawJson::payload_or_null(state.engine.dead_letter(&caller, id).await?.data)))
}

// Requeue one dead letter, or archive it.

/// Requeue a dead letter
///
/// The job returns to its queue with its original ID, its history and a new retry budget. Repeating the call creates no
/// second job.
#[utoipa::path(
    post, path = "/v1/dead-letters/{id}/requeue", tag = "dead letters", params(("id" = String, Path)),
    request_body(content = RequeueBody, description = "Optional."),
    responses((status = 200, description = "The dead letter is requeued.", body = DeadLetterChangeResponse))
)]
async fn requeue_dead_letter(
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
async fn archive_dead_letter(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<DeadLetterId>,
    JsonBody(body): JsonBody<ArchiveBody>,
) -> ApiResult<Json<DeadLetterChangeResponse>> {
    let reason = body.reason.ok_or_else(|| Problem::fault("/reason", "is required"))?;
    let job_id = state.engine.archive_dead_letter(&caller, id, &reason).await?;
    Ok(Json(DeadLetterChangeResponse { id, job_id, status: "archived" }))
}

// Which call is answered where.

/// The routes.
pub(in crate::routes) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(list_dead_letters))
        .routes(routes!(groups::list_groups))
        .routes(routes!(groups::resolve_group))
        .routes(routes!(groups::ignore_group))
        .routes(routes!(groups::reopen_group))
        .routes(routes!(get_dead_letter))
        .routes(routes!(get_dead_letter_data))
        .routes(routes!(requeue_dead_letter))
        .routes(routes!(archive_dead_letter))
}
