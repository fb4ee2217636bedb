//! How many requests each key may make, and the room that its bodies take. Requests are counted where the engine counts all rates, over all nodes if there is a Redis.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::Response;
use domain::time::DurationMs;
use engine::{Caller, Quota, Verdict};

use crate::options::RateLimit;
use crate::problem::{ApiResult, Problem};
use crate::state::ApiState;

/// The class of the rates of API keys.
const CLASS: &str = "key";

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
    Problem::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", detail).retry_after(retry_after)
}

/// Refuses the requests of a caller that is over its rate.
pub(crate) async fn limit_rate(
    State(state): State<ApiState>,
    mut request: Request,
    next: Next,
) -> ApiResult<Response> {
    if let Some(caller) = request.extensions().get::<Caller>()
        && let Some(retry_after) = count(&state, caller).await
    {
        return Err(over_rate(retry_after));
    }
    let caller = request.extensions().get::<Caller>();
    let share = caller.map(|caller| state.body_room.share(caller.actor.clone()));
    if let Some(share) = &share {
        request.extensions_mut().insert(Arc::clone(share));
    }
    let response = next.run(request).await;
    // Held until here: what a body became is worked on until the answer.
    drop(share);
    Ok(response)
}
