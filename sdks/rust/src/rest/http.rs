//! Calls over HTTP, repeated where that is safe.

use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures::future::BoxFuture;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::{Client, Method, RequestBuilder, Response, Url};
use tokio::time::{Instant, sleep, timeout_at};

use crate::background::Background;
use crate::error::{ClientError, ProblemError};
use crate::models::Problem;
use crate::retry;
use crate::transport::{CallOptions, EventStream, Request, Transport, TransportSettings};

/// A server that refuses connections is given up after about six seconds, one that is only busy when the time is up.
const CONNECTION_TRIES_MAX: u32 = 6;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const ANSWER_BYTES_MAX: usize = 64 << 20;
const RETRY_AFTER_MAX: u64 = 86_400;

/// JSON over HTTP.
pub(crate) struct Rest {
    pub(super) background: Background,
    pub(super) connection: Arc<Connection>,
}

/// What every call needs.
pub(super) struct Connection {
    base: String,
    http: Client,
    timeout: Duration,
}

impl Rest {
    pub(crate) fn new(settings: &TransportSettings) -> Result<Self, ClientError> {
        let wrong = |name: &str, why: &str| ClientError::Configuration(format!("{name}: {why}"));
        let base = settings.url.trim_end_matches('/').to_owned();
        let url = Url::parse(&base).ok().filter(Url::has_host);
        let Some(url) = url else {
            let name = format!("TRUNKLINE_URL={}", settings.url);
            return Err(wrong(&name, "is no address; write it as http://127.0.0.1:8080"));
        };
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        if let Some(key) = &settings.api_key {
            let mut value = HeaderValue::from_str(&format!("Bearer {key}"))
                .map_err(|_| wrong("TRUNKLINE_API_KEY", "holds characters that no key has"))?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        let mut builder = Client::builder()
            .default_headers(headers)
            .connect_timeout(CONNECT_TIMEOUT)
            .pool_max_idle_per_host(16);
        if url
            .host_str()
            .is_some_and(|host| host == "localhost" || host.starts_with("127.") || host == "[::1]")
        {
            builder = builder.no_proxy();
        }
        let http = builder
            .build()
            .map_err(|error| ClientError::Configuration(format!("HTTP could not be set up: {error}")))?;
        let connection = Arc::new(Connection { base, http, timeout: settings.timeout });
        Ok(Self { background: Background::start("trunkline-rest")?, connection })
    }
}

impl Transport for Rest {
    fn name(&self) -> &'static str {
        "rest"
    }

    fn call(&self, request: Request, options: CallOptions) -> BoxFuture<'_, Result<Bytes, ClientError>> {
        let connection = Arc::clone(&self.connection);
        Box::pin(self.background.run(request.name, async move { connection.call(request, options).await }))
    }

    fn events(&self) -> BoxFuture<'_, Result<EventStream, ClientError>> {
        Box::pin(self.open_events())
    }
}

impl Connection {
    async fn call(&self, request: Request, options: CallOptions) -> Result<Bytes, ClientError> {
        let limit = options.timeout.unwrap_or(self.timeout);
        let deadline = Instant::now() + limit;
        // The same key for all tries makes them one call for the server.
        let key = request.keyed.then(|| options.idempotency_key.unwrap_or_else(random_key));
        for attempt in 0.. {
            let once = timeout_at(deadline, self.once(&request, key.as_deref())).await;
            let Ok(result) = once else {
                return Err(ClientError::Timeout { what: request.name.to_owned(), limit });
            };
            let error = match result {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            let delay = retry::delay(&error, attempt, retry::random());
            if options.no_retry
                || !may_repeat(&request, &error, attempt)
                || Instant::now() + delay >= deadline
            {
                return Err(error);
            }
            sleep(delay).await;
        }
        unreachable!("tries end by returning")
    }

    async fn once(&self, request: &Request, key: Option<&str>) -> Result<Bytes, ClientError> {
        let method = Method::from_bytes(request.method.as_bytes())
            .map_err(|error| ClientError::connection(request.name, error))?;
        let mut call = self.request(method, &request.path, &request.query);
        if let Some(body) = &request.body {
            call = call.header(CONTENT_TYPE, "application/json").body(body.clone());
        }
        if let Some(key) = key {
            call = call.header("idempotency-key", key);
        }
        let broken = |error: reqwest::Error| ClientError::connection(request.name, error.without_url());
        let answer = call.send().await.map_err(broken)?;
        let (status, retry_after) = (answer.status(), retry_after(&answer));
        let content = read(answer, request.name).await?;
        if status.is_success() { Ok(content) } else { Err(problem(status.as_u16(), retry_after, &content)) }
    }

    pub(super) fn request(&self, method: Method, path: &str, query: &[(String, String)]) -> RequestBuilder {
        let mut target = format!("{}{path}", self.base);
        for (index, (name, value)) in query.iter().enumerate() {
            target.push(if index == 0 { '?' } else { '&' });
            target.push_str(&crate::transport::segment(name));
            target.push('=');
            target.push_str(&crate::transport::segment(value));
        }
        self.http.request(method, target)
    }
}

/// Reads all of an answer, within bounds.
pub(super) async fn read(mut answer: Response, call: &str) -> Result<Bytes, ClientError> {
    let mut content = BytesMut::new();
    while let Some(chunk) =
        answer.chunk().await.map_err(|error| ClientError::connection(call, error.without_url()))?
    {
        if content.len() + chunk.len() > ANSWER_BYTES_MAX {
            return Err(ClientError::connection(call, "the answer is larger than 64 MiB"));
        }
        content.extend_from_slice(&chunk);
    }
    Ok(content.freeze())
}

pub(super) fn retry_after(answer: &Response) -> Option<Duration> {
    let seconds: u64 = answer.headers().get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds.min(RETRY_AFTER_MAX)))
}

/// The problem document of an answer; its first characters where it is none.
pub(super) fn problem(status: u16, retry_after: Option<Duration>, content: &[u8]) -> ClientError {
    let mut problem: Problem = serde_json::from_slice(content).unwrap_or_else(|_| Problem {
        detail: String::from_utf8_lossy(content).chars().take(200).collect(),
        ..Problem::default()
    });
    problem.status = i32::from(status);
    ClientError::Problem(Box::new(ProblemError { problem, retry_after }))
}

/// Reports carry a lease token, and calls with a key are recognised, so that both may be repeated after a broken connection.
fn may_repeat(request: &Request, error: &ClientError, attempt: u32) -> bool {
    if !matches!(error, ClientError::Connection { .. }) {
        return error.is_transient();
    }
    let is_safe = request.method == "GET" || request.keyed || request.path.starts_with("/v1/jobs/");
    is_safe && attempt + 1 < CONNECTION_TRIES_MAX
}

/// A key that nobody else chooses.
pub(crate) fn random_key() -> String {
    #[expect(clippy::disallowed_methods, reason = "idempotency keys are random")]
    let bits: u128 = rand::random();
    format!("{bits:032x}")
}
