//! gRPC as a transport: calls found by the contract's own options, and jobs over a stream for each worker.

mod changes;
mod contract;
mod delivery;
mod proto;
mod read;
mod status;
mod stream;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::future::BoxFuture;
use parking_lot::Mutex;
use prost_reflect::DynamicMessage;
use reqwest::Url;
use tokio::time::{Instant, timeout};
use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::{Channel, ClientTlsConfig, Endpoint};

use crate::background::Background;
use crate::environment::variable;
use crate::error::ClientError;
use crate::follow;
use crate::repeat::repeat;
use crate::transport::{CallOptions, EventStream, OnCancel, Request, Transport, TransportSettings};
use changes::Changes;
use contract::{Method, contract};
use delivery::Delivery;
use read::DynamicCodec;
use status::error_of;

// The transport: calls, each found in the contract, and what goes over workers' streams.

const PORT: u16 = 9090;
const TIMEOUT: Duration = Duration::from_secs(30);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const MESSAGE_BYTES_MAX: usize = 64 << 20;
/// A stream from which nothing came for so long is dead; the server says something every 20 s.
const SILENCE: Duration = Duration::from_mins(1);

/// gRPC as a transport. It never uses REST; calls that exist only in REST fail with a clear error.
pub struct Grpc {
    background: Background,
    shared: Arc<Shared>,
}

/// What calls and streams need.
struct Shared {
    endpoint: Endpoint,
    key: Option<MetadataValue<Ascii>>,
    timeout: Duration,
    silence: Mutex<Duration>,
    link: Mutex<Option<Link>>,
    /// By the names of workers.
    deliveries: Mutex<HashMap<String, Arc<Delivery>>>,
}

/// A connection, and when something came over it last. Connections can be dead without an error: one over which a call ran out of
/// time while nothing came at all is replaced.
#[derive(Clone)]
struct Link {
    channel: Channel,
    heard: Arc<Mutex<Option<Instant>>>,
}

impl Link {
    fn hear(&self) {
        *self.heard.lock() = Some(Instant::now());
    }
}

impl Grpc {
    /// The transport for `TRUNKLINE_GRPC_URL` (else the host of `TRUNKLINE_URL` with port 9090) with `TRUNKLINE_API_KEY`, for
    /// `ClientBuilder::with_transport`. It does not connect yet.
    pub fn from_env() -> Result<Self, ClientError> {
        Self::open(&TransportSettings {
            url: variable("TRUNKLINE_URL").unwrap_or_else(|| "http://127.0.0.1:8080".to_owned()),
            grpc_url: variable("TRUNKLINE_GRPC_URL"),
            api_key: variable("TRUNKLINE_API_KEY"),
            timeout: TIMEOUT,
        })
    }

    /// A worker stream without messages for this time is considered broken (default: one minute).
    #[must_use]
    pub fn silence(self, limit: Duration) -> Self {
        *self.shared.silence.lock() = limit;
        self
    }

    pub(crate) fn open(settings: &TransportSettings) -> Result<Self, ClientError> {
        let wrong = |text: &str| ClientError::Configuration(format!("TRUNKLINE_API_KEY: {text}"));
        let key = settings.api_key.as_ref().map(|key| {
            let mut value: MetadataValue<Ascii> =
                format!("Bearer {key}").parse().map_err(|_| wrong("holds characters that no key has"))?;
            value.set_sensitive(true);
            Ok::<_, ClientError>(value)
        });
        let shared = Shared {
            endpoint: endpoint_of(settings)?,
            key: key.transpose()?,
            timeout: settings.timeout,
            silence: Mutex::new(SILENCE),
            link: Mutex::default(),
            deliveries: Mutex::default(),
        };
        Ok(Self { background: Background::start("trunkline-grpc")?, shared: Arc::new(shared) })
    }
}

fn endpoint_of(settings: &TransportSettings) -> Result<Endpoint, ClientError> {
    let (name, text) = match &settings.grpc_url {
        Some(url) => ("TRUNKLINE_GRPC_URL", url),
        None => ("TRUNKLINE_URL", &settings.url),
    };
    let wrong = |why: &str| ClientError::Configuration(format!("{name}={text}: {why}"));
    let no_address = "is no address; write it as http://127.0.0.1:9090";
    let url = Url::parse(text).map_err(|_| wrong(no_address))?;
    let host = url.host_str().ok_or_else(|| wrong(no_address))?;
    let port = settings.grpc_url.as_ref().and_then(|_| url.port()).unwrap_or(PORT);
    let is_secure = url.scheme() == "https";
    let scheme = if is_secure { "https" } else { "http" };
    let endpoint = Endpoint::from_shared(format!("{scheme}://{host}:{port}"))
        .map_err(|error| wrong(&error.to_string()))?
        .connect_timeout(CONNECT_TIMEOUT);
    if !is_secure {
        return Ok(endpoint);
    }
    endpoint.tls_config(ClientTlsConfig::new().with_native_roots()).map_err(|error| wrong(&error.to_string()))
}

impl Transport for Grpc {
    fn name(&self) -> &'static str {
        "grpc"
    }

    fn call(&self, request: Request, options: CallOptions) -> BoxFuture<'_, Result<Bytes, ClientError>> {
        let shared = Arc::clone(&self.shared);
        Box::pin(self.background.run(request.name, async move { shared.call(request, options).await }))
    }

    fn events(&self) -> BoxFuture<'_, Result<EventStream, ClientError>> {
        Box::pin(follow::open(&self.background, Changes(Arc::clone(&self.shared))))
    }

    fn pushes(&self) -> bool {
        true
    }

    fn on_cancel(&self, worker_id: &str, call: OnCancel) {
        self.shared.delivery(worker_id).begin(call);
    }

    fn end_delivery(&self, worker_id: &str) {
        let delivery = self.shared.deliveries.lock().get(worker_id).cloned();
        if let Some(delivery) = delivery {
            delivery.end();
        }
    }
}

impl Shared {
    async fn call(self: &Arc<Self>, request: Request, options: CallOptions) -> Result<Bytes, ClientError> {
        let limit = options.timeout.unwrap_or(self.timeout);
        let late = |_| ClientError::Timeout { what: request.name.to_owned(), limit };
        match request.name {
            "pollJobs" => return timeout(limit, self.poll(&request)).await.map_err(late)?,
            "completeJobs" | "failJobs" | "releaseJobs" | "heartbeatJobs" => {
                if let Some(answer) = timeout(limit, self.report(&request)).await.map_err(late)? {
                    return answer;
                }
            }
            _ => {}
        }
        let method = contract().find(&request)?;
        let input = method.input(&request)?;
        let once = |key: Option<String>| {
            let (request, input) = (&request, &input);
            async move { self.once(request, method, input.clone(), key).await }
        };
        repeat(&request, options, self.timeout, once).await
    }

    async fn once(
        &self,
        request: &Request,
        method: &Method,
        input: DynamicMessage,
        key: Option<String>,
    ) -> Result<Bytes, ClientError> {
        let (link, begun) = (self.link(), Instant::now());
        // A call that is dropped before its end ran out of time.
        let mut call = Call { shared: self, link: link.clone(), begun, is_answered: false };
        let result = self.invoke(&link, request.name, method, input, key).await;
        call.is_answered = true;
        if result.as_ref().map_or_else(|error| error.problem().is_some(), |_| true) {
            link.hear();
        }
        result
    }

    async fn invoke(
        &self,
        link: &Link,
        name: &'static str,
        method: &Method,
        input: DynamicMessage,
        key: Option<String>,
    ) -> Result<Bytes, ClientError> {
        let mut client = tonic::client::Grpc::new(link.channel.clone())
            .max_decoding_message_size(MESSAGE_BYTES_MAX)
            .max_encoding_message_size(MESSAGE_BYTES_MAX);
        client.ready().await.map_err(|error| ClientError::connection(name, error))?;
        let mut message = tonic::Request::new(input);
        self.authorize(message.metadata_mut());
        if let Some(key) = key {
            let key = key.parse().map_err(|_| {
                ClientError::Configuration(
                    "an idempotency key holds characters that none may have".to_owned(),
                )
            })?;
            message.metadata_mut().insert("idempotency-key", key);
        }
        let path = method.path.parse().map_err(|error| ClientError::connection(name, error))?;
        let codec = DynamicCodec::reading(method.output.clone());
        let answer = client.unary(message, path, codec).await.map_err(|status| error_of(name, status))?;
        Ok(method.answer(answer.get_ref()))
    }

    fn authorize(&self, metadata: &mut tonic::metadata::MetadataMap) {
        if let Some(key) = &self.key {
            metadata.insert("authorization", key.clone());
        }
    }

    /// The connection, which is made when it is used.
    fn link(&self) -> Link {
        let mut link = self.link.lock();
        let fresh = || Link { channel: self.endpoint.connect_lazy(), heard: Arc::default() };
        link.get_or_insert_with(fresh).clone()
    }

    /// Gives a connection up unless something came over it since then.
    fn replace(&self, dead: &Link, since: Instant) {
        let mut link = self.link.lock();
        let is_current = link.as_ref().is_some_and(|link| Arc::ptr_eq(&link.heard, &dead.heard));
        if is_current && dead.heard.lock().is_none_or(|heard| heard < since) {
            *link = None;
        }
    }

    fn delivery(&self, worker_id: &str) -> Arc<Delivery> {
        Arc::clone(self.deliveries.lock().entry(worker_id.to_owned()).or_default())
    }

    /// The delivery that brought a job, if one did.
    fn owner(&self, job_id: &str, token: &str) -> Option<Arc<Delivery>> {
        self.deliveries.lock().values().find(|delivery| delivery.has(job_id, token)).cloned()
    }
}

/// A call under way.
struct Call<'a> {
    shared: &'a Shared,
    link: Link,
    begun: Instant,
    is_answered: bool,
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        if !self.is_answered {
            self.shared.replace(&self.link, self.begun);
        }
    }
}
