//! What handlers take from a request. Every rejection is a problem document.

mod body;
mod caller;
mod filter_query;
mod list_query;
mod query;

use axum::extract::{FromRequestParts, Path};
use axum::http::StatusCode;
use axum::http::request::Parts;
use domain::problem::ProblemCode;
use serde::de::DeserializeOwned;

use crate::gate::RequestSpan;
use crate::problem::{ApiResult, Problem};
use crate::state::ApiState;

pub(crate) use body::{
    JsonBody, NoBody, OptionalJsonBody, WorkflowBody, body_bytes_max, has_media_type, read_body, utf8,
};
pub(crate) use caller::{Identity, SessionToken};
pub(crate) use filter_query::{
    AuditFilterQuery, read_parameter, read_query, searchable_of, with_default_status,
};
pub(crate) use list_query::{
    ArchiveQuery, AuditQuery, BatchesQuery, DeliveriesQuery, ExecutionsQuery, JobsQuery, LettersQuery,
    RunsQuery, SchedulesQuery, UserTasksQuery, WorkersQuery,
};
pub(crate) use query::{
    CURSOR_MAX, NoQuery, PagesQuery, Query, TenantQuery, name_cursor, page, page_limit, position_cursor,
};

// Parts of the path. What is no valid id or name is not there: 404.

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
            Problem::new(StatusCode::NOT_FOUND, ProblemCode::NotFound, detail)
        })
    }
}

// The W3C trace context of a request, carried to the worker.

/// The context of the request's own span where it has one, otherwise the `traceparent` header. One that is not valid is
/// ignored, as the W3C recommendation asks.
#[derive(Debug)]
pub(crate) struct Traceparent(pub(crate) Option<String>);

impl FromRequestParts<ApiState> for Traceparent {
    type Rejection = crate::problem::Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &ApiState) -> ApiResult<Self> {
        if let Some(span) = parts.extensions.get::<RequestSpan>() {
            return Ok(Self(Some(span.traceparent())));
        }
        let header = parts.headers.get("traceparent").and_then(|value| value.to_str().ok());
        Ok(Self(header.filter(|text| is_traceparent(text)).map(str::to_owned)))
    }
}

/// Whether the text is a trace context: version, trace id, parent id and flags in lower-case hex, ids not zero.
pub(crate) fn is_traceparent(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [version, trace_id, parent_id, flags] = parts.as_slice() else {
        return false;
    };
    let is_hex = |part: &str, len: usize| {
        part.len() == len && part.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
    };
    let is_zero = |part: &str| part.bytes().all(|byte| byte == b'0');
    is_hex(version, 2)
        && *version != "ff"
        && is_hex(trace_id, 32)
        && !is_zero(trace_id)
        && is_hex(parent_id, 16)
        && !is_zero(parent_id)
        && is_hex(flags, 2)
}

#[cfg(test)]
mod tests {
    use super::is_traceparent;

    #[test]
    fn only_well_formed_contexts_are_carried() {
        assert!(is_traceparent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"));
        for text in [
            "",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        ] {
            assert!(!is_traceparent(text), "{text}");
        }
    }
}
