//! The worker over a transport that answers as the test says.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures::future::BoxFuture;
use serde_json::{Value, json};
use tokio::sync::{Notify, oneshot};
use trunkline_client::{
    CallOptions, CancelReason, Client, ClientError, Context, EventStream, OnCancel, Request, Transport,
    Worker,
};

const DEADLINE: Duration = Duration::from_secs(20);

/// Polls are answered one after another; each answer may cancel a lease before it. A poll without an answer waits.
#[derive(Default)]
struct Scripted {
    polls: Mutex<VecDeque<(Option<&'static str>, Value)>>,
    on_cancel: Mutex<Option<OnCancel>>,
    calls: Mutex<Vec<&'static str>>,
    last_poll: Notify,
    ended: Notify,
    /// Whether completions are answered only once a job was given back.
    holds_completions: AtomicBool,
    completing: Notify,
    released: Notify,
    given_back: Mutex<Vec<Value>>,
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Scripted {
    async fn answer(&self, request: Request) -> Value {
        locked(&self.calls).push(request.name);
        if request.name != "pollJobs" {
            if request.name == "completeJobs" && self.holds_completions.load(Ordering::Relaxed) {
                self.completing.notify_one();
                self.released.notified().await;
            }
            if request.name == "releaseJobs" {
                let body = serde_json::from_slice(&request.body.expect("a report")).expect("JSON");
                locked(&self.given_back).push(body);
                self.released.notify_one();
            }
            return json!({ "results": [{ "id": "job_1", "outcome": "ok" }] });
        }
        let next = {
            let mut polls = locked(&self.polls);
            let next = polls.pop_front();
            if polls.is_empty() {
                self.last_poll.notify_one();
            }
            next
        };
        let Some((cancelled, answer)) = next else {
            self.ended.notified().await;
            return json!({ "jobs": [] });
        };
        if let Some(token) = cancelled {
            let call = locked(&self.on_cancel).clone().expect("a worker listens");
            call(token, CancelReason::Cancelled);
        }
        answer
    }
}

impl Transport for Scripted {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn call(&self, request: Request, _: CallOptions) -> BoxFuture<'_, Result<Bytes, ClientError>> {
        Box::pin(async move { Ok(self.answer(request).await.to_string().into()) })
    }

    fn events(&self) -> BoxFuture<'_, Result<EventStream, ClientError>> {
        Box::pin(std::future::pending())
    }

    fn pushes(&self) -> bool {
        true
    }

    fn on_cancel(&self, _: &str, call: OnCancel) {
        *locked(&self.on_cancel) = Some(call);
    }

    fn end_delivery(&self, _: &str) {
        self.ended.notify_one();
    }
}

fn leased(token: &str) -> Value {
    json!({
        "id": "job_1", "jobType": "greet", "attempt": 1, "data": 1, "tenant": "default", "leaseToken": token,
        "leaseExpiresAt": "2999-01-01T00:00:00Z", "idempotencyKey": "job_1", "maxRetries": 0,
    })
}

fn client_of(transport: &Arc<Scripted>) -> Client {
    let transport: Arc<dyn Transport> = Arc::<Scripted>::clone(transport);
    Client::builder().with_transport(transport).build().expect("a client")
}

#[tokio::test]
async fn a_cancellation_that_comes_before_its_job_begins_is_kept() {
    let transport = Arc::new(Scripted::default());
    locked(&transport.polls).push_back((Some("t1"), json!({ "jobs": [leased("t1")] })));
    let (cancelled, seen) = oneshot::channel();
    let cancelled = Arc::new(Mutex::new(Some(cancelled)));
    let worker = Worker::new(client_of(&transport)).handle("greet", move |_: i32, ctx: Context| {
        let cancelled = locked(&cancelled).take();
        async move {
            let reason = ctx.cancelled().await;
            if let Some(cancelled) = cancelled {
                cancelled.send(reason).expect("the test waits");
            }
            Ok(())
        }
    });
    let (stop, stopped) = oneshot::channel::<()>();
    let running = tokio::spawn(worker.run_until(async move { drop(stopped.await) }));
    let reason = tokio::time::timeout(DEADLINE, seen).await.expect("it is cancelled").expect("a reason");
    assert_eq!(reason, CancelReason::Cancelled);
    stop.send(()).expect("it runs");
    running.await.expect("no panic").expect("it ends");
}

#[tokio::test]
async fn a_worker_that_an_operator_drains_finishes_what_it_has_and_ends() {
    let transport = Arc::new(Scripted::default());
    let drain = json!({ "jobs": [], "drain": true });
    locked(&transport.polls).extend([(None, json!({ "jobs": [leased("t1")] })), (None, drain)]);
    let scripted = Arc::clone(&transport);
    let worker = Worker::new(client_of(&transport)).handle("greet", move |n: i32, _: Context| {
        let scripted = Arc::clone(&scripted);
        async move {
            scripted.last_poll.notified().await;
            Ok(n)
        }
    });
    tokio::time::timeout(DEADLINE, worker.run()).await.expect("it ends by itself").expect("it ends");
    let calls = locked(&transport.calls).clone();
    assert_eq!(calls.iter().filter(|call| **call == "completeJobs").count(), 1, "{calls:?}");
}

#[tokio::test]
async fn a_job_whose_result_is_on_its_way_is_not_given_back() {
    let transport = Arc::new(Scripted::default());
    transport.holds_completions.store(true, Ordering::Relaxed);
    let mut stubborn = leased("stubborn");
    stubborn["data"] = 2.into();
    locked(&transport.polls).push_back((None, json!({ "jobs": [leased("ended"), stubborn] })));
    let worker = Worker::new(client_of(&transport)).drain_timeout(Duration::ZERO).handle(
        "greet",
        |n: i32, _: Context| async move {
            if n == 2 {
                std::future::pending::<()>().await;
            }
            Ok(n)
        },
    );
    let scripted = Arc::clone(&transport);
    let running = worker.run_until(async move { scripted.completing.notified().await });
    tokio::time::timeout(DEADLINE, running).await.expect("it ends by itself").expect("it ends");
    let given_back = locked(&transport.given_back).clone();
    assert_eq!(given_back, [json!({ "jobs": [{ "id": "job_1", "leaseToken": "stubborn" }] })]);
    let completed = locked(&transport.calls).iter().filter(|call| **call == "completeJobs").count();
    assert_eq!(completed, 1);
}
