//! `/callbacks`: the one-time addresses of `WAIT_WEBHOOK` nodes.
//!
//! Whoever knows an address may send to it: there is no key, and the token in the path is the permission. So bodies
//! are bounded by what a payload may have, reading one is bounded in time, and the rate of each address that
//! requests come from is bounded as that of a key is.

use std::net::IpAddr;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_TYPE, USER_AGENT};
use axum::http::{HeaderMap, HeaderName, StatusCode};
use domain::id::ExecutionId;
use domain::names::{CallerKey, NodeId};
use domain::problem::ProblemCode;
use engine::{Verdict, subscriber};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{PathOf, has_media_type, read_body, utf8};
use crate::gate::{origin_of, source_of};
use crate::json::{RawJson, check_syntax, scan};
use crate::problem::{ApiResult, PROBLEM_JSON, Problem, ProblemResponse};
use crate::shapes::operations::CommandAcceptedResponse;
use crate::state::ApiState;

/// The class of the rates of addresses that call back.
const CLASS: &str = "callback";

/// The headers that a workflow gets to see. Others can hold what a sender means for us alone.
const HEADERS_KEPT: [HeaderName; 4] = [
    CONTENT_TYPE,
    USER_AGENT,
    HeaderName::from_static("idempotency-key"),
    HeaderName::from_static("traceparent"),
];

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(call_back))
}

/// What becomes of a request: the output of the node.
#[derive(Debug, Serialize)]
struct CallbackOutput {
    body: RawJson,
    headers: Map<String, Value>,
    method: &'static str,
}

/// Deliver a callback to a waiting node
///
/// Requires no API key: the URL contains a one-time token. Only the first request is accepted. Its body becomes the
/// node's output as `{"body", "headers", "method"}`: JSON unchanged, other text as a string. A repeat with the same
/// `Idempotency-Key` gets the first response and is not taken for the next round of a node that repeats.
#[utoipa::path(
    post, path = "/callbacks/{executionId}/{nodeId}/{token}", tag = "callbacks",
    params(("executionId" = String, Path), ("nodeId" = String, Path), ("token" = String, Path)),
    request_body(
        description = "JSON or text; optional.",
        content((serde_json::Value = "application/json"), (String = "text/plain"))
    ),
    responses(
        (status = 202, description = "The callback is stored.", body = CommandAcceptedResponse),
        (status = "default", description = "Error: 404 for an unknown URL, 409 if the node no longer waits for a \
         callback.", body = ProblemResponse, content_type = PROBLEM_JSON),
    )
)]
async fn call_back(
    State(state): State<ApiState>,
    PathOf((id, node, token)): PathOf<(ExecutionId, NodeId, String)>,
    mut request: Request,
) -> ApiResult<(StatusCode, Json<CommandAcceptedResponse>)> {
    // Behind a trusted proxy, all would have one rate and one share of the room by the address of the connection.
    let address = source_of(&state, &request);
    check_rate(&state, address).await?;
    state.engine.check_callback(id, &node, &token).await?;
    let origin = origin_of(&request, address);
    let key = key_of(request.headers());
    let share = state.body_room.share(address.map(subscriber).unwrap_or_default());
    request.extensions_mut().insert(Arc::clone(&share));
    let output = output_of(&state, request).await?;
    let payload = serde_json::to_string(&output).map_err(|_| Problem::internal())?;
    let command_position =
        state.engine.callback_from((origin, key.as_ref()), (id, &node), &token, payload).await?;
    drop(share);
    Ok((StatusCode::ACCEPTED, Json(CommandAcceptedResponse { command_position })))
}

/// The key under which the sender repeats a request. One that is no key of ours is passed on and does nothing.
fn key_of(headers: &HeaderMap) -> Option<CallerKey> {
    CallerKey::parse(headers.get("idempotency-key")?.to_str().ok()?).ok()
}

/// Refuses the requests of an address that is over the rate that a key has.
async fn check_rate(state: &ApiState, address: Option<IpAddr>) -> ApiResult<()> {
    let (Some(limit), Some(address)) = (state.options.rate_limit.get(), address) else {
        return Ok(());
    };
    match state.engine.check_address(CLASS, address, limit.into()).await {
        Verdict::Allowed => Ok(()),
        Verdict::Refused { retry_after } => {
            let detail = "The rate limit of this address is exceeded.";
            let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, ProblemCode::RateLimited, detail);
            Err(problem.retry_after(retry_after))
        }
    }
}

async fn output_of(state: &ApiState, request: Request) -> ApiResult<CallbackOutput> {
    let (parts, body) = request.into_parts();
    let bytes = read_body(state, &parts, body, state.engine.policy().payload_bytes_max).await?;
    Ok(CallbackOutput {
        body: value_of(&parts.headers, utf8(&bytes)?, state.options.json_depth_max)?,
        headers: headers_of(&parts.headers),
        method: "POST",
    })
}

/// JSON as it is, and other text as a string. A sender that does not say what it sends may send either.
fn value_of(headers: &HeaderMap, text: &str, depth_max: usize) -> ApiResult<RawJson> {
    if text.trim_ascii().is_empty() {
        return Ok(RawJson::stored("null".to_owned()));
    }
    let says = headers.contains_key(CONTENT_TYPE);
    let is_json = has_media_type(headers, |name| name == "application/json" || name.ends_with("+json"));
    if is_json || !says {
        let checked = scan(text, depth_max).map_err(|fault| Problem::invalid(vec![fault.under("/body")]));
        match checked.and_then(|()| check_syntax(text)) {
            Ok(()) => return Ok(RawJson::stored(text.to_owned())),
            Err(problem) if says => return Err(problem),
            Err(_) => {}
        }
    }
    Ok(RawJson::stored(Value::from(text).to_string()))
}

fn headers_of(headers: &HeaderMap) -> Map<String, Value> {
    let kept = HEADERS_KEPT.into_iter().filter_map(|name| {
        let value = headers.get(&name)?.to_str().ok()?;
        Some((name.as_str().to_owned(), Value::from(value)))
    });
    kept.collect()
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn value(content_type: Option<&'static str>, text: &str) -> Result<String, String> {
        let headers: HeaderMap =
            content_type.map(|text| (CONTENT_TYPE, HeaderValue::from_static(text))).into_iter().collect();
        match value_of(&headers, text, 8) {
            Ok(value) => Ok(value.into_text()),
            Err(problem) => {
                let problem = serde_json::to_value(problem.shape()).expect("encodes");
                Err(problem["code"].as_str().expect("a code").to_owned())
            }
        }
    }

    #[test]
    fn json_is_kept_and_other_text_is_a_string() {
        assert_eq!(value(Some("application/json"), "{\"a\": 1}"), Ok("{\"a\": 1}".to_owned()));
        assert_eq!(value(None, "[1]"), Ok("[1]".to_owned()));
        assert_eq!(value(None, "paid [1"), Ok("\"paid [1\"".to_owned()));
        assert_eq!(value(Some("text/plain"), "[1]"), Ok("\"[1]\"".to_owned()));
        assert_eq!(value(Some("application/x-www-form-urlencoded"), "a=b"), Ok("\"a=b\"".to_owned()));
        for content_type in [None, Some("application/json"), Some("text/plain")] {
            assert_eq!(value(content_type, " \n"), Ok("null".to_owned()));
        }
        assert_eq!(value(Some("application/json"), "{"), Err("malformed_json".to_owned()));
    }

    #[test]
    fn secrets_of_the_sender_are_left_out() {
        let headers = HeaderMap::from_iter([
            (CONTENT_TYPE, HeaderValue::from_static("text/plain")),
            (axum::http::header::AUTHORIZATION, HeaderValue::from_static("Bearer x")),
        ]);
        assert_eq!(Value::from(headers_of(&headers)), serde_json::json!({"content-type": "text/plain"}));
    }
}
