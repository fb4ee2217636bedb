//! Claims: the three limits, exact, and changeable at run time.

use domain::limits::LimitScope;
use domain::names::TenantName;
use domain::queue::{QueueName, Tier};

use super::fixture::{
    T0, after_secs, claim, claim_nodes, complete, enqueue, execution, job, jobs, tenant, version, workflow,
};
use crate::Store;
use crate::jobs::NewJob;
use crate::limits::LimitChange;
use crate::queues::QueueMode;
use crate::workflows::WorkflowPause;

#[expect(
    clippy::option_option,
    reason = "it is the change as the port has it: remove, unlimited, or a number"
)]
async fn set(store: &dyn Store, queue: QueueName, scope: LimitScope, max_concurrent: Option<Option<u32>>) {
    store
        .change_limits_and_rates(&[LimitChange { queue, scope, max_concurrent }], &[], T0)
        .await
        .expect("change works");
}

/// One level after the other cuts a claim, and a freed slot is usable by the next claim.
pub async fn i03_each_level_limits_and_frees(store: &dyn Store) {
    let mut batch = jobs(20, "a", Tier::Normal);
    batch.extend(jobs(20, "b", Tier::Normal));
    let with_workflow = |name: &str| NewJob { tenant: tenant("c"), workflow: Some(workflow(name)), ..job() };
    batch.extend((0..10).map(|_| with_workflow("w1")));
    batch.extend((0..10).map(|_| with_workflow("w2")));
    enqueue(store, &batch).await;
    let node = QueueName::Node;
    set(store, node, LimitScope::Tenant(tenant("a")), Some(Some(3))).await;
    set(store, node, LimitScope::Workflow(workflow("w1")), Some(Some(2))).await;
    set(store, node, LimitScope::Global, Some(Some(12))).await;
    let claimed = claim_nodes(store, 60, T0).await;
    let of = |name: &str| claimed.iter().filter(|job| job.tenant == tenant(name)).count();
    let of_w1 = claimed.iter().filter(|job| job.workflow == Some(workflow("w1"))).count();
    assert_eq!(claimed.len(), 12, "the global limit");
    assert!(of("a") <= 3 && of_w1 <= 2, "a {} w1 {of_w1}", of("a"));
    assert!(claim_nodes(store, 60, T0).await.is_empty());
    let freed = claimed.iter().find(|job| job.tenant == tenant("b")).expect("b had its turn");
    complete(store, freed, T0).await;
    assert_eq!(claim_nodes(store, 60, T0).await.len(), 1, "one slot became free, one is taken");
}

/// `workflow-execution` starts with the product's limits: 5 a workflow, 10 a tenant.
pub async fn i03_executions_start_with_the_default_limits(store: &dyn Store) {
    for name in ["w1", "w2", "w3"] {
        store.register_workflow(&version(name)).await.expect("register works");
        let batch: Vec<_> = (0..8).map(|_| execution(name)).collect();
        store.create_executions(&batch, T0).await.expect("create works");
    }
    let claimed = store.claim(&claim(QueueName::Execution, 100, T0)).await.expect("claim works");
    assert_eq!(claimed.len(), 10, "the tenant's limit");
    for name in ["w1", "w2", "w3"] {
        let count = claimed.iter().filter(|job| job.workflow == Some(workflow(name))).count();
        assert!(count <= 5, "{name} has {count}");
    }
    set(store, QueueName::Execution, LimitScope::TenantDefault, Some(Some(100))).await;
    let more = store.claim(&claim(QueueName::Execution, 100, T0)).await.expect("claim works");
    assert_eq!(more.len(), 5, "now only the limit of the workflows holds: 3 × 5");
}

/// A definition's own limit holds from its registration on, and an override goes before it.
pub async fn i03_a_definitions_limit_holds_at_once(store: &dyn Store) {
    let mut first = version("w");
    first.max_concurrent = Some(1);
    store.register_workflow(&first).await.expect("register works");
    let batch: Vec<_> = (0..6).map(|_| execution("w")).collect();
    store.create_executions(&batch, T0).await.expect("create works");
    let take =
        || async { store.claim(&claim(QueueName::Execution, 100, T0)).await.expect("claim works").len() };
    assert_eq!(take().await, 1);
    let second = crate::workflows::WorkflowVersion {
        version: 2,
        max_concurrent: Some(3),
        content_hash: "other".into(),
        ..first
    };
    store.register_workflow(&second).await.expect("register works");
    assert_eq!(take().await, 2, "the latest version counts");
    set(store, QueueName::Execution, LimitScope::Workflow(workflow("w")), Some(Some(4))).await;
    assert_eq!(take().await, 1);
    set(store, QueueName::Execution, LimitScope::Workflow(workflow("w")), None).await;
    assert_eq!(take().await, 0, "back to the definition's 3, which is exceeded by what runs");
}

/// A workflow's limit counts over the tenants that share it; an owned definition of that name counts apart.
pub async fn i03_a_shared_workflow_counts_over_tenants(store: &dyn Store) {
    let of = |name: &str, owner: Option<TenantName>| NewJob {
        tenant: tenant(name),
        workflow: Some(domain::queue::WorkflowRef { owner, ..workflow("w") }),
        ..job()
    };
    let batch: Vec<NewJob> =
        (0..4).flat_map(|_| [of("a", None), of("b", None), of("c", Some(tenant("c")))]).collect();
    enqueue(store, &batch).await;
    set(store, QueueName::Node, LimitScope::Workflow(workflow("w")), Some(Some(3))).await;
    let claimed = claim_nodes(store, 100, T0).await;
    let shared = claimed.iter().filter(|job| job.workflow == Some(workflow("w"))).count();
    assert_eq!((shared, claimed.len() - shared), (3, 4));
}

/// Jobs behind a full tenant do not keep others from running, however many they are.
pub async fn i06_a_full_lane_blocks_nobody_else(store: &dyn Store) {
    enqueue(store, &jobs(3_000, "noisy", Tier::High)).await;
    set(store, QueueName::Node, LimitScope::Tenant(tenant("noisy")), Some(Some(1))).await;
    assert_eq!(claim_nodes(store, 10, T0).await.len(), 1);
    enqueue(store, &jobs(2, "quiet", Tier::Low)).await;
    let claimed = claim_nodes(store, 10, T0).await;
    assert_eq!(claimed.len(), 2);
    assert!(claimed.iter().all(|job| job.tenant == tenant("quiet")));
}

/// A limit of zero stops, "no limit" overrides a default, and removing an override brings the default back.
pub async fn limits_can_be_zero_none_and_removed(store: &dyn Store) {
    enqueue(store, &jobs(5, "a", Tier::Normal)).await;
    let own = || LimitScope::Tenant(tenant("a"));
    set(store, QueueName::Node, LimitScope::TenantDefault, Some(Some(1))).await;
    set(store, QueueName::Node, own(), Some(Some(0))).await;
    assert!(claim_nodes(store, 10, T0).await.is_empty());
    set(store, QueueName::Node, own(), Some(None)).await;
    assert_eq!(claim_nodes(store, 3, T0).await.len(), 3);
    set(store, QueueName::Node, own(), None).await;
    assert!(claim_nodes(store, 10, T0).await.is_empty(), "the default of 1 is exceeded by what runs");
    let overrides = store.limit_overrides().await.expect("read works");
    assert_eq!(overrides.len(), 1, "{overrides:?}");
}

/// A paused queue leases nothing and accepts everything; a paused workflow keeps its executions queued.
pub async fn a_pause_stops_claims_at_once(store: &dyn Store) {
    enqueue(store, &jobs(2, "a", Tier::Normal)).await;
    store.set_queue_mode(QueueName::Node, QueueMode::Paused, T0).await.expect("pause works");
    assert!(claim_nodes(store, 10, T0).await.is_empty());
    enqueue(store, &jobs(1, "a", Tier::Normal)).await;
    store.set_queue_mode(QueueName::Node, QueueMode::Running, after_secs(1)).await.expect("resume works");
    assert_eq!(claim_nodes(store, 10, after_secs(1)).await.len(), 3);

    for name in ["w1", "w2"] {
        store.register_workflow(&version(name)).await.expect("register works");
        store.create_executions(&[execution(name)], T0).await.expect("create works");
    }
    assert!(
        store.pause_workflow(&workflow("w1"), Some(WorkflowPause::Queue), T0).await.expect("pause works")
    );
    let claimed = store.claim(&claim(QueueName::Execution, 10, T0)).await.expect("claim works");
    assert_eq!(claimed.iter().map(|job| job.workflow.clone()).collect::<Vec<_>>(), [Some(workflow("w2"))]);
    assert!(store.pause_workflow(&workflow("w1"), None, T0).await.expect("resume works"));
    assert_eq!(store.claim(&claim(QueueName::Execution, 10, T0)).await.expect("claim works").len(), 1);
}
