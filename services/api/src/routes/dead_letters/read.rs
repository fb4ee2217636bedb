//! Look at dead letters.

use axum::Json;
use axum::extract::State;
use domain::id::{DeadLetterId, DeadLetterKind};

use super::DeadLettersQuery;
use crate::extract::{Identity, LettersQuery, PathOf, Query, page_limit};
use crate::problem::{ApiResult, Problem};
use crate::shapes::ListOf;
use crate::shapes::dead_letters::{DeadLetterResponse, GroupResponse};
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
    Ok(Json(query.answer::<DeadLetterKind, _, _>(letters, DeadLetterResponse::in_list)))
}

/// List open dead letters grouped by error, largest group first
#[utoipa::path(
    get, path = "/v1/dead-letters/groups", tag = "dead letters", params(DeadLettersQuery),
    responses((status = 200, description = "Groups.", body = ListOf<GroupResponse>))
)]
pub(super) async fn list_groups(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    Query(query): Query<DeadLettersQuery>,
) -> ApiResult<Json<ListOf<GroupResponse>>> {
    if query.cursor.is_some() {
        return Err(Problem::fault("/cursor", "this list is not paginated"));
    }
    let limit = page_limit(query.limit)?;
    let groups = state.engine.dead_letter_groups(&caller, &query.filter(), limit).await?;
    Ok(Json(ListOf::whole(groups.into_iter().map(GroupResponse::from).collect())))
}

/// Show a dead letter with its attempts
#[utoipa::path(
    get, path = "/v1/dead-letters/{id}", tag = "dead letters", params(("id" = String, Path)),
    responses((status = 200, description = "The dead letter.", body = DeadLetterResponse))
)]
pub(super) async fn get_dead_letter(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<DeadLetterId>,
) -> ApiResult<Json<DeadLetterResponse>> {
    Ok(Json(DeadLetterResponse::whole(state.engine.dead_letter(&caller, id).await?)))
}
