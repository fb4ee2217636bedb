//! Unary calls: what they do, and what they say of faults.

use domain::names::JobType;
use domain::time::DurationMs;
use grpc::proto::execution_service_client::ExecutionServiceClient;
use grpc::proto::job_service_client::JobServiceClient;
use grpc::proto::worker_service_client::WorkerServiceClient;
use grpc::proto::workflow_service_client::WorkflowServiceClient;
use grpc::proto::*;
use tonic::Code;
use tonic_types::StatusExt as _;

use crate::harness::{Harness, with_key};

const LARGE: &str = r#"{"n":123456789012345678901234567890,"text":"é\u0001"}"#;

#[tokio::test]
async fn a_job_goes_through_a_worker_and_keeps_its_data_exactly() {
    let harness = Harness::start().await;
    let mut jobs = JobServiceClient::with_interceptor(harness.channel(), with_key(&harness.key));
    let mut workers = WorkerServiceClient::with_interceptor(harness.channel(), with_key(&harness.key));
    let job = EnqueueJobRequest {
        job_type: "greet".to_owned(),
        data: LARGE.into(),
        max_retries: Some(0),
        tags: vec!["a".to_owned()],
        ..Default::default()
    };
    let enqueued = jobs.enqueue(job).await.unwrap().into_inner();
    assert_eq!(enqueued.status, "QUEUED");
    let poll = PollJobsRequest {
        worker_id: "w1".to_owned(),
        job_types: vec!["greet".to_owned()],
        ..Default::default()
    };
    let polled = workers.poll(poll).await.unwrap().into_inner().jobs.remove(0);
    assert_eq!((polled.attempt, polled.max_retries, polled.data.as_ref()), (1, 0, LARGE.as_bytes()));
    let waiting = tokio::spawn({
        let (mut jobs, id) = (jobs.clone(), polled.id.clone());
        async move { jobs.wait(WaitJobRequest { id, timeout: Some("50s".to_owned()) }).await }
    });
    let beat = Heartbeat {
        id: polled.id.clone(),
        lease_token: polled.lease_token.clone(),
        progress: "17".into(),
        ..Default::default()
    };
    let beats = workers.heartbeat(HeartbeatJobsRequest { jobs: vec![beat] }).await.unwrap().into_inner();
    assert!(beats.results[0].lease_expires_at.is_some());
    let (id, lease_token) = (polled.id.clone(), polled.lease_token);
    let done = Completion { id, lease_token, result: LARGE.into(), ..Completion::default() };
    let outcomes =
        workers.complete(CompleteJobsRequest { jobs: vec![done], poll: None }).await.unwrap().into_inner();
    assert_eq!(outcomes.results[0].outcome, "ok");
    let job = waiting.await.unwrap().unwrap().into_inner();
    assert_eq!((job.status.as_str(), job.result.as_ref()), ("COMPLETED", LARGE.as_bytes()));
    assert_eq!((job.attempts.len(), job.tags), (1, vec!["a".to_owned()]));
    let listed =
        jobs.list(ListJobsRequest { tag: Some("a".to_owned()), ..Default::default() }).await.unwrap();
    assert_eq!(listed.into_inner().items.len(), 1);
}

/// What a worker received from Kafka: it is accepted once, and reported under the token of the answer.
#[tokio::test]
async fn offers_are_accepted_once() {
    let harness = Harness::start().await;
    harness.enqueue("charge").await;
    let (engine, types) = (&harness.engine.engine, vec![JobType::trusted("charge")]);
    let offered = engine.claim_offers(1, types, 1, DurationMs::from_secs(60)).await.unwrap().remove(0);
    let received = Acceptance { id: offered.id.to_string(), lease_token: offered.token.to_string() };
    let accept =
        |worker: &str| AcceptJobsRequest { jobs: vec![received.clone()], worker_id: worker.to_owned() };
    let mut workers = WorkerServiceClient::with_interceptor(harness.channel(), with_key(&harness.key));
    let first = workers.accept_jobs(accept("w1")).await.unwrap().into_inner().results.remove(0);
    assert_eq!((first.id.as_str(), first.outcome.as_str()), (received.id.as_str(), "ok"));
    assert!(first.lease_expires_at.is_some());
    let other = workers.accept_jobs(accept("w2")).await.unwrap().into_inner().results.remove(0);
    assert_eq!((other.outcome.as_str(), other.lease_token), ("taken", None));
    let lease_token = first.lease_token.unwrap();
    assert_ne!(lease_token, received.lease_token);
    let done = Completion { id: first.id, lease_token, ..Completion::default() };
    let outcomes =
        workers.complete(CompleteJobsRequest { jobs: vec![done], poll: None }).await.unwrap().into_inner();
    assert_eq!(outcomes.results[0].outcome, "ok");
    let late = workers.accept_jobs(accept("w1")).await.unwrap().into_inner().results.remove(0);
    assert_eq!(late.outcome, "already_done");
}

#[tokio::test]
async fn jobs_fail_are_released_and_cancelled() {
    let harness = Harness::start().await;
    let mut jobs = JobServiceClient::with_interceptor(harness.channel(), with_key(&harness.key));
    let mut workers = WorkerServiceClient::with_interceptor(harness.channel(), with_key(&harness.key));
    let job = JobRequest { job_type: "greet".to_owned(), ..Default::default() };
    let batch = EnqueueBatchRequest { jobs: vec![job; 2], partial: None };
    let enqueued = jobs.enqueue_batch(batch).await.unwrap().into_inner().results;
    assert!(enqueued.iter().all(|result| result.id.is_some() && result.error.is_none()));
    let poll = PollJobsRequest {
        worker_id: "w1".to_owned(),
        job_types: vec!["greet".to_owned()],
        max_jobs: Some(2),
        ..Default::default()
    };
    let polled = workers.poll(poll).await.unwrap().into_inner().jobs;
    let failure = Failure {
        id: polled[0].id.clone(),
        lease_token: polled[0].lease_token.clone(),
        error: Some(JobError { message: "no".to_owned(), details: "[1]".into(), ..Default::default() }),
        retryable: Some(false),
        ..Default::default()
    };
    workers.fail(FailJobsRequest { jobs: vec![failure], poll: None }).await.unwrap();
    let failed = jobs.get(GetJobRequest { id: polled[0].id.clone() }).await.unwrap().into_inner();
    assert_eq!((failed.status.as_str(), failed.error.unwrap().message.as_str()), ("DEAD_LETTER", "no"));
    let release = Release {
        id: polled[1].id.clone(),
        lease_token: polled[1].lease_token.clone(),
        delay: Some("1h".to_owned()),
    };
    workers.release(ReleaseJobsRequest { jobs: vec![release] }).await.unwrap();
    let cancelled = jobs.cancel(CancelJobRequest { id: polled[1].id.clone() }).await.unwrap().into_inner();
    assert_eq!(cancelled.status, "CANCELLED");
}

#[tokio::test]
async fn executions_are_started_signalled_and_cancelled() {
    let harness = Harness::start().await;
    let mut workflows = WorkflowServiceClient::with_interceptor(harness.channel(), with_key(&harness.key));
    let definition = r#"{"name":"order","version":1,"nodes":[{"id":"wait","type":"SIGNAL","signal":"go"}]}"#;
    let registered =
        workflows.register(RegisterWorkflowRequest { definition: definition.into(), validate: None }).await;
    let registered = registered.unwrap().into_inner();
    assert_eq!((registered.name.as_str(), registered.version), ("order", 1));
    let mut executions = ExecutionServiceClient::with_interceptor(harness.channel(), with_key(&harness.key));
    let start = StartExecutionRequest {
        workflow: "order".to_owned(),
        input: r#"{"id":7}"#.into(),
        ..Default::default()
    };
    let id = executions.start(start).await.unwrap().into_inner().id;
    let signal = SignalExecutionRequest { id: id.clone(), name: "go".to_owned(), payload: "[1,2]".into() };
    let accepted = executions.signal(signal).await.unwrap().into_inner();
    assert!(accepted.command_position > 0);
    let wait = WaitExecutionRequest { id: id.clone(), timeout: Some("1ms".to_owned()) };
    let waited = executions.wait(wait).await.unwrap().into_inner();
    assert_eq!((waited.status.as_str(), waited.input.as_ref()), ("PENDING", br#"{"id":7}"#.as_slice()));
    executions.cancel(CancelExecutionRequest { id: id.clone(), ..Default::default() }).await.unwrap();
    let shown = executions.get(GetExecutionRequest { id }).await.unwrap().into_inner();
    assert_eq!(shown.workflow, "order");
}

#[tokio::test]
async fn problems_keep_their_code_and_places() {
    let harness = Harness::start().await;
    let mut jobs = JobServiceClient::with_interceptor(harness.channel(), with_key(&harness.key));
    let unnamed = JobRequest::default();
    let batch = EnqueueBatchRequest { jobs: vec![unnamed], partial: None };
    let status = jobs.enqueue_batch(batch).await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
    let details = status.get_error_details();
    assert_eq!(details.error_info().unwrap().reason, "invalid");
    assert_eq!(details.bad_request().unwrap().field_violations[0].field, "/jobs/0/jobType");

    let broken = EnqueueJobRequest { job_type: "a".to_owned(), data: "{".into(), ..Default::default() };
    let status = jobs.enqueue(broken).await.unwrap_err();
    assert_eq!(status.get_error_details().bad_request().unwrap().field_violations[0].field, "/data");

    let id = "job_00000000000070008000000000000000".to_owned();
    let status = jobs.get(GetJobRequest { id }).await.unwrap_err();
    assert_eq!(status.code(), Code::NotFound);
    assert_eq!(status.get_error_details().error_info().unwrap().reason, "not_found");
    let status = jobs.get(GetJobRequest::default()).await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
}

#[tokio::test]
async fn an_idempotency_key_holds_for_repeats() {
    let harness = Harness::start().await;
    let mut jobs = JobServiceClient::with_interceptor(harness.channel(), with_key(&harness.key));
    let enqueue = |data: &'static str| {
        let job = EnqueueJobRequest { job_type: "a".to_owned(), data: data.into(), ..Default::default() };
        let mut request = tonic::Request::new(job);
        request.metadata_mut().insert("idempotency-key", "once".parse().unwrap());
        let mut jobs = jobs.clone();
        async move { jobs.enqueue(request).await }
    };
    let first = enqueue("1").await.unwrap().into_inner().id;
    let again = enqueue("1").await.unwrap();
    assert_eq!(again.metadata().get("idempotency-replayed").unwrap(), "true");
    assert_eq!(again.into_inner().id, first);
    let status = enqueue("2").await.unwrap_err();
    assert_eq!(status.get_error_details().error_info().unwrap().reason, "idempotency_key_reused");
    let listed = jobs.list(ListJobsRequest::default()).await.unwrap().into_inner();
    assert_eq!(listed.items.len(), 1);
}
