//! A small REST client. Lost answers are values, because tests kill servers in the middle of calls.

use std::time::Duration;

use reqwest::Method;
use reqwest::header::HeaderMap;
use serde_json::Value;

/// Longer than any call of the tests waits.
const TIMEOUT: Duration = Duration::from_secs(40);

/// Speaks to one server with one key.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    http: reqwest::Client,
    base: String,
    key: Option<String>,
}

/// An answer, read whole.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

/// A call before it is sent.
#[derive(Debug)]
#[must_use = "a call does nothing until it is sent"]
pub(crate) struct Call(reqwest::RequestBuilder);

impl Client {
    /// A client for a base URL.
    pub(crate) fn new(base: &str, key: Option<&str>) -> Self {
        let http =
            reqwest::Client::builder().no_proxy().timeout(TIMEOUT).build().expect("a client can be built");
        Self { http, base: base.to_owned(), key: key.map(str::to_owned) }
    }

    /// The same server as another caller.
    pub(crate) fn with_key(&self, key: Option<&str>) -> Self {
        Self { key: key.map(str::to_owned), ..self.clone() }
    }

    /// A call with the client's key.
    pub(crate) fn call(&self, method: Method, path: &str) -> Call {
        let request = self.http.request(method, format!("{}{path}", self.base));
        Call(match &self.key {
            Some(key) => request.bearer_auth(key),
            None => request,
        })
    }

    /// Reads; panics unless it is answered with success.
    pub(crate) async fn get(&self, path: &str) -> Value {
        self.call(Method::GET, path).done().await
    }

    /// Posts; panics unless it is answered with success.
    pub(crate) async fn post(&self, path: &str, body: &Value) -> Value {
        self.call(Method::POST, path).json(body).done().await
    }

    /// Puts; panics unless it is answered with success.
    pub(crate) async fn put(&self, path: &str, body: &Value) -> Value {
        self.call(Method::PUT, path).json(body).done().await
    }

    /// Reads; any answer will do.
    pub(crate) async fn try_get(&self, path: &str) -> Answer {
        self.call(Method::GET, path).answer().await
    }

    /// Posts; any answer will do.
    pub(crate) async fn try_post(&self, path: &str, body: &Value) -> Answer {
        self.call(Method::POST, path).json(body).answer().await
    }

    /// All items of a list, page after page.
    pub(crate) async fn all(&self, path: &str) -> Vec<Value> {
        let joint = if path.contains('?') { '&' } else { '?' };
        let (mut items, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = self.get(&format!("{path}{joint}limit=500{cursor}")).await;
            items.extend(page["items"].as_array().expect("a list has items").iter().cloned());
            match page["nextCursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return items,
            }
        }
    }
}

impl Call {
    /// With a JSON body.
    pub(crate) fn json(self, body: &Value) -> Self {
        self.bytes(body.to_string().into_bytes(), "application/json")
    }

    /// With a body of bytes.
    pub(crate) fn bytes(self, body: Vec<u8>, content_type: &str) -> Self {
        Self(self.0.header("content-type", content_type).body(body))
    }

    /// With a header.
    pub(crate) fn header(self, name: &str, value: &str) -> Self {
        Self(self.0.header(name, value))
    }

    /// With an `Idempotency-Key`.
    pub(crate) fn idempotent(self, key: &str) -> Self {
        self.header("idempotency-key", key)
    }

    /// Sends it. The error says that no whole answer came back; the call may have been carried out.
    pub(crate) async fn send(self) -> Result<Answer, reqwest::Error> {
        let response = self.0.send().await?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Ok(Answer { status, headers, text: response.text().await? })
    }

    /// Sends it to a server that must answer.
    pub(crate) async fn answer(self) -> Answer {
        self.send().await.expect("the server answers")
    }

    /// Sends it; panics unless it is answered with success. The body's JSON, or null without one.
    pub(crate) async fn done(self) -> Value {
        self.answer().await.success()
    }
}

impl Answer {
    /// The body's JSON, or null without one.
    pub(crate) fn json(&self) -> Value {
        if self.text.is_empty() {
            return Value::Null;
        }
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("{}: no JSON: {}", self.status, self.text))
    }

    /// Whether it is a success.
    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The JSON of a success. Panics on anything else.
    pub(crate) fn success(&self) -> Value {
        assert!(self.is_success(), "expected a success, got {}: {}", self.status, self.text);
        self.json()
    }

    /// A header as text.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The document of a problem with this status. Panics on anything else.
    pub(crate) fn problem(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text);
        let media_type = self.header("content-type").unwrap_or_default();
        assert!(media_type.starts_with("application/problem+json"), "{media_type}: {}", self.text);
        let problem = self.json();
        assert_eq!(problem["status"], status, "{problem}");
        for field in ["type", "title", "detail", "code"] {
            assert!(problem[field].as_str().is_some_and(|text| !text.is_empty()), "no {field}: {problem}");
        }
        problem
    }
}
