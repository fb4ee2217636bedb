//! Ids and spans of requests.

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName};
use domain::time::{DurationMs, Timestamp};
use domain::trace::{SpanId, SpanPlace, TraceContext, TraceId};
use engine::Engine;
use telemetry::{Span, SpanKind, Tracer, tracer};
use tokio::time::Instant;

/// What workers call again and again. Such a request has a span only where its caller has one.
const OF_WORKERS: [&str; 6] = [
    "/v1/jobs/poll",
    "/v1/jobs/complete",
    "/v1/jobs/fail",
    "/v1/jobs/heartbeat",
    "/v1/jobs/release",
    "/v1/jobs/logs",
];
/// A poll ends when it ends: most of them find nothing.
const POLL: &str = OF_WORKERS[0];

/// The span of a request, which what it starts is below.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RequestSpan(TraceContext);

impl RequestSpan {
    /// Its context.
    pub(crate) fn traceparent(&self) -> String {
        self.0.to_string()
    }
}

/// A request under way.
#[derive(Debug)]
pub(crate) struct OpenSpan {
    place: SpanPlace,
    method: String,
    path: String,
    begun: Timestamp,
    started: Instant,
}

/// Begins the span of a request whose answer somebody may ask about. `None` while spans go nowhere.
pub(crate) fn begin(engine: &Engine, request: &mut Request, route: &str) -> Option<OpenSpan> {
    let tracer = tracer()?;
    let caller = context_of(request.headers());
    if !has_span(route, caller) {
        return None;
    }
    let span = OpenSpan {
        place: place_of(tracer, engine, caller),
        method: request.method().as_str().to_owned(),
        path: loggable(request.uri().path()).to_owned(),
        begun: engine.now(),
        started: Instant::now(),
    };
    request.extensions_mut().insert(RequestSpan(span.place.context));
    Some(span)
}

impl OpenSpan {
    /// Records it with the answer's status.
    pub(crate) fn end(self, route: &str, status: u16) {
        if let Some(tracer) = tracer() {
            let ended = self.begun.plus(DurationMs(self.started.elapsed().as_millis() as i64));
            tracer.record(span_of(self.place, &self.method, route, self.path, status, (self.begun, ended)));
        }
    }
}

fn context_of(headers: &HeaderMap) -> Option<TraceContext> {
    headers.get("traceparent")?.to_str().ok().and_then(TraceContext::parse)
}

fn has_span(route: &str, caller: Option<TraceContext>) -> bool {
    let is_ours = ["/v1/", "/hooks/", "/callbacks/"].iter().any(|start| route.starts_with(start));
    is_ours && route != POLL && (caller.is_some() || !OF_WORKERS.contains(&route))
}

fn place_of(tracer: &Tracer, engine: &Engine, caller: Option<TraceContext>) -> SpanPlace {
    let drawn = || engine.entropy().token().0.as_u128();
    let span = SpanId((drawn() as u64).max(1));
    if let Some(caller) = caller {
        return SpanPlace::below(caller, span);
    }
    let context = TraceContext::begin(TraceId(drawn().max(1)), span, tracer.share());
    SpanPlace { context, parent: None, links: Vec::new() }
}

fn span_of(
    place: SpanPlace,
    method: &str,
    route: &str,
    path: String,
    status: u16,
    times: (Timestamp, Timestamp),
) -> Span {
    let mut span = Span::new(place, format!("{method} {route}"), SpanKind::Server, times)
        .with("http.request.method", method.to_owned())
        .with("http.route", route.to_owned())
        .with("url.path", path)
        .with("http.response.status_code", i64::from(status));
    span.error = (status >= 500).then(|| status.to_string());
    span
}

// Whether the id of a request is its sender's or ours.

/// The header that names a request in logs and answers.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Marks a request whose id is made by us: what is kept of a delivery is what its sender sent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OwnRequestId;

/// Marks requests that come without an id. Before one is made.
pub(crate) fn record_request_id(mut request: Request) -> Request {
    if !request.headers().contains_key(REQUEST_ID) {
        request.extensions_mut().insert(OwnRequestId);
    }
    request
}

/// How much of what a caller made up stands in each line of the log about its request, in bytes.
const LOGGED_BYTES_MAX: usize = 1_000;

/// The path without the token of a callback address, which is a secret, or the id of a request; cut where it is long.
pub(crate) fn loggable(path: &str) -> &str {
    let path = &path[..path.floor_char_boundary(LOGGED_BYTES_MAX)];
    match path.strip_prefix("/callbacks/").and_then(|rest| rest.match_indices('/').nth(1)) {
        Some((end, _)) => &path[.."/callbacks/".len() + end],
        None => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_and_files_make_no_spans_of_their_own() {
        let caller = TraceContext::parse("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
        assert!(has_span("/v1/jobs", None) && has_span("/hooks/{id}", None));
        assert!(has_span("/callbacks/{executionId}/{nodeId}/{token}", None));
        assert!(!has_span("/v1/jobs/complete", None) && has_span("/v1/jobs/complete", caller));
        assert!(!has_span("/v1/jobs/poll", caller));
        assert!(!has_span("/docs", caller));
    }

    #[test]
    fn only_our_own_failures_are_errors() {
        let context = TraceContext::begin(TraceId(1), SpanId(1), 1.0);
        let span = |status| {
            let place = SpanPlace { context, parent: None, links: Vec::new() };
            span_of(place, "POST", "/v1/jobs", "/v1/jobs".to_owned(), status, (Timestamp(1), Timestamp(2)))
        };
        assert_eq!((span(404).error, span(503).error), (None, Some("503".to_owned())));
        assert_eq!(span(202).name, "POST /v1/jobs");
    }

    #[test]
    fn tokens_of_callbacks_are_not_logged() {
        assert_eq!(loggable("/callbacks/exe_1/node/secret"), "/callbacks/exe_1/node");
        assert_eq!(loggable("/callbacks/exe_1/node/secret/more"), "/callbacks/exe_1/node");
        for path in ["/callbacks/exe_1/node", "/callbacks/", "/v1/jobs/a/b/c"] {
            assert_eq!(loggable(path), path);
        }
        let long = format!("/callbacks/exe_1/{}/secret", "n".repeat(60_000));
        assert_eq!(loggable(&long).len(), LOGGED_BYTES_MAX);
        assert!(!loggable(&long).contains("secret"));
    }
}
