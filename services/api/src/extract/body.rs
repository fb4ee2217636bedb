//! JSON bodies.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Request};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use domain::problem::ProblemCode;
use domain::workflow::parse::Format;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::bodies::{self, BodyBounds, BodyFault, BodyShare};
use crate::json::{check_syntax, parse, scan};
use crate::options::ApiOptions;
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
        let bytes = read_body(state, &parts, body, usize::MAX).await?;
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
        let bytes = read_body(state, &parts, body, usize::MAX).await?;
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
        Problem::new(StatusCode::BAD_REQUEST, ProblemCode::MalformedJson, detail)
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
    Err(unsupported("This call requires Content-Type application/json."))
}

/// 415.
pub(super) fn unsupported(detail: &str) -> Problem {
    Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, ProblemCode::UnsupportedMediaType, detail)
}

/// Whether the request's media type, in lower case and without parameters, is one of those asked for.
pub(crate) fn has_media_type(headers: &HeaderMap, is_wanted: impl Fn(&str) -> bool) -> bool {
    let Some(value) = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()) else {
        return false;
    };
    let name = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    is_wanted(&name)
}

/// Calls that carry many things at once, whose bodies may be larger than those of others.
const REPORTS: [&str; 5] =
    ["/v1/jobs/complete", "/v1/jobs/fail", "/v1/jobs/heartbeat", "/v1/jobs/release", "/v1/jobs/logs"];

/// Who takes the room of a body where nobody was asked for a key.
const NOBODY: &str = "";

/// Reads a whole body, up to what its call may have and not beyond `bytes_max`.
pub(crate) async fn read_body(
    state: &ApiState,
    parts: &Parts,
    body: Body,
    bytes_max: usize,
) -> ApiResult<Bytes> {
    let options = &state.options;
    let own_max = body_bytes_max(options, parts.uri.path());
    let bounds = BodyBounds {
        bytes_max: bytes_max.min(own_max),
        grace: options.body_grace.to_std(),
        bytes_per_second_min: options.body_rate_min_bytes,
    };
    // The gates hold the share until the answer.
    let share = parts.extensions.get::<Arc<BodyShare>>().cloned();
    let share = share.unwrap_or_else(|| state.body_room.share(NOBODY.to_owned()));
    bodies::read(&parts.headers, body, bounds, &share).await.map_err(|fault| problem_of(fault, bounds))
}

/// The most bytes of a body of a call: those that carry many things at once may have more.
pub(crate) fn body_bytes_max(options: &ApiOptions, path: &str) -> usize {
    bytes_max_of(path, options.max_body_bytes, options.max_single_body_bytes)
}

fn bytes_max_of(path: &str, max_body_bytes: usize, max_single_body_bytes: usize) -> usize {
    let is_batch = path.ends_with("/batch") || REPORTS.contains(&path);
    if is_batch { max_body_bytes } else { max_body_bytes.min(max_single_body_bytes) }
}

fn problem_of(fault: BodyFault, bounds: BodyBounds) -> Problem {
    match fault {
        BodyFault::TooLarge => {
            let detail = format!("The body is larger than {} bytes.", bounds.bytes_max);
            Problem::new(StatusCode::PAYLOAD_TOO_LARGE, ProblemCode::BodyTooLarge, detail)
        }
        BodyFault::Broken => {
            let detail = "The body ended before it was complete.";
            Problem::new(StatusCode::BAD_REQUEST, ProblemCode::BodyIncomplete, detail)
        }
        BodyFault::TooSlow => {
            let detail = "The body was sent too slowly.";
            Problem::new(StatusCode::REQUEST_TIMEOUT, ProblemCode::BodyTooSlow, detail)
        }
        BodyFault::NoRoom => {
            Problem::unavailable("The total size of concurrent request bodies is exceeded; retry later.")
        }
    }
}

// The text of a workflow definition, JSON or YAML. Its content is checked by the engine.

/// A definition as it was sent.
#[derive(Debug)]
pub(crate) struct WorkflowBody {
    /// The text, valid UTF-8.
    pub(crate) text: Bytes,
    /// How it is written, by its Content-Type.
    pub(crate) format: Format,
}

impl FromRequest<ApiState> for WorkflowBody {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &ApiState) -> ApiResult<Self> {
        let (parts, body) = request.into_parts();
        let format =
            if has_media_type(&parts.headers, |name| name == "application/json" || name.ends_with("+json")) {
                Format::Json
            } else if has_media_type(&parts.headers, is_yaml) {
                Format::Yaml
            } else {
                return Err(unsupported(
                    "A definition requires Content-Type application/json or application/yaml.",
                ));
            };
        let text = read_body(state, &parts, body, usize::MAX).await?;
        let checked = utf8(&text)?;
        if format == Format::Json {
            scan(checked, state.options.json_depth_max).map_err(|fault| Problem::invalid(vec![fault]))?;
            check_syntax(checked)?;
        }
        Ok(Self { text, format })
    }
}

fn is_yaml(name: &str) -> bool {
    matches!(name, "application/yaml" | "application/x-yaml" | "text/yaml" | "text/x-yaml")
        || name.ends_with("+yaml")
}

#[cfg(test)]
mod tests {
    use super::bytes_max_of;

    #[test]
    fn batches_may_be_larger_than_single_things() {
        for (path, bytes_max) in [
            ("/v1/jobs", 10),
            ("/v1/jobs/batch", 100),
            ("/v1/executions/batch", 100),
            ("/v1/jobs/complete", 100),
            ("/v1/workflows", 10),
        ] {
            assert_eq!(bytes_max_of(path, 100, 10), bytes_max, "{path}");
        }
        assert_eq!(bytes_max_of("/v1/jobs", 5, 10), 5);
    }
}
