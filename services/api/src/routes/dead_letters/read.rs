//! Look at dead letters.

use axum::Json;
use axum::extract::State;
use domain::id::DeadLetterId;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::extract::{Identity, LettersQuery, NoQuery, PathOf, Query};
use crate::json::RawJson;
use crate::problem::ApiResult;
use crate::shapes::ListOf;
use crate::shapes::dead_letters::DeadLetterResponse;
use crate::state::ApiState;

/// List dead letters, newest first
#[utoipa::path(
    get, path = "/v1/dead-letters", tag = "dead letters", params(LettersQuery),
    responses((status = 200, description = "Dead letters without their attempts.", body = ListOf<DeadLetterResponse>))
)]
pub(super) async fn list_dead_letters(
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
pub(super) struct LetterQuery {
    /// A payload with more bytes than this is null, and listed in `omitted` with its path. Default: it is shown.
    max_payload: Option<usize>,
}

/// Show a dead letter with its attempts
#[utoipa::path(
    get, path = "/v1/dead-letters/{id}", tag = "dead letters", params(("id" = String, Path), LetterQuery),
    responses((status = 200, description = "The dead letter.", body = DeadLetterResponse))
)]
pub(super) async fn get_dead_letter(
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
pub(super) async fn get_dead_letter_data(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<DeadLetterId>,
    _: NoQuery,
) -> ApiResult<Json<RawJson>> {
    Ok(Json(RawJson::payload_or_null(state.engine.dead_letter(&caller, id).await?.data)))
}
