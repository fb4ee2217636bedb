//! Claims: nobody starves.

use std::collections::BTreeMap;

use domain::queue::Tier;

use super::fixture::{T0, claim_nodes, complete, enqueue, job, jobs, tenant, workflow};
use crate::Store;
use crate::jobs::NewJob;

/// A tenant with a few jobs is served within one claim, whatever another has queued before.
pub async fn a_small_tenant_is_served_beside_a_large_one(store: &dyn Store) {
    enqueue(store, &jobs(2_000, "large", Tier::Normal)).await;
    enqueue(store, &jobs(5, "small", Tier::Normal)).await;
    let claimed = claim_nodes(store, 20, T0).await;
    assert_eq!(claimed.len(), 20);
    assert_eq!(claimed.iter().filter(|job| job.tenant == tenant("small")).count(), 5);
}

/// Each of ten jobs that come one by one is served by the next claim, while the large tenant is served in between.
pub async fn each_job_of_a_small_tenant_starts_within_one_claim(store: &dyn Store) {
    enqueue(store, &jobs(2_000, "large", Tier::Normal)).await;
    for number in 0..10 {
        let before = claim_nodes(store, 20, T0).await;
        assert!(before.iter().all(|job| job.tenant == tenant("large")), "{number}");
        let few = jobs(1, "small", Tier::Normal);
        enqueue(store, &few).await;
        let claimed = claim_nodes(store, 20, T0).await;
        assert!(claimed.iter().any(|job| job.id == few[0].id), "{number}");
        for job in before.iter().chain(&claimed) {
            complete(store, job, T0).await;
        }
    }
}

/// Tenants take turns over claims of one job each.
pub async fn tenants_take_turns_over_claims(store: &dyn Store) {
    for name in ["a", "b", "c"] {
        enqueue(store, &jobs(10, name, Tier::Normal)).await;
    }
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for _ in 0..15 {
        let claimed = claim_nodes(store, 1, T0).await;
        *counts.entry(claimed[0].tenant.to_string()).or_default() += 1;
        complete(store, &claimed[0], T0).await;
    }
    assert_eq!(counts.values().copied().collect::<Vec<_>>(), [5, 5, 5], "{counts:?}");
}

/// Within a tenant, workflows take turns.
pub async fn workflows_of_a_tenant_take_turns(store: &dyn Store) {
    let of = |name: &str| NewJob { workflow: Some(workflow(name)), ..job() };
    let batch: Vec<NewJob> = (0..30).map(|_| of("busy")).chain((0..4).map(|_| of("calm"))).collect();
    enqueue(store, &batch).await;
    let claimed = claim_nodes(store, 8, T0).await;
    assert_eq!(claimed.iter().filter(|job| job.workflow == Some(workflow("calm"))).count(), 4);
}

/// A claim takes all there is, over any number of lanes.
pub async fn a_claim_leaves_nothing_admissible(store: &dyn Store) {
    let batch: Vec<NewJob> = (0..120)
        .map(|index| NewJob {
            tenant: tenant(&format!("t{}", index % 40)),
            workflow: (index % 3 > 0).then(|| workflow(&format!("w{}", index % 5))),
            tier: Tier::ALL[index % 3],
            ..job()
        })
        .collect();
    enqueue(store, &batch).await;
    assert_eq!(claim_nodes(store, 100, T0).await.len(), 100);
    assert_eq!(claim_nodes(store, 100, T0).await.len(), 20);
}
