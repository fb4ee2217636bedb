//! What networks do to streams, through a real TCP proxy.

use std::time::{Duration, Instant};

use domain::time::DurationMs;
use grpc::StreamOptions;
use grpc::proto::from_worker::Message as Sent;
use grpc::proto::to_worker::Message;
use grpc::proto::worker_service_client::WorkerServiceClient;
use grpc::proto::*;
use testkit::TcpProxy;
use tonic_types::StatusExt as _;

use crate::harness::{Harness, Worker, completion, impatient, quick, with_key};

#[tokio::test]
async fn what_both_sides_say_keeps_an_idle_stream_open() {
    // As proxies do that give a stream up by direction. Each side says much more often that it is there.
    let idle_max = Duration::from_secs(5);
    let harness = Harness::with(quick()).await;
    let proxy = TcpProxy::cutting_idle(harness.address, idle_max).await;
    let mut silent = Worker::at(proxy.address(), &harness.key, "a", 0).await;
    let mut kept = Worker::at(proxy.address(), &harness.key, "a", 1).await;
    kept.keep_alive();
    // One that says nothing is cut, by the proxy and long before the server would end it.
    while silent.next_or_end().await.is_ok_and(|next| next.is_some()) {}
    let cut_at = Instant::now();
    while cut_at.elapsed() < idle_max {
        assert!(matches!(kept.next().await, Message::Alive(_)));
    }
    let id = harness.enqueue("a").await;
    assert_eq!(kept.finish().await.id, id, "the stream delivers");
}

#[tokio::test]
async fn a_job_for_a_stalled_stream_goes_to_another_worker() {
    let harness = Harness::with(impatient()).await;
    let proxy = TcpProxy::before(harness.address).await;
    let mut stalled = Worker::at(proxy.address(), &harness.key, "a", 1).await;
    proxy.stall_to_client(true);
    let id = harness.enqueue("a").await;
    let mut other = harness.worker("a", 1).await;
    let finished = other.finish().await;
    assert_eq!((finished.id.as_str(), finished.attempt), (id.as_str(), 1), "it cost no attempt");
    proxy.stall_to_client(false);
    // Whatever the stalled worker sees of it by now, it is notified that the job is not its own.
    loop {
        match stalled.next_message().await {
            Message::Offer(offer) => assert_eq!(offer.jobs[0].id, id),
            Message::Cancel(cancel) => {
                assert_eq!(
                    (cancel.jobs[0].id.as_str(), cancel.jobs[0].reason.as_str()),
                    (id.as_str(), "not_received")
                );
                break;
            }
            other => panic!("nothing else happens: {other:?}"),
        }
    }
}

#[tokio::test]
async fn a_half_open_stream_is_ended_and_gets_nothing() {
    let options = StreamOptions { silence_max: DurationMs::from_secs(3), ..quick() };
    let harness = Harness::with(options).await;
    let proxy = TcpProxy::before(harness.address).await;
    let mut half_open = Worker::at(proxy.address(), &harness.key, "a", 1).await;
    // What it says does not arrive any more, and it does not know.
    proxy.stall_to_server(true);
    half_open.send(0, Sent::Alive(Alive::default()));
    let ended = loop {
        if let Err(status) = half_open.next_or_end().await {
            break status;
        }
    };
    assert!(!ended.message().is_empty());
    // Heartbeats that get through on another way do not make it alive: it is to reconnect.
    let mut workers = WorkerServiceClient::with_interceptor(harness.channel(), with_key(&harness.key));
    let mut beat = tonic::Request::new(HeartbeatJobsRequest { jobs: vec![Heartbeat::default()] });
    beat.metadata_mut().insert("trunkline-stream", half_open.stream_id.parse().unwrap());
    let refused = workers.heartbeat(beat).await.unwrap_err();
    assert_eq!(refused.get_error_details().error_info().unwrap().reason, "reconnect");
    let id = harness.enqueue("a").await;
    let mut other = harness.worker("a", 1).await;
    other.keep_alive();
    let taken = other.take().await;
    assert_eq!((taken[0].id.as_str(), taken[0].attempt), (id.as_str(), 1));
}

#[tokio::test]
async fn a_cut_stream_gives_back_what_was_not_confirmed() {
    // Only the cut gives it back in time.
    let harness = Harness::with(quick()).await;
    let proxy = TcpProxy::before(harness.address).await;
    let mut cut = Worker::at(proxy.address(), &harness.key, "a", 1).await;
    let id = harness.enqueue("a").await;
    let Message::Offer(_) = cut.next_message().await else { panic!("an offer") };
    proxy.cut();
    let mut other = harness.worker("a", 1).await;
    let taken = other.take().await;
    assert_eq!((taken[0].id.as_str(), taken[0].attempt), (id.as_str(), 1));
}

#[tokio::test]
async fn a_slow_reader_does_not_hold_jobs() {
    let harness = Harness::with(StreamOptions { buffer_bytes_max: 64 * 1024, ..impatient() }).await;
    let proxy = TcpProxy::before(harness.address).await;
    let mut slow = Worker::at(proxy.address(), &harness.key, "a", 1_000).await;
    proxy.stall_to_client(true);
    let mut jobs =
        job_service_client::JobServiceClient::with_interceptor(harness.channel(), with_key(&harness.key));
    let data = format!("\"{}\"", "x".repeat(20_000));
    let one = JobRequest { job_type: "a".to_owned(), data: data.into(), ..JobRequest::default() };
    jobs.enqueue_batch(EnqueueBatchRequest { jobs: vec![one; 60], partial: None }).await.unwrap();
    let mut other = harness.worker("a", 60).await;
    let taken = other.collect(60).await;
    assert!(taken.iter().all(|job| job.attempt == 1), "none cost an attempt");
    proxy.stall_to_client(false);
    drop(slow.next_or_end().await);
}

#[tokio::test]
async fn a_worker_that_comes_back_reports_on_its_new_stream() {
    let harness = Harness::with(quick()).await;
    let proxy = TcpProxy::before(harness.address).await;
    harness.enqueue("a").await;
    let mut before = Worker::at(proxy.address(), &harness.key, "a", 1).await;
    let taken = before.take().await;
    // The receipt has arrived when what was sent after it is answered.
    before.send(1, Sent::Heartbeat(HeartbeatJobsRequest::default()));
    let Message::Outcome(answer) = before.next_message().await else { panic!("an answer") };
    assert!(answer.error.is_some(), "no job was named");
    proxy.cut();
    let mut after = Worker::at(proxy.address(), &harness.key, "a", 0).await;
    let done = Completion {
        id: taken[0].id.clone(),
        lease_token: taken[0].lease_token.clone(),
        result: "1".into(),
        ..Completion::default()
    };
    after.send(2, Sent::Complete(CompleteJobsRequest { jobs: vec![done], poll: None }));
    let Message::Outcome(answer) = after.next_message().await else { panic!("an outcome") };
    assert_eq!(answer.results[0].outcome, "ok");
}

#[tokio::test]
async fn an_old_stream_is_drained_and_its_jobs_go_on_over_the_next() {
    let age = DurationMs::from_secs(8);
    let times = StreamOptions { age, drain_within: DurationMs::from_secs(50), ..quick() };
    let harness = Harness::with(times).await;
    let proxy = TcpProxy::before(harness.address).await;
    let id = harness.enqueue("a").await;
    let opened_at = Instant::now();
    let mut old = Worker::at(proxy.address(), &harness.key, "a", 1).await;
    old.keep_alive();
    let taken = old.take().await;
    let Message::Drain(drain) = old.next_message().await else { panic!("it is old") };
    assert_eq!(drain.reason, "age");
    assert!(opened_at.elapsed() >= age.to_std().mul_f64(0.8), "not before its time, whatever the jitter");
    let waiting = harness.enqueue("a").await;
    let mut next = Worker::at(proxy.address(), &harness.key, "a", 0).await;
    next.send(1, completion(&taken[0]));
    let Message::Outcome(answer) = next.next_message().await else { panic!("an outcome") };
    assert_eq!((answer.results[0].id.as_str(), answer.results[0].outcome.as_str()), (id.as_str(), "ok"));
    next.send(0, Sent::Credits(Credits { count: 1 }));
    assert_eq!(next.take().await[0].id, waiting, "no job came over the old one");
    old.half_close();
    while old.next_or_end().await.expect("it ends well").is_some() {}
}
