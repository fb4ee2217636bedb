//! Which outcome a call that did not go as expected has.

use std::error::Error;
use std::fmt::Write as _;

use domain::failure::JobError;
use domain::job::Outcome;
use domain::time::Timestamp;
use reqwest::StatusCode;
use serde_json::json;

use super::call::CallFault;
use super::retry_after::retry_after;
use crate::egress::{EgressError, EgressResponse};

/// How much of an error response is kept, in bytes.
const EXCERPT_BYTES_MAX: usize = 2 * 1024;

/// The data is no request; sending it again would not change that.
pub(super) fn invalid(fault: &CallFault) -> Outcome {
    failed(JobError::coded("http_request", fault.to_string()), false)
}

/// The server gave no (usable) answer.
pub(super) fn not_answered(error: &EgressError) -> Outcome {
    let (code, retryable) = match error {
        EgressError::Refused(_) => ("egress_refused", false),
        EgressError::Invalid(_) => ("http_request", false),
        EgressError::Redirects { .. } | EgressError::RedirectTarget | EgressError::RedirectOrigin => {
            ("http_redirect", false)
        }
        EgressError::TooLarge { .. } => ("http_response_size", false),
        EgressError::TimedOut { .. } => ("http_timeout", true),
        EgressError::Connection(_) => ("http_connection", true),
    };
    failed(JobError::coded(code, with_causes(error)), retryable)
}

/// The server answered with a status that is no success.
///
/// 408, 429 and 5xx may be better the next time, all others not. 429 and 503 may say when.
pub(super) fn unexpected_status(response: &EgressResponse, now: Timestamp) -> Outcome {
    let status = response.status;
    let retryable = status.is_server_error()
        || matches!(status, StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS);
    let may_say_when = matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE);
    let mut error =
        JobError::coded("http_status", format!("The server answered with status {}.", status.as_u16()));
    error.details = Some(json!({ "status": status.as_u16(), "body": excerpt(&response.body) }));
    Outcome::Failed {
        error,
        retryable,
        retry_after: may_say_when.then(|| retry_after(&response.headers, now)).flatten(),
    }
}

const fn failed(error: JobError, retryable: bool) -> Outcome {
    Outcome::Failed { error, retryable, retry_after: None }
}

/// The start of the body as text, at most [`EXCERPT_BYTES_MAX`] bytes of it.
fn excerpt(body: &[u8]) -> String {
    let mut text = String::from_utf8_lossy(&body[..body.len().min(EXCERPT_BYTES_MAX)]).into_owned();
    while text.len() > EXCERPT_BYTES_MAX {
        text.pop();
    }
    text
}

/// The error and its causes in one line. A cause that only repeats the text before it is left out.
fn with_causes(error: &EgressError) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(current) = cause {
        let line = current.to_string();
        if !text.contains(&line) {
            let _ = write!(text, ": {line}");
        }
        cause = current.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::{HeaderMap, HeaderValue, RETRY_AFTER};

    fn status(code: u16, retry_after: Option<&'static str>) -> (bool, Option<i64>) {
        let mut headers = HeaderMap::new();
        if let Some(value) = retry_after {
            headers.insert(RETRY_AFTER, HeaderValue::from_static(value));
        }
        let response =
            EgressResponse { status: StatusCode::from_u16(code).expect("valid"), headers, body: Vec::new() };
        match unexpected_status(&response, Timestamp(0)) {
            Outcome::Failed { retryable, retry_after, error } => {
                assert_eq!(error.code.as_deref(), Some("http_status"));
                (retryable, retry_after.map(|wait| wait.0))
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn statuses_that_may_get_better() {
        for code in [408, 429, 500, 502, 503, 504, 599] {
            assert!(status(code, None).0, "{code}");
        }
        for code in [301, 304, 400, 401, 403, 404, 409, 410, 422] {
            assert!(!status(code, None).0, "{code}");
        }
        assert_eq!(status(429, Some("5")), (true, Some(5_000)));
        assert_eq!(status(503, Some("5")), (true, Some(5_000)));
        assert_eq!(status(500, Some("5")), (true, None));
        assert_eq!(status(404, Some("5")), (false, None));
    }

    #[test]
    fn excerpts_are_short() {
        assert_eq!(excerpt(b"no"), "no");
        assert!(excerpt(&[b'x'; 10_000]).len() == EXCERPT_BYTES_MAX);
        assert!(excerpt(&[0xff; 10_000]).len() <= EXCERPT_BYTES_MAX);
    }
}
