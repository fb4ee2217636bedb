//! The answers to senders.

use std::any::Any;

use axum::Json;
use axum::http::header::{ALLOW, CONNECTION, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use domain::id::DeliveryId;
use domain::time::DurationMs;
use domain::webhook::HandshakeAnswer;
use engine::{EngineError, Received, RefusedDelivery};
use store::webhooks::DeliveryStatus;

use crate::gate::log_panic;
use crate::problem::whole_seconds;
use crate::shapes::deliveries::{ReceivedResponse, RefusalResponse};

/// When to come again after trouble of ours that names no time.
const TROUBLE_RETRY_AFTER: DurationMs = DurationMs::from_secs(1);

/// What became of a request.
pub(super) fn received(received: Received) -> Response {
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
pub(super) fn refusal(refused: RefusedDelivery) -> Response {
    let status = StatusCode::from_u16(refused.status).unwrap_or(StatusCode::BAD_REQUEST);
    refuse(status, refused.error, refused.retry_after)
}

/// A refusal before the whole body was read: the rest is not waited for.
pub(super) fn cut(mut response: Response) -> Response {
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

/// A refusal.
pub(super) fn refuse(status: StatusCode, error: &'static str, retry_after: Option<DurationMs>) -> Response {
    let mut response = (status, Json(RefusalResponse { error })).into_response();
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
pub(super) fn trouble(error: &EngineError) -> Response {
    let wait = match error {
        EngineError::Overloaded { retry_after } => *retry_after,
        error if error.is_retryable() => {
            tracing::warn!(error = error as &dyn std::error::Error, "a delivery could not be stored");
            TROUBLE_RETRY_AFTER
        }
        error => {
            tracing::error!(error = error as &dyn std::error::Error, "a delivery failed on our side");
            TROUBLE_RETRY_AFTER
        }
    };
    unavailable(wait)
}

/// The last resort: what panicked is trouble of ours like any other.
pub(super) fn panicked(panic: Box<dyn Any + Send + 'static>) -> Response {
    log_panic(panic);
    unavailable(TROUBLE_RETRY_AFTER)
}

/// 503 that names no reason.
pub(super) fn unavailable(wait: DurationMs) -> Response {
    refuse(StatusCode::SERVICE_UNAVAILABLE, "unavailable", Some(wait))
}

#[cfg(test)]
mod tests {
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
}
