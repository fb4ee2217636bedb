//! A server in this process with both doors, and workers on its streams.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use api::{Admission, ApiOptions};
use async_trait::async_trait;
use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Request, Response};
use domain::access::{Action, Role};
use domain::error::Fault;
use domain::names::TenantName;
use domain::time::DurationMs;
use engine::Caller;
use grpc::proto::from_worker::Message as Sent;
use grpc::proto::to_worker::Message;
use grpc::proto::worker_service_client::WorkerServiceClient;
use grpc::proto::{
    Alive, CompleteJobsRequest, Completion, Credits, FromWorker, Hello, PolledJob, Received, ToWorker,
};
use grpc::{Gate, GrpcOptions, GrpcParts, MessageRoom, RestCall, StreamOptions};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use store::Store;
use testkit::EngineHarness;
use testkit::database::TestStore;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_stream::wrappers::UnboundedReceiverStream;
use tokio_util::sync::CancellationToken;
use tonic::metadata::AsciiMetadataValue;
use tonic::service::Interceptor;
use tonic::transport::{Channel, Endpoint};
use tonic::{Status, Streaming};
use tower::ServiceExt as _;

/// Names of workers.
static WORKERS: AtomicU32 = AtomicU32::new(1);

/// How long anything may take on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// A server with an administrator's key.
pub(crate) struct Harness {
    pub(crate) engine: EngineHarness,
    pub(crate) rest: Router,
    pub(crate) router: Router,
    pub(crate) address: SocketAddr,
    pub(crate) key: String,
    /// Says to streams that their connection ends.
    pub(crate) ending: CancellationToken,
    _store: TestStore,
}

/// Adds a key to calls.
#[derive(Clone)]
pub(crate) struct WithKey(Option<AsciiMetadataValue>);

impl Interceptor for WithKey {
    fn call(&mut self, mut request: tonic::Request<()>) -> Result<tonic::Request<()>, Status> {
        if let Some(key) = &self.0 {
            request.metadata_mut().insert("authorization", key.clone());
        }
        Ok(request)
    }
}

pub(crate) fn with_key(key: &str) -> WithKey {
    let value = (!key.is_empty()).then(|| format!("Bearer {key}").parse().unwrap());
    WithKey(value)
}

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

/// Times that tests can wait for. Jobs do not go back for being confirmed late, however busy the machine is.
pub(crate) fn quick() -> StreamOptions {
    StreamOptions {
        alive_interval: DurationMs(100),
        receipt_within: DurationMs::from_secs(25),
        look_interval: DurationMs(50),
        ..StreamOptions::default()
    }
}

/// The same, where jobs that are not confirmed go back soon: workers of such tests take them with [`Worker::finish`] and
/// [`Worker::collect`], which bear that.
pub(crate) fn impatient() -> StreamOptions {
    StreamOptions { receipt_within: DurationMs(300), ..quick() }
}

impl Harness {
    pub(crate) async fn start() -> Self {
        let receipt_within = DurationMs::from_secs(25);
        Self::with(StreamOptions { receipt_within, ..StreamOptions::default() }).await
    }

    pub(crate) async fn with(streams: StreamOptions) -> Self {
        Self::with_options(streams, ApiOptions::default()).await
    }

    pub(crate) async fn with_options(streams: StreamOptions, options: ApiOptions) -> Self {
        let store = testkit::database::sqlite_memory().await;
        let engine = EngineHarness::new(Arc::clone(&store.store) as Arc<dyn Store>);
        let rest = api::router(engine.engine.clone(), options.clone());
        let parts = GrpcParts {
            engine: engine.engine.clone(),
            rest: Admission::carried(rest.clone()),
            gate: Arc::new(RestGate(Admission::new(engine.engine.clone(), options))),
            options: GrpcOptions { streams, ..GrpcOptions::default() },
        };
        let ending = CancellationToken::new();
        let router = grpc::router(parts).await;
        let address = serve(router.clone(), ending.clone()).await;
        let made = engine.engine.create_key(&Caller::system(), "test", Role::Admin, None).await.unwrap();
        let key = made.1.reveal().to_owned();
        Self { engine, rest, router, address, key, ending, _store: store }
    }

    pub(crate) async fn key_of(&self, role: Role, tenant: Option<&str>) -> String {
        let tenant = tenant.map(TenantName::trusted);
        let made = self.engine.engine.create_key(&Caller::system(), "test", role, tenant).await.unwrap();
        made.1.reveal().to_owned()
    }

    pub(crate) fn channel(&self) -> Channel {
        channel(self.address)
    }

    /// Enqueues a job.
    pub(crate) async fn enqueue(&self, job_type: &str) -> String {
        let mut jobs = grpc::proto::job_service_client::JobServiceClient::with_interceptor(
            self.channel(),
            with_key(&self.key),
        );
        let job = grpc::proto::EnqueueJobRequest { job_type: job_type.to_owned(), ..Default::default() };
        jobs.enqueue(job).await.unwrap().into_inner().id
    }

    /// A worker on a stream with room for so many jobs.
    pub(crate) async fn worker(&self, job_type: &str, credits: u32) -> Worker {
        Worker::at(self.address, &self.key, job_type, credits).await
    }
}

pub(crate) fn channel(address: SocketAddr) -> Channel {
    Endpoint::from_shared(format!("http://{address}")).unwrap().connect_lazy()
}

async fn serve(router: Router, ending: CancellationToken) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, peer)) = listener.accept().await {
            let ending = ending.clone();
            let service = router.clone().map_request(move |mut request: Request<hyper::body::Incoming>| {
                request.extensions_mut().insert(ConnectInfo(peer));
                request.extensions_mut().insert(ending.clone());
                request
            });
            tokio::spawn(async move {
                let builder = Builder::new(TokioExecutor::new());
                let _ =
                    builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(service)).await;
            });
        }
    });
    address
}

/// A worker on a stream.
pub(crate) struct Worker {
    sender: Option<mpsc::UnboundedSender<FromWorker>>,
    pub(crate) incoming: Streaming<ToWorker>,
    pub(crate) stream_id: String,
}

impl Worker {
    pub(crate) async fn at(address: SocketAddr, key: &str, job_type: &str, credits: u32) -> Self {
        let (sender, receiver) = mpsc::unbounded_channel();
        let mut client = WorkerServiceClient::with_interceptor(channel(address), with_key(key));
        let hello = Hello {
            worker_id: format!("w-{}", WORKERS.fetch_add(1, Ordering::Relaxed)),
            job_types: vec![job_type.to_owned()],
            ..Hello::default()
        };
        sender.send(FromWorker { number: 0, message: Some(Sent::Hello(hello)) }).unwrap();
        if credits > 0 {
            sender
                .send(FromWorker { number: 0, message: Some(Sent::Credits(Credits { count: credits })) })
                .unwrap();
        }
        let incoming = client.connect(UnboundedReceiverStream::new(receiver)).await.unwrap().into_inner();
        let mut worker = Self { sender: Some(sender), incoming, stream_id: String::new() };
        let Message::Alive(alive) = worker.next().await else {
            panic!("the first message says which stream it is")
        };
        worker.stream_id = alive.stream_id;
        worker
    }

    pub(crate) fn send(&self, number: u64, message: Sent) {
        self.sender.as_ref().unwrap().send(FromWorker { number, message: Some(message) }).unwrap();
    }

    pub(crate) fn half_close(&mut self) {
        self.sender = None;
    }

    /// The next message, or the end of the stream.
    pub(crate) async fn next_or_end(&mut self) -> Result<Option<Message>, Status> {
        let next =
            tokio::time::timeout(PATIENCE, self.incoming.message()).await.expect("something in time")?;
        Ok(next.map(|next| next.message.expect("a message that is known")))
    }

    pub(crate) async fn next(&mut self) -> Message {
        self.next_or_end().await.expect("no status").expect("the stream goes on")
    }

    /// The next message that is not about being alive.
    pub(crate) async fn next_message(&mut self) -> Message {
        loop {
            match self.next().await {
                Message::Alive(_) => {}
                other => return other,
            }
        }
    }

    /// The next offer, confirmed.
    pub(crate) async fn take(&mut self) -> Vec<PolledJob> {
        let Message::Offer(offer) = self.next_message().await else { panic!("an offer") };
        self.confirm(&offer.jobs);
        offer.jobs
    }

    fn confirm(&self, jobs: &[PolledJob]) {
        let ids = jobs.iter().map(|job| job.id.clone()).collect();
        self.send(0, Sent::Received(Received { ids }));
    }

    /// Confirms so many jobs. Those that went back because that came late are offered again.
    pub(crate) async fn collect(&mut self, count: usize) -> Vec<PolledJob> {
        let mut jobs: Vec<PolledJob> = Vec::new();
        while jobs.len() < count {
            match self.next_message().await {
                Message::Offer(offer) => {
                    self.confirm(&offer.jobs);
                    jobs.extend(offer.jobs);
                }
                Message::Cancel(cancel) => {
                    jobs.retain(|job| cancel.jobs.iter().all(|gone| gone.id != job.id));
                }
                other => panic!("an offer, not {other:?}"),
            }
        }
        jobs
    }

    /// Completes the next job, however often it goes back before that.
    pub(crate) async fn finish(&mut self) -> PolledJob {
        let mut offered = None;
        loop {
            match self.next_message().await {
                Message::Offer(offer) => {
                    let job = offer.jobs.into_iter().next().expect("a job");
                    self.send(77, completion(&job));
                    offered = Some(job);
                }
                Message::Outcome(answer) if answer.number == 77 && answer.results[0].outcome == "ok" => {
                    return offered.expect("it was offered");
                }
                Message::Outcome(_) | Message::Cancel(_) => {}
                other => panic!("a job, not {other:?}"),
            }
        }
    }

    /// Says now and then that it is there, as workers do.
    pub(crate) fn keep_alive(&self) {
        let sender = self.sender.as_ref().unwrap().downgrade();
        tokio::spawn(async move {
            let mut ticks = tokio::time::interval(Duration::from_millis(50));
            loop {
                ticks.tick().await;
                let Some(sender) = sender.upgrade() else { return };
                let alive = Sent::Alive(Alive::default());
                if sender.send(FromWorker { number: 0, message: Some(alive) }).is_err() {
                    return;
                }
            }
        });
    }
}

/// Reports a success.
pub(crate) fn completion(job: &PolledJob) -> Sent {
    let (id, lease_token) = (job.id.clone(), job.lease_token.clone());
    let done = Completion { id, lease_token, result: "{}".into(), ..Completion::default() };
    Sent::Complete(CompleteJobsRequest { jobs: vec![done], poll: None })
}
