//! The HTTP client of outgoing calls: guarded connections, own redirects, caps on size and time.
//!
//! Knows nothing of jobs and does not decide whether a status is a success.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::HeaderMap;
use reqwest::{Client, ClientBuilder, StatusCode};

use super::EgressOptions;
use super::error::EgressError;
use super::guard::{Guard, GuardedResolver, Lookup, SystemLookup};
use super::redirect::{EgressRequest, is_redirect, redirected};
use super::rule::ProxyAddress;

/// How long one connection may take to be made.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// A response, read to its end.
#[derive(Debug)]
pub struct EgressResponse {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Vec<u8>,
}

/// Makes outgoing calls.
pub struct EgressClient {
    guard: Arc<Guard>,
    /// For ports that no entry of the allow list names.
    client: Client,
    /// For the others: a resolver sees no port, so that each of these has a client of its own.
    client_by_port: HashMap<u16, Client>,
    /// Whether somebody else resolves names.
    is_proxied: bool,
    response_bytes_max: usize,
    timeout: Duration,
    redirects_max: u32,
}

impl EgressClient {
    /// A client that resolves names as the operating system does.
    pub fn new(options: EgressOptions) -> Result<Self, EgressError> {
        let lookup: Arc<dyn Lookup> = Arc::new(SystemLookup);
        Self::with_lookup(options, &lookup)
    }

    /// A client with another source of addresses.
    pub fn with_lookup(options: EgressOptions, lookup: &Arc<dyn Lookup>) -> Result<Self, EgressError> {
        let guard = Arc::new(Guard::new(options.allow).denying(options.deny, options.denies_rest));
        if let Some(proxy) = &options.proxy {
            return Ok(Self {
                guard,
                client: build_proxied(proxy)?,
                client_by_port: HashMap::new(),
                is_proxied: true,
                response_bytes_max: options.response_bytes_max,
                timeout: options.timeout,
                redirects_max: options.redirects_max,
            });
        }
        let client = build(&guard, lookup, None)?;
        let client_by_port = guard
            .ports()
            .into_iter()
            .map(|port| Ok((port, build(&guard, lookup, Some(port))?)))
            .collect::<Result<_, EgressError>>()?;
        Ok(Self {
            guard,
            client,
            client_by_port,
            is_proxied: false,
            response_bytes_max: options.response_bytes_max,
            timeout: options.timeout,
            redirects_max: options.redirects_max,
        })
    }

    /// Makes a call and reads the whole response. `takes` says which statuses the caller wants as they are; a
    /// redirect that it does not want is followed.
    pub async fn call(
        &self,
        request: EgressRequest,
        takes: impl Fn(StatusCode) -> bool + Send + Sync,
    ) -> Result<EgressResponse, EgressError> {
        let timed_out = EgressError::TimedOut { timeout_ms: self.timeout.as_millis() };
        match tokio::time::timeout(self.timeout, self.follow(request, takes)).await {
            Ok(answer) => answer,
            Err(_) => Err(timed_out),
        }
    }

    async fn follow(
        &self,
        mut request: EgressRequest,
        takes: impl Fn(StatusCode) -> bool + Send + Sync,
    ) -> Result<EgressResponse, EgressError> {
        for _ in 0..=self.redirects_max {
            if self.is_proxied {
                self.guard.check_unresolved(&request.url)?;
            } else {
                self.guard.check_url(&request.url)?;
            }
            let response = self.send(&request).await?;
            let status = response.status();
            if takes(status) || !is_redirect(status) {
                return self.read(response).await;
            }
            // A redirect without a target (304-like answers of odd servers) is an answer like any other.
            request = match redirected(request, status, response.headers()) {
                Ok(next) => next,
                Err(EgressError::RedirectTarget) if !response.headers().contains_key("location") => {
                    return self.read(response).await;
                }
                Err(error) => return Err(error),
            };
        }
        Err(EgressError::Redirects { redirects_max: self.redirects_max })
    }

    async fn send(&self, request: &EgressRequest) -> Result<reqwest::Response, EgressError> {
        let port = request.url.port_or_known_default();
        let client = port.and_then(|port| self.client_by_port.get(&port)).unwrap_or(&self.client);
        let mut builder =
            client.request(request.method.clone(), request.url.clone()).headers(request.headers.clone());
        if let Some(body) = &request.body {
            builder = builder.body(body.clone());
        }
        Ok(builder.send().await?)
    }

    /// Reads the body as it comes, and no more of it than the cap.
    async fn read(&self, mut response: reqwest::Response) -> Result<EgressResponse, EgressError> {
        let too_large = || EgressError::TooLarge { bytes_max: self.response_bytes_max };
        if response.content_length().is_some_and(|length| length > self.response_bytes_max as u64) {
            return Err(too_large());
        }
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await? {
            if body.len() + chunk.len() > self.response_bytes_max {
                return Err(too_large());
            }
            body.extend_from_slice(&chunk);
        }
        Ok(EgressResponse { status: response.status(), headers: response.headers().clone(), body })
    }
}

fn build(guard: &Arc<Guard>, lookup: &Arc<dyn Lookup>, port: Option<u16>) -> Result<Client, EgressError> {
    finished(|| {
        let resolver = GuardedResolver { guard: Arc::clone(guard), lookup: Arc::clone(lookup), port };
        common().dns_resolver(Arc::new(resolver))
    })
}

/// A client whose only connections are to the proxy, which the operator names: its address may be an inner one.
fn build_proxied(proxy: &ProxyAddress) -> Result<Client, EgressError> {
    let by = reqwest::Proxy::all(proxy.url().clone()).map_err(EgressError::Invalid)?;
    finished(|| common().proxy(by.clone()))
}

fn common() -> ClientBuilder {
    Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .no_proxy()
        .connect_timeout(CONNECT_TIMEOUT)
        .user_agent(concat!("trunkline/", env!("CARGO_PKG_VERSION")))
}

fn finished(builder: impl Fn() -> ClientBuilder) -> Result<Client, EgressError> {
    match builder().build() {
        Ok(client) => Ok(client),
        // A machine without CA certificates can still make plain HTTP calls; HTTPS ones then fail as untrusted.
        Err(error) => {
            tracing::warn!(%error, "no CA certificates could be loaded: HTTPS calls will fail as untrusted");
            builder().tls_certs_only([]).build().map_err(EgressError::Invalid)
        }
    }
}
