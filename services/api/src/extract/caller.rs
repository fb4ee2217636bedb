//! Who calls, as the gate found out, and by which session.

use std::convert::Infallible;

use axum::extract::{FromRequestParts, OptionalFromRequestParts};
use axum::http::request::Parts;
use domain::time::Timestamp;
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

/// The token and the end of the session that a request came with.
#[derive(Debug, Clone)]
pub(crate) struct SessionToken {
    /// What mutating requests repeat.
    pub(crate) csrf_token: String,
    /// When the session ends.
    pub(crate) expires_at: Timestamp,
    /// Whether it changes nothing, whatever its role.
    pub(crate) only_looks: bool,
}

impl OptionalFromRequestParts<ApiState> for SessionToken {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _state: &ApiState) -> Result<Option<Self>, Infallible> {
        Ok(parts.extensions.get::<Self>().cloned())
    }
}
