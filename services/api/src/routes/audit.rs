//! `/v1/audit`: who changed what, as a list, as JSON Lines, and checked as a chain.

use std::collections::VecDeque;

use axum::Json;
use axum::extract::State;
use axum::response::Response;
use domain::search::Term;
use engine::{Caller, Engine, EngineError};
use futures::stream;
use serde::Deserialize;
use store::audit::AuditLine;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::bodies::json_lines;
use crate::extract::{AuditFilterQuery, AuditQuery, Identity, Query};
use crate::problem::ApiResult;
use crate::shapes::ListOf;
use crate::shapes::audit::{AuditResponse, VerificationResponse, export_line};
use crate::state::ApiState;

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(list_audit))
        .routes(routes!(export_audit))
        .routes(routes!(verify_audit))
}

/// List the audit log, newest first
///
/// Several values of a parameter are separated by commas; any of them matches.
#[utoipa::path(
    get, path = "/v1/audit", tag = "operations", params(AuditQuery),
    responses((status = 200, description = "Audit log entries.", body = ListOf<AuditResponse>))
)]
async fn list_audit(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    query: AuditQuery,
) -> ApiResult<Json<ListOf<AuditResponse>>> {
    let lines = state.engine.search_audit(&caller, query.request()).await?;
    Ok(Json(query.answer(lines, AuditResponse::from)))
}

/// Export the audit log as JSON Lines, oldest first
///
/// Contains only sealed entries, exactly as they were hashed. An entry is sealed within seconds.
#[utoipa::path(
    get, path = "/v1/audit/export", tag = "operations", params(AuditFilterQuery),
    responses((status = 200, description = "JSON Lines.", body = AuditResponse, content_type = "application/x-ndjson"))
)]
async fn export_audit(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    filter: AuditFilterQuery,
) -> ApiResult<Response> {
    let mut export = Export {
        engine: state.engine.clone(),
        caller,
        terms: filter.terms,
        ready: VecDeque::new(),
        next: Some(0),
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
    terms: Vec<Term>,
    ready: VecDeque<AuditLine>,
    /// Behind which number of the chain the next part begins.
    next: Option<u64>,
}

impl Export {
    async fn read_on(&mut self) -> Result<(), EngineError> {
        if let Some(behind) = self.next.take() {
            let (lines, next) = self.engine.export_audit(&self.caller, &self.terms, behind).await?;
            self.ready.extend(lines);
            self.next = next;
        }
        Ok(())
    }

    async fn line(&mut self) -> Result<Option<String>, EngineError> {
        while self.ready.is_empty() && self.next.is_some() {
            self.read_on().await?;
        }
        Ok(self.ready.pop_front().map(|line| export_line(&line)))
    }
}

/// Which part of the chain.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct RangeQuery {
    /// Number of the first entry to verify (default: the first entry of the log).
    from: Option<u64>,
    /// Number of the last entry to verify (default: the last entry of the log). One call verifies at most 10,000
    /// entries.
    to: Option<u64>,
}

/// Verify the hash chain of the audit log
///
/// Verifies at most 10,000 entries; continue with `from` = `last.seq` + 1 until `last.seq` is `head.seq`. Requires a key that is
/// not bound to a tenant.
#[utoipa::path(
    get, path = "/v1/audit/verify", tag = "operations", params(RangeQuery),
    responses((status = 200, description = "The result.", body = VerificationResponse))
)]
async fn verify_audit(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    Query(query): Query<RangeQuery>,
) -> ApiResult<Json<VerificationResponse>> {
    Ok(Json(state.engine.verify_audit(&caller, query.from, query.to).await?.into()))
}
