//! Erasing a tenant: what is open ends, all goes in bounded steps, and the neighbor keeps everything.

use domain::access::TenantScope;
use domain::bulk::BatchCounts;
use domain::queue::Tier;
use domain::workflow::execution::ExecutionStatus;

use super::executions::{commit, owned};
use super::fixture::{
    T0, after_secs, claim_nodes, commit_one, complete, enqueue, id, jobs, lease, tenant, uuid,
};
use crate::Store;
use crate::batches::{BatchRecord, BatchStatus};
use crate::erasure::{Erasure, ErasureBegun};
use crate::jobs::{LeaseAnswer, LeaseExtension};

const ALL: TenantScope = TenantScope::All;

fn batch() -> BatchRecord {
    BatchRecord {
        id: id(),
        tenant: None,
        kind: "tenants.erase".into(),
        request: "{}".into(),
        status: BatchStatus::Running,
        status_reason: None,
        is_past_canary: false,
        counts: BatchCounts::default(),
        reason: None,
        actor: "key_1".into(),
        cursor: None,
        created_at: T0,
        updated_at: T0,
        finished_at: None,
    }
}

async fn begin(store: &dyn Store, of: &str, batch: &BatchRecord, cancels_open: bool) -> ErasureBegun {
    let erasure = Erasure { tenant: tenant(of), batch: batch.id, begun_at: T0, ended_at: None };
    store.begin_erasure(&erasure, (batch, uuid()), cancels_open, &[]).await.expect("it answers")
}

/// Begins the erasure of a tenant.
pub(super) async fn begun(store: &dyn Store, of: &str) -> BatchRecord {
    let batch = batch();
    assert_eq!(begin(store, of, &batch, true).await, ErasureBegun::Begun);
    batch
}

/// Carries an erasure out to its end.
pub(super) async fn ended(store: &dyn Store, of: &str, batch: &BatchRecord) {
    erase(store, of, batch, 100).await;
    assert!(store.end_erasure((&tenant(of), batch.id), &[], after_secs(6)).await.expect("it ends"));
    store.erasures(after_secs(6)).await.expect("read works");
}

async fn erase(store: &dyn Store, of: &str, batch: &BatchRecord, limit: u32) -> Vec<u64> {
    let mut steps = Vec::new();
    loop {
        let gone =
            store.erase_step((&tenant(of), batch.id), limit, after_secs(5)).await.expect("a step works");
        if gone == 0 {
            return steps;
        }
        steps.push(gone);
    }
}

/// Work that is open refuses an erasure, or is cancelled by it; whoever holds a lease of it finds it lost.
pub async fn i13_an_erased_tenant_leaves_nothing(store: &dyn Store) {
    let (execution, owner) = owned(store).await;
    let (mine, others) = (jobs(5, "a", Tier::Normal), jobs(3, "b", Tier::Normal));
    enqueue(store, &mine).await;
    enqueue(store, &others).await;
    let held = claim_nodes(store, 4, T0).await;
    complete(store, &held[0], T0).await;
    let batch = batch();
    assert_eq!(begin(store, "nobody", &batch, true).await, ErasureBegun::Unknown);
    assert_eq!(begin(store, "a", &batch, false).await, ErasureBegun::InUse { jobs: true, executions: true });
    assert_eq!(begin(store, "a", &batch, true).await, ErasureBegun::Begun);
    assert_eq!(begin(store, "a", &self::batch(), true).await, ErasureBegun::UnderWay(batch.id));
    let under_way = store.erasures(after_secs(99)).await.expect("read works");
    assert_eq!((under_way.len(), under_way[0].ended_at), (1, None));

    let steps = erase(store, "a", &batch, 2).await;
    assert!(steps.iter().all(|gone| *gone <= 2), "{steps:?}");
    for new in &mine {
        assert_eq!(store.job(&ALL, new.id).await.expect("read works"), None);
    }
    assert_eq!(store.execution(&ALL, execution.id).await.expect("read works"), None);
    let last = commit(execution.id, lease(&owner), ExecutionStatus::Completed);
    let answer = commit_one(store, &last, T0).await.expect("it answers");
    assert!(matches!(answer, LeaseAnswer::LeaseLost), "{answer:?}");
    let theirs = held.iter().find(|job| job.tenant == tenant("a") && job.id != held[0].id);
    let renewal = LeaseExtension { lease: lease(theirs.expect("held")), extend: None, progress: None };
    let answers = store.extend_leases(&[renewal], T0).await.expect("it answers");
    assert!(matches!(answers[0], LeaseAnswer::LeaseLost), "{answers:?}");
    for new in &others {
        assert!(store.job(&ALL, new.id).await.expect("read works").is_some(), "the neighbor's stay");
    }
    let a = tenant("a");
    assert!(store.end_erasure((&a, batch.id), &[], after_secs(6)).await.expect("it ends"));
    assert_eq!(store.erasures(after_secs(7)).await.expect("read works"), []);
    assert_eq!(store.erasures(after_secs(6)).await.expect("read works")[0].ended_at, Some(after_secs(6)));
    let names = store.list_tenants(&ALL, None, 10).await.expect("list works");
    assert_eq!(names.iter().map(|tenant| tenant.name.as_str()).collect::<Vec<_>>(), ["b"]);

    // The name can be used again, also by a process that knew it.
    enqueue(store, &jobs(1, "a", Tier::Normal)).await;
    let names = store.list_tenants(&ALL, None, 10).await.expect("list works");
    assert_eq!(names.len(), 2);
}

/// Whoever ended an erasure may die before it ends the batch, and another process carries the batch on: a name that was taken
/// again by then is somebody else's.
pub async fn i13_a_batch_that_has_erased_leaves_the_next_of_that_name_alone(store: &dyn Store) {
    enqueue(store, &jobs(2, "a", Tier::Normal)).await;
    let (a, first) = (tenant("a"), batch());
    assert_eq!(begin(store, "a", &first, true).await, ErasureBegun::Begun);
    assert!(!erase(store, "a", &first, 10).await.is_empty());
    assert!(store.end_erasure((&a, first.id), &[], after_secs(6)).await.expect("it ends"));
    // Whoever reads that it has ended forgets the tenant, and takes new work of the name.
    assert_eq!(store.erasures(after_secs(6)).await.expect("read works")[0].ended_at, Some(after_secs(6)));
    let next = jobs(3, "a", Tier::Normal);
    enqueue(store, &next).await;
    let held = claim_nodes(store, 1, T0).await;
    complete(store, &held[0], T0).await;
    assert!(erase(store, "a", &first, 10).await.is_empty(), "it has ended");
    let second = batch();
    assert_eq!(begin(store, "a", &second, true).await, ErasureBegun::Begun);
    assert!(erase(store, "a", &first, 10).await.is_empty(), "another batch erases the name now");
    assert!(!store.end_erasure((&a, first.id), &[], after_secs(7)).await.expect("it answers"));
    for new in &next {
        assert!(store.job(&ALL, new.id).await.expect("read works").is_some());
    }
    assert!(!erase(store, "a", &second, 10).await.is_empty());
    assert_eq!(store.job(&ALL, next[0].id).await.expect("read works"), None);
    assert!(store.end_erasure((&a, second.id), &[], after_secs(8)).await.expect("it ends"));
}
