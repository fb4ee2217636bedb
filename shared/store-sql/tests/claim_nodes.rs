//! Several nodes on one database: limits hold at every instant, every job is claimed once, keys admit one at a time.
#![expect(clippy::disallowed_methods, reason = "tests make ids of their own")]

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use domain::build::WorkerBuild;
use domain::id::{JobId, LeaseToken};
use domain::job::Disposition;
use domain::limits::QueueLimits;
use domain::names::{CallerKey, JobType, TenantName, WorkerId};
use domain::queue::{QueueName, Tier};
use domain::retry::Backoff;
use domain::time::{DurationMs, Timestamp};
use sqlx::{Connection as _, PgConnection, Row as _};
use store::jobs::{ClaimRequest, JobStore as _, LeaseAnswer, LeaseRef, NewJob, Settlement};
use store_sql::SqlStore;
use testkit::database::{options, postgres_database};
use uuid::Uuid;

const NOW: Timestamp = Timestamp(1_000_000);
const JOBS: usize = 600;
const TENANTS: usize = 5;
const TENANT_LIMIT: i64 = 3;
const GLOBAL_LIMIT: i64 = 10;
/// A safety net: the test fails rather than hangs when no more jobs come.
const EMPTY_CLAIMS_MAX: usize = 20_000;

fn job(number: usize) -> NewJob {
    NewJob {
        id: JobId::from_uuid(Uuid::now_v7()),
        queue: QueueName::Node,
        tier: Tier::ALL[number % 3],
        tenant: TenantName::trusted(format!("tenant{}", number % TENANTS)),
        workflow: None,
        job_type: JobType::trusted("encode"),
        data: "{}".into(),
        run_at: NOW,
        expires_at: None,
        retries_max: 3,
        backoff: Backoff::default(),
        timeout: None,
        unique_key: None,
        // One in four competes for a few keys.
        concurrency_key: number.is_multiple_of(4).then(|| CallerKey::trusted(format!("key{}", number % 3))),
        rate_key: None,
        tags: Vec::new(),
        traceparent: None,
        execution_id: None,
        node_id: None,
        attributes: Vec::new(),
    }
}

/// Claims and settles until all jobs are done. Every other job is retried once at once, and so goes back to an older
/// place than those behind it.
async fn work(store: Arc<SqlStore>, settled: Arc<AtomicUsize>) -> Vec<(JobId, u32)> {
    let mut done = Vec::new();
    let mut empty = 0;
    while settled.load(Ordering::SeqCst) < JOBS {
        let request = ClaimRequest {
            build: WorkerBuild::Any,
            queue: QueueName::Node,
            tenant: None,
            job_types: None,
            jobs_max: 4,
            lease: DurationMs::from_secs(3_600),
            worker_id: WorkerId::trusted("worker"),
            others: Vec::new(),
            tokens: (0..4).map(|_| LeaseToken(Uuid::new_v4())).collect(),
            now: NOW,
        };
        let claimed = store.claim(&request).await.expect("claim works");
        if claimed.is_empty() {
            empty += 1;
            assert!(empty < EMPTY_CLAIMS_MAX, "{} of {JOBS} jobs came", settled.load(Ordering::SeqCst));
            store.promote_due(&[], NOW, 100).await.expect("promote works");
            tokio::task::yield_now().await;
            continue;
        }
        for job in claimed {
            let lease = LeaseRef { id: job.id, token: job.token };
            let is_retried = job.attempt == 1 && job.position % 2 == 0;
            let disposition = if is_retried {
                Disposition::RetryAt {
                    at: NOW,
                    error: domain::failure::JobError::coded("again", "once more"),
                }
            } else {
                Disposition::Complete(None)
            };
            let answers =
                store.settle(&[Settlement { lease, disposition }], NOW).await.expect("settle works");
            assert!(matches!(answers[0], LeaseAnswer::Ok(_)), "{answers:?}");
            if !is_retried {
                done.push((job.id, job.attempt));
                settled.fetch_add(1, Ordering::SeqCst);
            }
        }
    }
    done
}

/// Reads consistent snapshots until it is stopped. Answers how many it saw.
async fn watch(url: String, is_over: Arc<AtomicBool>) -> usize {
    let mut connection = PgConnection::connect(&url).await.expect("the server answers");
    let mut samples = 0;
    while !is_over.load(Ordering::SeqCst) {
        let query = sqlx::query(
            "SELECT l.tenant, count(*) AS running, count(j.concurrency_key) - count(DISTINCT j.concurrency_key) AS twice
             FROM job j JOIN lane l ON l.id = j.lane WHERE j.state = 'processing' GROUP BY l.tenant",
        );
        let rows = query.fetch_all(&mut connection).await.expect("counts can be read");
        let mut global = 0;
        for row in &rows {
            let running: i64 = row.get("running");
            assert!(running <= TENANT_LIMIT, "{running} running of one tenant");
            assert_eq!(row.get::<i64, _>("twice"), 0, "two jobs of one concurrency key run");
            global += running;
        }
        assert!(global <= GLOBAL_LIMIT, "{global} running");
        samples += 1;
    }
    samples
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn i03_limits_hold_on_two_nodes_at_every_instant() {
    let url = postgres_database().await;
    let limits =
        QueueLimits { global: Some(GLOBAL_LIMIT as u32), tenant: Some(TENANT_LIMIT as u32), workflow: None };
    let options = options(&url, &[(QueueName::Node, limits)]);
    let nodes = [
        SqlStore::connect(&options).await.expect("a new database can be opened"),
        SqlStore::connect(&options).await.expect("a second node can join"),
    ];
    let jobs: Vec<NewJob> = (0..JOBS).map(job).collect();
    for (number, chunk) in jobs.chunks(100).enumerate() {
        nodes[number % 2].enqueue(chunk, NOW).await.expect("enqueue works");
    }
    let (settled, is_over) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    let watcher = tokio::spawn(watch(url, Arc::clone(&is_over)));
    let workers =
        (0..4).map(|number| tokio::spawn(work(Arc::clone(&nodes[number % 2]), Arc::clone(&settled))));
    let workers: Vec<_> = workers.collect();
    let mut attempts: HashMap<JobId, u32> = HashMap::new();
    for worker in workers {
        for (id, attempt) in worker.await.expect("a worker ends well") {
            assert_eq!(attempts.insert(id, attempt), None, "{id} was completed twice");
        }
    }
    is_over.store(true, Ordering::SeqCst);
    assert!(watcher.await.expect("the limits held") > 10);
    assert_eq!(attempts.len(), JOBS);
    assert!(attempts.values().all(|&attempt| attempt <= 2), "an attempt was counted without a claim");
}
