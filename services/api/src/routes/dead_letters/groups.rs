//! Groups of dead letters: list them, and decide about one.

use axum::Json;
use axum::extract::State;
use domain::failure::{DeadLetterStatus, DeadReason, GroupState, IgnoreUntil};
use domain::names::{CallerKey, JobType, TenantName, WorkflowName};
use domain::queue::QueueName;
use domain::time::Timestamp;
use engine::Caller;
use serde::Deserialize;
use store::dead_letters::DeadLetterFilter;
use utoipa::IntoParams;

use crate::extract::{Identity, OptionalJsonBody, PathOf, Query, page_limit};
use crate::problem::{ApiResult, Problem};
use crate::shapes::dead_letter_groups::{DecisionBody, GroupResponse, GroupStateResponse, IgnoreBody};
use crate::shapes::{
    DeadLetterStatusSchema, DeadReasonSchema, ListOf, QueueSchema, dead_letter_status, dead_reason,
};
use crate::state::ApiState;

/// Which groups to list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct GroupsQuery {
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
    /// Status (always `open`).
    #[serde(default, deserialize_with = "dead_letter_status")]
    #[param(value_type = Option<DeadLetterStatusSchema>, inline)]
    status: Option<DeadLetterStatus>,
    /// State of the group: `open`, `resolved` or `ignored`. Several values are separated by commas.
    state: Option<String>,
    /// Failed permanently at or after this instant.
    #[param(value_type = Option<String>, format = DateTime)]
    from: Option<Timestamp>,
    /// Failed permanently before this instant.
    #[param(value_type = Option<String>, format = DateTime)]
    to: Option<Timestamp>,
    /// Page size, 1 to 500 (default 50).
    limit: Option<u32>,
    /// Not supported: this list is not paginated.
    cursor: Option<String>,
}

impl GroupsQuery {
    fn states(&self) -> ApiResult<Vec<GroupState>> {
        let parse = |text: &str| {
            GroupState::parse(text.trim())
                .ok_or_else(|| Problem::fault("/state", "expected open, resolved or ignored"))
        };
        self.state.as_deref().into_iter().flat_map(|text| text.split(',')).map(parse).collect()
    }

    fn filter(self) -> DeadLetterFilter {
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
}

/// List open dead letters grouped by error, largest group first
///
/// A resolved group reopens when the error occurs again. An ignored group reopens at the given instant, after the given
/// number of dead letters, or with the given version. With `state`, only the largest 500 groups are considered.
#[utoipa::path(
    get, path = "/v1/dead-letters/groups", tag = "dead letters", params(GroupsQuery),
    responses((status = 200, description = "Groups.", body = ListOf<GroupResponse>))
)]
pub(super) async fn list_groups(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    Query(query): Query<GroupsQuery>,
) -> ApiResult<Json<ListOf<GroupResponse>>> {
    if query.cursor.is_some() {
        return Err(Problem::fault("/cursor", "this list is not paginated"));
    }
    let (limit, states) = (page_limit(query.limit)?, query.states()?);
    let groups = state.engine.dead_letter_groups(&caller, &query.filter(), &states, limit).await?;
    Ok(Json(ListOf::whole(groups.into_iter().map(GroupResponse::from).collect())))
}

/// Resolve a group of dead letters
///
/// Its dead letters do not change. The group reopens automatically when the error occurs again.
#[utoipa::path(
    post, path = "/v1/dead-letters/groups/{fingerprint}/resolve", tag = "dead letters",
    params(("fingerprint" = String, Path)), request_body(content = DecisionBody, description = "Optional."),
    responses((status = 200, description = "The group is resolved.", body = GroupStateResponse))
)]
pub(super) async fn resolve_group(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(fingerprint): PathOf<CallerKey>,
    OptionalJsonBody(body): OptionalJsonBody<DecisionBody>,
) -> ApiResult<Json<GroupStateResponse>> {
    decide(&state, &caller, &fingerprint, GroupState::Resolved, IgnoreUntil::default(), body.note).await
}

/// Ignore a group of dead letters
///
/// The group is ignored until a given instant, until a given number of further dead letters, until the error occurs in
/// a given version of a workflow, or until someone reopens it.
#[utoipa::path(
    post, path = "/v1/dead-letters/groups/{fingerprint}/ignore", tag = "dead letters",
    params(("fingerprint" = String, Path)), request_body(content = IgnoreBody, description = "Optional."),
    responses((status = 200, description = "The group is ignored.", body = GroupStateResponse))
)]
pub(super) async fn ignore_group(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(fingerprint): PathOf<CallerKey>,
    OptionalJsonBody(body): OptionalJsonBody<IgnoreBody>,
) -> ApiResult<Json<GroupStateResponse>> {
    let (until, note) = body.into_parts()?;
    decide(&state, &caller, &fingerprint, GroupState::Ignored, until, note).await
}

/// Reopen a group of dead letters
#[utoipa::path(
    post, path = "/v1/dead-letters/groups/{fingerprint}/reopen", tag = "dead letters",
    params(("fingerprint" = String, Path)), request_body(content = DecisionBody, description = "Optional."),
    responses((status = 200, description = "The group is open.", body = GroupStateResponse))
)]
pub(super) async fn reopen_group(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(fingerprint): PathOf<CallerKey>,
    OptionalJsonBody(body): OptionalJsonBody<DecisionBody>,
) -> ApiResult<Json<GroupStateResponse>> {
    decide(&state, &caller, &fingerprint, GroupState::Open, IgnoreUntil::default(), body.note).await
}

async fn decide(
    state: &ApiState,
    caller: &Caller,
    fingerprint: &CallerKey,
    to: GroupState,
    until: IgnoreUntil,
    note: Option<String>,
) -> ApiResult<Json<GroupStateResponse>> {
    let standing =
        state.engine.decide_dead_letter_group(caller, fingerprint.as_str(), to, until, note).await?;
    Ok(Json(standing.into()))
}
