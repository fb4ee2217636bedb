//! Signing in to the console: by an identity provider, with a key, or for the first time.
//!
//! Not a part of the interface for programs, which send their tokens as they send keys.

use axum::Json;
use axum::extract::{Request, State};
use axum::http::header::{CACHE_CONTROL, LOCATION, REFERRER_POLICY, SET_COOKIE};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use domain::problem::ProblemCode;
use engine::{Caller, Door, EngineError, Origin, SignInError};
use serde::Serialize;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{Identity, NoBody, NoQuery, SessionToken};
use crate::gate::{
    bearer, clear_cookie, clear_sign_in_cookie, limit_failures, origin_of, sealed_sign_in_of, session_cookie,
    sign_in_cookie, source_of,
};
use crate::options::SignInOptions;
use crate::problem::{ApiResult, Problem};
use crate::shapes::access::SessionResponse;
use crate::state::ApiState;

/// The routes. They are for browsers, and are not in the OpenAPI document.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().route(LOGIN, get(begin)).route(CALLBACK, get(finish))
}

const LOGIN: &str = "/auth/oidc/login";
const CALLBACK: &str = "/auth/oidc/callback";

/// Sends a browser to the identity provider.
async fn begin(State(state): State<ApiState>, request: Request) -> ApiResult<Response> {
    let options = options_of(&state)?;
    limit_failures(&state, source_of(&state, &request)).await?;
    let return_to = parameter(&request, "to").unwrap_or_default();
    let redirect_url = format!("{}{CALLBACK}", options.public_url);
    match state.engine.begin_sign_in(&redirect_url, &return_to).await {
        Ok(begun) => {
            let cookie = sign_in_cookie(&state.options.session_cookie, begun.sealed.reveal(), begun.ttl)?;
            see_other(&begun.url, [cookie])
        }
        Err(error) => failed(&state, &error),
    }
}

/// Takes a browser back from the identity provider, with a session.
async fn finish(State(state): State<ApiState>, request: Request) -> ApiResult<Response> {
    options_of(&state)?;
    let source = source_of(&state, &request);
    let origin = Origin { door: Door::Console, ..origin_of(&request, source) };
    let ended = match (
        parameter(&request, "code"),
        parameter(&request, "state"),
        sealed_sign_in_of(request.headers()),
    ) {
        (Some(code), Some(shown), Some(sealed)) => state.engine.finish_sign_in(sealed, &shown, &code).await,
        // The provider says `error` where somebody did not want to, or may not.
        (None, _, Some(_)) => Err(SignInError::Refused),
        _ => Err(SignInError::Expired),
    };
    match ended {
        Ok(done) => {
            let cookies = &state.options.session_cookie;
            let session = session_cookie(cookies, done.session.sealed.reveal(), done.session.ttl)?;
            see_other(&console_page(&state, &done.return_to), [session, clear_sign_in_cookie(cookies)?])
        }
        Err(error) => {
            state.engine.record_auth_failure(origin);
            limit_failures(&state, source).await?;
            failed(&state, &error)
        }
    }
}

/// Back to the console, which says why in words.
fn failed(state: &ApiState, error: &SignInError) -> ApiResult<Response> {
    let word = match error {
        SignInError::Expired => "expired",
        SignInError::Refused => "refused",
        SignInError::Engine(EngineError::Forbidden { .. }) => "no_role",
        SignInError::Off => return Err(off()),
        SignInError::Engine(_) => "unavailable",
    };
    let page = console_page(state, &format!("?signIn={word}"));
    see_other(&page, [clear_sign_in_cookie(&state.options.session_cookie)?])
}

fn options_of(state: &ApiState) -> ApiResult<&SignInOptions> {
    state.options.sign_in.as_ref().filter(|_| state.engine.has_sign_in()).ok_or_else(off)
}

fn off() -> Problem {
    let detail = "Sign-in by an identity provider is not configured (oidc.client_id).";
    Problem::new(StatusCode::NOT_FOUND, ProblemCode::NotFound, detail)
}

/// A page of the console, by its path: the browser is on this server already, below whatever path that lies.
fn console_page(state: &ApiState, page: &str) -> String {
    format!("{}console/{page}", state.options.session_cookie.path)
}

fn see_other<const N: usize>(address: &str, cookies: [HeaderValue; N]) -> ApiResult<Response> {
    let fixed: [(HeaderName, &str); 2] = [(CACHE_CONTROL, "no-store"), (REFERRER_POLICY, "no-referrer")];
    let mut headers: HeaderMap =
        fixed.into_iter().map(|(name, value)| (name, HeaderValue::from_static(value))).collect();
    headers.insert(LOCATION, HeaderValue::try_from(address).map_err(|_| Problem::internal())?);
    for cookie in cookies {
        headers.append(SET_COOKIE, cookie);
    }
    Ok((StatusCode::SEE_OTHER, headers).into_response())
}

/// The first value of a parameter. Providers add parameters of their own, which nobody reads.
fn parameter(request: &Request, name: &str) -> Option<String> {
    let query = request.uri().query().unwrap_or_default();
    let mut pairs = form_urlencoded::parse(query.as_bytes());
    pairs.find(|(found, _)| found == name).map(|(_, value)| value.into_owned())
}

// `/auth/set-up`: the browser that opened the link of a first start. Not a part of the interface for programs.

/// The routes. They are for browsers, and are not in the OpenAPI document.
pub(super) fn set_up_router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().route("/auth/set-up", post(set_up))
}

/// What a code was exchanged for. The session is in the cookie.
#[derive(Serialize)]
struct SetUpAnswer<'a> {
    key: &'a str,
}

/// Exchanges the code, which comes as keys do, for a session and an admin key that is in this answer and nowhere else.
async fn set_up(State(state): State<ApiState>, request: Request) -> ApiResult<Response> {
    let source = source_of(&state, &request);
    let origin = Origin { door: Door::Console, ..origin_of(&request, source) };
    let code = bearer(request.headers())?.unwrap_or_default();
    let Some(done) = state.engine.set_up(origin.clone(), code).await? else {
        state.engine.record_auth_failure(origin);
        limit_failures(&state, source).await?;
        return Err(Problem::unauthenticated("The link was used, has expired, or is of another server."));
    };
    let cookie =
        session_cookie(&state.options.session_cookie, done.session.sealed.reveal(), done.session.ttl)?;
    let no_store = (CACHE_CONTROL, HeaderValue::from_static("no-store"));
    let answer = Json(SetUpAnswer { key: done.key.reveal() });
    Ok((StatusCode::CREATED, [(SET_COOKIE, cookie), no_store], answer).into_response())
}

// `/v1/session`: who calls, and the console's sessions. A session is a cookie that stands for an API key.

/// The routes.
pub(super) fn session_router() -> OpenApiRouter<ApiState> {
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
    let token = SessionToken {
        csrf_token: made.session.csrf_token,
        expires_at: made.session.expires_at,
        only_looks: state.options.environment.is_read_only,
    };
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
