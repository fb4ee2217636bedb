//! Whether the id of a request is its sender's or ours.

use axum::extract::Request;
use axum::http::HeaderName;

/// The header that names a request in logs and answers.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Marks a request whose id is made by us: what is kept of a delivery is what its sender sent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OwnRequestId;

/// Marks requests that come without an id. Before one is made.
pub(crate) async fn record_request_id(mut request: Request) -> Request {
    if !request.headers().contains_key(REQUEST_ID) {
        request.extensions_mut().insert(OwnRequestId);
    }
    request
}
