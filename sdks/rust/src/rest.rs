//! The default transport: JSON over HTTP.

mod events;

use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures::future::BoxFuture;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::{Client, Method, RequestBuilder, Response, Url};

use crate::background::Background;
use crate::error::{ClientError, ProblemError};
use crate::follow;
use crate::models::Problem;
use crate::repeat::repeat;
use crate::transport::{CallOptions, EventStream, Request, Transport, TransportSettings};
use events::Changes;

// Calls over HTTP, repeated where that is safe.

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const ANSWER_BYTES_MAX: usize = 64 << 20;
const RETRY_AFTER_MAX: u64 = 86_400;

/// JSON over HTTP.
pub(crate) struct Rest {
    background: Background,
    connection: Arc<Connection>,
}

/// What every call needs.
struct Connection {
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
        Box::pin(follow::open(&self.background, Changes(Arc::clone(&self.connection))))
    }
}

impl Connection {
    async fn call(&self, request: Request, options: CallOptions) -> Result<Bytes, ClientError> {
        let once = |key: Option<String>| {
            let request = &request;
            async move { self.once(request, key.as_deref()).await }
        };
        repeat(&request, options, self.timeout, once).await
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

    fn request(&self, method: Method, path: &str, query: &[(String, String)]) -> RequestBuilder {
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
async fn read(mut answer: Response, call: &str) -> Result<Bytes, ClientError> {
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

fn retry_after(answer: &Response) -> Option<Duration> {
    let seconds: u64 = answer.headers().get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds.min(RETRY_AFTER_MAX)))
}

/// The problem document of an answer; its first characters where it is none.
fn problem(status: u16, retry_after: Option<Duration>, content: &[u8]) -> ClientError {
    let mut problem: Problem = serde_json::from_slice(content).unwrap_or_else(|_| Problem {
        detail: String::from_utf8_lossy(content).chars().take(200).collect(),
        ..Problem::default()
    });
    problem.status = i32::from(status);
    ClientError::Problem(Box::new(ProblemError { problem, retry_after }))
}
