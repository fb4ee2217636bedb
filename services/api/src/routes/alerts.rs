//! `/v1/alerts`: alerts, rules, routes, silences, notifications.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use domain::alerting::{AlertStatus, Severity};
use domain::id::{AlertKind, NotificationId, NotificationKind, SilenceId};
use serde::Deserialize;
use store::alerts::{AlertFilter, NotificationStatus};
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{Identity, JsonBody, NoBody, NoQuery, PathOf, Query, page};
use crate::problem::{ApiResult, Problem};
use crate::shapes::ListOf;
use crate::shapes::alerts::{
    AlertResponse, NotificationResponse, RouteBody, RouteResponse, RuleBody, RuleResponse, SilenceBody,
    SilenceResponse,
};
use crate::state::ApiState;

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(list_alerts))
        .routes(routes!(list_rules))
        .routes(routes!(get_rule, put_rule, delete_rule))
        .routes(routes!(list_routes))
        .routes(routes!(get_route, put_route, delete_route))
        .routes(routes!(test_route))
        .routes(routes!(list_silences, add_silence))
        .routes(routes!(get_silence, end_silence))
        .routes(routes!(list_notifications))
        .routes(routes!(retry_notification))
}

/// Which alerts to list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct AlertsQuery {
    /// `pending`, `firing` or `resolved`. Several values are separated by commas.
    status: Option<String>,
    /// Name of a rule.
    rule: Option<String>,
    /// `warning` or `critical`.
    severity: Option<String>,
    /// Page size, 1 to 500 (default 50).
    limit: Option<u32>,
    /// The `nextCursor` of the previous page.
    cursor: Option<String>,
}

/// Which notifications to list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct NotificationsQuery {
    /// `pending`, `sent` or `failed`. Several values are separated by commas.
    status: Option<String>,
    /// Page size, 1 to 500 (default 50).
    limit: Option<u32>,
    /// The `nextCursor` of the previous page.
    cursor: Option<String>,
}

/// List alerts, newest first
#[utoipa::path(
    get, path = "/v1/alerts", tag = "alerts", params(AlertsQuery),
    responses((status = 200, description = "Alerts.", body = ListOf<AlertResponse>))
)]
async fn list_alerts(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    Query(query): Query<AlertsQuery>,
) -> ApiResult<Json<ListOf<AlertResponse>>> {
    let parse = |text: &str| {
        AlertStatus::parse(text.trim())
            .ok_or_else(|| Problem::fault("/status", "expected pending, firing or resolved"))
    };
    let statuses = query
        .status
        .as_deref()
        .map(|text| text.split(',').map(parse).collect::<ApiResult<Vec<AlertStatus>>>());
    let severity = query.severity.as_deref().map(|text| {
        Severity::parse(text).ok_or_else(|| Problem::fault("/severity", "expected warning or critical"))
    });
    let filter = AlertFilter {
        statuses: statuses.transpose()?.unwrap_or_default(),
        rule: query.rule,
        severity: severity.transpose()?,
    };
    let page = page::<AlertKind>(query.limit, query.cursor.as_deref())?;
    let alerts = state.engine.list_alerts(&caller, &filter, page).await?;
    Ok(Json(ListOf::of_page::<AlertKind, _>(alerts, AlertResponse::from)))
}

/// List alert rules by name
///
/// Includes the default rules and the rules that were set.
#[utoipa::path(
    get, path = "/v1/alerts/rules", tag = "alerts",
    responses((status = 200, description = "The effective rules.", body = ListOf<RuleResponse>))
)]
async fn list_rules(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    _: NoQuery,
) -> ApiResult<Json<ListOf<RuleResponse>>> {
    let rules = state.engine.alert_rules(&caller).await?;
    Ok(Json(ListOf::whole(rules.into_iter().map(RuleResponse::from).collect())))
}

/// Show an alert rule
#[utoipa::path(
    get, path = "/v1/alerts/rules/{name}", tag = "alerts", params(("name" = String, Path)),
    responses((status = 200, description = "The effective rule.", body = RuleResponse))
)]
async fn get_rule(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(name): PathOf<String>,
    _: NoQuery,
) -> ApiResult<Json<RuleResponse>> {
    Ok(Json(state.engine.alert_rule(&caller, &name).await?.into()))
}

/// Set an alert rule
///
/// Replaces an existing rule of the same name, including a default rule.
#[utoipa::path(
    put, path = "/v1/alerts/rules/{name}", tag = "alerts", params(("name" = String, Path)),
    request_body = RuleBody, responses((status = 200, description = "The rule.", body = RuleResponse))
)]
async fn put_rule(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(name): PathOf<String>,
    JsonBody(body): JsonBody<RuleBody>,
) -> ApiResult<Json<RuleResponse>> {
    Ok(Json(state.engine.put_alert_rule(&caller, body.into_rule(name)?).await?.into()))
}

/// Delete an alert rule
///
/// Deleting a rule that replaces a default rule restores the default. To disable a default rule, set `enabled: false`.
#[utoipa::path(
    delete, path = "/v1/alerts/rules/{name}", tag = "alerts", params(("name" = String, Path)),
    responses((status = 204, description = "Deleted."))
)]
async fn delete_rule(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(name): PathOf<String>,
    _: NoBody,
) -> ApiResult<StatusCode> {
    state.engine.delete_alert_rule(&caller, &name).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// List alert routes by name
#[utoipa::path(
    get, path = "/v1/alerts/routes", tag = "alerts",
    responses((status = 200, description = "Routes without their secrets.", body = ListOf<RouteResponse>))
)]
async fn list_routes(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    _: NoQuery,
) -> ApiResult<Json<ListOf<RouteResponse>>> {
    let routes = state.engine.alert_routes(&caller).await?;
    Ok(Json(ListOf::whole(routes.into_iter().map(RouteResponse::from).collect())))
}

/// Show an alert route
#[utoipa::path(
    get, path = "/v1/alerts/routes/{name}", tag = "alerts", params(("name" = String, Path)),
    responses((status = 200, description = "The route without its secret.", body = RouteResponse))
)]
async fn get_route(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(name): PathOf<String>,
    _: NoQuery,
) -> ApiResult<Json<RouteResponse>> {
    Ok(Json(state.engine.alert_route(&caller, &name).await?.into()))
}

/// Set an alert route
///
/// Webhook requests are signed according to Standard Webhooks. If `secret` is absent, one is generated and shown once.
#[utoipa::path(
    put, path = "/v1/alerts/routes/{name}", tag = "alerts", params(("name" = String, Path)),
    request_body = RouteBody, responses((status = 200, description = "The route.", body = RouteResponse))
)]
async fn put_route(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(name): PathOf<String>,
    JsonBody(body): JsonBody<RouteBody>,
) -> ApiResult<Json<RouteResponse>> {
    Ok(Json(state.engine.put_alert_route(&caller, body.into_request(name)?).await?.into()))
}

/// Delete an alert route
#[utoipa::path(
    delete, path = "/v1/alerts/routes/{name}", tag = "alerts", params(("name" = String, Path)),
    responses((status = 204, description = "Deleted."))
)]
async fn delete_route(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(name): PathOf<String>,
    _: NoBody,
) -> ApiResult<StatusCode> {
    state.engine.delete_alert_route(&caller, &name).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Send a test notification
#[utoipa::path(
    post, path = "/v1/alerts/routes/{name}/test", tag = "alerts", params(("name" = String, Path)),
    responses((status = 202, description = "The pending notification.", body = NotificationResponse))
)]
async fn test_route(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(name): PathOf<String>,
    _: NoBody,
) -> ApiResult<(StatusCode, Json<NotificationResponse>)> {
    let notification = state.engine.test_alert_route(&caller, &name).await?;
    Ok((StatusCode::ACCEPTED, Json(notification.into())))
}

/// List silences, newest first
#[utoipa::path(
    get, path = "/v1/alerts/silences", tag = "alerts",
    responses((status = 200, description = "Silences that have not ended.", body = ListOf<SilenceResponse>))
)]
async fn list_silences(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    _: NoQuery,
) -> ApiResult<Json<ListOf<SilenceResponse>>> {
    let silences = state.engine.silences(&caller).await?;
    Ok(Json(ListOf::whole(silences.into_iter().map(SilenceResponse::from).collect())))
}

/// Silence alerts
///
/// No notifications are sent while the silence lasts. Alerts that still fire when it ends are sent then.
#[utoipa::path(
    post, path = "/v1/alerts/silences", tag = "alerts", request_body = SilenceBody,
    responses((status = 201, description = "The silence.", body = SilenceResponse))
)]
async fn add_silence(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    JsonBody(body): JsonBody<SilenceBody>,
) -> ApiResult<(StatusCode, Json<SilenceResponse>)> {
    let silence = state.engine.add_silence(&caller, body.into()).await?;
    Ok((StatusCode::CREATED, Json(silence.into())))
}

/// Show a silence that has not ended
#[utoipa::path(
    get, path = "/v1/alerts/silences/{id}", tag = "alerts", params(("id" = String, Path)),
    responses((status = 200, description = "The silence.", body = SilenceResponse))
)]
async fn get_silence(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<SilenceId>,
    _: NoQuery,
) -> ApiResult<Json<SilenceResponse>> {
    Ok(Json(state.engine.silence(&caller, id).await?.into()))
}

/// End a silence
#[utoipa::path(
    delete, path = "/v1/alerts/silences/{id}", tag = "alerts", params(("id" = String, Path)),
    responses((status = 204, description = "Ended."))
)]
async fn end_silence(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<SilenceId>,
    _: NoBody,
) -> ApiResult<StatusCode> {
    state.engine.end_silence(&caller, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// List notifications, newest first
#[utoipa::path(
    get, path = "/v1/alerts/notifications", tag = "alerts", params(NotificationsQuery),
    responses((status = 200, description = "Notifications.", body = ListOf<NotificationResponse>))
)]
async fn list_notifications(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    Query(query): Query<NotificationsQuery>,
) -> ApiResult<Json<ListOf<NotificationResponse>>> {
    let parse = |text: &str| {
        NotificationStatus::parse(text.trim())
            .ok_or_else(|| Problem::fault("/status", "expected pending, sent or failed"))
    };
    let statuses = query
        .status
        .as_deref()
        .map(|text| text.split(',').map(parse).collect::<ApiResult<Vec<NotificationStatus>>>())
        .transpose()?
        .unwrap_or_default();
    let page = page::<NotificationKind>(query.limit, query.cursor.as_deref())?;
    let found = state.engine.list_notifications(&caller, &statuses, page).await?;
    Ok(Json(ListOf::of_page::<NotificationKind, _>(found, NotificationResponse::from)))
}

/// Send a notification again
///
/// Only for a notification that has not been sent. The count of attempts starts again from zero.
#[utoipa::path(
    post, path = "/v1/alerts/notifications/{id}/retry", tag = "alerts", params(("id" = String, Path)),
    responses((status = 202, description = "The notification.", body = NotificationResponse))
)]
async fn retry_notification(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<NotificationId>,
    _: NoBody,
) -> ApiResult<(StatusCode, Json<NotificationResponse>)> {
    let notification = state.engine.retry_notification(&caller, id).await?;
    Ok((StatusCode::ACCEPTED, Json(notification.into())))
}
