//! What the store reads while a large backlog waits, by PostgreSQL's own counters: no table from end to end, and of
//! the claim's index a handful of entries for each claimed job.
#![expect(clippy::disallowed_methods, reason = "tests make ids of their own")]

use domain::build::WorkerBuild;
use domain::id::{JobId, LeaseToken};
use domain::job::Disposition;
use domain::names::{JobType, TenantName, WorkerId};
use domain::queue::{QueueName, Tier};
use domain::retry::Backoff;
use domain::time::{DurationMs, Timestamp};
use sqlx::Row as _;
use store::Store as _;
use store::jobs::{ClaimRequest, JobStore as _, LeaseExtension, LeaseRef, NewJob, Settlement};
use testkit::database::{TestStore, last_session, postgres};
use uuid::Uuid;

const NOW: Timestamp = Timestamp(1_000_000);
const BACKLOG: usize = 20_000;
const CLAIMS: usize = 20;
const BATCH: u32 = 50;

fn job(number: usize) -> NewJob {
    NewJob {
        id: JobId::from_uuid(Uuid::now_v7()),
        queue: QueueName::Node,
        tier: Tier::Normal,
        tenant: TenantName::trusted(format!("tenant{}", number % 10)),
        workflow: None,
        job_type: JobType::trusted("encode"),
        data: "{}".into(),
        run_at: NOW,
        expires_at: None,
        retries_max: 3,
        backoff: Backoff::default(),
        timeout: None,
        unique_key: None,
        concurrency_key: None,
        rate_key: None,
        tags: Vec::new(),
        traceparent: None,
        execution_id: None,
        node_id: None,
        attributes: Vec::new(),
    }
}

fn request() -> ClaimRequest {
    ClaimRequest {
        build: WorkerBuild::Any,
        queue: QueueName::Node,
        tenant: None,
        job_types: None,
        jobs_max: BATCH,
        lease: DurationMs::from_secs(30),
        worker_id: WorkerId::trusted("worker"),
        others: Vec::new(),
        tokens: (0..BATCH).map(|_| LeaseToken(Uuid::new_v4())).collect(),
        now: NOW,
    }
}

/// A day in the life of a queue. Answers how many jobs were claimed.
async fn live(database: &TestStore) -> usize {
    let store = &database.store;
    // The first statements run on empty tables: their plans must be good for what comes.
    store.enqueue(&[job(0)], NOW).await.expect("enqueue works");
    let mut claimed = 0;
    for start in (0..BACKLOG).step_by(1_000) {
        let jobs: Vec<NewJob> = (start..start + 1_000).map(job).collect();
        store.enqueue(&jobs, NOW).await.expect("enqueue works");
    }
    for round in 0..CLAIMS {
        let jobs = store.claim(&request()).await.expect("claim works");
        claimed += jobs.len();
        let held: Vec<LeaseRef> = jobs.iter().map(|job| LeaseRef { id: job.id, token: job.token }).collect();
        let extensions: Vec<LeaseExtension> =
            held.iter().map(|&lease| LeaseExtension { lease, extend: None, progress: None }).collect();
        store.extend_leases(&extensions, NOW).await.expect("extend works");
        store.leased_jobs(&held).await.expect("leased_jobs works");
        let error = domain::failure::JobError::coded("boom", "boom");
        let disposition = match round % 3 {
            0 => Disposition::Complete(None),
            1 => Disposition::RetryAt { at: NOW.plus(DurationMs::from_secs(5)), error },
            _ => Disposition::Die { reason: domain::failure::DeadReason::NonRetryable, error },
        };
        let batch: Vec<Settlement> =
            held.iter().map(|&lease| Settlement { lease, disposition: disposition.clone() }).collect();
        store.settle(&batch, NOW).await.expect("settle works");
        store.settle(&batch, NOW).await.expect("settle works");
        store.promote_due(&[], NOW, 100).await.expect("promote works");
        store.expired_leases(NOW, 100).await.expect("expired_leases works");
    }
    claimed
}

#[tokio::test]
async fn i06_a_backlog_is_not_read() {
    let database = postgres().await;
    let claimed = live(&database).await;
    assert_eq!(claimed, CLAIMS * BATCH as usize);
    database.store.close().await;
    let mut connection = last_session(&database.url).await;
    let scans = sqlx::query(
        "SELECT relname, seq_scan FROM pg_stat_user_tables \
         WHERE relname IN ('job', 'job_done', 'attempt', 'dead_letter', 'inbox') AND seq_tup_read > 0",
    );
    let scans = scans.fetch_all(&mut connection).await.expect("counters can be read");
    let scanned: Vec<String> = scans.iter().map(|row| row.get("relname")).collect();
    assert!(scanned.is_empty(), "read from end to end: {scanned:?}");
    let query = sqlx::query("SELECT idx_tup_read FROM pg_stat_user_indexes WHERE indexrelname = 'job_claim'");
    let read: i64 = query.fetch_one(&mut connection).await.expect("counters can be read").get("idx_tup_read");
    assert!(read > 0, "claims use the index");
    // Some entries of jobs that were claimed before, and not vacuumed yet, are read again.
    let bound = (claimed * 10) as i64;
    assert!(read < bound, "{read} entries of the claim's index were read for {claimed} jobs");
}
