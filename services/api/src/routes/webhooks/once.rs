//! Answers that hold a secret once: repeats under the same idempotency key get them without.

use axum::Json;
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, HeaderValue};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::gate::RetainedAnswer;
use crate::problem::{ApiResult, Problem};
use crate::shapes::webhooks::{RotatedResponse, SavedWebhookResponse};

/// An answer that may hold a secret.
pub(super) trait ShownOnce: Serialize + Sized {
    /// Whether it does.
    fn is_secret(&self) -> bool;
    /// What is left when it is shown again.
    fn without_secrets(self) -> Self;
}

impl ShownOnce for SavedWebhookResponse {
    fn is_secret(&self) -> bool {
        Self::is_secret(self)
    }
    fn without_secrets(self) -> Self {
        Self::without_secrets(self)
    }
}

impl ShownOnce for RotatedResponse {
    fn is_secret(&self) -> bool {
        Self::is_secret(self)
    }
    fn without_secrets(self) -> Self {
        Self::without_secrets(self)
    }
}

/// The answer, with what is kept of it for repeats.
pub(super) fn answer(status: StatusCode, shape: impl ShownOnce) -> ApiResult<Response> {
    let mut response = (status, Json(&shape)).into_response();
    if shape.is_secret() {
        let retained = serde_json::to_string(&shape.without_secrets()).map_err(|_| Problem::internal())?;
        response.extensions_mut().insert(RetainedAnswer(retained));
        response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    Ok(response)
}
