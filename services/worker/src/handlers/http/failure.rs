//! Which outcome a call that did not go as expected has.

use std::error::Error;
use std::fmt::Write as _;

use domain::failure::JobError;
use domain::job::Outcome;
use domain::retry::RETRY_AFTER_MAX;
use domain::time::{DurationMs, Timestamp};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use reqwest::StatusCode;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use serde_json::json;

use super::call::CallFault;
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

// `Retry-After`: seconds or an HTTP date (RFC 9110 §10.2.3 and §5.6.7). Pure.

/// The three forms of an HTTP date, all in GMT. The last two are obsolete but must be accepted.
const DATE_FORMS: [&str; 3] =
    ["%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"];

/// How long the server wants us to wait, at most [`RETRY_AFTER_MAX`]; `None` if it does not say, or not clearly.
/// An instant that is past is no wait.
pub(super) fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<DurationMs> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    let wait = if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        // A number that does not fit is larger than the cap in any case.
        text.parse::<i64>().map_or(RETRY_AFTER_MAX, |seconds| DurationMs(seconds.saturating_mul(1_000)))
    } else {
        http_date(text)?.since(now)
    };
    Some(wait.min(RETRY_AFTER_MAX))
}

fn http_date(text: &str) -> Option<Timestamp> {
    let civil = DATE_FORMS.iter().find_map(|form| DateTime::strptime(form, text).ok())?;
    let instant = TimeZone::UTC.to_timestamp(civil).ok()?;
    Some(Timestamp(instant.as_millisecond()))
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderMap, HeaderValue, RETRY_AFTER};

    use super::*;

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

    const DAY_MS: i64 = 86_400_000;

    #[test]
    fn every_form() {
        let now = Timestamp::parse("1994-11-06T08:49:07Z").expect("valid");
        let table = [
            ("0", Some(0)),
            ("120", Some(120_000)),
            (" 7 ", Some(7_000)),
            ("86401", Some(DAY_MS)),
            ("99999999999999999999999", Some(DAY_MS)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(30_000)),
            ("Sunday, 06-Nov-94 08:49:37 GMT", Some(30_000)),
            ("Sun Nov  6 08:49:37 1994", Some(30_000)),
            ("Sun, 06 Nov 1994 08:49:00 GMT", Some(0)),
            ("Fri, 31 Dec 2100 23:59:59 GMT", Some(DAY_MS)),
            ("-5", None),
            ("1.5", None),
            ("soon", None),
            ("", None),
        ];
        for (text, expected) in table {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, HeaderValue::from_str(text).expect("valid"));
            assert_eq!(retry_after(&headers, now).map(|wait| wait.0), expected, "{text:?}");
        }
        assert_eq!(retry_after(&HeaderMap::new(), now), None);
    }
}
