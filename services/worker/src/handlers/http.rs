//! The built-in handler of `HTTP` nodes: one call to an outside service, and what its answer means.
//!
//! Which addresses may be called and how much may be read is the business of `egress`.

mod call;
mod failure;
mod output;
mod secrets;

use std::sync::Arc;

use async_trait::async_trait;
use domain::job::Outcome;
use domain::time::Timestamp;
use reqwest::Url;
use store::Clock;
use store::jobs::ClaimedJob;
use telemetry::{Span, SpanKind, tracer};
use tokio_util::sync::CancellationToken;

use crate::egress::EgressClients;
use crate::handlers::{Handler, HandlerEnd};
use call::{HttpCall, place};

pub use secrets::SecretSource;

// The handler itself: from the job to its outcome.

/// Calls the URL that the job's data names: `{"method", "url", "headers", "body"?, "expect"?: [200, …]}`.
pub struct HttpHandler {
    clients: EgressClients,
    clock: Arc<dyn Clock>,
    secrets: Option<Arc<dyn SecretSource>>,
}

impl HttpHandler {
    /// A handler. The clock is asked for `Retry-After` headers that name an instant, and for spans.
    pub fn new(clients: EgressClients, clock: Arc<dyn Clock>) -> Self {
        Self { clients, clock, secrets: None }
    }

    /// The same with secrets for headers. Without them a request that needs one fails.
    #[must_use]
    pub fn with_secrets(self, secrets: Arc<dyn SecretSource>) -> Self {
        Self { secrets: Some(secrets), ..self }
    }

    async fn attempt(&self, job: &ClaimedJob) -> Result<String, Outcome> {
        let mut call = HttpCall::read(job).map_err(|fault| failure::invalid(&fault))?;
        let secrets = secrets::fill(&mut call, self.secrets.as_deref(), &job.tenant).await?;
        let span = RequestSpan::begin(job, &call, self.clock.now());
        let expected = call.expect;
        let answered = self.clients.of(&job.tenant).call(call.request, |status| expected.holds(status)).await;
        let response = match answered {
            Ok(response) => {
                span.answered(response.status.as_u16(), self.clock.now());
                response
            }
            Err(error) => {
                let outcome = failure::not_answered(&error);
                span.failed(&outcome, self.clock.now());
                return Err(outcome);
            }
        };
        let response = secrets::without(response, &secrets);
        if expected.holds(response.status) {
            Ok(output::of(&response))
        } else {
            Err(failure::unexpected_status(&response, self.clock.now()))
        }
    }
}

#[async_trait]
impl Handler for HttpHandler {
    async fn run(&self, job: &ClaimedJob, _stop: CancellationToken) -> HandlerEnd {
        let outcome = match self.attempt(job).await {
            Ok(output) => Outcome::Completed(Some(output)),
            Err(failed) => failed,
        };
        outcome.into()
    }
}

// The span of a request that an `HTTP` node makes. It is below that of the attempt, and the request carries its context.

/// A request under way.
struct RequestSpan(Option<Span>);

impl RequestSpan {
    /// The span of a call that begins.
    fn begin(job: &ClaimedJob, call: &HttpCall, now: Timestamp) -> Self {
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
    fn answered(self, status: u16, now: Timestamp) {
        self.end(Some(status), (status >= 400).then(|| status.to_string()), now);
    }

    /// Records a request that nobody answered.
    fn failed(self, outcome: &Outcome, now: Timestamp) {
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
mod tests;

#[cfg(test)]
mod spans_tests {
    use super::call::traceparent;
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
