//! Jobs, claims and reports.

use domain::build::WorkerBuild;
use domain::failure::JobError;
use domain::id::{JobId, LeaseToken};
use domain::job::Disposition;
use domain::limits::LimitScope;
use domain::names::{JobType, TenantName, WorkerId};
use domain::queue::{QueueName, Tier};
use domain::retry::Backoff;
use domain::time::{DurationMs, Timestamp};
use store::jobs::{ClaimRequest, ClaimedJob, JobStore as _, LeaseAnswer, LeaseRef, NewJob, Settlement};
use store::limits::{LimitChange, LimitStore as _};
use store_sql::SqlStore;
use uuid::Uuid;

pub(crate) const NOW: Timestamp = Timestamp(1_000_000);
pub(crate) const QUEUE: QueueName = QueueName::Node;

/// A job of a tenant.
pub(crate) fn job(tenant: &str) -> NewJob {
    NewJob {
        id: JobId::from_uuid(Uuid::now_v7()),
        queue: QUEUE,
        tier: Tier::Normal,
        tenant: TenantName::trusted(tenant),
        workflow: None,
        job_type: JobType::trusted("encode"),
        data: "{}".into(),
        run_at: NOW,
        expires_at: None,
        retries_max: 9,
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

/// Enqueues so many jobs of a tenant; answers their ids in order.
pub(crate) async fn enqueue(store: &SqlStore, tenant: &str, count: usize) -> Vec<JobId> {
    let jobs: Vec<NewJob> = (0..count).map(|_| job(tenant)).collect();
    store.enqueue(&jobs, NOW).await.expect("enqueue works");
    jobs.iter().map(|job| job.id).collect()
}

pub(crate) fn request(jobs_max: u32) -> ClaimRequest {
    ClaimRequest {
        build: WorkerBuild::Any,
        queue: QUEUE,
        tenant: None,
        job_types: None,
        jobs_max,
        lease: DurationMs::from_secs(3_600),
        worker_id: WorkerId::trusted("worker"),
        others: Vec::new(),
        tokens: (0..jobs_max).map(|_| LeaseToken(Uuid::new_v4())).collect(),
        now: NOW,
    }
}

pub(crate) async fn claim(store: &SqlStore, jobs_max: u32) -> Vec<ClaimedJob> {
    store.claim(&request(jobs_max)).await.expect("claim works")
}

pub(crate) fn ids(jobs: &[ClaimedJob]) -> Vec<JobId> {
    jobs.iter().map(|job| job.id).collect()
}

async fn settle(store: &SqlStore, jobs: &[ClaimedJob], disposition: Disposition) {
    let settlement = |job: &ClaimedJob| Settlement {
        lease: LeaseRef { id: job.id, token: job.token },
        disposition: disposition.clone(),
    };
    let batch: Vec<Settlement> = jobs.iter().map(settlement).collect();
    let answers = store.settle(&batch, NOW).await.expect("settle works");
    assert!(answers.iter().all(|answer| matches!(answer, LeaseAnswer::Ok(_))), "{answers:?}");
}

pub(crate) async fn complete(store: &SqlStore, jobs: &[ClaimedJob]) {
    settle(store, jobs, Disposition::Complete(None)).await;
}

/// Puts jobs back to where they were.
pub(crate) async fn retry_at_once(store: &SqlStore, jobs: &[ClaimedJob]) {
    settle(store, jobs, Disposition::RetryAt { at: NOW, error: JobError::coded("again", "once more") }).await;
}

/// Sets the limit of the queue as a whole.
pub(crate) async fn limit(store: &SqlStore, max_concurrent: u32) {
    let change =
        LimitChange { queue: QUEUE, scope: LimitScope::Global, max_concurrent: Some(Some(max_concurrent)) };
    store.change_limits_and_rates(&[change], &[], NOW).await.expect("limits can be set");
}
