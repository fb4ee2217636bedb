//! JSON bodies.

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Request};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use futures::StreamExt;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::json::{check_syntax, parse, scan};
use crate::problem::{ApiResult, Problem};
use crate::state::ApiState;

/// A JSON body of a shape.
#[derive(Debug)]
pub(crate) struct JsonBody<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<ApiState> for JsonBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &ApiState) -> ApiResult<Self> {
        let (parts, body) = request.into_parts();
        require_json(&parts.headers)?;
        let bytes = read_body(&parts.headers, body, state.options.max_body_bytes).await?;
        read_json(&bytes, state.options.json_depth_max).map(Self)
    }
}

/// A JSON body of a shape, or none at all.
#[derive(Debug)]
pub(crate) struct OptionalJsonBody<T>(pub(crate) T);

impl<T: DeserializeOwned + Default> FromRequest<ApiState> for OptionalJsonBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &ApiState) -> ApiResult<Self> {
        let (parts, body) = request.into_parts();
        let bytes = read_body(&parts.headers, body, state.options.max_body_bytes).await?;
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Ok(Self(T::default()));
        }
        require_json(&parts.headers)?;
        read_json(&bytes, state.options.json_depth_max).map(Self)
    }
}

/// The body of a call that takes none: nothing, or an object without fields.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct NoFields {}

/// No body, or an empty object.
#[derive(Debug)]
pub(crate) struct NoBody;

impl FromRequest<ApiState> for NoBody {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &ApiState) -> ApiResult<Self> {
        OptionalJsonBody::<NoFields>::from_request(request, state).await.map(|_| Self)
    }
}

/// The text of a body.
pub(crate) fn utf8(bytes: &[u8]) -> ApiResult<&str> {
    std::str::from_utf8(bytes).map_err(|error| {
        let detail =
            format!("The body is not valid UTF-8: byte {} starts no character.", error.valid_up_to());
        Problem::new(StatusCode::BAD_REQUEST, "malformed_json", detail)
    })
}

fn read_json<T: DeserializeOwned>(bytes: &[u8], depth_max: usize) -> ApiResult<T> {
    let text = utf8(bytes)?;
    scan(text, depth_max).map_err(|fault| Problem::invalid(vec![fault]))?;
    if !text.trim_start().starts_with('{') {
        check_syntax(text)?;
        // serde would take a list for an object whose fields come in the order of the code.
        return Err(Problem::fault("", "expected an object"));
    }
    parse(text)
}

fn require_json(headers: &HeaderMap) -> ApiResult<()> {
    if has_media_type(headers, |name| name == "application/json" || name.ends_with("+json")) {
        return Ok(());
    }
    Err(unsupported("This call takes a body of Content-Type application/json."))
}

/// 415.
pub(super) fn unsupported(detail: &str) -> Problem {
    Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", detail)
}

/// Whether the request's media type, in lower case and without parameters, is one of those asked for.
pub(crate) fn has_media_type(headers: &HeaderMap, is_wanted: impl Fn(&str) -> bool) -> bool {
    let Some(value) = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()) else {
        return false;
    };
    let name = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    is_wanted(&name)
}

/// Reads a whole body, up to a bound.
pub(crate) async fn read_body(headers: &HeaderMap, body: Body, bytes_max: usize) -> ApiResult<Bytes> {
    let announced = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    if announced.is_some_and(|bytes| bytes > bytes_max) {
        return Err(too_large(bytes_max));
    }
    let mut chunks = body.into_data_stream();
    let mut whole = Vec::new();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|_| {
            Problem::new(StatusCode::BAD_REQUEST, "body_incomplete", "The body ended before it was complete.")
        })?;
        if whole.len() + chunk.len() > bytes_max {
            return Err(too_large(bytes_max));
        }
        // Most bodies come in one piece, which need not be copied.
        if whole.is_empty() && announced == Some(chunk.len()) {
            return Ok(chunk);
        }
        whole.extend_from_slice(&chunk);
    }
    Ok(whole.into())
}

fn too_large(bytes_max: usize) -> Problem {
    let detail = format!("The body is larger than {bytes_max} bytes.");
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "body_too_large", detail)
}
