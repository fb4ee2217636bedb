//! Spans as messages of OTLP.

use domain::trace::{SpanId, TraceContext};
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, InstrumentationScope, KeyValue};
use opentelemetry_proto::tonic::resource::v1::Resource;
use opentelemetry_proto::tonic::trace::v1::span::{Link, SpanKind as ProtoKind};
use opentelemetry_proto::tonic::trace::v1::status::StatusCode;
use opentelemetry_proto::tonic::trace::v1::{ResourceSpans, ScopeSpans, Span as ProtoSpan, Status};

use crate::traces::span::{Attribute, Span, SpanKind};

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
