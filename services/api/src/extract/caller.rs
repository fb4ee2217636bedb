//! Who calls, as the gate found out.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use engine::Caller;

use crate::problem::{ApiResult, Problem};
use crate::state::ApiState;

/// The caller whom the gate let in.
#[derive(Debug)]
pub(crate) struct Identity(pub(crate) Caller);

impl FromRequestParts<ApiState> for Identity {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &ApiState) -> ApiResult<Self> {
        // Only a route that was put outside the gate by mistake comes here without a caller.
        parts.extensions.get::<Caller>().cloned().map(Self).ok_or_else(Problem::internal)
    }
}
