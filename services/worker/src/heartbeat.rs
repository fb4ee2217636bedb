//! The heartbeat: renews all held leases from a thread, a runtime and a store connection of its own.
//!
//! Handlers that keep every thread of the main runtime busy cannot starve it. It also gives up leases whose time is
//! nearly over by the monotonic clock, also while a call to renew them hangs.

use std::error::Error;
use std::future::Future;
use std::io;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use domain::time::Timestamp;
use engine::{Engine, EngineError};
use store::jobs::{LeaseAnswer, LeaseExtension};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::backoff::Backoff;
use crate::leases::{Due, Leases};

/// The most leases of one call.
const BATCH_MAX: usize = 500;

/// The most calls that may be under way before one ends: each batch of leases has several, should they hang.
const CALLS_MAX: usize = 64;

/// The most that pass between two looks at the leases.
const TICK_MAX: Duration = Duration::from_millis(500);
const TICK_MIN: Duration = Duration::from_millis(5);

/// While no lease is held, the leases are looked at after this part of the shortest lease: one that is taken meanwhile
/// is not to be renewed before a third of it has passed.
const IDLE_PART: u32 = 10;

/// The waits between tries to make the heartbeat's own engine.
const WAIT_MIN: Duration = Duration::from_millis(100);
const WAIT_MAX: Duration = Duration::from_secs(2);

/// The running heartbeat.
pub(crate) struct Heartbeat {
    thread: JoinHandle<()>,
    stop: CancellationToken,
}

impl Heartbeat {
    /// Starts it. `lease_min` is the shortest lease of all pools; `make_engine` makes an engine over a store
    /// connection that belongs to the heartbeat alone, and is asked again while it fails.
    pub(crate) fn start<F, Fut, E>(
        leases: Arc<Leases>,
        lease_min: Duration,
        make_engine: F,
    ) -> io::Result<Self>
    where
        F: Fn() -> Fut + Send + 'static,
        Fut: Future<Output = Result<Engine, E>>,
        E: Error + 'static,
    {
        let stop = CancellationToken::new();
        let stopped = stop.clone();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let ticks = Ticks::of(lease_min);
        let thread = std::thread::Builder::new().name("heartbeat".to_owned()).spawn(move || {
            runtime.block_on(async {
                tokio::join!(fence(&leases, ticks, &stopped), renew(&leases, ticks, make_engine, &stopped),);
            });
        })?;
        Ok(Self { thread, stop })
    }

    /// Ends it.
    pub(crate) async fn stop(self) {
        self.stop.cancel();
        let ended = tokio::task::spawn_blocking(move || self.thread.join()).await;
        if !matches!(ended, Ok(Ok(()))) {
            tracing::error!("the thread of the heartbeat panicked");
        }
    }
}

/// How long it pauses between two looks at the leases.
#[derive(Debug, Clone, Copy)]
struct Ticks {
    held: Duration,
    idle: Duration,
}

impl Ticks {
    /// For leases of at least this length.
    fn of(lease_min: Duration) -> Self {
        Self { held: (lease_min / 20).clamp(TICK_MIN, TICK_MAX), idle: (lease_min / IDLE_PART).max(TICK_MIN) }
    }

    fn next(self, leases: &Leases) -> Duration {
        if leases.is_empty() { self.idle } else { self.held }
    }
}

/// Gives up leases that were not renewed in time.
async fn fence(leases: &Leases, ticks: Ticks, stop: &CancellationToken) {
    while !pause(ticks.next(leases), stop).await {
        for lease in leases.fence(Instant::now()) {
            tracing::warn!(job.id = %lease.id, "a lease could not be renewed in time; its job is stopped");
        }
    }
}

/// Renews the leases that are due. Calls run beside each other, so that one that hangs holds up no other; there are
/// at most as many of them as renewals fall into the time until the leases are given up.
async fn renew<F, Fut, E>(leases: &Arc<Leases>, ticks: Ticks, make_engine: F, stop: &CancellationToken)
where
    F: Fn() -> Fut,
    Fut: Future<Output = Result<Engine, E>>,
    E: Error + 'static,
{
    let Some(engine) = make(make_engine, stop).await else {
        return;
    };
    let mut calls = JoinSet::new();
    while !pause(ticks.next(leases), stop).await {
        // Where the store hangs, more calls that hang help nobody.
        if calls.len() >= CALLS_MAX {
            while calls.try_join_next().is_some() {}
            continue;
        }
        for batch in leases.due(Instant::now()).chunks(BATCH_MAX) {
            calls.spawn(extend(engine.clone(), Arc::clone(leases), batch.to_vec()));
        }
        while let Some(ended) = calls.try_join_next() {
            if let Err(error) = ended {
                tracing::error!(%error, "a lease renewal panicked or was cancelled");
            }
        }
    }
}

async fn make<F, Fut, E>(make_engine: F, stop: &CancellationToken) -> Option<Engine>
where
    F: Fn() -> Fut,
    Fut: Future<Output = Result<Engine, E>>,
    E: Error + 'static,
{
    let mut backoff = Backoff::new(WAIT_MIN, WAIT_MAX);
    loop {
        let made = tokio::select! {
            made = make_engine() => made,
            () = stop.cancelled() => return None,
        };
        match made {
            Ok(engine) => return Some(engine),
            Err(error) => {
                tracing::warn!(
                    error = &error as &dyn Error,
                    "the heartbeat could not open its database connection; retrying"
                );
                if pause(backoff.next(domain::retry::Jitter(1.0)), stop).await {
                    return None;
                }
            }
        }
    }
}

async fn extend(engine: Engine, leases: Arc<Leases>, batch: Vec<Due>) {
    let asked_at = Instant::now();
    let items: Vec<LeaseExtension> = batch
        .iter()
        .map(|due| LeaseExtension {
            lease: due.lease,
            extend: Some(domain::time::DurationMs(due.length.as_millis() as i64)),
            progress: None,
        })
        .collect();
    match engine.extend(&items).await {
        Ok(answers) => record_answers(&leases, &batch, &answers, asked_at),
        Err(error) => {
            leases.failed(&batch, Instant::now());
            log_failure(&error, batch.len());
        }
    }
}

fn record_answers(leases: &Leases, batch: &[Due], answers: &[LeaseAnswer<Timestamp>], asked_at: Instant) {
    for (due, answer) in batch.iter().zip(answers) {
        let token = due.lease.token;
        match answer {
            LeaseAnswer::Ok(_) => leases.renewed(token, asked_at),
            // A job that is over for us has left the leases before, and then this says nothing.
            LeaseAnswer::AlreadyDone | LeaseAnswer::Cancelled | LeaseAnswer::LeaseLost => {
                if leases.lose(token) {
                    tracing::info!(job.id = %due.lease.id, "a lease was lost; its job is stopped");
                }
            }
        }
    }
}

fn log_failure(error: &EngineError, count: usize) {
    tracing::warn!(error = error as &dyn Error, leases = count, "leases could not be renewed; retrying");
}

/// Waits; answers whether the heartbeat was stopped meanwhile.
async fn pause(wait: Duration, stop: &CancellationToken) -> bool {
    tokio::time::timeout(wait, stop.cancelled()).await.is_ok()
}

#[cfg(test)]
mod tests {
    use domain::id::{JobId, LeaseToken};
    use store::jobs::LeaseRef;
    use uuid::Uuid;

    use super::*;

    #[test]
    fn it_looks_seldom_while_no_lease_is_held_and_before_one_is_to_be_renewed() {
        let length = Duration::from_secs(30);
        let (leases, ticks) = (Arc::new(Leases::default()), Ticks::of(length));
        let idle = ticks.next(&leases);
        assert_eq!(idle, Duration::from_secs(3));
        let lease =
            LeaseRef { id: JobId::from_uuid(Uuid::from_u128(1)), token: LeaseToken(Uuid::from_u128(2)) };
        let asked_at = Instant::now();
        let held = leases.hold(lease, length, asked_at);
        assert!(
            leases.due(asked_at + idle).is_empty(),
            "taken right after a look, it is not due at the next"
        );
        assert_eq!(ticks.next(&leases), TICK_MAX);
        drop(held);
        assert_eq!(ticks.next(&leases), idle);
    }
}
