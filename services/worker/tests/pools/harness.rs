//! A harness for pools: an engine over a database in memory, jobs put on any queue, and handlers made from closures.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::id::JobId;
use domain::job::{JobStatus, Outcome};
use domain::names::{JobType, TenantName, WorkerId};
use domain::queue::{QueueName, Tier};
use domain::retry::Backoff;
use domain::search::{Search, SearchList, Term, TermValue};
use domain::time::DurationMs;
use engine::{Engine, EngineParts, Policy};
use parking_lot::{Condvar, Mutex};
use store::Store;
use store::jobs::{ClaimedJob, JobRecord, NewJob};
use store::search::SearchPage;
use store::wakeup::Hint;
use testkit::database::{TestStore, postgres, sqlite_file, sqlite_memory};
use testkit::{EngineHarness, SeededEntropy, eventually};
use tokio_util::sync::CancellationToken;
use worker::{Drained, Handler, HandlerEnd, Handlers, PoolOptions, Pools};

pub(crate) struct PoolHarness {
    pub(crate) harness: EngineHarness,
    pub(crate) database: TestStore,
    /// What the test itself reads and writes through.
    observer: Arc<dyn Store>,
    lease: DurationMs,
}

impl PoolHarness {
    /// With the usual lease of 30 s.
    pub(crate) async fn new() -> Self {
        Self::with_lease(DurationMs::from_secs(30)).await
    }

    pub(crate) async fn with_lease(lease: DurationMs) -> Self {
        Self::on(sqlite_memory().await, lease).await
    }

    /// On a file, so that the test, the pools and the heartbeat can have connections of their own.
    pub(crate) async fn on_file(lease: DurationMs) -> Self {
        Self::on(sqlite_file().await, lease).await
    }

    /// On PostgreSQL.
    pub(crate) async fn on_postgres() -> Self {
        Self::on(postgres().await, DurationMs::from_secs(30)).await
    }

    async fn on(database: TestStore, lease: DurationMs) -> Self {
        let mut policy = Policy::default();
        for queue in &mut policy.queues {
            queue.lease = lease;
            queue.backoff.jitter = false;
        }
        let store: Arc<dyn Store> = Arc::clone(&database.store) as _;
        let observer: Arc<dyn Store> =
            database.store.connect_companion(2).await.expect("the database is there");
        Self { harness: EngineHarness::with_policy(store, policy), database, observer, lease }
    }

    /// The reaper of another node.
    pub(crate) async fn reap(&self) -> u32 {
        let engine = Engine::new(EngineParts {
            store: Arc::clone(&self.observer),
            wakeup: Arc::clone(&self.harness.wakeup),
            clock: Arc::clone(&self.harness.clock) as _,
            entropy: Arc::new(SeededEntropy::new(99)),
            rate_limits: Arc::new(engine::LocalLimits::new()),
            secret_keys: None,
            secret_variable: |_| None,
            outside: engine::Outside::default(),
            policy: Policy::default(),
        });
        engine.reap_tick().await.expect("a reap works")
    }

    pub(crate) fn engine(&self) -> Engine {
        self.harness.engine.clone()
    }

    pub(crate) fn options(&self, queue: QueueName, workers: usize) -> PoolOptions {
        PoolOptions {
            queue,
            workers,
            lease: self.lease,
            poll_every: DurationMs(50),
            worker_id: WorkerId::trusted(format!("test/{queue}")),
        }
    }

    /// Starts one pool whose heartbeat shares the store.
    pub(crate) fn start(&self, queue: QueueName, workers: usize, handlers: Handlers) -> Pools {
        let engine = self.engine();
        let heartbeat_engine = move || {
            let engine = engine.clone();
            async move { Ok::<_, Infallible>(engine) }
        };
        worker::start(self.engine(), vec![self.options(queue, workers)], handlers, heartbeat_engine)
            .expect("a thread for the heartbeat")
    }

    /// Puts jobs on a queue, without a hint.
    pub(crate) async fn put(&self, queue: QueueName, job_type: &str, count: usize) -> Vec<JobId> {
        self.put_with(queue, job_type, count, |_| {}).await
    }

    pub(crate) async fn put_with(
        &self,
        queue: QueueName,
        job_type: &str,
        count: usize,
        change: impl Fn(&mut NewJob),
    ) -> Vec<JobId> {
        let now = self.harness.engine.now();
        let jobs: Vec<NewJob> = (0..count)
            .map(|_| {
                let mut job = NewJob {
                    id: JobId::from_uuid(self.harness.engine.entropy().uuid(now)),
                    queue,
                    tier: Tier::Normal,
                    tenant: TenantName::trusted("default"),
                    workflow: None,
                    job_type: JobType::trusted(job_type),
                    data: "{}".to_owned(),
                    run_at: now,
                    expires_at: None,
                    retries_max: 3,
                    backoff: Backoff { jitter: false, ..Backoff::default() },
                    timeout: None,
                    unique_key: None,
                    concurrency_key: None,
                    rate_key: None,
                    tags: Vec::new(),
                    traceparent: None,
                    execution_id: None,
                    node_id: None,
                    attributes: Vec::new(),
                };
                change(&mut job);
                job
            })
            .collect();
        let ids = jobs.iter().map(|job| job.id).collect();
        self.observer.enqueue(&jobs, now).await.expect("the jobs are stored");
        ids
    }

    pub(crate) fn hint(&self, queue: QueueName) {
        self.harness.wakeup.send(&[Hint::Queue(queue)]);
    }

    pub(crate) async fn job(&self, id: JobId) -> JobRecord {
        self.observer.job(&TenantScope::All, id).await.expect("a read works").expect("the job is there")
    }

    pub(crate) async fn count(&self, status: JobStatus) -> usize {
        let of_status = Term::is("status", TermValue::Text(status.as_str().to_owned()));
        let search = Search { terms: vec![of_status], ..Search::all(SearchList::Jobs) };
        let page = SearchPage { after: None, limit: 200 };
        self.observer.search(&TenantScope::All, &search, page).await.expect("a read works").places.len()
    }

    pub(crate) async fn reaches(&self, id: JobId, status: JobStatus) -> JobRecord {
        eventually(status.as_str(), || async { self.job(id).await.status == status }).await;
        self.job(id).await
    }
}

/// Ends pools that have nothing to do.
pub(crate) async fn stop(pools: Pools) -> Drained {
    pools.drain(Duration::from_secs(20), CancellationToken::new()).await
}

/// A table with one handler.
pub(crate) fn handlers(job_type: &str, handler: impl Handler + 'static) -> Handlers {
    let mut handlers = Handlers::new();
    handlers.register(JobType::trusted(job_type), Arc::new(handler));
    handlers
}

/// Succeeds at once.
pub(crate) struct Succeeds;

#[async_trait]
impl Handler for Succeeds {
    async fn run(&self, _job: &ClaimedJob, _stop: CancellationToken) -> HandlerEnd {
        Outcome::Completed(Some("\"done\"".to_owned())).into()
    }
}

/// Panics.
pub(crate) struct Panics;

#[async_trait]
impl Handler for Panics {
    async fn run(&self, job: &ClaimedJob, _stop: CancellationToken) -> HandlerEnd {
        panic!("no good: attempt {}", job.attempt);
    }
}

/// Runs until it is released, and counts who is inside.
#[derive(Clone, Default)]
pub(crate) struct Waits {
    pub(crate) release: CancellationToken,
    pub(crate) inside: Arc<AtomicUsize>,
    pub(crate) inside_max: Arc<AtomicUsize>,
    pub(crate) stopped: Arc<AtomicUsize>,
}

impl Waits {
    pub(crate) fn count(&self) -> usize {
        self.inside.load(Ordering::SeqCst)
    }

    /// Waits until so many ran at once. They may be gone again where their leases are short.
    pub(crate) async fn entered(&self, count: usize) {
        eventually("handlers run", || async { self.inside_max.load(Ordering::SeqCst) >= count }).await;
    }

    pub(crate) async fn left(&self) {
        eventually("no handler runs", || async { self.count() == 0 }).await;
    }
}

/// Leaves when the handler ends in whatever way.
struct Inside(Arc<AtomicUsize>);

impl Drop for Inside {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

#[async_trait]
impl Handler for Waits {
    async fn run(&self, _job: &ClaimedJob, stop: CancellationToken) -> HandlerEnd {
        let count = self.inside.fetch_add(1, Ordering::SeqCst) + 1;
        self.inside_max.fetch_max(count, Ordering::SeqCst);
        let _inside = Inside(Arc::clone(&self.inside));
        let stopped = Arc::clone(&self.stopped);
        // Work in a task of its own only sees the token.
        let beside = tokio::spawn(async move {
            stop.cancelled().await;
            stopped.fetch_add(1, Ordering::SeqCst);
        });
        self.release.cancelled().await;
        beside.abort();
        Outcome::Completed(None).into()
    }
}

/// Blocks its thread until released, as a handler should not.
#[derive(Clone, Default)]
pub(crate) struct Blocks {
    pub(crate) inside: Arc<AtomicUsize>,
    released: Arc<(Mutex<bool>, Condvar)>,
}

impl Blocks {
    pub(crate) async fn entered(&self, count: usize) {
        eventually("handlers block", || async { self.inside.load(Ordering::SeqCst) == count }).await;
    }

    pub(crate) fn release(&self) {
        *self.released.0.lock() = true;
        self.released.1.notify_all();
    }
}

#[async_trait]
impl Handler for Blocks {
    async fn run(&self, _job: &ClaimedJob, _stop: CancellationToken) -> HandlerEnd {
        self.inside.fetch_add(1, Ordering::SeqCst);
        let (released, changed) = &*self.released;
        changed.wait_while(&mut released.lock(), |released| !*released);
        Outcome::Completed(None).into()
    }
}
