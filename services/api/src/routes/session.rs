//! `/v1/session`: who calls, and the console's sessions. A session is a cookie that stands for an API key.

use axum::Json;
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use engine::Caller;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{Identity, NoBody, NoQuery, SessionToken};
use crate::gate::{bearer, clear_cookie, session_cookie};
use crate::problem::{ApiResult, Problem};
use crate::shapes::access::SessionResponse;
use crate::state::ApiState;

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(create_session, read_session, delete_session))
}

/// Sign in to the console
///
/// Creates a session for the API key of this request. The response sets an `HttpOnly`, `SameSite=Strict` cookie that
/// authenticates later requests with the key's role and tenant, for twelve hours or until the key is revoked. Requests
/// that modify data must also send the `csrfToken` of the response in the header `X-CSRF-Token`.
#[utoipa::path(
    post, path = "/v1/session", tag = "access",
    responses((status = 201, description = "The session; the cookie is in `Set-Cookie`.", body = SessionResponse))
)]
async fn create_session(State(state): State<ApiState>, headers: HeaderMap, _: NoBody) -> ApiResult<Response> {
    let Some(secret) = bearer(&headers)? else {
        return Err(Problem::unauthenticated(
            "A session requires an API key: \"Authorization: Bearer tl_…\".",
        ));
    };
    let made = state.engine.open_session(secret).await?;
    let made = made.ok_or_else(|| Problem::unauthenticated("The API key is unknown, revoked or expired."))?;
    let cookie = session_cookie(&state.options.session_cookie, made.sealed.reveal(), made.ttl)?;
    let token = SessionToken { csrf_token: made.session.csrf_token, expires_at: made.session.expires_at };
    let answer = response_of(&made.session.caller, Some(token));
    Ok((StatusCode::CREATED, [(SET_COOKIE, cookie), no_store()], Json(answer)).into_response())
}

/// Show the current caller
///
/// Role and tenant of the caller; for a session also its CSRF token and expiry.
#[utoipa::path(
    get, path = "/v1/session", tag = "access",
    responses((status = 200, description = "The caller.", body = SessionResponse))
)]
async fn read_session(
    Identity(caller): Identity,
    token: Option<SessionToken>,
    _: NoQuery,
) -> impl IntoResponse {
    ([no_store()], Json(response_of(&caller, token)))
}

/// Sign out
///
/// Removes the session cookie. A copied cookie stays valid until it expires or its key is revoked.
#[utoipa::path(
    delete, path = "/v1/session", tag = "access",
    responses((status = 204, description = "The session cookie is removed."))
)]
async fn delete_session(State(state): State<ApiState>, _: NoBody) -> ApiResult<Response> {
    let cookie = clear_cookie(&state.options.session_cookie)?;
    Ok((StatusCode::NO_CONTENT, [(SET_COOKIE, cookie)]).into_response())
}

fn response_of(caller: &Caller, token: Option<SessionToken>) -> SessionResponse {
    let (csrf_token, expires_at) = token.map(|token| (token.csrf_token, token.expires_at)).unzip();
    SessionResponse {
        actor: caller.actor.clone(),
        role: caller.role.as_str(),
        tenant: caller.scope.tenant().map(ToString::to_string),
        csrf_token,
        expires_at,
    }
}

/// What names a caller must not stay in a cache.
const fn no_store() -> (axum::http::HeaderName, HeaderValue) {
    (CACHE_CONTROL, HeaderValue::from_static("no-store"))
}
