//! What becomes of a request when the server redirects it. Pure.

use reqwest::header::{
    AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, COOKIE, HeaderMap, LOCATION, PROXY_AUTHORIZATION,
};
use reqwest::{Method, StatusCode, Url};

use super::error::EgressError;

/// Whether a status asks to be followed.
pub(super) const fn is_redirect(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

/// The request to the place that the response names.
pub(super) fn redirected(
    mut request: EgressRequest,
    status: StatusCode,
    response_headers: &HeaderMap,
) -> Result<EgressRequest, EgressError> {
    let target = response_headers
        .get(LOCATION)
        .and_then(|location| location.to_str().ok())
        .and_then(|location| request.url.join(location).ok());
    let target = target.ok_or(EgressError::RedirectTarget)?;
    // As browsers do: 303 always, and 301 and 302 after a POST, go on with a GET.
    let turns_get = match status.as_u16() {
        303 => request.method != Method::HEAD,
        301 | 302 => request.method == Method::POST,
        _ => false,
    };
    if turns_get {
        request.method = Method::GET;
        request.body = None;
        request.headers.remove(CONTENT_TYPE);
        request.headers.remove(CONTENT_LENGTH);
    }
    if !same_origin(&request.url, &target) {
        // A body is meant for whom it was sent to, as credentials are; without it the request would be another one.
        if request.body.is_some() {
            return Err(EgressError::RedirectOrigin);
        }
        for secret in [AUTHORIZATION, COOKIE, PROXY_AUTHORIZATION] {
            request.headers.remove(secret);
        }
        // Keys that services name themselves are secrets as well; only what is known to be harmless goes along.
        let foreign: Vec<_> =
            request.headers.keys().filter(|name| !is_harmless(name.as_str())).cloned().collect();
        for name in foreign {
            request.headers.remove(name);
        }
    }
    request.url = target;
    Ok(request)
}

fn same_origin(one: &Url, other: &Url) -> bool {
    one.scheme() == other.scheme()
        && one.host_str() == other.host_str()
        && one.port_or_known_default() == other.port_or_known_default()
}

fn is_harmless(name: &str) -> bool {
    matches!(
        name,
        "accept"
            | "accept-language"
            | "content-type"
            | "idempotency-key"
            | "traceparent"
            | "tracestate"
            | "user-agent"
    )
}

/// A request.
#[derive(Debug, Clone)]
pub struct EgressRequest {
    /// The method.
    pub method: Method,
    /// Where to.
    pub url: Url,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Option<Vec<u8>>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::HeaderValue;

    fn request(method: Method) -> EgressRequest {
        let mut headers = HeaderMap::new();
        headers.insert("authorization", HeaderValue::from_static("Bearer x"));
        headers.insert("x-api-key", HeaderValue::from_static("x"));
        headers.insert("accept", HeaderValue::from_static("*/*"));
        EgressRequest {
            method,
            url: Url::parse("https://a.example/one?x=1").expect("valid"),
            headers,
            body: Some(b"{}".to_vec()),
        }
    }

    fn to(location: &'static str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(LOCATION, HeaderValue::from_static(location));
        headers
    }

    fn follow(method: Method, status: u16, location: &'static str) -> EgressRequest {
        let status = StatusCode::from_u16(status).expect("valid");
        redirected(request(method), status, &to(location)).expect("followed")
    }

    #[test]
    fn methods_change_as_in_browsers() {
        for (method, status, expected) in [
            (Method::POST, 301, Method::GET),
            (Method::POST, 302, Method::GET),
            (Method::PUT, 303, Method::GET),
            (Method::HEAD, 303, Method::HEAD),
            (Method::PUT, 302, Method::PUT),
            (Method::POST, 307, Method::POST),
            (Method::POST, 308, Method::POST),
        ] {
            let next = follow(method.clone(), status, "/two");
            assert_eq!(next.method, expected, "{method} {status}");
            assert_eq!(next.body.is_some(), expected != Method::GET, "{method} {status}");
        }
    }

    #[test]
    fn secrets_stay_with_their_origin() {
        let same = follow(Method::GET, 302, "/two");
        assert_eq!(same.url.as_str(), "https://a.example/two");
        assert!(same.headers.contains_key("authorization") && same.headers.contains_key("x-api-key"));
        for other in ["https://b.example/", "http://a.example/", "https://a.example:8443/"] {
            let status = StatusCode::FOUND;
            let bare = EgressRequest { body: None, ..request(Method::GET) };
            let next = redirected(bare, status, &to(other)).expect("followed");
            assert!(!next.headers.contains_key("authorization"), "{other}");
            assert!(!next.headers.contains_key("x-api-key"), "{other}");
            assert!(next.headers.contains_key("accept"), "{other}");
        }
    }

    #[test]
    fn bodies_stay_with_their_origin() {
        for other in ["https://b.example/", "http://a.example/", "https://a.example:8443/"] {
            for (method, status) in [(Method::POST, 307), (Method::PUT, 302), (Method::POST, 308)] {
                let status = StatusCode::from_u16(status).expect("valid");
                let refused = redirected(request(method), status, &to(other));
                assert!(
                    matches!(refused, Err(crate::egress::error::EgressError::RedirectOrigin)),
                    "{other}: {refused:?}"
                );
            }
            let next = follow(Method::POST, 303, other);
            assert!(next.body.is_none() && !next.headers.contains_key("content-type"), "{other}");
        }
    }

    #[test]
    fn a_redirect_needs_a_target() {
        let status = StatusCode::FOUND;
        assert!(redirected(request(Method::GET), status, &HeaderMap::new()).is_err());
        assert!(redirected(request(Method::GET), status, &to("http://[::1")).is_err());
    }
}
