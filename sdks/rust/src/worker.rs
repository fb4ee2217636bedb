//! The worker: polls, runs handlers, renews leases, reports, drains.

mod attempt;
mod channel;
mod drain;
mod handler;
mod health;
mod heartbeats;
mod leases;
mod lines;
mod metrics;
mod reporter;
mod runner;

use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::runtime::Handle;

use crate::background::Background;
use crate::client::Client;
use crate::context::Context;
use crate::environment;
use crate::error::ClientError;
use crate::handler_error::Error;
use crate::json::Json;
use runner::Runner;

pub(crate) use channel::{Report, ReportKind};
pub use handler::{Handler, HandlerFuture, Middleware};
pub use health::{Health, HealthStatus};

// A worker before it runs.

const CONCURRENCY: usize = 10;
const POLL_WAIT: Duration = Duration::from_secs(20);
const POLL_WAIT_MAX: Duration = Duration::from_secs(30);
const DRAIN: Duration = Duration::from_secs(25);

type OnEvent = Arc<dyn Fn(&Event<'_>) + Send + Sync>;

/// What a worker is set to.
struct Settings {
    concurrency: usize,
    poll_wait: Duration,
    drain_timeout: Duration,
    lease: Option<Duration>,
    tenant: Option<String>,
    worker_id: String,
    build: Option<String>,
    builds: Vec<String>,
    health_address: Option<String>,
    on_event: Option<OnEvent>,
}

/// Serves job types until it is stopped. Add handlers, then run it.
pub struct Worker {
    client: Client,
    settings: Settings,
    drain_timeout: Option<Duration>,
    handlers: HashMap<String, Handler>,
    middleware: Vec<Middleware>,
    health: Health,
}

impl Worker {
    /// A worker without handlers.
    #[must_use]
    pub fn new(client: Client) -> Self {
        let settings = Settings {
            concurrency: CONCURRENCY,
            poll_wait: POLL_WAIT,
            drain_timeout: DRAIN,
            lease: None,
            tenant: None,
            worker_id: worker_id(),
            build: None,
            builds: Vec::new(),
            health_address: environment::variable("TRUNKLINE_WORKER_HEALTH"),
            on_event: None,
        };
        let (handlers, middleware) = (HashMap::new(), Vec::new());
        Self { client, settings, drain_timeout: None, handlers, middleware, health: Health::new() }
    }

    /// Serves a job type with a function over the program's own types. If the data does not match, the job fails
    /// permanently with the code `invalid_data`.
    #[must_use]
    pub fn handle<In, Out, F, Fut>(self, job_type: impl Into<String>, handle: F) -> Self
    where
        In: DeserializeOwned + Send + 'static,
        Out: Serialize + Send + 'static,
        F: Fn(In, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Out, Error>> + Send + 'static,
    {
        self.handler(job_type, Handler::typed(handle))
    }

    /// Serves a job type with a handler over JSON.
    #[must_use]
    pub fn handler(mut self, job_type: impl Into<String>, handler: Handler) -> Self {
        self.handlers.insert(job_type.into(), handler);
        self
    }

    /// Wraps every handler; the first is the outermost.
    #[must_use]
    pub fn middleware<F, Fut>(mut self, around: F) -> Self
    where
        F: Fn(Json, Context, Handler) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Json, Error>> + Send + 'static,
    {
        self.middleware.push(Arc::new(move |data, context, next| Box::pin(around(data, context, next))));
        self
    }

    /// Maximum number of concurrent handlers (default: 10).
    #[must_use]
    pub fn concurrency(mut self, handlers: usize) -> Self {
        self.settings.concurrency = handlers.max(1);
        self
    }

    /// How long a poll waits for a job, at most 30 s (default: 20 s).
    #[must_use]
    pub fn poll_wait(mut self, wait: Duration) -> Self {
        self.settings.poll_wait = wait.min(POLL_WAIT_MAX);
        self
    }

    /// How long handlers may continue after SIGTERM (default: `TRUNKLINE_DRAIN_TIMEOUT`, else 25 s).
    #[must_use]
    pub fn drain_timeout(mut self, limit: Duration) -> Self {
        self.drain_timeout = Some(limit);
        self
    }

    /// Duration of leases (default: the server's setting).
    #[must_use]
    pub fn lease(mut self, length: Duration) -> Self {
        self.settings.lease = Some(length);
        self
    }

    /// Restricts the worker to jobs of this tenant.
    #[must_use]
    pub fn tenant(mut self, tenant: impl Into<String>) -> Self {
        self.settings.tenant = Some(tenant.into());
        self
    }

    /// ID of the worker (default: host, process and a random part).
    #[must_use]
    pub fn worker_id(mut self, id: impl Into<String>) -> Self {
        self.settings.worker_id = id.into();
        self
    }

    /// Names the code that the worker runs, such as a version or a commit. It is shown with the worker.
    #[must_use]
    pub fn build(mut self, name: impl Into<String>) -> Self {
        self.settings.build = Some(name.into());
        self
    }

    /// Pins the job types to these builds, which must include the worker's own, when the worker starts: from then on,
    /// only workers of these builds receive their jobs.
    #[must_use]
    pub fn builds(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.settings.builds = names.into_iter().map(Into::into).collect();
        self
    }

    /// Listen address of `/healthz` and `/metrics`, such as `127.0.0.1:8090` (default: `TRUNKLINE_WORKER_HEALTH`, if
    /// set).
    #[must_use]
    pub fn health_address(mut self, address: impl Into<String>) -> Self {
        self.settings.health_address = Some(address.into());
        self
    }

    /// Called with events for metrics. It must not block.
    #[must_use]
    pub fn on_event(mut self, call: impl Fn(&Event<'_>) + Send + Sync + 'static) -> Self {
        self.settings.on_event = Some(Arc::new(call));
        self
    }

    /// The worker's health, which can be read while it runs.
    pub fn health(&self) -> Health {
        self.health.clone()
    }

    /// Serves until SIGTERM or SIGINT arrives, or an operator drains the worker. Then it takes no new jobs, waits for
    /// handlers up to the drain timeout, cancels the rest and releases their jobs. Fails if a setting is invalid or the
    /// server rejects the first poll.
    pub async fn run(self) -> Result<(), ClientError> {
        self.run_until(std::future::pending()).await
    }

    /// Like [`Worker::run`], until `shutdown` completes.
    pub async fn run_until(
        mut self,
        shutdown: impl Future<Output = ()> + Send + 'static,
    ) -> Result<(), ClientError> {
        if self.handlers.is_empty() {
            return Err(ClientError::Configuration("a worker needs at least one handler".to_owned()));
        }
        let from_environment = environment::duration_of("TRUNKLINE_DRAIN_TIMEOUT")?;
        self.settings.drain_timeout = self.drain_timeout.or(from_environment).unwrap_or(DRAIN);
        let middleware = self.middleware;
        let around = |handler: Handler| middleware.iter().rev().fold(handler, Handler::within);
        let handlers =
            self.handlers.into_iter().map(|(job_type, handler)| (job_type, around(handler))).collect();
        let background = Background::start("trunkline-worker")?;
        let runner = Runner::new(self.client, self.settings, handlers, self.health, Handle::current());
        background.run("worker", runner.run(shutdown)).await
    }
}

fn worker_id() -> String {
    #[expect(clippy::disallowed_methods, reason = "names of workers are random")]
    let random: u32 = rand::random();
    format!("{}-{}-{random:08x}", environment::host_name(), std::process::id())
}

// What metrics could count.

/// Something that happened in a worker.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A handler began.
    Started {
        /// The job's type.
        job_type: &'a str,
    },
    /// A handler ended, and what it came to was reported.
    Finished {
        /// The job's type.
        job_type: &'a str,
        /// `complete`, `fail`, `release`, or `none` where the lease was lost.
        outcome: &'a str,
        /// From the start of the handler to the answer to the report.
        duration: Duration,
    },
    /// Jobs came, or none within the wait.
    Polled {
        /// How many.
        jobs: usize,
    },
    /// A poll failed.
    PollFailed {
        /// Why.
        error: &'a crate::ClientError,
    },
    /// Leases could not be renewed; it is tried again before they end.
    HeartbeatFailed {
        /// Why.
        error: &'a crate::ClientError,
    },
}
