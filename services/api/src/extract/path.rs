//! Parts of the path. What is no valid id or name is not there: 404.

use axum::extract::{FromRequestParts, Path};
use axum::http::StatusCode;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use crate::problem::{ApiResult, Problem};
use crate::state::ApiState;

/// The variable parts of the path: one value, or a tuple of them.
#[derive(Debug)]
pub(crate) struct PathOf<T>(pub(crate) T);

impl<T: DeserializeOwned + Send> FromRequestParts<ApiState> for PathOf<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> ApiResult<Self> {
        let found = Path::<T>::from_request_parts(parts, state).await;
        found.map(|Path(value)| Self(value)).map_err(|_| {
            let path = parts.uri.path();
            let detail = format!("Invalid ID, name or number in the path {path}.");
            Problem::new(StatusCode::NOT_FOUND, "not_found", detail)
        })
    }
}
