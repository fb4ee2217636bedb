//! Where a request says that it goes, and where it comes from: one `Host`, and no page of another site on the open
//! loopback door.

use std::net::IpAddr;

use axum::extract::Request;
use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, Version};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use domain::problem::ProblemCode;

use crate::problem::Problem;

/// Answers 400 to requests that do not say once which host they are for, or say it twice. HTTP/1.0 may leave it out, and HTTP/2 says
/// it by its authority.
pub async fn require_host(request: Request, next: Next) -> Response {
    if is_clear(request.version(), request.uri(), request.headers()) {
        return next.run(request).await;
    }
    let detail = "Expected exactly one Host header.";
    Problem::new(StatusCode::BAD_REQUEST, ProblemCode::HostInvalid, detail).into_response()
}

fn is_clear(version: Version, uri: &Uri, headers: &HeaderMap) -> bool {
    match headers.get_all(HOST).iter().count() {
        0 => version < Version::HTTP_11 || version >= Version::HTTP_2 && uri.authority().is_some(),
        1 => true,
        _ => false,
    }
}

// Keeps web pages in a browser on this machine from using the open loopback door.
//
// A page of another site can send requests to 127.0.0.1, and a name that is rebound to 127.0.0.1 makes them look
// like requests of the same site. Both carry a foreign name in `Host` or `Origin`.

/// Whether neither `Host` nor `Origin` names another machine.
pub(super) fn is_local_browser_safe(request: &Request) -> bool {
    let headers = request.headers();
    let is_local_host = |value: &HeaderValue| value.to_str().is_ok_and(is_local_authority);
    let is_local_origin = |value: &HeaderValue| {
        value.to_str().is_ok_and(|text| {
            text.split_once("://").is_some_and(|(_, authority)| is_local_authority(authority))
        })
    };
    request.uri().authority().is_none_or(|authority| is_local_authority(authority.as_str()))
        && headers.get_all(HOST).iter().all(is_local_host)
        && headers.get_all(ORIGIN).iter().all(is_local_origin)
}

fn is_local_authority(authority: &str) -> bool {
    let host = match authority.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn a_host_is_said_exactly_once() {
        let table = [
            (Version::HTTP_11, "/", 1, true),
            (Version::HTTP_11, "/", 0, false),
            (Version::HTTP_11, "/", 2, false),
            (Version::HTTP_11, "http://a.example/", 0, false),
            (Version::HTTP_10, "/", 0, true),
            (Version::HTTP_10, "/", 2, false),
            (Version::HTTP_2, "https://a.example/", 0, true),
            (Version::HTTP_2, "https://a.example/", 2, false),
            (Version::HTTP_2, "/", 0, false),
        ];
        for (version, uri, count, expected) in table {
            let mut headers = HeaderMap::new();
            for _ in 0..count {
                headers.append(HOST, HeaderValue::from_static("a.example"));
            }
            let uri: Uri = uri.parse().expect("an address");
            assert_eq!(is_clear(version, &uri, &headers), expected, "{version:?} {uri} {count}");
        }
    }

    fn is_safe(host: &str, origin: Option<&str>) -> bool {
        let mut request = Request::builder().uri("/v1/queues").header(HOST, host);
        if let Some(origin) = origin {
            request = request.header(ORIGIN, origin);
        }
        is_local_browser_safe(&request.body(Body::empty()).expect("a request"))
    }

    #[test]
    fn only_local_names_pass() {
        for host in ["localhost:8080", "127.0.0.1:8080", "[::1]:8080", "127.0.0.1"] {
            assert!(is_safe(host, None), "{host}");
        }
        assert!(is_safe("localhost:8080", Some("http://localhost:8080")));
        for host in ["evil.example", "127.0.0.1.evil.example:8080", "10.0.0.1"] {
            assert!(!is_safe(host, None), "{host}");
        }
        for origin in ["https://evil.example", "null"] {
            assert!(!is_safe("127.0.0.1:8080", Some(origin)), "{origin}");
        }
    }
}
