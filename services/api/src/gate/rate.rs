//! How many requests each key may make: counted where the engine counts all rates, over all nodes if there is a Redis.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::Response;
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

/// Refuses the requests of a caller that is over its rate.
pub(crate) async fn limit_rate(
    State(state): State<ApiState>,
    request: Request,
    next: Next,
) -> ApiResult<Response> {
    if let (Some(limit), Some(caller)) = (state.options.rate_limit, request.extensions().get::<Caller>())
        && let Verdict::Refused { retry_after } =
            state.engine.check_rate(CLASS, &caller.actor, limit.into()).await
    {
        let detail = "This key makes more requests than its rate allows.";
        return Err(
            Problem::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", detail).retry_after(retry_after)
        );
    }
    Ok(next.run(request).await)
}
