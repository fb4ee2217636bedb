//! `/auth/oidc`: browsers that sign in to the console by an identity provider. Not a part of the interface for programs,
//! which send their tokens as they send keys.
//!
//! The cookie of a sign-in is sent along when the provider sends the browser back (`SameSite=Lax`), and only to these two
//! addresses. The session's own cookie stays `SameSite=Strict`: the page that the browser is sent to needs none, and what
//! that page asks for is asked from the same site.

use axum::extract::{Request, State};
use axum::http::header::{CACHE_CONTROL, LOCATION, REFERRER_POLICY, SET_COOKIE};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use engine::{EngineError, SignInError};
use utoipa_axum::router::OpenApiRouter;

use crate::gate::{
    clear_sign_in_cookie, limit_failures, sealed_sign_in_of, session_cookie, sign_in_cookie, source_of,
};
use crate::options::SignInOptions;
use crate::problem::{ApiResult, Problem};
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
            state.engine.record_auth_failure(source);
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
    Problem::new(StatusCode::NOT_FOUND, "not_found", detail)
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
