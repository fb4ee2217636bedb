//! How long a request may take.

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;

use crate::problem::{ApiResult, Problem};
use crate::state::ApiState;

/// Answers 503 when a request takes too long. What it started may have happened all the same: a caller that must
/// know repeats it under an idempotency key. Streams are not cut, because their answer has begun.
pub(crate) async fn deadline(
    State(state): State<ApiState>,
    request: Request,
    next: Next,
) -> ApiResult<Response> {
    tokio::time::timeout(state.options.request_timeout.to_std(), next.run(request))
        .await
        .map_err(|_| Problem::unavailable("The request timed out; it may still be executed."))
}
