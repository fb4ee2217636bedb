//! The gRPC port of the real binary: a program that uses nothing else, and streams through a TCP proxy.

use std::net::SocketAddr;
use std::time::Duration;

use grpc::proto::execution_service_client::ExecutionServiceClient;
use grpc::proto::from_worker::Message as Sent;
use grpc::proto::job_service_client::JobServiceClient;
use grpc::proto::to_worker::Message;
use grpc::proto::worker_service_client::WorkerServiceClient;
use grpc::proto::workflow_service_client::WorkflowServiceClient;
use grpc::proto::{
    CompleteJobsRequest, Completion, Credits, EnqueueJobRequest, FromWorker, GetJobRequest, Hello, PolledJob,
    RegisterWorkflowRequest, StartExecutionRequest, ToWorker, WaitExecutionRequest, WaitJobRequest,
};
use testkit::TcpProxy;
use tokio::sync::mpsc;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request, Status, Streaming};

use crate::harness::{Database, Server, TEST_KEY, on_both_databases, until};

const DEADLINE: Duration = Duration::from_mins(1);

on_both_databases!(
    a_program_needs_nothing_but_grpc,
    a_job_for_a_stalled_stream_goes_back_without_an_attempt,
    what_a_stream_was_given_survives_a_kill,
);

fn channel(address: &str) -> Channel {
    Endpoint::from_shared(address.to_owned()).expect("an address").connect_lazy()
}

type WithKey = fn(Request<()>) -> Result<Request<()>, Status>;

#[expect(clippy::unnecessary_wraps, reason = "interceptors answer so")]
fn with_key(mut request: Request<()>) -> Result<Request<()>, Status> {
    let key = format!("Bearer {TEST_KEY}").parse().expect("a header");
    request.metadata_mut().insert("authorization", key);
    Ok(request)
}

fn jobs(
    server: &Server,
) -> JobServiceClient<tonic::service::interceptor::InterceptedService<Channel, WithKey>> {
    JobServiceClient::with_interceptor(channel(&server.grpc_url()), with_key as WithKey)
}

async fn enqueue(server: &Server, job_type: &str) -> String {
    let job = EnqueueJobRequest { job_type: job_type.to_owned(), ..EnqueueJobRequest::default() };
    jobs(server).enqueue(job).await.expect("it is accepted").into_inner().id
}

/// A worker on a stream with room for one job.
struct Worker {
    sender: mpsc::UnboundedSender<FromWorker>,
    incoming: Streaming<ToWorker>,
}

impl Worker {
    async fn at(address: &str, job_type: &str) -> Self {
        let (sender, receiver) = mpsc::unbounded_channel();
        let mut client = WorkerServiceClient::with_interceptor(channel(address), with_key as WithKey);
        let (worker_id, job_types) = ("w".to_owned(), vec![job_type.to_owned()]);
        let hello = Hello { worker_id, job_types, ..Hello::default() };
        let worker = |incoming| Self { sender: sender.clone(), incoming };
        for message in [Sent::Hello(hello), Sent::Credits(Credits { count: 1 })] {
            sender.send(FromWorker { number: 0, message: Some(message) }).expect("it is there");
        }
        let outgoing = tokio_stream::wrappers::UnboundedReceiverStream::new(receiver);
        worker(client.connect(outgoing).await.expect("it is let in").into_inner())
    }

    /// The next message that is not about being alive.
    async fn next_message(&mut self) -> Option<Message> {
        loop {
            let next = tokio::time::timeout(DEADLINE, self.incoming.message()).await.expect("in time");
            match next.ok().flatten()?.message {
                Some(Message::Alive(_)) => {}
                other => return other,
            }
        }
    }

    /// Completes jobs until one is recorded.
    async fn finish(&mut self) -> PolledJob {
        let mut offered = None;
        loop {
            match self.next_message().await.expect("the stream goes on") {
                Message::Offer(offer) => {
                    let job = offer.jobs.into_iter().next().expect("a job");
                    let (id, lease_token) = (job.id.clone(), job.lease_token.clone());
                    let result = r#"{"n":12345678901234567890}"#.into();
                    let done = Completion { id, lease_token, result, ..Completion::default() };
                    let done = Sent::Complete(CompleteJobsRequest { jobs: vec![done], poll: None });
                    self.sender.send(FromWorker { number: 1, message: Some(done) }).expect("it is there");
                    offered = Some(job);
                }
                Message::Outcome(answer) if answer.results[0].outcome == "ok" => {
                    return offered.expect("it was offered");
                }
                _ => {}
            }
        }
    }
}

async fn a_program_needs_nothing_but_grpc(database: Database) {
    let server = Server::start(&database).await;
    let channel = channel(&server.grpc_url());
    let mut workflows = WorkflowServiceClient::with_interceptor(channel.clone(), with_key as WithKey);
    let definition =
        "name: order\nversion: 1\nnodes:\n  - id: charge\n    type: SERVICE_TASK\n    jobType: charge\n";
    let request = RegisterWorkflowRequest { definition: definition.into(), validate: None };
    workflows.register(request).await.expect("it is valid");
    let mut worker = Worker::at(&server.grpc_url(), "charge").await;
    let mut executions = ExecutionServiceClient::with_interceptor(channel.clone(), with_key as WithKey);
    let workflow = "order".to_owned();
    let start =
        StartExecutionRequest { workflow, input: r#"{"id":7}"#.into(), ..StartExecutionRequest::default() };
    let id = executions.start(start).await.expect("it is accepted").into_inner().id;
    let finished = worker.finish().await;
    assert_eq!(finished.execution_id.as_deref(), Some(id.as_str()));
    let wait = WaitExecutionRequest { id, timeout: Some("50s".to_owned()) };
    let ended = executions.wait(wait).await.expect("it ends").into_inner();
    assert_eq!(ended.status, "COMPLETED", "{ended:?}");

    // The same stand-alone, seen from REST.
    let id = enqueue(&server, "charge").await;
    worker
        .sender
        .send(FromWorker { number: 0, message: Some(Sent::Credits(Credits { count: 1 })) })
        .expect("it is there");
    assert_eq!(worker.finish().await.id, id);
    let shown = server.client().get(&format!("/v1/jobs/{id}")).await;
    assert_eq!(shown["status"], "COMPLETED");
    let waited = jobs(&server).wait(WaitJobRequest { id, timeout: None }).await.expect("it has ended");
    assert_eq!(waited.into_inner().result.as_ref(), br#"{"n":12345678901234567890}"#);
    let unknown = WorkerServiceClient::new(channel).connect(tokio_stream::empty::<FromWorker>()).await;
    assert_eq!(unknown.expect_err("no key").code(), Code::Unauthenticated);
}

async fn a_job_for_a_stalled_stream_goes_back_without_an_attempt(database: Database) {
    let times = [("TRUNKLINE_GRPC__RECEIPT_TIMEOUT", "500ms")];
    let server = Server::start_with(&database, &times).await;
    let address: SocketAddr = server.grpc_url().trim_start_matches("http://").parse().expect("an address");
    let proxy = TcpProxy::before(address).await;
    let mut stalled = Worker::at(&format!("http://{}", proxy.address()), "a").await;
    proxy.stall_to_client(true);
    let id = enqueue(&server, "a").await;
    let mut other = Worker::at(&server.grpc_url(), "a").await;
    let finished = other.finish().await;
    assert_eq!((finished.id.as_str(), finished.attempt), (id.as_str(), 1), "it cost no attempt");
    proxy.stall_to_client(false);
    let cancel = loop {
        match stalled.next_message().await.expect("the stream goes on") {
            Message::Offer(_) => {}
            Message::Cancel(cancel) => break cancel,
            other => panic!("nothing else happens: {other:?}"),
        }
    };
    assert_eq!((cancel.jobs[0].id.as_str(), cancel.jobs[0].reason.as_str()), (id.as_str(), "not_received"));
}

async fn what_a_stream_was_given_survives_a_kill(database: Database) {
    let times =
        [("TRUNKLINE_QUEUES__WORKFLOW_NODE__LEASE", "2s"), ("TRUNKLINE_GRPC__RECEIPT_TIMEOUT", "500ms")];
    let mut server = Server::start_with(&database, &times).await;
    let id = enqueue(&server, "a").await;
    let mut worker = Worker::at(&server.grpc_url(), "a").await;
    let Some(Message::Offer(_)) = worker.next_message().await else { panic!("an offer") };
    server.kill_nine();
    while worker.next_message().await.is_some() {}
    server.restart().await;
    let mut again = Worker::at(&server.grpc_url(), "a").await;
    assert_eq!(again.finish().await.id, id);
    let job = jobs(&server).get(GetJobRequest { id }).await.expect("it is there").into_inner();
    assert_eq!(job.status, "COMPLETED");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn old_connections_are_drained_and_workers_come_again() {
    let database = Database::sqlite();
    let times = [("TRUNKLINE_GRPC__AGE", "3s"), ("TRUNKLINE_GRPC__DRAIN_TIMEOUT", "1s")];
    let server = Server::start_with(&database, &times).await;
    let mut worker = Worker::at(&server.grpc_url(), "a").await;
    let Some(Message::Drain(drain)) = worker.next_message().await else { panic!("it is old") };
    assert_eq!(drain.reason, "age");
    assert!(worker.next_message().await.is_none(), "nothing is left to say");
    // Whoever opens another stream is served, on as many connections as that takes.
    let id = enqueue(&server, "a").await;
    until("a worker does the job", DEADLINE, || async {
        let mut worker = Worker::at(&server.grpc_url(), "a").await;
        match worker.next_message().await {
            Some(Message::Offer(offer)) => (offer.jobs[0].id == id).then_some(()),
            _ => None,
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_drains_streams_and_ends() {
    let database = Database::sqlite();
    let mut server = Server::start(&database).await;
    let mut worker = Worker::at(&server.grpc_url(), "a").await;
    server.signal("TERM");
    let Some(Message::Drain(drain)) = worker.next_message().await else { panic!("it ends") };
    assert_eq!(drain.reason, "shutdown");
    assert!(worker.next_message().await.is_none());
    assert!(server.ended(DEADLINE).await.success());
}
