//! `/hooks`: where the world sends its webhooks. No API key; the signature is checked.
//!
//! Rates come first, then the bytes of the body as they are, then one call of the engine. Answers say no more than
//! their sender may know. What goes wrong on our side is always 503: senders try again then, and give up for good on
//! other answers.

use std::any::Any;
use std::net::{IpAddr, SocketAddr};

use axum::Json;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::header::{ALLOW, CONNECTION, CONTENT_TYPE, RETRY_AFTER};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use domain::id::{DeliveryId, WebhookId};
use domain::time::DurationMs;
use domain::webhook::{DeliveryStatus, HandshakeAnswer};
use engine::{Admission, EngineError, Incoming, Received, RefusedDelivery, subscriber};
use tower_http::catch_panic::CatchPanicLayer;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::bodies::{BodyBounds, BodyFault, read};
use crate::gate::{OwnRequestId, REQUEST_ID, RequestSpan, log_panic};
use crate::problem::whole_seconds;
use crate::proxies::TrustedProxies;
use crate::shapes::deliveries::{ReceivedResponse, RefusalResponse};
use crate::state::ApiState;

// The answers to senders.

/// When to come again after trouble of ours that names no time.
const TROUBLE_RETRY_AFTER: DurationMs = DurationMs::from_secs(1);

/// What became of a request.
fn received(received: Received) -> Response {
    match received {
        Received::Accepted { delivery_id, status } => stored(delivery_id, status, None),
        Received::Held { delivery_id, status } => {
            stored(delivery_id, status, Some(DeliveryStatus::Held.as_str()))
        }
        Received::Duplicate { delivery_id } => {
            Json(ReceivedResponse { delivery_id, deduplicated: true, status: None }).into_response()
        }
        Received::Handshake(answer) => handshake(answer),
        Received::Refused(refused) => refusal(refused),
    }
}

fn stored(delivery_id: DeliveryId, code: u16, status: Option<&'static str>) -> Response {
    let code = StatusCode::from_u16(code).unwrap_or(StatusCode::ACCEPTED);
    if code == StatusCode::NO_CONTENT {
        return code.into_response();
    }
    (code, Json(ReceivedResponse { delivery_id, deduplicated: false, status })).into_response()
}

/// The router adds that browsers must take the text for nothing else.
fn handshake(answer: HandshakeAnswer) -> Response {
    let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::OK);
    match answer.content_type {
        Some(content_type) => {
            (status, [(CONTENT_TYPE, HeaderValue::from_static(content_type))], answer.body).into_response()
        }
        None => status.into_response(),
    }
}

/// A refusal of the engine.
fn refusal(refused: RefusedDelivery) -> Response {
    let status = StatusCode::from_u16(refused.status).unwrap_or(StatusCode::BAD_REQUEST);
    let body = RefusalResponse { error: refused.error, quota: refused.quota, detail: refused.detail() };
    refuse_with(status, body, refused.retry_after)
}

/// A refusal before the whole body was read: the rest is not waited for.
fn cut(mut response: Response) -> Response {
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

/// A refusal.
fn refuse(status: StatusCode, error: &'static str, retry_after: Option<DurationMs>) -> Response {
    refuse_with(status, RefusalResponse { error, quota: None, detail: None }, retry_after)
}

fn refuse_with(status: StatusCode, body: RefusalResponse, retry_after: Option<DurationMs>) -> Response {
    let mut response = (status, Json(body)).into_response();
    let headers = response.headers_mut();
    if let Some(wait) = retry_after {
        headers.insert(RETRY_AFTER, HeaderValue::from(whole_seconds(wait)));
    }
    if status == StatusCode::METHOD_NOT_ALLOWED {
        headers.insert(ALLOW, HeaderValue::from_static("POST"));
    }
    response
}

/// Trouble of ours. Whatever it is: the sender shall try again.
fn trouble(error: &EngineError) -> Response {
    let wait = match error {
        EngineError::Overloaded { retry_after } => *retry_after,
        error if error.is_retryable() => {
            tracing::warn!(error = error as &dyn std::error::Error, "a delivery could not be stored");
            TROUBLE_RETRY_AFTER
        }
        error => {
            tracing::error!(
                error = error as &dyn std::error::Error,
                "a delivery failed with an internal error"
            );
            TROUBLE_RETRY_AFTER
        }
    };
    unavailable(wait)
}

/// The last resort: what panicked is trouble of ours like any other.
fn panicked(panic: Box<dyn Any + Send + 'static>) -> Response {
    log_panic(panic);
    unavailable(TROUBLE_RETRY_AFTER)
}

/// 503 that names no reason.
fn unavailable(wait: DurationMs) -> Response {
    refuse(StatusCode::SERVICE_UNAVAILABLE, "unavailable", Some(wait))
}

// One request of a sender, from its first byte to its answer.

/// When to come again where a body came too slowly or found no room.
const BODY_RETRY_AFTER: DurationMs = DurationMs::from_secs(5);

/// The routes.
pub(in crate::routes) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(receive_delivery, answer_challenge))
        .layer(CatchPanicLayer::custom(panicked))
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
        (status = 429, description = "Rate limit or quota exceeded; see Retry-After.", body = RefusalResponse),
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
        Ok(Admission::Refused(refused)) => return cut(refusal(refused)),
        Err(error) => return cut(trouble(&error)),
    };
    let bounds = &state.options.ingress;
    if header_bytes(&parts) > bounds.header_bytes_max {
        let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
        return cut(refuse(status, "header_too_large", None));
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
            return cut(refusal(state.engine.refuse_too_large(admitted, incoming)));
        }
        Err(BodyFault::Broken) => {
            return cut(refuse(StatusCode::BAD_REQUEST, "malformed", None));
        }
        // A slow network may be ours.
        Err(BodyFault::TooSlow | BodyFault::NoRoom) => {
            return cut(unavailable(BODY_RETRY_AFTER));
        }
    };
    // The share is kept for as long as the body is worked on, which may be longer than its sender waits.
    let admitted = admitted.keeping(share);
    let received = state.engine.receive_delivery(admitted, incoming(&parts, body, address));
    match tokio::time::timeout(state.options.request_timeout.to_std(), received).await {
        Ok(Ok(received)) => self::received(received),
        Ok(Err(error)) => trouble(&error),
        // It may be stored all the same: the repetition will find it.
        Err(_) => unavailable(BODY_RETRY_AFTER),
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
    fn trouble_of_ours_is_never_the_senders_fault() {
        let unavailable = || store::StoreError::Unavailable { source: "gone".into() };
        let corrupt = || store::StoreError::Corrupt { table: "webhook", column: "config", row: "7".into() };
        let errors = [
            EngineError::Store(unavailable()),
            EngineError::Store(corrupt()),
            EngineError::Overloaded { retry_after: DurationMs(2_500) },
            EngineError::invalid("/x", "wrong"),
            EngineError::not_found("webhook", "whk_1"),
        ];
        for error in errors {
            let response = trouble(&error);
            assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE, "{error}");
            assert!(response.headers().contains_key(RETRY_AFTER), "{error}");
        }
        let overloaded = trouble(&EngineError::Overloaded { retry_after: DurationMs(2_500) });
        assert_eq!(overloaded.headers().get(RETRY_AFTER), Some(&HeaderValue::from_static("3")));
    }

    #[test]
    fn accepted_deliveries_are_answered_as_the_endpoint_says() {
        let delivery_id = DeliveryId::from_uuid(uuid::Uuid::from_u128(7));
        for status in [200, 202, 204] {
            let response = received(Received::Accepted { delivery_id, status });
            assert_eq!(response.status().as_u16(), status);
            assert_eq!(response.headers().contains_key(CONTENT_TYPE), status != 204);
        }
    }

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
