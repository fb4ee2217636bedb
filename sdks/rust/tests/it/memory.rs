//! Workers without a server.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use trunkline_client::models::JobStatus;
use trunkline_client::testing::{FakeContext, InMemoryWorker};
use trunkline_client::{
    CancelReason, ClientError, Codec, CodecError, Context, Error, Json, Payload, PayloadKind, Worker,
};

const SECOND: Duration = Duration::from_secs(1);

#[derive(Serialize, Deserialize)]
struct Greet {
    name: String,
}

#[tokio::test]
async fn retries_carry_progress_over_and_snoozes_cost_no_attempt() {
    let memory = InMemoryWorker::new();
    let client = memory.client();
    let seen = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&seen);
    let worker = Worker::new(client.clone())
        .middleware(move |data, context, next| {
            counted.fetch_add(1, Ordering::Relaxed);
            async move { next.call(data, context).await }
        })
        .handle("flaky", |greet: Greet, ctx: Context| async move {
            if ctx.previous_progress::<i32>().is_none() {
                ctx.progress(&1)?;
                return Err(Error::snooze(60 * SECOND));
            }
            match ctx.attempt() {
                1 => Err("once".parse::<i32>().expect_err("no number").into()),
                2 => Err(Error::retry_after(2 * SECOND)),
                attempt => Ok(format!("{} {attempt}", greet.name)),
            }
        });
    let job = client.enqueue("flaky", &Greet { name: "Ada".to_owned() }).await.expect("enqueued");
    memory.drain(worker).await.expect("drained");
    assert_eq!(job.wait::<String>(SECOND).await.expect("a result"), "Ada 3");
    let job = memory.job(job.id()).expect("a job");
    assert_eq!((job.snoozes, job.waits), (1, vec!["60000ms".to_owned(), "2000ms".to_owned()]));
    assert_eq!(seen.load(Ordering::Relaxed), 4);
}

#[tokio::test]
async fn what_cannot_succeed_becomes_a_dead_letter() {
    let memory = InMemoryWorker::new();
    let client = memory.client();
    let worker = Worker::new(client.clone())
        .handle("panics", |(): (), _: Context| async move {
            assert!(std::hint::black_box(false), "oh");
            Ok(())
        })
        .handle("typed", |greet: Greet, _: Context| async move { Ok(greet.name) });
    let panics = client.enqueue("panics", &()).max_retries(1).await.expect("enqueued");
    let typed = client.enqueue("typed", &serde_json::json!({ "name": 7 })).await.expect("enqueued");
    memory.drain(worker).await.expect("drained");
    let job = memory.job(panics.id()).expect("a job");
    assert_eq!((job.status, job.attempt), (JobStatus::DeadLetter, 2));
    assert_eq!(job.error.expect("an error").message, "panic: oh");
    let failed = typed.wait::<String>(SECOND).await.expect_err("a dead letter");
    let ClientError::JobFailed(failed) = failed else { panic!("{failed}") };
    assert_eq!(failed.code(), Some("invalid_data"));
    assert_eq!(memory.job(typed.id()).expect("a job").attempt, 1);
}

#[tokio::test]
async fn reports_bring_the_next_jobs() {
    let memory = InMemoryWorker::new();
    let client = memory.client();
    let worker =
        Worker::new(client.clone()).concurrency(1).handle("count", |n: i32, _: Context| async move {
            if n % 2 == 1 { Err(Error::non_retryable("odd")) } else { Ok(n) }
        });
    for number in 0..20 {
        client.enqueue("count", &number).await.expect("enqueued");
    }
    memory.drain(worker).await.expect("drained");
    // One poll to find out whether the server is there, which brings the first job, and one that waits at the end.
    assert!(memory.polls() <= 3, "{} polls for 20 jobs", memory.polls());
}

#[tokio::test]
async fn a_busy_thread_of_handlers_does_not_keep_the_worker_from_its_duties() {
    let memory = InMemoryWorker::new();
    let client = memory.client();
    let watched = memory.clone();
    // This test's runtime has one thread, which stands still until the server has the progress: only a heartbeat of another
    // thread brings it there.
    let worker = Worker::new(client.clone()).handle("blocks", move |(): (), ctx: Context| {
        let memory = watched.clone();
        async move {
            ctx.progress(&"half")?;
            let started = Instant::now();
            while memory.job(ctx.job_id()).is_none_or(|job| job.progress.is_none()) {
                if started.elapsed() > 30 * SECOND {
                    return Err(Error::non_retryable("no heartbeat came"));
                }
                std::thread::yield_now();
            }
            Ok(())
        }
    });
    let job = client.enqueue("blocks", &()).await.expect("enqueued");
    memory.drain(worker).await.expect("drained");
    job.wait::<()>(SECOND).await.expect("completed");
}

#[tokio::test]
async fn a_codec_goes_around_data_and_results() {
    struct Wrapped;
    impl Codec for Wrapped {
        fn encode<'a>(
            &'a self,
            value: Json,
            payload: Payload<'a>,
        ) -> BoxFuture<'a, Result<Json, CodecError>> {
            let kind = if payload.kind == PayloadKind::Data { "data" } else { "result" };
            Box::pin(async move { Ok(Json::of(&(kind, value))?) })
        }

        fn decode<'a>(&'a self, value: Json, _: Payload<'a>) -> BoxFuture<'a, Result<Json, CodecError>> {
            Box::pin(async move { Ok(value.decode::<(String, Json)>()?.1) })
        }
    }
    let memory = InMemoryWorker::new();
    let client = memory.client_builder().codec(Wrapped).build().expect("a client");
    let worker = Worker::new(client.clone()).handle("double", |n: i32, _: Context| async move { Ok(2 * n) });
    let job = client.enqueue("double", &21).await.expect("enqueued");
    memory.drain(worker).await.expect("drained");
    assert_eq!(job.wait::<i32>(SECOND).await.expect("a result"), 42);
    let kept = memory.job(job.id()).expect("a job");
    assert_eq!(
        (kept.data.as_str(), kept.result.expect("a result").as_str()),
        (r#"["data",21]"#, r#"["result",42]"#)
    );
}

#[tokio::test]
async fn a_fake_context_cancels_and_records() {
    let fake = FakeContext::new().attempt(2).previous_progress(&7);
    let ctx = fake.context();
    assert_eq!((ctx.attempt(), ctx.previous_progress::<i32>()), (2, Some(7)));
    assert_eq!((ctx.idempotency_key(), ctx.is_cancelled()), ("job_test", false));
    ctx.log().with("n", &1).warn("careful");
    fake.cancel(CancelReason::Draining);
    assert_eq!(ctx.cancelled().await, CancelReason::Draining);
    assert_eq!(fake.lines()[0].1, "careful");
}
