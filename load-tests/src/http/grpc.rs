//! gRPC for the load tests: the whole interface on loopback, and workers on its streams.

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use api::{Admission, ApiOptions};
use async_trait::async_trait;
use axum::body::Body;
use axum::http::{Request, Response};
use domain::access::{Action, Role};
use domain::error::Fault;
use domain::time::DurationMs;
use engine::{Caller, Engine};
use grpc::proto::from_worker::Message as Sent;
use grpc::proto::to_worker::Message;
use grpc::proto::worker_service_client::WorkerServiceClient;
use grpc::proto::{CompleteJobsRequest, Completion, Credits, FromWorker, Hello, PolledJob, ToWorker};
use grpc::{Gate, GrpcOptions, GrpcParts, MessageRoom, RestCall};
use tokio::sync::mpsc;
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::Streaming;
use tonic::transport::Endpoint;

use super::Served;

/// Lets callers in as the product does.
struct RestGate(Admission);

#[async_trait]
impl Gate for RestGate {
    async fn identify(&self, head: Request<Body>) -> Result<Caller, Response<Body>> {
        self.0.identify(head).await
    }

    async fn admit(&self, head: Request<Body>, action: Action) -> Result<Caller, Response<Body>> {
        self.0.admit(head, action).await
    }

    async fn admit_call(
        &self,
        head: Request<Body>,
        call: RestCall<'_>,
    ) -> Result<(Caller, usize), Response<Body>> {
        self.0.admit_call(head, (call.method, call.path, call.query)).await
    }

    fn room(&self, caller: &Caller) -> MessageRoom {
        Box::new(self.0.room(caller))
    }

    async fn count(&self, caller: &Caller) -> Option<DurationMs> {
        self.0.count(caller).await
    }

    fn check_json(&self, text: &str) -> Result<(), Fault> {
        self.0.check_json(text)
    }
}

impl Served {
    /// Starts the whole gRPC interface over an engine; answers a key for it too.
    pub(crate) async fn grpc(engine: &Engine) -> Result<(Self, String)> {
        let (_, key) = engine.create_key(&Caller::system(), "load-grpc", Role::Admin, None).await?;
        let options = ApiOptions::default();
        let parts = GrpcParts {
            engine: engine.clone(),
            rest: api::router(engine.clone(), options.clone()),
            gate: Arc::new(RestGate(Admission::new(engine.clone(), options))),
            options: GrpcOptions::default(),
        };
        let served = Self::start(grpc::router(parts).await).await?;
        Ok((served, key.reveal().to_owned()))
    }
}

/// A worker on a stream, over a connection of its own.
pub(crate) struct StreamWorker {
    sender: mpsc::UnboundedSender<FromWorker>,
    incoming: Streaming<ToWorker>,
    reports: u64,
}

/// What came over a stream.
pub(crate) enum Came {
    /// Jobs to begin.
    Jobs(Vec<PolledJob>),
    /// So many reports were accepted.
    Accepted(usize),
}

impl StreamWorker {
    /// Opens a stream with room for so many jobs.
    pub(crate) async fn open(address: SocketAddr, key: &str, number: usize, room: u32) -> Result<Self> {
        let channel = Endpoint::from_shared(format!("http://{address}"))?.tcp_nodelay(true).connect().await?;
        let (sender, receiver) = mpsc::unbounded_channel();
        let hello = Hello {
            worker_id: format!("load-{number}"),
            job_types: vec!["noop".to_owned()],
            ..Hello::default()
        };
        sender.send(FromWorker { number: 0, message: Some(Sent::Hello(hello)) })?;
        let mut request = tonic::Request::new(UnboundedReceiverStream::new(receiver));
        request.metadata_mut().insert("authorization", format!("Bearer {key}").parse()?);
        let incoming = WorkerServiceClient::new(channel).connect(request).await?.into_inner();
        let worker = Self { sender, incoming, reports: 0 };
        worker.make_room(room)?;
        Ok(worker)
    }

    fn make_room(&self, count: u32) -> Result<()> {
        let credits = FromWorker { number: 0, message: Some(Sent::Credits(Credits { count })) };
        self.sender.send(credits).context("the stream ended")
    }

    /// Reports these jobs as done in one message, and has room for as many others.
    pub(crate) fn complete(&mut self, jobs: Vec<PolledJob>) -> Result<()> {
        let count = u32::try_from(jobs.len())?;
        let done = jobs.into_iter().map(|job| Completion {
            id: job.id,
            lease_token: job.lease_token,
            ..Completion::default()
        });
        self.reports += 1;
        let report = Sent::Complete(CompleteJobsRequest { jobs: done.collect(), poll: None });
        let report = FromWorker { number: self.reports, message: Some(report) };
        self.sender.send(report).context("the stream ended")?;
        self.make_room(count)
    }

    /// What comes next; `None` at the end of the stream.
    pub(crate) async fn next(&mut self) -> Result<Option<Came>> {
        while let Some(message) = self.incoming.message().await? {
            match message.message {
                Some(Message::Offer(offer)) => return Ok(Some(Came::Jobs(offer.jobs))),
                Some(Message::Outcome(outcome)) => {
                    if outcome.results.iter().any(|result| result.outcome != "ok") {
                        bail!("a lease was lost");
                    }
                    return Ok(Some(Came::Accepted(outcome.results.len())));
                }
                Some(Message::Cancel(_)) => bail!("a job was taken back"),
                Some(Message::Drain(_) | Message::Alive(_)) | None => {}
            }
        }
        Ok(None)
    }
}
