//! Repeats of a call under the same `Idempotency-Key` get the first answer.
//!
//! The key is reserved before the call is carried out, with a seed from which the ids that it makes are derived. So
//! even where the process dies between the work and the noting of the answer, the repeat makes the same rows.

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use domain::names::CallerKey;
use domain::problem::ProblemCode;
use domain::time::DurationMs;
use engine::Caller;
use sha2::{Digest, Sha256};
use store::access::Idempotency;

use crate::extract::read_body;
use crate::problem::{ApiResult, PROBLEM_JSON, Problem};
use crate::state::ApiState;

/// The header of a repeat that got the first answer.
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// Calls on which a key is not needed and not looked at: a lease makes them safe to repeat, or their answer must not be
/// kept.
pub(crate) const UNKEYED_CALLS: [&str; 7] = [
    "/v1/jobs/poll",
    "/v1/jobs/complete",
    "/v1/jobs/fail",
    "/v1/jobs/heartbeat",
    "/v1/jobs/release",
    "/v1/jobs/logs",
    "/v1/session",
];

/// What is kept for repeats in place of the answer's own body, where that holds a secret.
#[derive(Debug, Clone)]
pub(crate) struct RetainedAnswer(pub(crate) String);

/// Executes a mutating call with a key once. `next` executes it.
pub(super) async fn idempotency<F>(
    state: &ApiState,
    request: Request,
    next: impl FnOnce(Request) -> F,
) -> ApiResult<Response>
where
    F: Future<Output = Response> + Send + 'static,
{
    let Some(key) = key_of(&request)? else {
        return Ok(next(request).await);
    };
    let (mut parts, body) = request.into_parts();
    let body = read_body(state, &parts, body, usize::MAX).await?;
    let mut caller = parts.extensions.get::<Caller>().cloned().ok_or_else(Problem::internal)?;
    let fingerprint = fingerprint(&parts, &body);
    let owner = caller.idempotency_owner();
    match state.in_flight.fingerprint(&owner, key.as_str()) {
        Some(under_way) if under_way == fingerprint => return Err(in_flight()),
        Some(_) => return Err(reused()),
        None => {}
    }
    let seed = match state.engine.reserve_idempotency(&caller, &key, &fingerprint).await? {
        Idempotency::Proceed { seed } => seed,
        Idempotency::Replay { status, body } => return Ok(replay(status, body)),
        Idempotency::InFlight => return Err(in_flight()),
        Idempotency::Reused => return Err(reused()),
    };
    let under_way = state.in_flight.begin(&owner, key.as_str(), fingerprint);
    caller.seed = Some(seed);
    parts.extensions.insert(caller.clone());
    let request = Request::from_parts(parts, Body::from(body));
    // In a task of its own: a caller that hangs up must not leave the key reserved by a call that nobody ends.
    let (state, call) = (state.clone(), next(request));
    let task = tokio::spawn(async move {
        let Some(answer) = carry_out(&state, &caller, &key, call).await else {
            return in_flight().into_response();
        };
        let kept = keep(&state, &caller, &key, answer).await;
        drop(under_way);
        kept
    });
    task.await.map_err(|_| Problem::internal())
}

/// Carries a call out, and keeps its reservation as long as that takes. `None`: another process has taken it over,
/// because this one could not keep it (it was frozen, or cut off from the database). The call is dropped where it is:
/// what it has written has ids that the other makes again, and is there once.
async fn carry_out(
    state: &ApiState,
    caller: &Caller,
    key: &CallerKey,
    call: impl Future<Output = Response> + Send + 'static,
) -> Option<Response> {
    let mut call = tokio::spawn(call);
    let interval = state.engine.idempotency_keep_interval();
    loop {
        if let Ok(ended) = tokio::time::timeout(interval, &mut call).await {
            return Some(ended.unwrap_or_else(|_| Problem::internal().into_response()));
        }
        match state.engine.keep_idempotency(caller, key).await {
            Ok(true) => {}
            Ok(false) => {
                tracing::warn!(
                    "another process has taken over a call with an idempotency key; the call is cancelled here"
                );
                call.abort();
                return None;
            }
            Err(error) => {
                tracing::debug!(
                    error = &error as &dyn std::error::Error,
                    "the reservation of an idempotency key could not be renewed"
                );
            }
        }
    }
}

/// The key of a call that takes one.
fn key_of(request: &Request) -> ApiResult<Option<CallerKey>> {
    let is_mutating = matches!(*request.method(), Method::POST | Method::PUT | Method::DELETE);
    if !is_mutating || UNKEYED_CALLS.contains(&request.uri().path()) {
        return Ok(None);
    }
    let Some(value) = request.headers().get("idempotency-key") else {
        return Ok(None);
    };
    let key = std::str::from_utf8(value.as_bytes()).ok().and_then(|text| CallerKey::parse(text).ok());
    key.map(Some).ok_or_else(|| Problem::fault("/Idempotency-Key", "expected 1 to 200 printable characters"))
}

/// What makes two requests the same: method, path with query, body.
fn fingerprint(parts: &Parts, body: &[u8]) -> String {
    let target = parts.uri.path_and_query().map_or_else(|| parts.uri.path(), |target| target.as_str());
    let mut hash = Sha256::new();
    for part in [parts.method.as_str().as_bytes(), target.as_bytes(), body] {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hex::encode(hash.finalize())
}

/// Stores an answer that repeats get too, or gives the key back where a repeat should try again.
async fn keep(state: &ApiState, caller: &Caller, key: &CallerKey, response: Response) -> Response {
    if !is_final(response.status()) {
        forget(state, caller, key).await;
        return response;
    }
    let (parts, body) = response.into_parts();
    let Ok(bytes) = to_bytes(body, usize::MAX).await else {
        forget(state, caller, key).await;
        return Problem::internal().into_response();
    };
    let text = match parts.extensions.get::<RetainedAnswer>() {
        Some(RetainedAnswer(text)) => text.clone(),
        None => String::from_utf8_lossy(&bytes).into_owned(),
    };
    // The call was carried out; that its answer could not be stored must not turn it into a failure. A repeat
    // takes the reservation over after a while and makes the same rows again.
    if let Err(error) = state.engine.answer_idempotency(caller, key, parts.status.as_u16(), &text).await {
        tracing::warn!(error = &error as &dyn std::error::Error, "a response could not be stored");
    }
    Response::from_parts(parts, Body::from(bytes))
}

async fn forget(state: &ApiState, caller: &Caller, key: &CallerKey) {
    if let Err(error) = state.engine.forget_idempotency(caller, key).await {
        tracing::warn!(error = &error as &dyn std::error::Error, "an idempotency key could not be released");
    }
}

/// Whether a repeat gets the same answer: successes and faults of the request, but nothing that may pass. Rights are
/// given, things come to be, rates recover, and a state that a call conflicts with changes: a queue that drains is resumed, an
/// execution with the unique key ends. Such a refusal has changed nothing, so that a repeat is carried out as a first call.
fn is_final(status: StatusCode) -> bool {
    let may_pass = matches!(
        status,
        StatusCode::UNAUTHORIZED
            | StatusCode::FORBIDDEN
            | StatusCode::NOT_FOUND
            | StatusCode::REQUEST_TIMEOUT
            | StatusCode::CONFLICT
            | StatusCode::TOO_MANY_REQUESTS
    );
    (status.is_success() || status.is_client_error()) && !may_pass
}

fn replay(status: u16, body: String) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
    let media_type = if status.is_success() { "application/json" } else { PROBLEM_JSON };
    let mut headers = HeaderMap::new();
    headers.insert(REPLAYED, HeaderValue::from_static("true"));
    if !body.is_empty() {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    }
    (status, headers, body).into_response()
}

fn in_flight() -> Problem {
    let detail = "The first request with this Idempotency-Key is still in progress.";
    Problem::new(StatusCode::CONFLICT, ProblemCode::IdempotencyInFlight, detail)
        .retry_after(DurationMs::from_secs(1))
}

fn reused() -> Problem {
    let detail = "This Idempotency-Key was already used for a different request.";
    Problem::new(StatusCode::UNPROCESSABLE_ENTITY, ProblemCode::IdempotencyKeyReused, detail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::InFlight;
    use std::sync::Arc;

    fn parts(method: &str, uri: &str) -> Parts {
        Request::builder().method(method).uri(uri).body(()).expect("a request").into_parts().0
    }

    #[test]
    fn fingerprints_tell_requests_apart() {
        let first = fingerprint(&parts("POST", "/v1/jobs?a=1"), b"{}");
        assert_eq!(first, fingerprint(&parts("POST", "/v1/jobs?a=1"), b"{}"));
        assert_ne!(first, fingerprint(&parts("PUT", "/v1/jobs?a=1"), b"{}"));
        assert_ne!(first, fingerprint(&parts("POST", "/v1/jobs?a=2"), b"{}"));
        assert_ne!(first, fingerprint(&parts("POST", "/v1/jobs?a=1"), b"[]"));
        assert_ne!(first, fingerprint(&parts("POST", "/v1/jobs?a=1{}"), b""));
    }

    #[test]
    fn keys_are_taken_from_mutating_calls() {
        let request = |method: &str, uri: &str, key: &[u8]| {
            let key = HeaderValue::from_bytes(key).expect("a header");
            Request::builder()
                .method(method)
                .uri(uri)
                .header("idempotency-key", key)
                .body(Body::empty())
                .expect("valid")
        };
        assert!(matches!(key_of(&request("POST", "/v1/jobs", b"k1")), Ok(Some(_))));
        assert!(matches!(key_of(&request("GET", "/v1/jobs", b"k1")), Ok(None)));
        assert!(matches!(key_of(&request("POST", "/v1/jobs/poll", b"k1")), Ok(None)));
        assert!(key_of(&request("POST", "/v1/jobs", b"")).is_err());
        assert!(key_of(&request("POST", "/v1/jobs", &[b'k'; 201])).is_err());
        assert!(key_of(&request("POST", "/v1/jobs", &[0xff])).is_err());
    }

    #[test]
    fn passing_troubles_are_not_kept() {
        for (status, kept) in [
            (202, true),
            (413, true),
            (422, true),
            (401, false),
            (403, false),
            (404, false),
            (408, false),
            (409, false),
            (429, false),
            (503, false),
        ] {
            assert_eq!(is_final(StatusCode::from_u16(status).expect("valid")), kept, "{status}");
        }
    }

    #[test]
    fn a_call_is_known_until_it_ends() {
        let calls = Arc::new(InFlight::default());
        let call = calls.begin("acme", "k", "f".to_owned());
        assert_eq!(calls.fingerprint("acme", "k").as_deref(), Some("f"));
        assert_eq!(calls.fingerprint("umbrella", "k"), None);
        drop(call);
        assert_eq!(calls.fingerprint("acme", "k"), None);
    }
}
