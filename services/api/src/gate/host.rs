//! Which host a request is for: said once, and not twice.
//!
//! Two `Host` headers are read as one host by a proxy and as another by a server behind it, and what is decided by the name
//! (whether a browser's page is ours) could be got around.

use axum::extract::Request;
use axum::http::header::HOST;
use axum::http::{HeaderMap, StatusCode, Uri, Version};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::problem::Problem;

/// Answers 400 to requests that do not say once which host they are for, or say it twice. HTTP/1.0 may leave it out, and HTTP/2 says
/// it by its authority.
pub async fn require_host(request: Request, next: Next) -> Response {
    if is_clear(request.version(), request.uri(), request.headers()) {
        return next.run(request).await;
    }
    let detail = "Expected exactly one Host header.";
    Problem::new(StatusCode::BAD_REQUEST, "host_invalid", detail).into_response()
}

fn is_clear(version: Version, uri: &Uri, headers: &HeaderMap) -> bool {
    match headers.get_all(HOST).iter().count() {
        0 => version < Version::HTTP_11 || version >= Version::HTTP_2 && uri.authority().is_some(),
        1 => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
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
}
