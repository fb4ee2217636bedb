//! The cookie of a session: how it is written, found and checked.

use axum::http::header::COOKIE;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use domain::problem::ProblemCode;
use domain::time::DurationMs;
use engine::Session;

use crate::options::SessionCookie;
use crate::problem::{ApiResult, Problem};

/// The header that repeats a session's token.
pub(super) const CSRF_TOKEN: HeaderName = HeaderName::from_static("x-csrf-token");

/// The cookie's name.
const NAME: &str = "trunkline_session";
/// The name of the cookie of a sign-in that is under way.
const SIGN_IN_NAME: &str = "trunkline_sign_in";
/// Below which path of the server browsers send that one.
const SIGN_IN_PATH: &str = "auth/oidc/";

/// `Set-Cookie` for a new session.
pub(crate) fn session_cookie(
    options: &SessionCookie,
    sealed: &str,
    ttl: DurationMs,
) -> ApiResult<HeaderValue> {
    written(options, sealed, ttl.0 / 1_000)
}

/// `Set-Cookie` that removes a session.
pub(crate) fn clear_cookie(options: &SessionCookie) -> ApiResult<HeaderValue> {
    written(options, "", 0)
}

/// `Set-Cookie` for a sign-in that begins.
pub(crate) fn sign_in_cookie(
    options: &SessionCookie,
    sealed: &str,
    ttl: DurationMs,
) -> ApiResult<HeaderValue> {
    sign_in_written(options, sealed, ttl.0 / 1_000)
}

/// `Set-Cookie` that removes a sign-in.
pub(crate) fn clear_sign_in_cookie(options: &SessionCookie) -> ApiResult<HeaderValue> {
    sign_in_written(options, "", 0)
}

fn sign_in_written(options: &SessionCookie, value: &str, max_age_secs: i64) -> ApiResult<HeaderValue> {
    // The provider's page sends the browser back from another site.
    let attributes =
        format!("Path={}{SIGN_IN_PATH}; Max-Age={max_age_secs}; HttpOnly; SameSite=Lax", options.path);
    header_of(options, &format!("{SIGN_IN_NAME}={value}; {attributes}"))
}

fn written(options: &SessionCookie, value: &str, max_age_secs: i64) -> ApiResult<HeaderValue> {
    let attributes = format!("Path={}; Max-Age={max_age_secs}; HttpOnly; SameSite=Strict", options.path);
    header_of(options, &format!("{NAME}={value}; {attributes}"))
}

fn header_of(options: &SessionCookie, text: &str) -> ApiResult<HeaderValue> {
    let secure = if options.is_secure { "; Secure" } else { "" };
    let text = format!("{text}{secure}");
    let mut value = HeaderValue::try_from(text).map_err(|_| Problem::internal())?;
    value.set_sensitive(true);
    Ok(value)
}

/// The sealed session of a request, where there is one.
pub(super) fn sealed_of(headers: &HeaderMap) -> Option<&str> {
    cookie_of(headers, NAME)
}

/// The sealed sign-in of a request, where there is one.
pub(crate) fn sealed_sign_in_of(headers: &HeaderMap) -> Option<&str> {
    cookie_of(headers, SIGN_IN_NAME)
}

fn cookie_of<'a>(headers: &'a HeaderMap, wanted: &str) -> Option<&'a str> {
    let pairs =
        headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok()).flat_map(|line| line.split(';'));
    pairs
        .filter_map(|pair| pair.trim().split_once('='))
        .find(|(name, _)| *name == wanted)
        .map(|(_, value)| value)
}

/// Refuses a request that changes something and does not repeat the session's token: a page of another site can make a
/// browser send the cookie, but cannot read the token.
pub(super) fn check_csrf(session: &Session, method: &Method, headers: &HeaderMap) -> ApiResult<()> {
    if method.is_safe() {
        return Ok(());
    }
    let shown = headers.get(CSRF_TOKEN).and_then(|value| value.to_str().ok());
    if shown.is_some_and(|shown| session.csrf_matches(shown)) {
        return Ok(());
    }
    let detail = "Mutating requests of a session require its csrfToken in the header X-CSRF-Token.";
    Err(Problem::new(StatusCode::FORBIDDEN, ProblemCode::CsrfTokenInvalid, detail))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cookie_is_found_among_others() {
        let read = |lines: &[&'static str]| {
            let headers: HeaderMap =
                lines.iter().map(|line| (COOKIE, HeaderValue::from_static(line))).collect();
            sealed_of(&headers).map(str::to_owned)
        };
        assert_eq!(read(&["trunkline_session=abc"]).as_deref(), Some("abc"));
        assert_eq!(read(&["a=1; trunkline_session=abc; b=2"]).as_deref(), Some("abc"));
        assert_eq!(read(&["a=1", "trunkline_session=abc"]).as_deref(), Some("abc"));
        assert_eq!(read(&["xtrunkline_session=abc", "trunkline_session"]), None);
        assert_eq!(read(&[]), None);
    }

    #[test]
    fn cookies_are_kept_from_scripts_and_other_sites() {
        let options = SessionCookie { path: "/ops/".to_owned(), is_secure: true };
        let cookie = session_cookie(&options, "abc", DurationMs::from_secs(60)).expect("a cookie");
        let expected = "trunkline_session=abc; Path=/ops/; Max-Age=60; HttpOnly; SameSite=Strict; Secure";
        assert_eq!(cookie.to_str().ok(), Some(expected));
        let cleared = clear_cookie(&SessionCookie::default()).expect("a cookie");
        let expected = "trunkline_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict";
        assert_eq!(cleared.to_str().ok(), Some(expected));
    }
}
