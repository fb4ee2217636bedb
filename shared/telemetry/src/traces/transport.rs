//! How messages get to the collector: by HTTP as protobuf, or by gRPC.

use std::time::Duration;

use domain::trace::{SpanId, TraceContext};
use opentelemetry_proto::tonic::collector::trace::v1::trace_service_client::TraceServiceClient;
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, InstrumentationScope, KeyValue};
use opentelemetry_proto::tonic::resource::v1::Resource;
use opentelemetry_proto::tonic::trace::v1::span::{Link, SpanKind as ProtoKind};
use opentelemetry_proto::tonic::trace::v1::status::StatusCode;
use opentelemetry_proto::tonic::trace::v1::{ResourceSpans, ScopeSpans, Span as ProtoSpan, Status};
use prost::Message;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use secrecy::{ExposeSecret, SecretString};
use tonic::metadata::{MetadataKey, MetadataMap, MetadataValue};
use tonic::transport::{Channel, ClientTlsConfig, Endpoint};

use crate::traces::span::{Attribute, Span, SpanKind};

/// How long one message may take.
const SEND_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a connection may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// The longest answer that is read, in bytes.
const ANSWER_BYTES_MAX: usize = 64 * 1024;

/// The protocols that collectors speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TraceProtocol {
    /// Posts protobuf to `/v1/traces`.
    HttpProtobuf,
    /// Calls the trace service.
    Grpc,
}

/// Why spans cannot be sent.
#[derive(Debug, thiserror::Error)]
pub enum TracesError {
    /// The address is none.
    #[error("otel.endpoint: expected an address such as http://127.0.0.1:4318")]
    Endpoint(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// A header cannot be sent. Which, is not said: it may be a secret.
    #[error("otel.headers: expected names and values of HTTP headers")]
    Header,
    /// There is no client.
    #[error("cannot build the client for traces")]
    Client(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// Spans are sent already.
    #[error("traces are set up already")]
    Installed,
}

/// Why a message did not arrive.
#[derive(Debug, thiserror::Error)]
pub(super) enum SendFault {
    #[error("the collector cannot be reached")]
    Http(#[from] reqwest::Error),
    #[error("the collector answered with status {0}")]
    Status(u16),
    #[error("the collector answered with {0:?}")]
    Grpc(tonic::Code),
}

impl SendFault {
    /// Whether the same message may arrive later, as the protocol says.
    pub(super) fn may_pass(&self) -> bool {
        match self {
            Self::Http(_) => true,
            Self::Status(status) => matches!(status, 429 | 502 | 503 | 504),
            Self::Grpc(code) => matches!(
                code,
                tonic::Code::Cancelled
                    | tonic::Code::DeadlineExceeded
                    | tonic::Code::ResourceExhausted
                    | tonic::Code::Aborted
                    | tonic::Code::OutOfRange
                    | tonic::Code::Unavailable
                    | tonic::Code::DataLoss
            ),
        }
    }
}

/// A way to the collector.
pub(super) enum Transport {
    Http { client: reqwest::Client, url: reqwest::Url, headers: HeaderMap },
    Grpc { client: TraceServiceClient<Channel>, metadata: MetadataMap },
}

impl Transport {
    /// Connects nothing yet.
    pub(super) fn new(
        protocol: TraceProtocol,
        endpoint: &str,
        headers: &[(String, SecretString)],
    ) -> Result<Self, TracesError> {
        match protocol {
            TraceProtocol::HttpProtobuf => Self::http(endpoint, headers),
            TraceProtocol::Grpc => Self::grpc(endpoint, headers),
        }
    }

    fn http(endpoint: &str, headers: &[(String, SecretString)]) -> Result<Self, TracesError> {
        let url = format!("{}/v1/traces", endpoint.trim_end_matches('/'));
        let url = reqwest::Url::parse(&url).map_err(|error| TracesError::Endpoint(Box::new(error)))?;
        let mut known = HeaderMap::new();
        for (name, value) in headers {
            let name = HeaderName::try_from(name).map_err(|_| TracesError::Header)?;
            let mut value = HeaderValue::try_from(value.expose_secret()).map_err(|_| TracesError::Header)?;
            value.set_sensitive(true);
            known.insert(name, value);
        }
        known.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-protobuf"));
        let client = reqwest::Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(SEND_TIMEOUT)
            .build()
            .map_err(|error| TracesError::Client(Box::new(error)))?;
        Ok(Self::Http { client, url, headers: known })
    }

    fn grpc(endpoint: &str, headers: &[(String, SecretString)]) -> Result<Self, TracesError> {
        let parsed = Endpoint::from_shared(endpoint.to_owned());
        let mut parsed = parsed
            .map_err(|error| TracesError::Endpoint(Box::new(error)))?
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(SEND_TIMEOUT);
        if endpoint.starts_with("https://") {
            let tls = ClientTlsConfig::new().with_native_roots();
            parsed = parsed.tls_config(tls).map_err(|error| TracesError::Client(Box::new(error)))?;
        }
        let mut metadata = MetadataMap::new();
        for (name, value) in headers {
            let key = MetadataKey::from_bytes(name.to_ascii_lowercase().as_bytes());
            let mut value =
                MetadataValue::try_from(value.expose_secret()).map_err(|_| TracesError::Header)?;
            value.set_sensitive(true);
            metadata.insert(key.map_err(|_| TracesError::Header)?, value);
        }
        Ok(Self::Grpc { client: TraceServiceClient::new(parsed.connect_lazy()), metadata })
    }

    /// Sends a message. Answers how many of its spans the collector refused.
    pub(super) async fn send(&self, request: ExportTraceServiceRequest) -> Result<u64, SendFault> {
        let answer = match self {
            Self::Http { client, url, headers } => {
                let body = request.encode_to_vec();
                let answer = client.post(url.clone()).headers(headers.clone()).body(body).send().await?;
                let status = answer.status();
                if !status.is_success() {
                    return Err(SendFault::Status(status.as_u16()));
                }
                // Whether all were taken is all that the answer is good for.
                bounded(answer).await.unwrap_or_default()
            }
            Self::Grpc { client, metadata } => {
                let request =
                    tonic::Request::from_parts(metadata.clone(), tonic::Extensions::default(), request);
                let answer = client.clone().export(request).await;
                answer.map_err(|status| SendFault::Grpc(status.code()))?.into_inner()
            }
        };
        let refused = answer.partial_success.map_or(0, |partial| partial.rejected_spans);
        Ok(u64::try_from(refused).unwrap_or_default())
    }
}

/// The message of an answer, where it is one of a sane length.
async fn bounded(mut answer: reqwest::Response) -> Option<ExportTraceServiceResponse> {
    let mut body = Vec::new();
    while let Some(part) = answer.chunk().await.ok()? {
        body.extend_from_slice(&part);
        if body.len() > ANSWER_BYTES_MAX {
            return None;
        }
    }
    ExportTraceServiceResponse::decode(body.as_slice()).ok()
}

// Spans as messages of OTLP.

/// The flag of a sampled span.
const SAMPLED: u32 = 1;

/// A message with these spans. `resource` says of what they are.
pub(super) fn request(resource: &[(String, String)], spans: Vec<Span>) -> ExportTraceServiceRequest {
    let attributes =
        resource.iter().map(|(name, value)| pair(name.clone(), Value::StringValue(value.clone())));
    let resource = Resource { attributes: attributes.collect(), ..Resource::default() };
    let scope = InstrumentationScope {
        name: "trunkline".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        ..InstrumentationScope::default()
    };
    let spans = spans.into_iter().map(encoded).collect();
    ExportTraceServiceRequest {
        resource_spans: vec![ResourceSpans {
            resource: Some(resource),
            scope_spans: vec![ScopeSpans { scope: Some(scope), spans, schema_url: String::new() }],
            schema_url: String::new(),
        }],
    }
}

fn encoded(span: Span) -> ProtoSpan {
    let Span { place, name, kind, begun_ns, ended_ns, attributes, error } = span;
    let attributes = attributes.into_iter().map(|(name, value)| pair(name.to_owned(), value_of(value)));
    let mut attributes: Vec<KeyValue> = attributes.collect();
    let status = error.as_ref().map(|_| Status { code: StatusCode::Error.into(), message: String::new() });
    attributes.extend(error.map(|code| pair("error.type".to_owned(), Value::StringValue(code))));
    ProtoSpan {
        trace_id: trace_bytes(place.context),
        span_id: span_bytes(place.context.span),
        parent_span_id: place.parent.map(span_bytes).unwrap_or_default(),
        flags: SAMPLED,
        name: name.into_owned(),
        kind: kind_of(kind).into(),
        start_time_unix_nano: begun_ns,
        end_time_unix_nano: ended_ns,
        attributes,
        links: place.links.into_iter().map(link).collect(),
        status,
        ..ProtoSpan::default()
    }
}

fn link(to: TraceContext) -> Link {
    Link {
        trace_id: trace_bytes(to),
        span_id: span_bytes(to.span),
        flags: u32::from(to.is_sampled) * SAMPLED,
        ..Link::default()
    }
}

fn trace_bytes(context: TraceContext) -> Vec<u8> {
    context.trace.0.to_be_bytes().to_vec()
}

fn span_bytes(span: SpanId) -> Vec<u8> {
    span.0.to_be_bytes().to_vec()
}

const fn kind_of(kind: SpanKind) -> ProtoKind {
    match kind {
        SpanKind::Internal => ProtoKind::Internal,
        SpanKind::Server => ProtoKind::Server,
        SpanKind::Client => ProtoKind::Client,
        SpanKind::Producer => ProtoKind::Producer,
        SpanKind::Consumer => ProtoKind::Consumer,
    }
}

fn value_of(attribute: Attribute) -> Value {
    match attribute {
        Attribute::Text(text) => Value::StringValue(text.into_owned()),
        Attribute::Number(number) => Value::IntValue(number),
    }
}

fn pair(key: String, value: Value) -> KeyValue {
    KeyValue { key, value: Some(AnyValue { value: Some(value) }), ..KeyValue::default() }
}
