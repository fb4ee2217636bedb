//! Callers hang up at any instant while every message is late: what was acknowledged is there, and no session is used of
//! whose state nothing is known. For a few seconds; `TRUNKLINE_HANG_UPS=100000` goes on until as many calls were given up.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use domain::access::TenantScope;
use domain::id::JobId;
use domain::job::{Disposition, JobStatus};
use domain::queue::QueueName;
use parking_lot::Mutex;
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use store::batches::BatchStore as _;
use store::conformance::fixture::{T0, claim, job, lease, uuid};
use store::jobs::{JobStore as _, LeaseAnswer, Settlement};
use store_sql::SqlStore;
use testkit::database::postgres_database;
use testkit::pg_proxy::PgProxy;
use testkit::pgbouncer::PgBouncer;

use crate::fixture::{Behind, short};

/// Callers at once: more than the pool has connections.
const CALLERS: u64 = 16;

/// For how long they call; longer on a machine that is slow, until the case says something.
const CALLS_FOR: Duration = Duration::from_secs(6);

/// No more calls than this, so that a fast machine does not fill its disk; in proportion where more are asked for.
const CALLS_MAX: u64 = 30_000;

/// How many calls are given up at least.
const HANG_UPS_MIN: u64 = 100;

/// Names how many calls are to be given up, for a run of minutes or hours.
const HANG_UPS: &str = "TRUNKLINE_HANG_UPS";

/// The longest a message is held. A call takes several of them, and one in four is held.
const LATE: Duration = Duration::from_millis(1);

/// How long a hasty caller waits at most: about as long as a call takes.
const HASTY_MICROS: u64 = 30_000;

/// How long others wait at most.
const PATIENT_MICROS: u64 = 1_000_000;

/// What was acknowledged.
struct Acknowledged {
    /// How many calls are given up before the case says something.
    hang_ups_min: u64,
    enqueued: Mutex<BTreeSet<JobId>>,
    completed: Mutex<BTreeSet<JobId>>,
    calls: AtomicU64,
    hung_up: AtomicU64,
}

impl Acknowledged {
    fn new() -> Self {
        let asked = std::env::var(HANG_UPS).map(|count| count.parse().expect("a number of calls"));
        Self {
            hang_ups_min: asked.unwrap_or(HANG_UPS_MIN),
            enqueued: Mutex::default(),
            completed: Mutex::default(),
            calls: AtomicU64::default(),
            hung_up: AtomicU64::default(),
        }
    }

    /// How many times more is asked for than a run of seconds does.
    fn scale(&self) -> u32 {
        u32::try_from(self.hang_ups_min / HANG_UPS_MIN).expect("a number of calls").max(1)
    }

    /// Whether the case says anything.
    fn is_enough(&self) -> bool {
        let hung_up = self.hung_up.load(Ordering::Relaxed);
        hung_up >= self.hang_ups_min && self.enqueued.lock().len() > 100 && self.completed.lock().len() > 10
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i01_what_was_acknowledged_is_there_whoever_hangs_up() {
    let behind = Behind::new().await;
    behind.proxy.set_jitter(Some(LATE), 1);
    let seen = call_and_hang_up(&behind.store).await;
    behind.proxy.set_jitter(None, 1);
    check(behind.direct().await.as_ref(), &seen).await;
    assert_eq!(behind.proxy.nested_begins(), 0, "a transaction was begun inside another one");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i01_the_same_behind_a_pooler() {
    let (url, pooler) = (postgres_database().await, PgBouncer::start().await);
    let direct = SqlStore::connect(&short(&url)).await.expect("a new database can be opened");
    let proxy = PgProxy::start(&pooler.url(&url)).await;
    let shared = store_sql::StoreOptions { pooler: store_sql::Pooler::Transaction, ..short(&proxy.url()) };
    let store = SqlStore::connect(&shared).await.expect("the pooler answers");
    proxy.set_jitter(Some(LATE), 2);
    let seen = call_and_hang_up(&store).await;
    proxy.set_jitter(None, 2);
    check(&direct, &seen).await;
    assert_eq!(proxy.nested_begins(), 0, "a transaction was begun inside another one");
}

async fn call_and_hang_up(store: &Arc<SqlStore>) -> Arc<Acknowledged> {
    let seen = Arc::new(Acknowledged::new());
    let (until, latest) = (Instant::now() + CALLS_FOR, Instant::now() + CALLS_FOR * 15 * seen.scale());
    let calls_max = CALLS_MAX * u64::from(seen.scale());
    let callers = (0..CALLERS).map(|number| {
        let (store, seen) = (Arc::clone(store), Arc::clone(&seen));
        tokio::spawn(async move {
            let mut random = StdRng::seed_from_u64(number);
            while (Instant::now() < until || (Instant::now() < latest && !seen.is_enough()))
                && seen.calls.fetch_add(1, Ordering::Relaxed) < calls_max
            {
                let longest = if random.random_bool(0.6) { HASTY_MICROS } else { PATIENT_MICROS };
                let patience = Duration::from_micros(random.random_range(0..longest));
                let called = tokio::time::timeout(patience, call(&store, &seen, random.random_range(0..10)));
                if called.await.is_err() {
                    seen.hung_up.fetch_add(1, Ordering::Relaxed);
                }
            }
        })
    });
    for caller in callers.collect::<Vec<_>>() {
        caller.await.expect("no caller panics");
    }
    seen
}

/// One call, or a few that belong together. What is acknowledged is kept at once, without another await.
async fn call(store: &SqlStore, seen: &Acknowledged, which: u8) {
    match which {
        0..4 => {
            let new = job();
            if store.enqueue(std::slice::from_ref(&new), T0).await.is_ok() {
                seen.enqueued.lock().insert(new.id);
            }
        }
        4 => {
            // Of its own kind, with a key: by the longer way, in a transaction.
            let id = job().id;
            let new = store::jobs::NewJob {
                id,
                unique_key: Some(domain::names::CallerKey::trusted(id.to_string())),
                ..job()
            };
            if store.enqueue(std::slice::from_ref(&new), T0).await.is_ok() {
                seen.enqueued.lock().insert(new.id);
            }
        }
        5 => {
            // Single statements that write, and are not repeated.
            let _ = store.take_over_batches(T0, uuid(), T0).await;
        }
        _ => {
            let Ok(claimed) = store.claim(&claim(QueueName::Node, 4, T0)).await else {
                return;
            };
            for job in claimed {
                let done = Settlement { lease: lease(&job), disposition: Disposition::Complete(None) };
                if let Ok(answers) = store.settle(&[done], T0).await
                    && matches!(answers[0], LeaseAnswer::Ok(_))
                {
                    seen.completed.lock().insert(job.id);
                }
            }
        }
    }
}

async fn check(store: &SqlStore, seen: &Acknowledged) {
    let (calls, hung_up) = (seen.calls.load(Ordering::Relaxed), seen.hung_up.load(Ordering::Relaxed));
    let (enqueued, completed) = (seen.enqueued.lock().clone(), seen.completed.lock().clone());
    let counts = format!(
        "{calls} calls, {hung_up} hung up, {} enqueued, {} completed",
        enqueued.len(),
        completed.len()
    );
    assert!(seen.is_enough(), "{counts}");
    for id in &enqueued {
        let found = store.job(&TenantScope::All, *id).await.expect("jobs can be read");
        assert!(found.is_some(), "job {id} was acknowledged and is gone; {counts}");
    }
    for id in &completed {
        let found = store.job(&TenantScope::All, *id).await.expect("jobs can be read");
        let status = found.map(|job| job.status);
        assert_eq!(status, Some(JobStatus::Completed), "completion of {id} was acknowledged; {counts}");
    }
}
