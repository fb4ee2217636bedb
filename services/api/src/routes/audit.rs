//! `/v1/audit`: who changed what, as a list, as JSON Lines, and checked as a chain.

use std::collections::VecDeque;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use domain::id::EventKind;
use domain::time::Timestamp;
use engine::{Caller, Engine, EngineError};
use futures::{StreamExt as _, stream};
use serde::Deserialize;
use store::audit::{AuditFilter, AuditLine};
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{Identity, Query, page};
use crate::problem::{ApiResult, Problem};
use crate::shapes::ListOf;
use crate::shapes::audit::{AuditResponse, VerificationResponse, export_line};
use crate::state::ApiState;

/// How many values a parameter takes.
const VALUES_MAX: usize = 50;
/// The longest of them, in bytes.
const VALUE_BYTES_MAX: usize = 300;
const DOORS: &[&str] = &["rest", "cli", "console", "grpc", "system"];
const OUTCOMES: &[&str] = &["done", "refused"];

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(list_audit))
        .routes(routes!(export_audit))
        .routes(routes!(verify_audit))
}

/// Which entries.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct AuditQuery {
    /// Actors, comma-separated.
    actor: Option<String>,
    /// Actions, comma-separated, such as `queue.pause`.
    action: Option<String>,
    /// Target of the action.
    subject: Option<String>,
    /// Tenants, comma-separated.
    tenant: Option<String>,
    /// Client address.
    address: Option<String>,
    /// Request ID.
    request_id: Option<String>,
    /// `done` or `refused`, comma-separated.
    outcome: Option<String>,
    /// Doors, comma-separated: `rest`, `cli`, `console`, `grpc`, `system`.
    door: Option<String>,
    /// Bulk operation.
    batch: Option<String>,
    /// At or after this time; the same as `from`.
    #[param(value_type = Option<String>)]
    at_after: Option<Timestamp>,
    /// Before this time; the same as `to`.
    #[param(value_type = Option<String>)]
    at_before: Option<Timestamp>,
    /// At or after this time.
    #[param(value_type = Option<String>)]
    from: Option<Timestamp>,
    /// Before this time.
    #[param(value_type = Option<String>)]
    to: Option<Timestamp>,
    /// Page size, 1 to 500 (default 50).
    limit: Option<u32>,
    /// The `nextCursor` of the previous page.
    cursor: Option<String>,
}

impl AuditQuery {
    fn filter(&self) -> ApiResult<AuditFilter> {
        Ok(AuditFilter {
            actors: values("actor", self.actor.as_deref(), None)?,
            actions: values("action", self.action.as_deref(), None)?,
            tenants: values("tenant", self.tenant.as_deref(), None)?,
            outcomes: values("outcome", self.outcome.as_deref(), Some(OUTCOMES))?,
            doors: values("door", self.door.as_deref(), Some(DOORS))?,
            subject: self.subject.clone(),
            address: self.address.clone(),
            request_id: self.request_id.clone(),
            batch: self.batch.clone(),
            from: both("atAfter", "from", self.at_after, self.from)?,
            to: both("atBefore", "to", self.at_before, self.to)?,
        })
    }
}

/// The values of a parameter. Where there are only some words, others are refused.
fn values(name: &str, text: Option<&str>, words: Option<&[&str]>) -> ApiResult<Vec<String>> {
    let Some(text) = text else {
        return Ok(Vec::new());
    };
    let values: Vec<String> = text.split(',').map(str::to_owned).collect();
    let is_value = |value: &String| {
        (1..=VALUE_BYTES_MAX).contains(&value.len())
            && words.is_none_or(|words| words.contains(&value.as_str()))
    };
    if values.len() <= VALUES_MAX && values.iter().all(is_value) {
        return Ok(values);
    }
    let expected = words.map_or_else(|| "values".to_owned(), |words| words.join(", "));
    Err(Problem::fault(format!("/{name}"), format!("expected 1 to {VALUES_MAX} of: {expected}")))
}

fn both(
    name: &str,
    other_name: &str,
    one: Option<Timestamp>,
    other: Option<Timestamp>,
) -> ApiResult<Option<Timestamp>> {
    if one.is_some() && other.is_some() {
        return Err(Problem::fault(
            format!("/{name}"),
            format!("is the same as {other_name}: use one of them"),
        ));
    }
    Ok(one.or(other))
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
    Query(query): Query<AuditQuery>,
) -> ApiResult<Json<ListOf<AuditResponse>>> {
    let page = page::<EventKind>(query.limit, query.cursor.as_deref())?;
    let lines = state.engine.list_audit(&caller, &query.filter()?, page).await?;
    Ok(Json(ListOf::of_page::<EventKind, _>(lines, AuditResponse::from)))
}

/// Export the audit log as JSON Lines, oldest first
///
/// Contains sealed entries, which entries become within seconds, exactly as they were hashed.
#[utoipa::path(
    get, path = "/v1/audit/export", tag = "operations", params(AuditQuery),
    responses((status = 200, description = "JSON Lines.", body = AuditResponse, content_type = "application/x-ndjson"))
)]
async fn export_audit(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    Query(query): Query<AuditQuery>,
) -> ApiResult<Response> {
    if query.limit.is_some() || query.cursor.is_some() {
        return Err(Problem::fault("/limit", "an export is not paginated"));
    }
    let mut export = Export {
        engine: state.engine.clone(),
        caller,
        filter: query.filter()?,
        ready: VecDeque::new(),
        next: Some(0),
    };
    // The first part is read before the answer begins, so that what is wrong with the request is still a problem.
    export.read_on().await?;
    let lines = stream::unfold(Some(export), |export| async {
        let mut export = export?;
        match export.line().await {
            Ok(Some(line)) => Some((Ok(line), Some(export))),
            Ok(None) => None,
            Err(error) => {
                tracing::warn!(error = &error as &dyn std::error::Error, "an export was broken off");
                Some((Err(error), None))
            }
        }
    });
    // Fused: compression polls a body once more after its end.
    Ok(([(CONTENT_TYPE, "application/x-ndjson")], Body::from_stream(lines.fuse())).into_response())
}

/// An export under way.
struct Export {
    engine: Engine,
    caller: Caller,
    filter: AuditFilter,
    ready: VecDeque<AuditLine>,
    /// Behind which number of the chain the next part begins.
    next: Option<u64>,
}

impl Export {
    async fn read_on(&mut self) -> Result<(), EngineError> {
        if let Some(behind) = self.next.take() {
            let (lines, next) = self.engine.export_audit(&self.caller, &self.filter, behind).await?;
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
    /// First number (default: the first entry).
    from: Option<u64>,
    /// Last number (default: the last entry). One call verifies at most 10,000 entries.
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
