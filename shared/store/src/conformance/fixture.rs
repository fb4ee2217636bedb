//! What cases share: ids that never repeat within a process, and jobs with everything filled in.

use std::sync::atomic::{AtomicU64, Ordering};

use domain::access::TenantScope;
use domain::attribute::Searchable;
use domain::build::WorkerBuild;
use domain::id::{ExecutionId, Id, JobId, Kind, LeaseToken};
use domain::job::{Disposition, JobStatus};
use domain::names::{JobType, TenantName, WorkerId, WorkflowName};
use domain::queue::{QueueName, Tier, WorkflowRef};
use domain::retry::Backoff;
use domain::search::{Search, SearchList, parse_query};
use domain::time::{DurationMs, Timestamp};
use domain::workflow::execution::JOB_TYPE_EXECUTION;
use uuid::Uuid;

use crate::Store;
use crate::error::StoreResult;
use crate::executions::{
    Committed, ExecutionCommit, ExecutionRecord, InboxRow, LoadedExecution, NewExecution, Trigger,
};
use crate::jobs::{ClaimRequest, ClaimedJob, Enqueued, JobRecord, LeaseAnswer, LeaseRef, NewJob, Settlement};
use crate::page::Place;
use crate::search::SearchPage;
use crate::workflows::WorkflowVersion;

/// The instant at which every case begins.
pub const T0: Timestamp = Timestamp(1_700_000_000_000);

/// The lease that cases claim with.
pub const LEASE: DurationMs = DurationMs::from_secs(30);

static NEXT: AtomicU64 = AtomicU64::new(1);

/// An id that no other call answers, later ones sorting after earlier ones.
pub fn uuid() -> Uuid {
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    Uuid::from_u128((u128::from(T0.0 as u64) << 80) | (0x7000 << 64) | (0x8 << 60) | u128::from(number))
}

/// A typed id.
pub fn id<K: Kind>() -> Id<K> {
    Id::from_uuid(uuid())
}

/// A lease token.
pub fn token() -> LeaseToken {
    LeaseToken(uuid())
}

/// A tenant.
pub fn tenant(name: &str) -> TenantName {
    TenantName::trusted(name)
}

/// A shared workflow.
pub fn workflow(name: &str) -> WorkflowRef {
    WorkflowRef { owner: None, name: WorkflowName::trusted(name) }
}

/// A stand-alone job of tenant `a`, tier normal, type `work`, due at once, with three retries and no jitter.
pub fn job() -> NewJob {
    NewJob {
        id: id(),
        queue: QueueName::Node,
        tier: Tier::Normal,
        tenant: tenant("a"),
        workflow: None,
        job_type: JobType::trusted("work"),
        data: r#"{"n": 1}"#.to_owned(),
        run_at: T0,
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
    }
}

/// `count` jobs of a tenant and tier.
pub fn jobs(count: usize, tenant_name: &str, tier: Tier) -> Vec<NewJob> {
    (0..count).map(|_| NewJob { tenant: tenant(tenant_name), tier, ..job() }).collect()
}

/// An execution of a shared workflow, version 1, of tenant `a`.
pub fn execution(name: &str) -> NewExecution {
    let execution_id: ExecutionId = id();
    NewExecution {
        id: execution_id,
        job: NewJob {
            queue: QueueName::Execution,
            workflow: Some(workflow(name)),
            job_type: JobType::trusted(JOB_TYPE_EXECUTION),
            execution_id: Some(execution_id),
            data: "{}".to_owned(),
            ..job()
        },
        workflow: workflow(name),
        version: 1,
        trigger: Trigger { kind: "user".to_owned(), detail: None },
        input: r#"{"x":1}"#.to_owned(),
        correlation_id: None,
        tags: Vec::new(),
        parent: None,
        seed: None,
        attributes: Vec::new(),
    }
}

/// Version 1 of a shared workflow; the content is opaque to the store.
pub fn version(name: &str) -> WorkflowVersion {
    WorkflowVersion {
        workflow: workflow(name),
        version: 1,
        content_hash: format!("hash-of-{name}"),
        content: format!(r#"{{"name":"{name}","nodes":[],"version":1}}"#),
        max_concurrent: None,
        rate: None,
        created_at: T0,
        pause: None,
    }
}

/// A claim of up to `jobs_max` jobs of a queue at an instant.
pub fn claim(queue: QueueName, jobs_max: u32, now: Timestamp) -> ClaimRequest {
    ClaimRequest {
        build: WorkerBuild::Any,
        queue,
        tenant: None,
        job_types: None,
        jobs_max,
        lease: LEASE,
        worker_id: WorkerId::trusted("w1"),
        others: Vec::new(),
        tokens: (0..jobs_max).map(|_| token()).collect(),
        now,
    }
}

/// A generator of numbers that is the same each run.
pub struct Random(pub u64);

impl Random {
    /// A number below a bound.
    pub fn below(&mut self, bound: i64) -> i64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as i64) % bound
    }
}

/// Enqueues; panics where the store fails, which fails the case.
pub async fn enqueue(store: &dyn Store, jobs: &[NewJob]) -> Vec<Enqueued> {
    store.enqueue(jobs, T0).await.expect("enqueue works")
}

/// Claims from the node queue.
pub async fn claim_nodes(store: &dyn Store, jobs_max: u32, now: Timestamp) -> Vec<ClaimedJob> {
    store.claim(&claim(QueueName::Node, jobs_max, now)).await.expect("claim works")
}

/// The lease of a claimed job.
pub fn lease(job: &ClaimedJob) -> LeaseRef {
    job.lease()
}

/// Completes a leased job with a result and expects that to work.
pub async fn complete(store: &dyn Store, job: &ClaimedJob, now: Timestamp) {
    let settlement = Settlement {
        lease: lease(job),
        disposition: Disposition::Complete(Some(r#"{"ok":true}"#.to_owned())),
    };
    let answers = store.settle(&[settlement], now).await.expect("settle works");
    assert!(matches!(answers[0], LeaseAnswer::Ok(_)), "a held lease settles: {answers:?}");
}

/// The state of a job.
pub async fn status(store: &dyn Store, job: JobId) -> JobStatus {
    store.job(&TenantScope::All, job).await.expect("read works").expect("the job is there").status
}

/// An instant some seconds after the beginning.
pub fn after_secs(secs: i64) -> Timestamp {
    T0.plus(DurationMs::from_secs(secs))
}

/// The same steps, each with the number that follows from what the store has of its execution.
pub async fn numbered(store: &dyn Store, steps: &[ExecutionCommit]) -> Vec<ExecutionCommit> {
    let leases: Vec<(ExecutionId, LeaseRef)> = steps.iter().map(|step| (step.id, step.lease)).collect();
    let loaded = store.load_executions(&leases).await.expect("load works");
    let numbered = steps.iter().zip(loaded).map(|(step, answer)| match answer {
        LeaseAnswer::Ok(loaded) => ExecutionCommit { step: loaded.step, ..step.clone() },
        LeaseAnswer::AlreadyDone | LeaseAnswer::Cancelled | LeaseAnswer::LeaseLost => step.clone(),
    });
    numbered.collect()
}

/// Commits one step of each of several executions, as the next one of each.
pub async fn commit_all(
    store: &dyn Store,
    steps: &[ExecutionCommit],
    now: Timestamp,
) -> StoreResult<Vec<LeaseAnswer<Committed>>> {
    store.commit_executions(&numbered(store, steps).await, now).await
}

/// Commits one step of one execution, as its next one.
pub async fn commit_one(
    store: &dyn Store,
    step: &ExecutionCommit,
    now: Timestamp,
) -> StoreResult<LeaseAnswer<Committed>> {
    let mut answers = commit_all(store, std::slice::from_ref(step), now).await?;
    assert_eq!(answers.len(), 1, "one answer a step");
    Ok(answers.remove(0))
}

/// Takes one execution up.
pub async fn load_one(
    store: &dyn Store,
    id: ExecutionId,
    lease: LeaseRef,
) -> StoreResult<LeaseAnswer<LoadedExecution>> {
    Ok(store.load_executions(&[(id, lease)]).await?.remove(0))
}

/// The inbox of one execution.
pub async fn inbox(store: &dyn Store, id: ExecutionId) -> StoreResult<Vec<InboxRow>> {
    Ok(store.inboxes(&[id], 1_000).await?.remove(0))
}

/// What a query of a list looks for, newest first. Instants are relative to [`T0`].
pub fn search(list: SearchList, query: &str) -> Search {
    let terms = parse_query(list, query, T0, &Searchable::default()).expect("the query is valid");
    Search { terms, ..Search::all(list) }
}

/// What a search finds, in order, read by pages of `limit`.
pub async fn found(store: &dyn Store, scope: &TenantScope, search: &Search, limit: u32) -> Vec<Uuid> {
    let (mut after, mut ids): (Option<Place>, Vec<Uuid>) = (None, Vec::new());
    for _ in 0..1_000 {
        let found = store.search(scope, search, SearchPage { limit, after }).await.expect("searching works");
        assert!(found.places.len() <= limit as usize);
        ids.extend(found.places.iter().map(|place| place.id));
        after = found.next;
        if after.is_none() {
            return ids;
        }
    }
    panic!("the pages come to no end");
}

/// How many objects of a list a query finds.
pub async fn number_found(store: &dyn Store, scope: &TenantScope, list: SearchList, query: &str) -> usize {
    found(store, scope, &search(list, query), 200).await.len()
}

/// The jobs that a query finds, newest first, as lists show them.
pub async fn listed_jobs(store: &dyn Store, scope: &TenantScope, query: &str) -> Vec<JobRecord> {
    let ids = found(store, scope, &search(SearchList::Jobs, query), 200).await;
    store.jobs_of(scope, &ids).await.expect("what was found can be shown")
}

/// The executions that a query finds, newest first, as lists show them.
pub async fn listed_executions(store: &dyn Store, scope: &TenantScope, query: &str) -> Vec<ExecutionRecord> {
    let ids = found(store, scope, &search(SearchList::Executions, query), 200).await;
    store.executions_of(scope, &ids).await.expect("what was found can be shown")
}
