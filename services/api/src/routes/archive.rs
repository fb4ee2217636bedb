//! `/v1/archive`: dead letters that are kept for audit, as a list and as JSON Lines.

use std::collections::VecDeque;

use axum::Json;
use axum::extract::State;
use axum::response::Response;
use engine::{Caller, Engine, EngineError};
use futures::stream;
use store::PageRequest;
use store::dead_letters::{DeadLetterFilter, DeadLetterRecord};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::dead_letters::DeadLettersQuery;
use crate::bodies::json_lines;
use crate::extract::{ArchiveQuery, Identity, Query};
use crate::gate::veil_of;
use crate::json::veiled;
use crate::problem::{ApiResult, Problem};
use crate::shapes::ListOf;
use crate::shapes::dead_letters::DeadLetterResponse;
use crate::state::ApiState;

/// How many dead letters are read at once for an export.
const EXPORT_PAGE: u32 = 200;

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(list_archive)).routes(routes!(export_archive))
}

/// List archived dead letters, newest first
#[utoipa::path(
    get, path = "/v1/archive", tag = "dead letters", params(ArchiveQuery),
    responses((status = 200, description = "Archived dead letters without their attempts.", body = ListOf<DeadLetterResponse>))
)]
async fn list_archive(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    query: ArchiveQuery,
) -> ApiResult<Json<ListOf<DeadLetterResponse>>> {
    let letters = state.engine.search_dead_letters(&caller, query.request()).await?;
    let ids = letters.items.iter().map(|letter| letter.job_id.uuid());
    let shown = state.engine.shown_attributes(&caller, ids).await?;
    let each = |letter| DeadLetterResponse::in_list(letter).with_attributes(&shown);
    Ok(Json(query.answer(letters, each)))
}

/// Export archived dead letters with their attempts as JSON Lines
#[utoipa::path(
    get, path = "/v1/archive/export", tag = "dead letters", params(DeadLettersQuery),
    responses((status = 200, description = "JSON Lines.", body = DeadLetterResponse, content_type = "application/x-ndjson"))
)]
async fn export_archive(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    Query(query): Query<DeadLettersQuery>,
) -> ApiResult<Response> {
    if query.limit.is_some() || query.cursor.is_some() {
        return Err(Problem::fault("/limit", "an export is not paginated"));
    }
    let mut export = Export {
        engine: state.engine.clone(),
        caller,
        filter: query.archive_filter()?,
        ready: VecDeque::new(),
        next: Some(PageRequest { limit: EXPORT_PAGE, after: None }),
    };
    // The first part is read before the answer begins, so that what is wrong with the request is still a problem.
    export.read_on().await?;
    Ok(json_lines(stream::try_unfold(export, |mut export| async move {
        let line = export.line().await;
        line.map(|line| line.map(|line| (line, export)))
    })))
}

/// An export under way.
struct Export {
    engine: Engine,
    caller: Caller,
    filter: DeadLetterFilter,
    ready: VecDeque<DeadLetterRecord>,
    next: Option<PageRequest>,
}

impl Export {
    /// Reads the next part, if there is one.
    async fn read_on(&mut self) -> Result<(), EngineError> {
        if let Some(request) = self.next.take() {
            let page = self.engine.list_dead_letters(&self.caller, &self.filter, request).await?;
            self.next = page.next.map(|after| PageRequest { after: Some(after), ..request });
            self.ready.extend(page.items);
        }
        Ok(())
    }

    /// The next line. A broken-off transfer shows the receiver that something is missing; a short one would not.
    async fn line(&mut self) -> Result<Option<String>, EngineError> {
        while self.ready.is_empty() && self.next.is_some() {
            self.read_on().await?;
        }
        let Some(listed) = self.ready.pop_front() else {
            return Ok(None);
        };
        // Lists come without attempts.
        let whole = match self.engine.dead_letter(&self.caller, listed.id).await {
            Ok(whole) => whole,
            Err(EngineError::NotFound { .. }) => listed,
            Err(error) => return Err(error),
        };
        let shape = async { DeadLetterResponse::whole(whole, None) };
        // The body is made after the handler has answered, outside what veils its answer.
        let shape = match veil_of(&self.caller) {
            Some(veil) => veiled(veil, shape).await,
            None => shape.await,
        };
        let mut line = serde_json::to_string(&shape)
            .map_err(|source| EngineError::Encoding { what: "a dead letter", source: source.into() })?;
        line.push('\n');
        Ok(Some(line))
    }
}
