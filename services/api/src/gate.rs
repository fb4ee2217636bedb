//! What every request passes on its way to a handler and back: time limit, figures, key, rate, right, idempotency.

mod authenticate;
mod figures;
mod idempotency;
mod origin;
mod session;
pub(super) mod spans;

use std::any::Any;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{Method, StatusCode, Version};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use domain::problem::ProblemCode;
use domain::time::DurationMs;
use engine::{Caller, Quota, Verdict};

use crate::bodies::{
    ANSWER_UNCOUNTED_MAX, BodyShare, CountedElsewhere, STREAM_ANSWER_UNCOUNTED_MAX, held, held_as_far,
};
use crate::options::RateLimit;
use crate::problem::{ApiResult, Problem};
use crate::state::ApiState;
use authenticate::{authenticate, authorize, veil};
use idempotency::idempotency;

pub(crate) use authenticate::{bearer, identify, limit_failures, origin_of, source_of, veil_of};
pub(crate) use figures::figures;
pub(crate) use idempotency::{RetainedAnswer, UNKEYED_CALLS};
pub use origin::require_host;
pub(crate) use session::{
    clear_cookie, clear_sign_in_cookie, sealed_sign_in_of, session_cookie, sign_in_cookie,
};
pub(crate) use spans::{OwnRequestId, REQUEST_ID, RequestSpan, record_request_id};

// All gates in their order. They are one layer of the router: each layer has the services below it cloned and boxed for each
// request, and its own futures as well.

/// Takes a call of `/v1` through its gates to its handler and back, within its time limit.
///
/// After a timeout its effects may still have happened: a caller that must know retries it under an idempotency key. Streams
/// are not cut off, because their response has begun.
pub(crate) async fn pass(State(state): State<ApiState>, request: Request, next: Next) -> ApiResult<Response> {
    let within = state.options.request_timeout.to_std();
    let answered = tokio::time::timeout(within, admit(&state, request, next)).await;
    answered.unwrap_or_else(|_| Err(Problem::unavailable("The request timed out; it may still be executed.")))
}

/// Lets an authenticated caller proceed.
async fn admit(state: &ApiState, mut request: Request, next: Next) -> ApiResult<Response> {
    let known = authenticate(state, &mut request).await?;
    let response = limit_rate(state, &known.caller, request, next).await.into_response();
    known.record_refusal(state, &response);
    Ok(response)
}

/// Executes a permitted call, once under an idempotency key, and veils the response.
async fn carry_out(state: &ApiState, caller: &Caller, request: Request, next: Next) -> ApiResult<Response> {
    authorize(caller, &request)?;
    idempotency(state, request, |request| veil(request, next)).await
}

// How many requests each key may make, and the room that its bodies take. Requests are counted where the engine counts all rates, over all nodes if there is a Redis.

/// The class of the rates of API keys.
const CLASS: &str = "key";
/// The call that claims jobs.
const POLL: &str = "/v1/jobs/poll";

impl From<RateLimit> for Quota {
    fn from(limit: RateLimit) -> Self {
        Self::new(limit.requests, limit.per, limit.burst)
    }
}

/// Counts a call; answers when to come again where that is one too many.
pub(crate) async fn count(state: &ApiState, caller: &Caller) -> Option<DurationMs> {
    let limit = state.options.rate_limit.get()?;
    match state.engine.check_rate(CLASS, &caller.actor, limit.into()).await {
        Verdict::Allowed => None,
        Verdict::Refused { retry_after } => Some(retry_after),
    }
}

/// 429.
pub(crate) fn over_rate(retry_after: DurationMs) -> Problem {
    let detail = "The rate limit of this API key is exceeded.";
    Problem::new(StatusCode::TOO_MANY_REQUESTS, ProblemCode::RateLimited, detail).retry_after(retry_after)
}

/// Refuses the requests of a caller that is over its rate.
async fn limit_rate(
    state: &ApiState,
    caller: &Caller,
    mut request: Request,
    next: Next,
) -> ApiResult<Response> {
    if let Some(retry_after) = count(state, caller).await {
        return Err(over_rate(retry_after));
    }
    let is_counted = request.extensions().get::<CountedElsewhere>().is_some();
    let share = if is_counted { BodyShare::uncounted() } else { state.body_room.share(caller.actor.clone()) };
    request.extensions_mut().insert(Arc::clone(&share));
    // Jobs that are claimed cannot be refused any more: whoever does not read those that it has gets no others.
    if request.uri().path() == POLL && !state.body_room.has_room_for(&caller.actor) {
        return Err(no_room_for_an_answer());
    }
    // Only what was read can be refused afterwards: it can be asked for again.
    let is_read = request.method() == Method::GET;
    let is_one_of_many = is_counted || request.version() == Version::HTTP_2;
    let uncounted_max = if is_one_of_many { STREAM_ANSWER_UNCOUNTED_MAX } else { ANSWER_UNCOUNTED_MAX };
    let response = carry_out(state, caller, request, next).await.into_response();
    // Held until here: what a body became is worked on until the answer.
    drop(share);
    let reader = caller.actor.clone();
    if is_read {
        held(&state.body_room, reader, uncounted_max, response).ok_or_else(no_room_for_an_answer)
    } else {
        Ok(held_as_far(&state.body_room, reader, response))
    }
}

fn no_room_for_an_answer() -> Problem {
    Problem::unavailable("The total size of unread responses is exceeded; read them, and retry later.")
}

// The last resort: a handler that panicked.

/// Answers 500 without details; the log has them.
pub(crate) fn panicked(panic: Box<dyn Any + Send + 'static>) -> Response {
    log_panic(panic);
    Problem::internal().into_response()
}

/// Logs what a handler panicked about.
pub(crate) fn log_panic(panic: Box<dyn Any + Send + 'static>) {
    let message = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("unknown");
    tracing::error!(panic = message, "a request handler panicked");
    drop(panic);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_panicked_is_not_shown() {
        for panic in [Box::new("secret") as Box<dyn Any + Send>, Box::new("secret".to_owned()), Box::new(7)] {
            let response = panicked(panic);
            assert_eq!(response.status(), 500);
            assert_eq!(response.headers()["content-type"], "application/problem+json");
        }
    }
}
