//! The W3C trace context of a request, carried to the worker.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use crate::gate::RequestSpan;
use crate::problem::ApiResult;
use crate::state::ApiState;

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
