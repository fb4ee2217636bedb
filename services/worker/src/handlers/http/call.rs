//! From the data of an HTTP job to the request. Error texts never repeat values, which may be secrets.

use std::collections::BTreeMap;

use domain::id::JobId;
use domain::secret::HeaderPart;
use domain::trace::{SpanPlace, TraceContext};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, StatusCode, Url};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use store::jobs::ClaimedJob;
use telemetry::tracer;

use crate::egress::EgressRequest;

/// Headers that belong to the connection, and would let a job forge the framing of the request.
const HEADERS_REFUSED: [&str; 10] = [
    "connection",
    "content-length",
    "host",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

const METHODS: [Method; 7] =
    [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::OPTIONS];

/// Why the data is no request.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum CallFault {
    #[error(
        "The data of an HTTP job must be an object with url and, if needed, method, headers, body and expect (line {line}, column {column})."
    )]
    Shape { line: usize, column: usize },
    #[error("The method must be one of GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS.")]
    Method,
    #[error("The url is not a valid absolute URL.")]
    Url,
    #[error(
        "The header {name:?} cannot be sent: its name or value is not valid HTTP, or it belongs to the connection."
    )]
    Header { name: String },
}

/// A call to make.
#[derive(Debug)]
pub(super) struct HttpCall {
    pub(super) request: EgressRequest,
    /// Headers that need secrets, and are not among those of the request yet.
    pub(super) sealed: Vec<(HeaderName, Vec<HeaderPart>)>,
    pub(super) expect: Expected,
}

/// Which statuses are a success.
#[derive(Debug, Clone)]
pub(super) enum Expected {
    /// Any 2xx.
    Success,
    /// One of these.
    Listed(Vec<u16>),
}

impl Expected {
    /// Whether the status is a success.
    pub(super) fn holds(&self, status: StatusCode) -> bool {
        match self {
            Self::Success => status.is_success(),
            Self::Listed(listed) => listed.contains(&status.as_u16()),
        }
    }
}

#[derive(Deserialize)]
struct CallData {
    url: String,
    #[serde(default)]
    method: Option<String>,
    #[serde(default)]
    headers: Option<BTreeMap<String, Value>>,
    #[serde(default)]
    body: Option<Box<RawValue>>,
    #[serde(default)]
    expect: Option<Vec<u16>>,
    #[serde(default, rename = "secretHeaders")]
    sealed: BTreeMap<String, Vec<HeaderPart>>,
}

impl HttpCall {
    /// Reads the data of a job.
    pub(super) fn read(job: &ClaimedJob) -> Result<Self, CallFault> {
        Self::parse(&job.data, job.id, traceparent(job).as_deref())
    }

    fn parse(data: &str, id: JobId, traceparent: Option<&str>) -> Result<Self, CallFault> {
        let data: CallData = serde_json::from_str(data)
            .map_err(|error| CallFault::Shape { line: error.line(), column: error.column() })?;
        let method = data.method.as_deref().unwrap_or("GET").to_ascii_uppercase();
        let method = METHODS.into_iter().find(|known| known.as_str() == method).ok_or(CallFault::Method)?;
        let url = Url::parse(&data.url).map_err(|_| CallFault::Url)?;
        let mut headers = headers_of(data.headers.unwrap_or_default())?;
        let sealed = data.sealed.into_iter().map(sealed_of).collect::<Result<Vec<_>, _>>()?;
        let body = data.body.map(|body| body_of(&body, &mut headers));
        // The job's id is the same for every attempt: a service that honours the key does the work once.
        set_default(&mut headers, "idempotency-key", Some(&id.to_string()));
        set_default(&mut headers, "traceparent", traceparent);
        let expect =
            data.expect.filter(|listed| !listed.is_empty()).map_or(Expected::Success, Expected::Listed);
        Ok(Self { request: EgressRequest { method, url, headers, body }, sealed, expect })
    }
}

fn sealed_of((name, parts): (String, Vec<HeaderPart>)) -> Result<(HeaderName, Vec<HeaderPart>), CallFault> {
    match HeaderName::try_from(&name) {
        Ok(header) if !HEADERS_REFUSED.contains(&header.as_str()) => Ok((header, parts)),
        _ => Err(CallFault::Header { name }),
    }
}

fn headers_of(given: BTreeMap<String, Value>) -> Result<HeaderMap, CallFault> {
    let mut headers = HeaderMap::with_capacity(given.len() + 3);
    for (name, value) in given {
        let text = match value {
            Value::String(text) => text,
            Value::Null => continue,
            Value::Bool(_) | Value::Number(_) => value.to_string(),
            Value::Array(_) | Value::Object(_) => return Err(CallFault::Header { name }),
        };
        let parsed = HeaderName::try_from(&name).ok().zip(HeaderValue::try_from(text).ok());
        match parsed {
            Some((header, value)) if !HEADERS_REFUSED.contains(&header.as_str()) => {
                headers.insert(header, value);
            }
            _ => return Err(CallFault::Header { name }),
        }
    }
    Ok(headers)
}

/// A string is sent as it is; any other JSON value as JSON.
fn body_of(body: &RawValue, headers: &mut HeaderMap) -> Vec<u8> {
    if let Ok(text) = serde_json::from_str::<String>(body.get()) {
        return text.into_bytes();
    }
    headers.entry(CONTENT_TYPE).or_insert(HeaderValue::from_static("application/json"));
    body.get().as_bytes().to_vec()
}

fn set_default(headers: &mut HeaderMap, name: &'static str, value: Option<&str>) {
    if let Some(value) = value.and_then(|value| HeaderValue::try_from(value).ok()) {
        headers.entry(name).or_insert(value);
    }
}

/// The context that the request of an attempt carries: its own span's, or what the job carries while spans go nowhere.
pub(super) fn traceparent(job: &ClaimedJob) -> Option<String> {
    match place(job) {
        Some(place) => Some(place.context.to_string()),
        None => job.traceparent.clone(),
    }
}

/// Where the span stands; `None` while spans go nowhere.
pub(super) fn place(job: &ClaimedJob) -> Option<SpanPlace> {
    tracer()?;
    let attempt = job.traceparent.as_deref().and_then(TraceContext::parse)?;
    Some(SpanPlace::inside(attempt, "request", 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id() -> JobId {
        JobId::parse(&format!("job_{}", "0".repeat(32))).expect("valid")
    }

    fn parse(data: &str) -> Result<HttpCall, CallFault> {
        HttpCall::parse(data, id(), Some("00-abc-def-01"))
    }

    #[test]
    fn data_becomes_a_request() {
        let call = parse(
            r#"{"method":"post","url":"https://a.example/x","headers":{"X-Count":3,"skip":null},"body":{"a":1.50},"expect":[201,409]}"#,
        )
        .expect("valid");
        assert_eq!(call.request.method, Method::POST);
        assert_eq!(call.request.headers["x-count"], "3");
        assert!(!call.request.headers.contains_key("skip"));
        assert_eq!(call.request.headers["content-type"], "application/json");
        assert_eq!(call.request.headers["idempotency-key"], id().to_string().as_str());
        assert_eq!(call.request.headers["traceparent"], "00-abc-def-01");
        // The number keeps its digits: the body is passed on as it is.
        assert_eq!(call.request.body.as_deref(), Some(br#"{"a":1.50}"#.as_slice()));
        assert!(call.expect.holds(StatusCode::CONFLICT) && !call.expect.holds(StatusCode::OK));
    }

    #[test]
    fn given_headers_are_kept_and_strings_sent_as_they_are() {
        let call = parse(r#"{"url":"http://a.example","headers":{"Idempotency-Key":"k","Content-Type":"text/csv"},"body":"a,b\n"}"#)
            .expect("valid");
        assert_eq!(call.request.method, Method::GET);
        assert_eq!(call.request.headers["idempotency-key"], "k");
        assert_eq!(call.request.headers["content-type"], "text/csv");
        assert_eq!(call.request.body.as_deref(), Some(b"a,b\n".as_slice()));
        assert!(call.expect.holds(StatusCode::NO_CONTENT) && !call.expect.holds(StatusCode::FOUND));
        let bare = parse(r#"{"url":"http://a.example","body":null,"expect":[]}"#).expect("valid");
        assert!(bare.request.body.is_none() && !bare.request.headers.contains_key("content-type"));
    }

    #[test]
    fn faults_name_the_place_and_not_the_value() {
        for (data, expected) in [
            (r#"{"url":"nowhere"}"#, "url"),
            (r#"{"url":"http://a.example","method":"TRACE"}"#, "method"),
            (r#"{"url":"http://a.example","method":"CONNECT"}"#, "method"),
            (r#"{"url":"http://a.example","headers":{"x":"hush\r\nhost: b"}}"#, "header"),
            (r#"{"url":"http://a.example","headers":{"Host":"hush"}}"#, "header"),
            (r#"{"url":"http://a.example","headers":{"Transfer-Encoding":"hush"}}"#, "header"),
            (r#"{"url":"http://a.example","headers":{"x":["hush"]}}"#, "header"),
            (r#"{"url":"http://a.example","headers":"hush"}"#, "object"),
            (r#"{"method":"GET"}"#, "object"),
            ("[]", "object"),
        ] {
            let text = parse(data).expect_err(data).to_string();
            assert!(text.contains(expected) && !text.contains("hush"), "{data}: {text}");
        }
    }
}
