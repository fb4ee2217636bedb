//! The span of a request that an `HTTP` node makes. It is below that of the attempt, and the request carries its context.

use domain::job::Outcome;
use domain::time::Timestamp;
use domain::trace::{SpanPlace, TraceContext};
use reqwest::Url;
use store::jobs::ClaimedJob;
use telemetry::{Span, SpanKind, tracer};

use super::call::HttpCall;

/// The context that the request of an attempt carries: its own span's, or what the job carries while spans go nowhere.
pub(super) fn traceparent(job: &ClaimedJob) -> Option<String> {
    match place(job) {
        Some(place) => Some(place.context.to_string()),
        None => job.traceparent.clone(),
    }
}

/// Where the span stands; `None` while spans go nowhere.
fn place(job: &ClaimedJob) -> Option<SpanPlace> {
    tracer()?;
    let attempt = job.traceparent.as_deref().and_then(TraceContext::parse)?;
    Some(SpanPlace::inside(attempt, "request", 0))
}

/// A request under way.
pub(super) struct RequestSpan(Option<Span>);

impl RequestSpan {
    /// The span of a call that begins.
    pub(super) fn begin(job: &ClaimedJob, call: &HttpCall, now: Timestamp) -> Self {
        Self(place(job).filter(|place| place.context.is_sampled).map(|place| {
            let (method, url) = (call.request.method.as_str().to_owned(), &call.request.url);
            Span::new(place, method.clone(), SpanKind::Client, (now, now))
                .with("http.request.method", method)
                .with("url.full", redacted(url))
                .with_some("server.address", url.host_str().map(str::to_owned))
                .with_some("server.port", url.port_or_known_default().map(i64::from))
                .with("trunkline.tenant", job.tenant.to_string())
                .with("messaging.message.id", job.id.to_string())
        }))
    }

    /// Records it. A status is an error where it is one of HTTP, whatever the node expects.
    pub(super) fn answered(self, status: u16, now: Timestamp) {
        self.end(Some(status), (status >= 400).then(|| status.to_string()), now);
    }

    /// Records a request that nobody answered.
    pub(super) fn failed(self, outcome: &Outcome, now: Timestamp) {
        let code = match outcome {
            Outcome::Failed { error, .. } => error.code.clone(),
            _ => None,
        };
        self.end(None, Some(code.unwrap_or_else(|| "error".to_owned())), now);
    }

    fn end(self, status: Option<u16>, error: Option<String>, now: Timestamp) {
        if let (Some(span), Some(tracer)) = (self.0, tracer()) {
            let span = span.with_some("http.response.status_code", status.map(i64::from));
            tracer.record(Span { error, ..span.until(now) });
        }
    }
}

/// An address without what may be a secret: credentials and the query.
fn redacted(url: &Url) -> String {
    let mut shown = url.clone();
    // An address of HTTP can have neither taken from it only if it has no host, and then it has none.
    let _ = shown.set_username("");
    let _ = shown.set_password(None);
    shown.set_fragment(None);
    if shown.query().is_some() {
        shown.set_query(Some("REDACTED"));
    }
    shown.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_show_no_secrets() {
        for (url, shown) in [
            ("https://a.example/x", "https://a.example/x"),
            ("https://ann:pw@a.example:8443/x?key=1#y", "https://a.example:8443/x?REDACTED"),
        ] {
            assert_eq!(redacted(&Url::parse(url).expect("a url")), shown);
        }
    }

    #[test]
    fn without_a_collector_the_job_s_context_is_sent() {
        let job = crate::test_job::test_job("trunkline:http", 1);
        assert_eq!(traceparent(&job), job.traceparent);
    }
}
