//! Whether a caller may make a call at all, and whether its answer holds payloads.
//!
//! Asked before the body is read and before an idempotency key is reserved: a call that is refused leaves nothing behind.
//! Names that stand in the body (job types, workflows, tenants) are checked by the engine.

use axum::extract::{MatchedPath, Request};
use axum::middleware::Next;
use axum::response::Response;
use domain::access::Action;
use engine::Caller;

use crate::json::{Veil, veiled};
use crate::problem::{ApiResult, Problem};
use crate::rights::{Right, right_of};

/// Refuses what the caller's role or scopes do not allow.
pub(crate) async fn authorize(request: Request, next: Next) -> ApiResult<Response> {
    let route = request.extensions().get::<MatchedPath>().ok_or_else(Problem::internal)?;
    // Where the server lies below a path of its public address, the route begins with that.
    let path = route.as_str().rfind("/v1/").map_or(route.as_str(), |at| &route.as_str()[at..]);
    let right = right_of(request.method(), path, request.uri().query());
    // Only a route that was put behind the gates without its right comes here without one.
    let right = right.ok_or_else(Problem::internal)?;
    let caller = request.extensions().get::<Caller>().ok_or_else(Problem::internal)?;
    if let Right::To(action) = right {
        caller.require_action(action)?;
    }
    Ok(next.run(request).await)
}

/// Leaves out of answers what their callers are not to see.
pub(crate) async fn veil(request: Request, next: Next) -> Response {
    match request.extensions().get::<Caller>().and_then(veil_of) {
        Some(veil) => veiled(veil, next.run(request)).await,
        None => next.run(request).await,
    }
}

/// What a caller is not to see of payloads.
pub(crate) fn veil_of(caller: &Caller) -> Option<Veil> {
    if !caller.shows_payloads() {
        Some(Veil::Payloads)
    } else if caller.allows(Action::ExecutionsSignal) || caller.allows(Action::JobsWork) {
        None
    } else {
        Some(Veil::Tokens)
    }
}
