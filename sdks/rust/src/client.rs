//! The client: enqueue, start, push, events. Every other call is in [`crate::api`].

use std::future::IntoFuture;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use serde::Serialize;

use crate::api::{Calls, RegisterWorkflowQuery, StartExecutionQuery};
use crate::context::Context;
use crate::environment::variable;
use crate::error::{ClientError, ProblemError};
use crate::handles::{JobHandle, RunHandle};
use crate::json::{Codec, Json, Payload, PayloadKind, Plain};
use crate::models::{
    BatchResultEnqueued, CreatedExecution, ExecutionRequest, JobBatch, JobRequest, Priority,
};
use crate::options::{JobOptions, job_option_setters};
use crate::transport::{CallOptions, EventStream, Transport, TransportSettings, open};

const URL: &str = "http://127.0.0.1:8080";
const TIMEOUT: Duration = Duration::from_secs(30);

/// A client of one server. Clones share its connections.
#[derive(Clone)]
pub struct Client {
    pub(crate) transport: Arc<dyn Transport>,
    pub(crate) codec: Arc<dyn Codec>,
    pub(crate) tenant: Option<String>,
}

/// Builds a client. Unset values come from the environment or the defaults.
#[derive(Default)]
pub struct ClientBuilder {
    url: Option<String>,
    grpc_url: Option<String>,
    api_key: Option<String>,
    tenant: Option<String>,
    transport_name: Option<String>,
    transport: Option<Arc<dyn Transport>>,
    codec: Option<Arc<dyn Codec>>,
    timeout: Option<Duration>,
}

impl ClientBuilder {
    /// The server; `TRUNKLINE_URL`, else <http://127.0.0.1:8080>.
    #[must_use]
    pub fn url(mut self, url: impl Into<String>) -> Self {
        self.url = Some(url.into());
        self
    }

    /// URL of gRPC, such as <http://127.0.0.1:9090> (default: `TRUNKLINE_GRPC_URL`, else port 9090 of the server's
    /// host).
    #[must_use]
    pub fn grpc_url(mut self, url: impl Into<String>) -> Self {
        self.grpc_url = Some(url.into());
        self
    }

    /// The API key (default: `TRUNKLINE_API_KEY`).
    #[must_use]
    pub fn api_key(mut self, key: impl Into<String>) -> Self {
        self.api_key = Some(key.into());
        self
    }

    /// The tenant of created jobs and runs, for keys that are not bound to a tenant.
    #[must_use]
    pub fn tenant(mut self, tenant: impl Into<String>) -> Self {
        self.tenant = Some(tenant.into());
        self
    }

    /// `rest`, or a transport of a feature (default: `TRUNKLINE_TRANSPORT`, else `rest`).
    #[must_use]
    pub fn transport(mut self, name: impl Into<String>) -> Self {
        self.transport_name = Some(name.into());
        self
    }

    /// A custom transport, instead of one by name.
    #[must_use]
    pub fn with_transport(mut self, transport: Arc<dyn Transport>) -> Self {
        self.transport = Some(transport);
        self
    }

    /// The codec of data and results.
    #[must_use]
    pub fn codec(mut self, codec: impl Codec) -> Self {
        self.codec = Some(Arc::new(codec));
        self
    }

    /// Timeout of a call, including retries (default: 30 s).
    #[must_use]
    pub fn call_timeout(mut self, limit: Duration) -> Self {
        self.timeout = Some(limit);
        self
    }

    /// Builds the client. Fails if a setting is invalid; the server is not contacted yet.
    pub fn build(self) -> Result<Client, ClientError> {
        let transport = if let Some(transport) = self.transport {
            transport
        } else {
            let name = self.transport_name.or_else(|| variable("TRUNKLINE_TRANSPORT"));
            let settings = TransportSettings {
                url: self.url.or_else(|| variable("TRUNKLINE_URL")).unwrap_or_else(|| URL.to_owned()),
                grpc_url: self.grpc_url.or_else(|| variable("TRUNKLINE_GRPC_URL")),
                api_key: self.api_key.or_else(|| variable("TRUNKLINE_API_KEY")),
                timeout: self.timeout.unwrap_or(TIMEOUT),
            };
            open(name.as_deref().unwrap_or("rest"), &settings)?
        };
        let codec = self.codec.unwrap_or_else(|| Arc::new(Plain));
        Ok(Client { transport, codec, tenant: self.tenant })
    }
}

impl Client {
    /// A client for `TRUNKLINE_URL` with `TRUNKLINE_API_KEY` over `TRUNKLINE_TRANSPORT`.
    pub fn from_env() -> Result<Self, ClientError> {
        Self::builder().build()
    }

    /// A client with settings of the program.
    #[must_use]
    pub fn builder() -> ClientBuilder {
        ClientBuilder::default()
    }

    /// Every call of the API: schedules, dead letters and the rest.
    pub fn api(&self) -> Calls {
        Calls::new(Arc::clone(&self.transport))
    }

    /// Enqueues a job. It is stored durably once this returns.
    pub fn enqueue<T: Serialize + ?Sized>(&self, job_type: impl Into<String>, data: &T) -> Enqueue {
        let mut options = JobOptions::new();
        options.job.job_type = job_type.into();
        Enqueue { client: self.clone(), options, data: json("the data", data), key: None }
    }

    /// Enqueues many jobs in one commit. Build each with [`Client::enqueue`].
    pub fn enqueue_batch(&self, jobs: impl IntoIterator<Item = Enqueue>) -> EnqueueBatch {
        EnqueueBatch { client: self.clone(), jobs: jobs.into_iter().collect(), partial: false, key: None }
    }

    /// The handle of an existing job.
    pub fn job(&self, id: impl Into<String>) -> JobHandle {
        JobHandle::new(self.clone(), id.into(), true)
    }

    /// Starts a workflow. It is stored durably once this returns.
    pub fn start<T: Serialize + ?Sized>(&self, workflow: impl Into<String>, input: &T) -> Start {
        let request = ExecutionRequest { workflow: workflow.into(), ..ExecutionRequest::default() };
        Start { client: self.clone(), request, input: json("the input", input), key: None }
    }

    /// The handle of an existing run.
    pub fn run(&self, id: impl Into<String>) -> RunHandle {
        RunHandle::new(self.clone(), id.into())
    }

    /// Registers a version of a workflow: a [`crate::workflow::Definition`], or anything that is a definition as JSON.
    /// The same content again changes nothing. Returns name and version.
    pub async fn push<T: Serialize + ?Sized>(&self, definition: &T) -> Result<(String, i32), ClientError> {
        let body = json("the definition", definition)?;
        let answer = self.api().register_workflow(&body, &RegisterWorkflowQuery::default()).await?;
        Ok((answer.name.unwrap_or_default(), answer.version.unwrap_or_default()))
    }

    /// The stream of changes from now on; each signals that a resource should be read again. The stream is open once
    /// this returns, and survives broken connections.
    pub async fn events(&self) -> Result<EventStream, ClientError> {
        self.transport.events().await
    }

    fn calls(&self, key: Option<String>) -> Calls {
        self.api().options(CallOptions { idempotency_key: key, ..CallOptions::default() })
    }
}

fn json<T: Serialize + ?Sized>(what: &str, value: &T) -> Result<Json, ClientError> {
    Json::of(value).map_err(|error| ClientError::json(format!("{what} is no JSON"), error))
}

fn current_traceparent() -> Option<String> {
    Context::current().and_then(|context| context.traceparent().map(str::to_owned))
}

/// A job to enqueue: set options, then await it.
#[must_use = "nothing is sent before it is awaited"]
pub struct Enqueue {
    client: Client,
    options: JobOptions,
    data: Result<Json, ClientError>,
    key: Option<String>,
}

impl Enqueue {
    job_option_setters!(self => self.options.job);

    /// Makes repeated calls with the same content create one job (default: random).
    pub fn idempotency_key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// Sets all options at once, overriding options that are already set.
    pub fn options(mut self, options: JobOptions) -> Self {
        let before = std::mem::take(&mut self.options.job);
        let given = options.job;
        self.options.job = JobRequest {
            job_type: before.job_type,
            data: before.data,
            attributes: given.attributes.or(before.attributes),
            backoff: given.backoff.or(before.backoff),
            concurrency_key: given.concurrency_key.or(before.concurrency_key),
            delay: given.delay.or(before.delay),
            expires_in: given.expires_in.or(before.expires_in),
            max_retries: given.max_retries.or(before.max_retries),
            priority: given.priority.or(before.priority),
            rate_key: given.rate_key.or(before.rate_key),
            run_at: given.run_at.or(before.run_at),
            tags: given.tags.or(before.tags),
            tenant: given.tenant.or(before.tenant),
            timeout: given.timeout.or(before.timeout),
            traceparent: given.traceparent.or(before.traceparent),
            unique_key: given.unique_key.or(before.unique_key),
        };
        self
    }

    async fn request(self) -> Result<JobRequest, ClientError> {
        let mut job = self.options.job;
        let payload = Payload { kind: PayloadKind::Data, job_type: &job.job_type };
        let data = self.client.codec.encode(self.data?, payload).await.map_err(ClientError::Codec)?;
        job.data = Some(data);
        job.tenant = job.tenant.or_else(|| self.client.tenant.clone());
        job.traceparent = job.traceparent.or_else(current_traceparent);
        Ok(job)
    }

    async fn send(mut self) -> Result<JobHandle, ClientError> {
        let (client, key) = (self.client.clone(), self.key.take());
        let body = self.request().await?;
        let enqueued = client.calls(key).enqueue_job(&body).await?;
        Ok(JobHandle::new(client, enqueued.id, enqueued.existing.unwrap_or_default()))
    }
}

impl IntoFuture for Enqueue {
    type Output = Result<JobHandle, ClientError>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

/// A batch to enqueue: await it.
#[must_use = "nothing is sent before it is awaited"]
pub struct EnqueueBatch {
    client: Client,
    jobs: Vec<Enqueue>,
    partial: bool,
    key: Option<String>,
}

impl EnqueueBatch {
    /// Accepts the valid jobs. Without this, one invalid job rejects the batch.
    pub fn partial(mut self) -> Self {
        self.partial = true;
        self
    }

    /// Makes repeated calls with the same content create one batch (default: random).
    pub fn idempotency_key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    async fn send(self) -> Result<Vec<Result<JobHandle, ClientError>>, ClientError> {
        let mut body = JobBatch { partial: Some(self.partial), ..JobBatch::default() };
        for job in self.jobs {
            body.jobs.push(job.request().await?);
        }
        let answer = self.client.calls(self.key).enqueue_jobs(&body).await?;
        let handle = |result: BatchResultEnqueued| {
            if let Some(problem) = result.error {
                return Err(ClientError::Problem(Box::new(ProblemError { problem, retry_after: None })));
            }
            let existing = result.existing.unwrap_or_default();
            Ok(JobHandle::new(self.client.clone(), result.id.unwrap_or_default(), existing))
        };
        Ok(answer.results.into_iter().map(handle).collect())
    }
}

impl IntoFuture for EnqueueBatch {
    type Output = Result<Vec<Result<JobHandle, ClientError>>, ClientError>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

/// A run to start: set options, then await it.
#[must_use = "nothing is sent before it is awaited"]
pub struct Start {
    client: Client,
    request: ExecutionRequest,
    input: Result<Json, ClientError>,
    key: Option<String>,
}

impl Start {
    /// The version of the workflow (default: the latest).
    pub fn version(mut self, version: i32) -> Self {
        self.request.version = Some(version);
        self
    }

    /// High, normal or low.
    pub fn priority(mut self, priority: Priority) -> Self {
        self.request.priority = Some(priority);
        self
    }

    /// Tags for filtering.
    pub fn tags<T: Into<String>>(mut self, tags: impl IntoIterator<Item = T>) -> Self {
        self.request.tags = Some(tags.into_iter().map(Into::into).collect());
        self
    }

    /// The tenant of the run, which overrides the client's tenant.
    pub fn tenant(mut self, tenant: impl Into<String>) -> Self {
        self.request.tenant = Some(tenant.into());
        self
    }

    /// An ID chosen by the caller.
    pub fn correlation_id(mut self, id: impl Into<String>) -> Self {
        self.request.correlation_id = Some(id.into());
        self
    }

    /// At most one open run of the workflow has this key.
    pub fn unique_key(mut self, key: impl Into<String>) -> Self {
        self.request.unique_key = Some(key.into());
        self
    }

    /// The W3C trace context (default: the context of the surrounding handler).
    pub fn traceparent(mut self, value: impl Into<String>) -> Self {
        self.request.traceparent = Some(value.into());
        self
    }

    /// Makes repeated calls with the same content create one run (default: random).
    pub fn idempotency_key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    async fn send(self) -> Result<RunHandle, ClientError> {
        let mut request = self.request;
        let input = self.input?;
        request.input = (!input.is_null()).then_some(input);
        request.tenant = request.tenant.or_else(|| self.client.tenant.clone());
        request.traceparent = request.traceparent.or_else(current_traceparent);
        let calls = self.client.calls(self.key);
        let answer = calls.start_execution(&request, &StartExecutionQuery::default()).await?;
        let created: CreatedExecution =
            answer.decode().map_err(|error| ClientError::json("startExecution", error))?;
        Ok(RunHandle::new(self.client, created.id))
    }
}

impl IntoFuture for Start {
    type Output = Result<RunHandle, ClientError>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}
