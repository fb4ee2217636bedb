//! One method a kind of call; answers are JSON values, which the verbs print.

use std::time::Duration;

use anyhow::Result;
use reqwest::Method;
use serde_json::Value;

use crate::client::{Global, Target};

/// How long an answer may take that is read a piece at a time.
const DOWNLOAD_TIMEOUT: Duration = Duration::from_hours(24);

/// Speaks to one server.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    http: reqwest::Client,
    /// For calls that are made once: what forwards them elsewhere has not taken them.
    once: reqwest::Client,
    target: Target,
    /// Whether the user wants JSON.
    pub(crate) json: bool,
}

impl Client {
    /// A client for the server that flags, environment and profile name.
    pub(crate) fn new(global: &Global) -> Result<Self> {
        let builder = || {
            reqwest::Client::builder()
                .user_agent(concat!("trunkline-cli/", env!("CARGO_PKG_VERSION")))
                .no_proxy()
                .timeout(Duration::from_mins(2))
        };
        let once = builder().redirect(reqwest::redirect::Policy::none()).build()?;
        Ok(Self { http: builder().build()?, once, target: super::target(global)?, json: global.json })
    }

    /// Reads.
    pub(crate) async fn get(&self, path: &str) -> Result<Value, ClientError> {
        self.send(Method::GET, path, None).await
    }

    /// Changes, with a JSON body.
    pub(crate) async fn post(&self, path: &str, body: &Value) -> Result<Value, ClientError> {
        self.send(Method::POST, path, Some((body.to_string().into_bytes(), "application/json"))).await
    }

    /// Changes once, however often it is sent under this key.
    pub(crate) async fn post_once(
        &self,
        path: &str,
        body: &str,
        key: &str,
        within: Duration,
    ) -> Result<(), ClientError> {
        let request = self.once.post(format!("{}{path}", self.target.url)).timeout(within);
        let request = self.target.key.iter().fold(request, reqwest::RequestBuilder::bearer_auth);
        let request = request.header("content-type", "application/json").header("idempotency-key", key);
        let response =
            request.body(body.to_owned()).send().await.map_err(|source| self.unreachable(source))?;
        let status = response.status();
        let text = response.text().await.map_err(|source| self.unreachable(source))?;
        // A page of something in between, of a login or of maintenance, is no answer of the server's.
        let is_answer =
            text.is_empty() || serde_json::from_str::<Value>(&text).is_ok_and(|body| body.is_object());
        if status.is_success() && is_answer { Ok(()) } else { Err(self.refusal(status.as_u16(), &text)) }
    }

    /// Changes, with a body of another kind; answers the HTTP status too.
    pub(crate) async fn post_bytes(
        &self,
        path: &str,
        body: Vec<u8>,
        content_type: &'static str,
    ) -> Result<(u16, Value), ClientError> {
        self.send_with_status(Method::POST, path, Some((body, content_type))).await
    }

    /// Sends what a sender of webhooks would: these headers, no API key. Answers the HTTP status and what came with it,
    /// `null` if that is no JSON.
    pub(crate) async fn post_as_sender(
        &self,
        path: &str,
        headers: &[(String, String)],
        body: Vec<u8>,
    ) -> Result<(u16, Value), ClientError> {
        let request = self.http.post(format!("{}{path}", self.target.url)).body(body);
        let request = headers.iter().fold(request, |request, (name, value)| request.header(name, value));
        let response = request.send().await.map_err(|source| self.unreachable(source))?;
        let status = response.status().as_u16();
        let text = response.text().await.map_err(|source| self.unreachable(source))?;
        Ok((status, serde_json::from_str(&text).unwrap_or(Value::Null)))
    }

    /// Replaces.
    pub(crate) async fn put(&self, path: &str, body: &Value) -> Result<Value, ClientError> {
        self.send(Method::PUT, path, Some((body.to_string().into_bytes(), "application/json"))).await
    }

    /// Removes.
    pub(crate) async fn delete(&self, path: &str) -> Result<Value, ClientError> {
        self.send(Method::DELETE, path, None).await
    }

    /// The raw text of an answer that is no JSON document (exports).
    pub(crate) async fn get_text(&self, path: &str) -> Result<String, ClientError> {
        let response = self.request(Method::GET, path, None).await?;
        let status = response.status();
        let text = response.text().await.map_err(|source| self.unreachable(source))?;
        if status.is_success() {
            return Ok(text);
        }
        Err(self.refusal(status.as_u16(), &text))
    }

    /// Posts, for an answer that may be large and take long, to be read a piece at a time.
    pub(crate) async fn download(&self, path: &str) -> Result<reqwest::Response, ClientError> {
        let request = self.http.post(format!("{}{path}", self.target.url)).timeout(DOWNLOAD_TIMEOUT);
        let request = self.target.key.iter().fold(request, reqwest::RequestBuilder::bearer_auth);
        let response = request.send().await.map_err(|source| self.unreachable(source))?;
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let text = response.text().await.map_err(|source| self.unreachable(source))?;
        Err(self.refusal(status.as_u16(), &text))
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<(Vec<u8>, &'static str)>,
    ) -> Result<Value, ClientError> {
        Ok(self.send_with_status(method, path, body).await?.1)
    }

    async fn send_with_status(
        &self,
        method: Method,
        path: &str,
        body: Option<(Vec<u8>, &'static str)>,
    ) -> Result<(u16, Value), ClientError> {
        let response = self.request(method, path, body).await?;
        let status = response.status();
        let is_grpc = is_of_grpc(&response);
        let text = response.text().await.map_err(|source| self.unreachable(source))?;
        if !status.is_success() {
            return Err(self.refusal(status.as_u16(), &text));
        }
        if text.is_empty() && !is_grpc {
            return Ok((status.as_u16(), Value::Null));
        }
        let answer = serde_json::from_str(&text)
            .map_err(|_| ClientError::NotJson { url: self.target.url.clone(), status: status.as_u16() })?;
        Ok((status.as_u16(), answer))
    }

    async fn request(
        &self,
        method: Method,
        path: &str,
        body: Option<(Vec<u8>, &'static str)>,
    ) -> Result<reqwest::Response, ClientError> {
        let mut request = self.http.request(method, format!("{}{path}", self.target.url));
        if let Some(key) = &self.target.key {
            request = request.bearer_auth(key);
        }
        if let Some((bytes, content_type)) = body {
            request = request.header("content-type", content_type).body(bytes);
        }
        request.send().await.map_err(|source| self.unreachable(source))
    }

    fn unreachable(&self, source: reqwest::Error) -> ClientError {
        ClientError::Unreachable { url: self.target.url.clone(), source: source.without_url() }
    }

    fn refusal(&self, status: u16, text: &str) -> ClientError {
        match serde_json::from_str::<Value>(text) {
            Ok(mut problem) => {
                if status == 401 && self.target.key.is_none() && problem.is_object() {
                    problem["hint"] =
                        "set TRUNKLINE_API_KEY or TRUNKLINE_API_KEY_FILE, or use a profile".into();
                }
                ClientError::Problem { status, problem }
            }
            Err(_) => ClientError::NotJson { url: self.target.url.clone(), status },
        }
    }
}

/// Whether it is the gRPC address that answers: with 200 and no body, whatever it is asked.
fn is_of_grpc(response: &reqwest::Response) -> bool {
    let content_type = response.headers().get(reqwest::header::CONTENT_TYPE);
    content_type.is_some_and(|kind| kind.as_bytes().starts_with(b"application/grpc"))
}

/// A path with the query parameters that are there, percent-encoded.
pub(crate) fn query(path: &str, parameters: &[(&str, Option<String>)]) -> String {
    let mut url = reqwest::Url::parse("http://server").expect("the constant is a URL");
    {
        let mut pairs = url.query_pairs_mut();
        for (name, value) in parameters {
            if let Some(value) = value {
                pairs.append_pair(name, value);
            }
        }
    }
    match url.query() {
        Some(text) if !text.is_empty() => format!("{path}?{text}"),
        _ => path.to_owned(),
    }
}

// What a call can fail with, in words for people.

/// A failed call.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ClientError {
    /// No answer.
    #[error(
        "cannot reach {url}: is the server running? (start it with `trunkline serve`, or set --url or TRUNKLINE_URL)"
    )]
    Unreachable {
        /// Where it was looked for.
        url: String,
        /// Why.
        #[source]
        source: reqwest::Error,
    },
    /// The server refused; its problem document.
    #[error("{}", problem_text(.problem))]
    Problem {
        /// The HTTP status.
        status: u16,
        /// The document.
        problem: Value,
    },
    /// The answer was no JSON.
    #[error(
        "the server at {url} answered {status} with something that is not JSON; is it the REST address of a Trunkline server?"
    )]
    NotJson {
        /// Where.
        url: String,
        /// The HTTP status.
        status: u16,
    },
}

fn problem_text(problem: &Value) -> String {
    let text = |key: &str| problem.get(key).and_then(Value::as_str).unwrap_or_default();
    let mut lines = vec![match (text("detail"), text("title")) {
        ("", title) => title.to_owned(),
        (detail, _) => detail.to_owned(),
    }];
    if !text("code").is_empty() {
        lines[0] = format!("{} ({})", lines[0], text("code"));
    }
    let faults = problem.get("errors").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    for fault in faults {
        let part = |key: &str| fault.get(key).and_then(Value::as_str).unwrap_or_default();
        // The detail of a single one contains it.
        if faults.len() > 1 || !lines[0].contains(part("message")) {
            lines.push(format!("  {}: {}", part("pointer"), part("message")));
        }
    }
    if !text("hint").is_empty() {
        lines.push(format!("  hint: {}", text("hint")));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{problem_text, query};

    #[test]
    fn a_problem_says_where_it_is_and_what_to_do() {
        let problem = json!({
            "code": "attribute_undeclared",
            "detail": "The query is invalid.",
            "errors": [{"pointer": "/q", "message": "nobody declared it"}],
            "hint": "trunkline attribute set",
        });
        let expected = "The query is invalid. (attribute_undeclared)\n  /q: nobody declared it\n  hint: trunkline attribute set";
        assert_eq!(problem_text(&problem), expected);
    }

    #[test]
    fn a_single_error_is_said_once() {
        let error = json!({"pointer": "/limit", "message": "expected 1 to 500"});
        let detail = "The request is invalid: /limit: expected 1 to 500";
        let one = json!({"code": "invalid", "detail": detail, "errors": [error]});
        assert_eq!(problem_text(&one), format!("{detail} (invalid)"));
        let two = json!({"code": "invalid", "detail": detail, "errors": [error, error]});
        assert_eq!(problem_text(&two).lines().count(), 3);
    }

    #[test]
    fn queries_are_encoded() {
        assert_eq!(query("/v1/jobs", &[("a", None)]), "/v1/jobs");
        assert_eq!(query("/v1/jobs", &[("tag", Some("a b&c".into()))]), "/v1/jobs?tag=a+b%26c");
    }
}
