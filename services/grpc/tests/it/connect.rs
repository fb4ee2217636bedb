//! Streams of workers: what is offered, when it goes back, and how streams end.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use domain::time::DurationMs;
use grpc::StreamOptions;
use grpc::proto::from_worker::Message as Sent;
use grpc::proto::job_service_client::JobServiceClient;
use grpc::proto::to_worker::Message;
use grpc::proto::worker_service_client::WorkerServiceClient;
use grpc::proto::*;
use tonic::Code;
use tonic_types::StatusExt as _;

use crate::harness::{Harness, PATIENCE, Worker, completion, impatient, quick, with_key};

pub(crate) async fn outcome(worker: &mut Worker) -> ReportOutcome {
    match worker.next_message().await {
        Message::Outcome(outcome) => outcome,
        other => panic!("an outcome, not {other:?}"),
    }
}

async fn job(harness: &Harness, id: &str) -> Job {
    let mut jobs = JobServiceClient::with_interceptor(harness.channel(), with_key(&harness.key));
    jobs.get(GetJobRequest { id: id.to_owned() }).await.unwrap().into_inner()
}

#[tokio::test]
async fn jobs_come_within_credits_and_reports_are_answered() {
    let harness = Harness::start().await;
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(harness.enqueue("a").await);
    }
    let mut worker = harness.worker("a", 1).await;
    let mut done = Vec::new();
    for number in 1..=3 {
        let offered = worker.take().await;
        assert_eq!(offered.len(), 1, "one at a time");
        worker.send(number, completion(&offered[0]));
        let answer = outcome(&mut worker).await;
        assert_eq!((answer.number, answer.results[0].outcome.as_str()), (number, "ok"));
        done.push(offered[0].id.clone());
        worker.send(0, Sent::Credits(Credits { count: 1 }));
    }
    assert_eq!(done, ids, "in order");
    assert_eq!(job(&harness, &ids[0]).await.status, "COMPLETED");
    // A job that comes while the stream waits is offered as well, and a report confirms it.
    let id = harness.enqueue("a").await;
    let Message::Offer(offer) = worker.next_message().await else { panic!("an offer") };
    assert_eq!(offer.jobs[0].id, id);
    worker.send(9, completion(&offer.jobs[0]));
    assert_eq!(outcome(&mut worker).await.results[0].outcome, "ok");
    worker.half_close();
    assert!(worker.next_or_end().await.unwrap().is_none(), "it ends well");
}

#[tokio::test]
async fn a_job_that_is_not_confirmed_goes_back_without_an_attempt() {
    let harness = Harness::with(impatient()).await;
    let id = harness.enqueue("a").await;
    let mut deaf = harness.worker("a", 1).await;
    let Message::Offer(offer) = deaf.next_message().await else { panic!("an offer") };
    assert_eq!((offer.jobs[0].id.as_str(), offer.jobs[0].attempt), (id.as_str(), 1));
    let Message::Cancel(cancel) = deaf.next_message().await else { panic!("it is taken back") };
    assert_eq!((cancel.jobs[0].id.as_str(), cancel.jobs[0].reason.as_str()), (id.as_str(), "not_received"));
    // The deaf worker gets nothing more until it says something.
    let mut other = harness.worker("a", 1).await;
    let finished = other.finish().await;
    assert_eq!((finished.id.as_str(), finished.attempt), (id.as_str(), 1), "it cost no attempt");
    // What the deaf one reports is refused by its lease.
    deaf.send(2, completion(&offer.jobs[0]));
    assert_eq!(outcome(&mut deaf).await.results[0].outcome, "lease_lost");
    // It spoke, and has its credit still.
    let next = harness.enqueue("a").await;
    assert_eq!(deaf.finish().await.id, next);
}

#[tokio::test]
async fn what_was_offered_goes_back_with_the_stream() {
    let harness = Harness::with(quick()).await;
    let id = harness.enqueue("a").await;
    let mut gone = harness.worker("a", 1).await;
    let Message::Offer(_) = gone.next_message().await else { panic!("an offer") };
    drop(gone);
    let mut other = harness.worker("a", 1).await;
    let taken = other.take().await;
    assert_eq!((taken[0].id.as_str(), taken[0].attempt), (id.as_str(), 1));
}

#[tokio::test]
async fn failures_releases_and_heartbeats_go_over_the_stream() {
    let harness = Harness::start().await;
    for _ in 0..2 {
        harness.enqueue("a").await;
    }
    let mut worker = harness.worker("a", 1).await;
    let first = worker.take().await.remove(0);
    let beat = Heartbeat {
        id: first.id.clone(),
        lease_token: first.lease_token.clone(),
        progress: r#"{"step":1}"#.into(),
        ..Heartbeat::default()
    };
    worker.send(1, Sent::Heartbeat(HeartbeatJobsRequest { jobs: vec![beat] }));
    let answer = outcome(&mut worker).await;
    assert!(answer.number == 1 && answer.results[0].lease_expires_at.is_some());
    // A job that went back is looked at for what it left.
    harness.engine.clock.advance(DurationMs::from_secs(1));
    let release = Release { id: first.id.clone(), lease_token: first.lease_token.clone(), delay: None };
    worker.send(2, Sent::Release(ReleaseJobsRequest { jobs: vec![release] }));
    assert_eq!(outcome(&mut worker).await.results[0].outcome, "ok");
    worker.send(0, Sent::Credits(Credits { count: 2 }));
    let mut rest = worker.take().await;
    if rest.len() < 2 {
        rest.extend(worker.take().await);
    }
    let again = rest.iter().find(|job| job.id == first.id).expect("it came again");
    assert_eq!((again.attempt, again.progress.as_ref()), (1, br#"{"step":1}"#.as_slice()));
    let failure = Failure {
        id: again.id.clone(),
        lease_token: again.lease_token.clone(),
        error: Some(JobError { message: "no".to_owned(), ..JobError::default() }),
        retryable: Some(false),
        ..Failure::default()
    };
    worker.send(3, Sent::Fail(FailJobsRequest { jobs: vec![failure], poll: None }));
    assert_eq!(outcome(&mut worker).await.results[0].outcome, "ok");
    assert_eq!(job(&harness, &first.id).await.status, "DEAD_LETTER");
}

#[tokio::test]
async fn a_report_that_cannot_be_read_is_refused_alone() {
    let harness = Harness::start().await;
    let mut worker = harness.worker("a", 1).await;
    let wrong = Completion {
        id: "job_1".to_owned(),
        lease_token: String::new(),
        result: "{".into(),
        ..Completion::default()
    };
    worker.send(5, Sent::Complete(CompleteJobsRequest { jobs: vec![wrong], poll: None }));
    let answer = outcome(&mut worker).await;
    let error = answer.error.expect("a problem");
    assert_eq!(
        (answer.number, error.code.as_str(), error.errors[0].pointer.as_str()),
        (5, "invalid", "/jobs/0/id")
    );
    harness.enqueue("a").await;
    assert_eq!(worker.take().await.len(), 1, "the stream goes on");
}

#[tokio::test]
async fn a_worker_is_notified_that_its_job_was_cancelled() {
    let harness = Harness::with(quick()).await;
    let id = harness.enqueue("a").await;
    let mut worker = harness.worker("a", 1).await;
    worker.take().await;
    let mut jobs = JobServiceClient::with_interceptor(harness.channel(), with_key(&harness.key));
    jobs.cancel(CancelJobRequest { id: id.clone() }).await.unwrap();
    let Message::Cancel(cancel) = worker.next_message().await else { panic!("a cancellation") };
    assert_eq!((cancel.jobs[0].id.as_str(), cancel.jobs[0].reason.as_str()), (id.as_str(), "cancelled"));
}

#[tokio::test]
async fn the_server_says_now_and_then_that_it_is_there() {
    let harness = Harness::with(quick()).await;
    let mut worker = harness.worker("a", 0).await;
    for _ in 0..3 {
        let Message::Alive(alive) = worker.next().await else { panic!("nothing else happens") };
        assert_eq!(alive.stream_id, worker.stream_id);
    }
}

#[tokio::test]
async fn a_silent_stream_is_ended_and_named_no_more() {
    let harness = Harness::with(StreamOptions { silence_max: DurationMs::from_secs(2), ..quick() }).await;
    let mut worker = harness.worker("a", 1).await;
    let status = loop {
        if let Err(status) = worker.next_or_end().await {
            break status;
        }
    };
    assert_eq!(status.code(), Code::DeadlineExceeded);
    assert_eq!(status.get_error_details().error_info().unwrap().reason, "stream_silent");
    // Reports on another way do not make it alive.
    let mut workers = WorkerServiceClient::with_interceptor(harness.channel(), with_key(&harness.key));
    let mut request = tonic::Request::new(HeartbeatJobsRequest { jobs: vec![Heartbeat::default()] });
    request.metadata_mut().insert("trunkline-stream", worker.stream_id.parse().unwrap());
    let status = workers.heartbeat(request).await.unwrap_err();
    assert_eq!(status.get_error_details().error_info().unwrap().reason, "reconnect");
}

#[tokio::test]
async fn a_drained_stream_gets_no_jobs_and_takes_reports() {
    let harness = Harness::with(StreamOptions { drain_within: DurationMs::from_secs(50), ..quick() }).await;
    let id = harness.enqueue("a").await;
    let mut worker = harness.worker("a", 5).await;
    let taken = worker.take().await;
    harness.ending.cancel();
    let Message::Drain(drain) = worker.next_message().await else { panic!("its connection ends") };
    assert_eq!(drain.reason, "age");
    harness.enqueue("a").await;
    worker.send(1, completion(&taken[0]));
    assert_eq!(outcome(&mut worker).await.results[0].outcome, "ok");
    assert!(worker.next_or_end().await.unwrap().is_none(), "nothing is left to say");
    assert_eq!(job(&harness, &id).await.status, "COMPLETED");
}

#[tokio::test]
async fn an_old_stream_is_drained_and_ends() {
    let times = StreamOptions { age: DurationMs(300), drain_within: DurationMs(300), ..quick() };
    let harness = Harness::with(times).await;
    let mut worker = harness.worker("a", 5).await;
    let Message::Drain(drain) = worker.next_message().await else { panic!("it is old") };
    assert_eq!(drain.reason, "age");
    while worker.next_or_end().await.unwrap().is_some() {}
}

#[tokio::test]
async fn streams_are_drained_when_the_server_ends() {
    let harness = Harness::start().await;
    let mut worker = harness.worker("a", 1).await;
    harness.engine.engine.begin_shutdown();
    let Message::Drain(drain) = worker.next_message().await else { panic!("it ends") };
    assert_eq!(drain.reason, "shutdown");
    while worker.next_or_end().await.unwrap().is_some() {}
}

#[tokio::test]
async fn a_revoked_key_ends_its_stream() {
    let harness = Harness::with(quick()).await;
    let caller = engine::Caller::system();
    let role = domain::access::Role::Worker;
    let (record, secret) = harness.engine.engine.create_key(&caller, "w", role, None).await.unwrap();
    let mut worker = Worker::at(harness.address, secret.reveal(), "a", 1).await;
    harness.engine.engine.revoke_key(&caller, record.id).await.unwrap();
    // What is known of keys is believed for a moment.
    harness.engine.clock.advance(DurationMs::from_secs(2));
    let status = loop {
        if let Err(status) = worker.next_or_end().await {
            break status;
        }
    };
    assert_eq!(status.code(), Code::Unauthenticated);
}

#[tokio::test]
async fn a_stream_begins_with_a_hello_that_can_be_read() {
    let harness = Harness::start().await;
    let mut workers = WorkerServiceClient::with_interceptor(harness.channel(), with_key(&harness.key));
    let credits = FromWorker { number: 0, message: Some(Sent::Credits(Credits { count: 1 })) };
    let mut answers = workers.connect(tokio_stream::once(credits)).await.unwrap().into_inner();
    assert_eq!(answers.message().await.unwrap_err().code(), Code::InvalidArgument);
    let hello = Hello { worker_id: "w".to_owned(), lease: Some("1ms".to_owned()), ..Hello::default() };
    let hello = FromWorker { number: 0, message: Some(Sent::Hello(hello)) };
    let mut answers = workers.connect(tokio_stream::once(hello)).await.unwrap().into_inner();
    let status = answers.message().await.unwrap_err();
    assert_eq!(status.get_error_details().bad_request().unwrap().field_violations[0].field, "/lease");
}

#[tokio::test]
async fn many_workers_share_a_queue_without_losing_or_doubling() {
    let harness = Harness::start().await;
    let mut jobs = JobServiceClient::with_interceptor(harness.channel(), with_key(&harness.key));
    let one = JobRequest { job_type: "a".to_owned(), ..JobRequest::default() };
    jobs.enqueue_batch(EnqueueBatchRequest { jobs: vec![one; 200], partial: None }).await.unwrap();
    let count = Arc::new(AtomicUsize::new(0));
    let mut tasks = Vec::new();
    for _ in 0..8 {
        let mut worker = harness.worker("a", 5).await;
        let count = Arc::clone(&count);
        tasks.push(tokio::spawn(async move {
            let mut done = Vec::new();
            while count.load(Ordering::SeqCst) < 200 {
                // Others may have done the rest meanwhile.
                let short = Duration::from_millis(100);
                let Ok(message) = tokio::time::timeout(short, worker.incoming.message()).await else {
                    continue;
                };
                match message.unwrap().unwrap().message {
                    Some(Message::Offer(offer)) => {
                        for job in offer.jobs {
                            worker.send(1, completion(&job));
                            worker.send(0, Sent::Credits(Credits { count: 1 }));
                        }
                    }
                    Some(Message::Outcome(answer)) => {
                        assert_eq!(answer.results[0].outcome, "ok");
                        done.push(answer.results[0].id.clone());
                        count.fetch_add(1, Ordering::SeqCst);
                    }
                    _ => {}
                }
            }
            done
        }));
    }
    let mut all = Vec::new();
    for task in tasks {
        all.extend(tokio::time::timeout(PATIENCE, task).await.expect("in time").unwrap());
    }
    let count = all.len();
    all.sort();
    all.dedup();
    assert_eq!((count, all.len()), (200, 200));
}
