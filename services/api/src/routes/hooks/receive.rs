//! One request of a sender, from its first byte to its answer.

use std::net::{IpAddr, SocketAddr};

use axum::extract::{ConnectInfo, Request, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::Response;
use domain::id::WebhookId;
use domain::time::DurationMs;
use engine::{Admission, Incoming, subscriber};
use tower_http::catch_panic::CatchPanicLayer;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::answer;
use crate::bodies::{BodyBounds, BodyFault, read};
use crate::gate::{OwnRequestId, REQUEST_ID, RequestSpan};
use crate::proxies::TrustedProxies;
use crate::shapes::deliveries::{ReceivedResponse, RefusalResponse};
use crate::state::ApiState;

/// When to come again where a body came too slowly or found no room.
const BODY_RETRY_AFTER: DurationMs = DurationMs::from_secs(5);

/// The routes.
pub(in crate::routes) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(receive_delivery, answer_challenge))
        .layer(CatchPanicLayer::custom(answer::panicked))
}

/// Receive a webhook delivery
///
/// Requires no API key: the provider's signature is verified over the exact bytes. Accepts any content type. A
/// delivery is stored durably before the response; provider handshakes are answered as the provider requires.
#[utoipa::path(
    post, path = "/hooks/{id}", tag = "webhooks", params(("id" = String, Path)),
    request_body(content = String, description = "Payload of the provider.", content_type = "application/octet-stream"),
    responses(
        (status = 202, description = "Stored; 200 or 204 if the endpoint is configured so. `status` is `held` while the endpoint is paused or over its rate limit.", body = ReceivedResponse),
        (status = 200, description = "Duplicate; the first delivery.", body = ReceivedResponse),
        (status = 400, description = "Malformed request.", body = RefusalResponse),
        (status = 401, description = "The signature is missing or invalid, or its timestamp is out of tolerance.", body = RefusalResponse),
        (status = 404, description = "No such endpoint.", body = RefusalResponse),
        (status = 413, description = "The body is larger than the endpoint accepts.", body = RefusalResponse),
        (status = 415, description = "The Content-Encoding is not supported.", body = RefusalResponse),
        (status = 429, description = "Rate limit exceeded; see Retry-After.", body = RefusalResponse),
        (status = 431, description = "The headers are too large.", body = RefusalResponse),
        (status = 503, description = "Temporarily unavailable; see Retry-After.", body = RefusalResponse),
    )
)]
async fn receive_delivery(State(state): State<ApiState>, request: Request) -> Response {
    receive(&state, request).await
}

/// Answer a subscription challenge
///
/// For endpoints of the provider `meta`, which verifies an endpoint before it sends deliveries.
#[utoipa::path(
    get, path = "/hooks/{id}", tag = "webhooks", params(("id" = String, Path)),
    responses(
        (status = 200, description = "The challenge.", body = String, content_type = "text/plain"),
        (status = 403, description = "The verify token is wrong.", body = RefusalResponse),
        (status = 404, description = "No such endpoint.", body = RefusalResponse),
        (status = 405, description = "The provider does not use challenges.", body = RefusalResponse),
    )
)]
async fn answer_challenge(State(state): State<ApiState>, request: Request) -> Response {
    receive(&state, request).await
}

async fn receive(state: &ApiState, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let address = remote_address(&parts, &state.options.trusted_proxies);
    let admitted = match state.engine.admit_delivery(endpoint_of(parts.uri.path()), address).await {
        Ok(Admission::Admitted(admitted)) => admitted,
        Ok(Admission::Refused(refused)) => return answer::cut(answer::refusal(refused)),
        Err(error) => return answer::cut(answer::trouble(&error)),
    };
    let bounds = &state.options.ingress;
    if header_bytes(&parts) > bounds.header_bytes_max {
        let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
        return answer::cut(answer::refuse(status, "header_too_large", None));
    }
    let body_bounds = BodyBounds {
        bytes_max: admitted.body_bytes_max(),
        grace: bounds.body_timeout.to_std(),
        bytes_per_second_min: state.options.body_rate_min_bytes,
    };
    let share = state.body_room.share(sender_of(address));
    let body = match read(&parts.headers, body, body_bounds, &share).await {
        Ok(body) => Vec::from(body),
        Err(BodyFault::TooLarge) => {
            let incoming = incoming(&parts, Vec::new(), address);
            return answer::cut(answer::refusal(state.engine.refuse_too_large(admitted, incoming)));
        }
        Err(BodyFault::Broken) => {
            return answer::cut(answer::refuse(StatusCode::BAD_REQUEST, "malformed", None));
        }
        // A slow network may be ours.
        Err(BodyFault::TooSlow | BodyFault::NoRoom) => {
            return answer::cut(answer::unavailable(BODY_RETRY_AFTER));
        }
    };
    // The share is kept for as long as the body is worked on, which may be longer than its sender waits.
    let admitted = admitted.keeping(share);
    let received = state.engine.receive_delivery(admitted, incoming(&parts, body, address));
    match tokio::time::timeout(state.options.request_timeout.to_std(), received).await {
        Ok(Ok(received)) => answer::received(received),
        Ok(Err(error)) => answer::trouble(&error),
        // It may be stored all the same: the repetition will find it.
        Err(_) => answer::unavailable(BODY_RETRY_AFTER),
    }
}

/// Who takes the room of a body.
fn sender_of(address: Option<IpAddr>) -> String {
    address.map(subscriber).unwrap_or_default()
}

/// The endpoint that the path names.
fn endpoint_of(path: &str) -> Option<WebhookId> {
    WebhookId::parse(path.strip_prefix("/hooks/")?)
}

fn remote_address(parts: &Parts, proxies: &TrustedProxies) -> Option<IpAddr> {
    let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>();
    peer.map(|ConnectInfo(address)| proxies.source(address.ip(), &parts.headers))
}

fn header_bytes(parts: &Parts) -> usize {
    parts.headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum()
}

/// The request as it came: bytes, and each line of its headers.
fn incoming(parts: &Parts, body: Vec<u8>, remote_address: Option<IpAddr>) -> Incoming {
    let is_ours = parts.extensions.get::<OwnRequestId>().is_some();
    let lines = parts.headers.iter().filter(|(name, _)| !(is_ours && **name == REQUEST_ID));
    Incoming {
        method: parts.method.as_str().to_owned(),
        path: parts.uri.path().to_owned(),
        query: parts.uri.query().map(str::to_owned),
        headers: lines.map(|(name, value)| (name.as_str().to_owned(), value.as_bytes().to_vec())).collect(),
        body,
        remote_address,
        traceparent: parts.extensions.get::<RequestSpan>().map(RequestSpan::traceparent),
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    #[test]
    fn paths_name_endpoints() {
        let id = WebhookId::from_uuid(uuid::Uuid::from_u128(7));
        assert_eq!(endpoint_of(&format!("/hooks/{id}")), Some(id));
        for path in ["/hooks/", "/hooks/whk_7", "/hooks/7", "/v1/hooks/x"] {
            assert_eq!(endpoint_of(path), None, "{path}");
        }
    }

    #[test]
    fn repeated_header_lines_are_kept() {
        let request = Request::builder()
            .method("POST")
            .uri("/hooks/whk_7?a=1")
            .header("x-signature", "one")
            .header("x-other", "x")
            .header("X-Signature", "two")
            .body(Body::empty())
            .expect("a request");
        let (parts, _) = request.into_parts();
        let incoming = incoming(&parts, b"b".to_vec(), None);
        let signatures: Vec<&[u8]> = incoming
            .headers
            .iter()
            .filter(|(name, _)| name == "x-signature")
            .map(|(_, value)| value.as_slice())
            .collect();
        assert_eq!(signatures, [b"one", b"two"]);
        assert_eq!((incoming.query.as_deref(), header_bytes(&parts)), (Some("a=1"), 36));
    }
}
