//! The cookie of a session: how it is written, found and checked.

use axum::http::header::COOKIE;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use domain::time::DurationMs;
use engine::Session;

use crate::options::SessionCookie;
use crate::problem::{ApiResult, Problem};

/// The header that repeats a session's token.
pub(super) const CSRF_TOKEN: HeaderName = HeaderName::from_static("x-csrf-token");

/// The cookie's name.
const NAME: &str = "trunkline_session";

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

fn written(options: &SessionCookie, value: &str, max_age_secs: i64) -> ApiResult<HeaderValue> {
    let SessionCookie { path, is_secure } = options;
    let secure = if *is_secure { "; Secure" } else { "" };
    let text =
        format!("{NAME}={value}; Path={path}; Max-Age={max_age_secs}; HttpOnly; SameSite=Strict{secure}");
    let mut value = HeaderValue::try_from(text).map_err(|_| Problem::internal())?;
    value.set_sensitive(true);
    Ok(value)
}

/// The sealed session of a request, where there is one.
pub(super) fn sealed_of(headers: &HeaderMap) -> Option<&str> {
    let pairs =
        headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok()).flat_map(|line| line.split(';'));
    pairs
        .filter_map(|pair| pair.trim().split_once('='))
        .find(|(name, _)| *name == NAME)
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
    Err(Problem::new(StatusCode::FORBIDDEN, "csrf_token_invalid", detail))
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
