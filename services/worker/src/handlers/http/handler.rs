//! The handler itself: from the job to its outcome.

use std::sync::Arc;

use async_trait::async_trait;
use domain::job::Outcome;
use store::Clock;
use store::jobs::ClaimedJob;
use tokio_util::sync::CancellationToken;

use super::call::HttpCall;
use super::secrets::{self, SecretSource};
use super::spans::RequestSpan;
use super::{failure, output};
use crate::egress::EgressClients;
use crate::handlers::{Handler, HandlerEnd};

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
