//! What a browser may do with what the console serves: the headers of its answers.

use axum::http::header::{CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS};
use axum::http::{HeaderMap, HeaderName, HeaderValue};

/// The policy of a page: its own scripts by nonce, its own files, its own server; no frame, no form that leaves.
pub(crate) fn policy(nonce: &str) -> String {
    format!(
        "default-src 'none'; script-src 'nonce-{nonce}' 'strict-dynamic'; worker-src 'self'; style-src 'self' 'nonce-{nonce}'; img-src 'self' \
         data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'self'; form-action 'self'; \
         frame-ancestors 'none'"
    )
}

/// The policy of the worker that makes dry runs: it reads its module from its own server and compiles that, and nothing else. No
/// page may compile anything.
pub(crate) const WORKER_POLICY: &str =
    "default-src 'none'; connect-src 'self'; script-src 'wasm-unsafe-eval'; frame-ancestors 'none'";

/// Adds what every answer of the console carries.
pub(crate) fn protect(headers: &mut HeaderMap) {
    let fixed = [
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        (REFERRER_POLICY, "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=()"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers
        .entry(CONTENT_SECURITY_POLICY)
        .or_insert(HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"));
}
