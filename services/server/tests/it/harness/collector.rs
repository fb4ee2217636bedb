//! A collector of traces: takes OTLP over HTTP or gRPC and keeps the spans.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{
    TraceService, TraceServiceServer,
};
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_stream::wrappers::TcpListenerStream;

use crate::harness::wait::until;

/// How long spans may take to arrive.
const DEADLINE: Duration = Duration::from_mins(1);

/// A span as it came in, with its ids in hex.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) name: String,
    pub(crate) kind: i32,
    pub(crate) trace: String,
    pub(crate) id: String,
    /// Empty where its trace begins.
    pub(crate) parent: String,
    /// Traces and spans.
    pub(crate) links: Vec<(String, String)>,
    pub(crate) attributes: BTreeMap<String, String>,
    pub(crate) is_error: bool,
    pub(crate) begun_ns: u64,
    pub(crate) ended_ns: u64,
}

impl Seen {
    /// Its context.
    pub(crate) fn traceparent(&self) -> String {
        format!("00-{}-{}-01", self.trace, self.id)
    }

    /// An attribute; empty where it has none of that name.
    pub(crate) fn attribute(&self, name: &str) -> &str {
        self.attributes.get(name).map_or("", String::as_str)
    }
}

#[derive(Debug, Clone, Default)]
struct Received {
    spans: Arc<Mutex<Vec<Seen>>>,
    services: Arc<Mutex<Vec<String>>>,
    keys: Arc<Mutex<Vec<String>>>,
}

/// A running collector. Stops when it is dropped.
#[derive(Debug)]
pub(crate) struct Collector {
    address: String,
    received: Received,
    task: JoinHandle<()>,
}

impl Collector {
    /// One that takes protobuf over HTTP.
    pub(crate) async fn http() -> Self {
        let (listener, address) = listen().await;
        let received = Received::default();
        let router = Router::new().route("/v1/traces", post(take)).with_state(received.clone());
        let task = tokio::spawn(async move { axum::serve(listener, router).await.expect("it serves") });
        Self { address, received, task }
    }

    /// One that takes gRPC.
    pub(crate) async fn grpc() -> Self {
        let (listener, address) = listen().await;
        let received = Received::default();
        let service = TraceServiceServer::new(received.clone());
        let server = tonic::transport::Server::builder().add_service(service);
        let incoming = TcpListenerStream::new(listener);
        let task =
            tokio::spawn(async move { server.serve_with_incoming(incoming).await.expect("it serves") });
        Self { address, received, task }
    }

    /// Its address.
    pub(crate) fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The spans so far.
    pub(crate) fn spans(&self) -> Vec<Seen> {
        self.received.spans.lock().expect("nobody panics").clone()
    }

    /// The names of the services that sent something, and the values of the header `x-collector-key`.
    pub(crate) fn senders(&self) -> (Vec<String>, Vec<String>) {
        let read = |of: &Mutex<Vec<String>>| of.lock().expect("nobody panics").clone();
        (read(&self.received.services), read(&self.received.keys))
    }

    /// Waits for as many spans with this name that match.
    pub(crate) async fn all(&self, name: &str, count: usize, is_it: impl Fn(&Seen) -> bool) -> Vec<Seen> {
        until(&format!("{count} of {name}"), DEADLINE, || async {
            let mut found = self.spans();
            found.retain(|span| span.name == name && is_it(span));
            (found.len() >= count).then_some(found)
        })
        .await
    }

    /// Waits for the one span with this name that matches.
    pub(crate) async fn one(&self, name: &str, is_it: impl Fn(&Seen) -> bool) -> Seen {
        let mut found = self.all(name, 1, is_it).await;
        assert_eq!(found.len(), 1, "{found:?}");
        found.remove(0)
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn listen() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("it is bound").to_string();
    (listener, address)
}

async fn take(State(received): State<Received>, headers: HeaderMap, body: Bytes) -> (StatusCode, Vec<u8>) {
    assert_eq!(headers["content-type"], "application/x-protobuf");
    let key = headers.get("x-collector-key").and_then(|key| key.to_str().ok());
    let request = ExportTraceServiceRequest::decode(body).expect("it is OTLP");
    received.keep(request, key);
    (StatusCode::OK, ExportTraceServiceResponse::default().encode_to_vec())
}

#[tonic::async_trait]
impl TraceService for Received {
    async fn export(
        &self,
        request: tonic::Request<ExportTraceServiceRequest>,
    ) -> Result<tonic::Response<ExportTraceServiceResponse>, tonic::Status> {
        let key = request.metadata().get("x-collector-key").and_then(|key| key.to_str().ok());
        let key = key.map(str::to_owned);
        self.keep(request.into_inner(), key.as_deref());
        Ok(tonic::Response::new(ExportTraceServiceResponse::default()))
    }
}

impl Received {
    fn keep(&self, request: ExportTraceServiceRequest, key: Option<&str>) {
        self.keys.lock().expect("nobody panics").extend(key.map(str::to_owned));
        for of in request.resource_spans {
            let attributes = of.resource.map(|resource| resource.attributes).unwrap_or_default();
            let name = attributes.iter().find(|pair| pair.key == "service.name").expect("it has a name");
            self.services.lock().expect("nobody panics").push(text(name.value.clone()));
            let spans = of.scope_spans.into_iter().flat_map(|scope| scope.spans).map(seen);
            self.spans.lock().expect("nobody panics").extend(spans);
        }
    }
}

fn seen(span: Span) -> Seen {
    let attributes = span.attributes.into_iter().map(|pair| (pair.key, text(pair.value)));
    Seen {
        name: span.name,
        kind: span.kind,
        trace: hex::encode(span.trace_id),
        id: hex::encode(span.span_id),
        parent: hex::encode(span.parent_span_id),
        links: span.links.iter().map(|to| (hex::encode(&to.trace_id), hex::encode(&to.span_id))).collect(),
        attributes: attributes.collect(),
        is_error: span.status.is_some_and(|status| status.code == 2),
        begun_ns: span.start_time_unix_nano,
        ended_ns: span.end_time_unix_nano,
    }
}

fn text(value: Option<opentelemetry_proto::tonic::common::v1::AnyValue>) -> String {
    match value.and_then(|value| value.value) {
        Some(Value::StringValue(text)) => text,
        Some(Value::IntValue(number)) => number.to_string(),
        other => panic!("{other:?}"),
    }
}
