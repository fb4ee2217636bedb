//! Spans are recorded, dropped and exported as the collector expects them.

use std::time::Duration;

use domain::time::Timestamp;
use domain::trace::{SpanPlace, TraceContext};
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use prost::Message;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::export::exporter;
use super::*;

fn context() -> TraceContext {
    TraceContext::parse("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01").expect("a context")
}

fn span(name: &'static str) -> Span {
    let place = SpanPlace { context: context(), parent: None, links: vec![context()] };
    Span::new(place, name, SpanKind::Consumer, (Timestamp(5), Timestamp(7)))
        .with("messaging.system", "trunkline")
}

fn options(endpoint: String, queue: usize) -> TraceOptions {
    TraceOptions {
        endpoint,
        protocol: TraceProtocol::HttpProtobuf,
        headers: vec![("x-key".to_owned(), "secret".to_owned().into())],
        resource: vec![("service.name".to_owned(), "test".to_owned())],
        share: 1.0,
        flush_every: Duration::from_hours(1),
        queue,
    }
}

/// Answers one request, and says what it was: head and body.
async fn receive_one(listener: &TcpListener, status: &str) -> (String, Vec<u8>) {
    let (mut stream, _) = listener.accept().await.expect("a connection");
    let mut bytes = Vec::new();
    loop {
        let mut part = [0; 4096];
        let read = stream.read(&mut part).await.expect("a request");
        bytes.extend_from_slice(&part[..read]);
        let end = bytes.windows(4).position(|window| window == b"\r\n\r\n");
        let Some(end) = end else { continue };
        let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
        let length = head.split("content-length: ").nth(1).and_then(|rest| rest.lines().next());
        let length: usize = length.expect("a length").trim().parse().expect("a number");
        if bytes.len() >= end + 4 + length {
            let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            stream.write_all(answer.as_bytes()).await.expect("answered");
            return (head, bytes.split_off(end + 4));
        }
    }
}

#[tokio::test]
async fn what_was_recorded_is_sent_before_the_end() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let endpoint = format!("http://{}", listener.local_addr().expect("bound"));
    let (tracer, exporter) = exporter(options(endpoint, 10)).expect("an exporter");
    let export = exporter.spawn();
    tracer.record(span("first"));
    tracer.record(Span { error: Some("boom".to_owned()), ..span("second") });
    let mut unsampled = span("unsampled");
    unsampled.place.context.is_sampled = false;
    tracer.record(unsampled);
    let (received, ()) = tokio::join!(receive_one(&listener, "200 OK"), export.stop());
    let (head, body) = received;
    assert!(head.starts_with("post /v1/traces "), "{head}");
    assert!(
        head.contains("x-key: secret") && head.contains("content-type: application/x-protobuf"),
        "{head}"
    );
    let request = ExportTraceServiceRequest::decode(body.as_slice()).expect("a message");
    let of = &request.resource_spans[0];
    let spans = &of.scope_spans[0].spans;
    assert_eq!(spans.iter().map(|span| span.name.as_str()).collect::<Vec<_>>(), ["first", "second"]);
    assert_eq!(of.resource.as_ref().expect("a resource").attributes[0].key, "service.name");
    let (first, second) = (&spans[0], &spans[1]);
    assert_eq!(first.trace_id, context().trace.0.to_be_bytes());
    assert_eq!((first.start_time_unix_nano, first.end_time_unix_nano), (5_000_000, 7_000_000));
    assert_eq!(first.links[0].span_id, context().span.0.to_be_bytes());
    assert!(first.status.is_none());
    assert_eq!(second.status.as_ref().expect("a status").code, 2);
    assert!(second.attributes.iter().any(|pair| pair.key == "error.type"));
}

#[tokio::test]
async fn what_a_collector_cannot_take_now_is_sent_again() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let endpoint = format!("http://{}", listener.local_addr().expect("bound"));
    let options = TraceOptions { flush_every: Duration::from_millis(1), ..options(endpoint, 10) };
    let (tracer, mut exporter) = exporter(options).expect("an exporter");
    exporter.retry_after = Duration::from_millis(1);
    let export = exporter.spawn();
    tracer.record(span("one"));
    let (_, first) = receive_one(&listener, "503 Service Unavailable").await;
    let (_, second) = receive_one(&listener, "429 Too Many Requests").await;
    let (_, third) = receive_one(&listener, "200 OK").await;
    assert!(first == second && second == third, "the same message");
    tracer.record(span("two"));
    let (_, refused) = receive_one(&listener, "400 Bad Request").await;
    assert_ne!(refused, first);
    tracer.record(span("three"));
    let (_, next) = receive_one(&listener, "200 OK").await;
    assert_ne!(next, refused, "what is refused for good is not sent again");
    export.stop().await;
}

#[tokio::test]
async fn a_full_queue_drops_and_waits_for_nobody() {
    let (tracer, exporter) = exporter(options("http://127.0.0.1:9".to_owned(), 2)).expect("an exporter");
    for _ in 0..5 {
        tracer.record(span("one"));
    }
    assert_eq!(exporter.waiting(), 2);
}

#[tokio::test]
async fn nonsense_is_refused() {
    for protocol in [TraceProtocol::HttpProtobuf, TraceProtocol::Grpc] {
        let refused = exporter(TraceOptions { protocol, ..options("not an address".to_owned(), 1) });
        assert!(matches!(refused, Err(TracesError::Endpoint(_))));
        let headers = vec![("a b".to_owned(), "x".to_owned().into())];
        let refused =
            exporter(TraceOptions { protocol, headers, ..options("http://127.0.0.1:1".to_owned(), 1) });
        assert!(matches!(refused, Err(TracesError::Header)));
    }
}
