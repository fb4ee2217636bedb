//! Claims: tiers first, then order within a lane.

use domain::access::TenantScope;
use domain::job::JobStatus;
use domain::names::{JobType, WorkerId};
use domain::queue::{QueueName, Tier};
use domain::time::DurationMs;

use super::fixture::{
    LEASE, T0, after_secs, claim, claim_nodes, complete, enqueue, job, jobs, status, tenant, workflow,
};
use crate::Store;
use crate::jobs::{ClaimRequest, Claimer, NewJob};

/// A claim counts the attempt and writes token and lease end.
pub async fn a_claim_leases_and_counts_the_attempt(store: &dyn Store) {
    let new = NewJob { timeout: Some(DurationMs::from_secs(10)), ..job() };
    enqueue(store, &[job(), new.clone()]).await;
    let claimed = claim_nodes(store, 10, T0).await;
    assert_eq!(claimed.len(), 2);
    assert_ne!(claimed[0].token, claimed[1].token);
    assert_eq!(claimed[0].lease_until, T0.plus(LEASE));
    assert_eq!(claimed[1].lease_until, after_secs(10), "a lease never outlasts the attempt's own time");
    for job in &claimed {
        assert_eq!((job.attempt, job.facts.attempt, job.facts.crashes), (1, 1, 0));
        assert_eq!(status(store, job.id).await, JobStatus::Processing);
    }
    assert!(claim_nodes(store, 10, T0).await.is_empty(), "a leased job is nobody else's");
}

/// Within a lane the order of enqueueing holds over any number of claims.
pub async fn i04_a_lane_is_served_in_order(store: &dyn Store) {
    let batch = jobs(50, "a", Tier::Normal);
    enqueue(store, &batch).await;
    let mut seen = Vec::new();
    for size in [1, 2, 7, 40] {
        seen.extend(claim_nodes(store, size, T0).await.into_iter().map(|job| job.id));
    }
    assert_eq!(seen, batch.iter().map(|job| job.id).collect::<Vec<_>>());
}

/// Jobs of one tenant and tier are served in order over all types that are asked for, and no others.
pub async fn i04_order_holds_over_the_types_asked_for(store: &dyn Store) {
    let types = ["x", "y", "z", "y", "x", "z", "x", "y"];
    let batch: Vec<NewJob> =
        types.iter().map(|name| NewJob { job_type: JobType::trusted(*name), ..job() }).collect();
    enqueue(store, &batch).await;
    let mut request = claim(QueueName::Node, 4, T0);
    request.job_types = Some(vec![JobType::trusted("x"), JobType::trusted("y")]);
    let mut seen = Vec::new();
    for _ in 0..3 {
        request.tokens = claim(QueueName::Node, 4, T0).tokens;
        seen.extend(store.claim(&request).await.expect("claim works").into_iter().map(|job| job.id));
    }
    let expected: Vec<_> =
        batch.iter().filter(|job| job.job_type.as_str() != "z").map(|job| job.id).collect();
    assert_eq!(seen, expected);
}

/// A higher tier with an admissible job is served first, also when it came later.
pub async fn i05_a_higher_tier_is_served_first(store: &dyn Store) {
    let (low, normal, high) = (jobs(3, "a", Tier::Low), jobs(3, "b", Tier::Normal), jobs(3, "c", Tier::High));
    enqueue(store, &low).await;
    enqueue(store, &normal).await;
    let first = claim_nodes(store, 2, T0).await;
    assert!(first.iter().all(|job| job.tier == Tier::Normal));
    enqueue(store, &high).await;
    let rest = claim_nodes(store, 7, T0).await;
    let tiers: Vec<Tier> = rest.iter().map(|job| job.tier).collect();
    assert_eq!(tiers, [Tier::High, Tier::High, Tier::High, Tier::Normal, Tier::Low, Tier::Low, Tier::Low]);
}

/// A job in a lane that nobody knew is seen by the next claim.
pub async fn a_new_lane_is_seen_at_once(store: &dyn Store) {
    for round in 0..20 {
        let new = NewJob { tenant: tenant(&format!("t{round}")), workflow: Some(workflow("w")), ..job() };
        enqueue(store, std::slice::from_ref(&new)).await;
        let claimed = claim_nodes(store, 5, T0).await;
        assert_eq!(claimed.iter().map(|job| job.id).collect::<Vec<_>>(), [new.id], "round {round}");
    }
}

/// A tenant's claim takes that tenant's jobs only.
pub async fn i13_a_tenants_claim_takes_its_own_jobs(store: &dyn Store) {
    enqueue(store, &jobs(3, "a", Tier::High)).await;
    enqueue(store, &jobs(2, "b", Tier::Low)).await;
    let request = ClaimRequest { tenant: Some(tenant("b")), ..claim(QueueName::Node, 10, T0) };
    let claimed = store.claim(&request).await.expect("claim works");
    assert_eq!(claimed.len(), 2);
    assert!(claimed.iter().all(|job| job.tenant == tenant("b")));
}

/// Queues do not see each other's jobs.
pub async fn queues_are_apart(store: &dyn Store) {
    enqueue(store, &[job(), NewJob { queue: QueueName::Webhook, ..job() }]).await;
    for queue in [QueueName::Node, QueueName::Webhook] {
        let claimed = store.claim(&claim(queue, 10, T0)).await.expect("claim works");
        assert_eq!(claimed.iter().map(|job| job.queue).collect::<Vec<_>>(), [queue]);
    }
    assert!(store.claim(&claim(QueueName::Scheduled, 10, T0)).await.expect("claim works").is_empty());
}

/// Workers that claim together get the jobs in order, each under its own name and tokens: over several lanes and tiers, and
/// with the remembered counts of a claim before as well as with the lock.
pub async fn workers_that_claim_together_hold_their_own_leases(store: &dyn Store) {
    for round in 0..4 {
        enqueue(
            store,
            &[jobs(3, "a", Tier::High), jobs(2, "b", Tier::High), jobs(3, "a", Tier::Low)].concat(),
        )
        .await;
        let claimer = |name: &str, first_token| Claimer { worker_id: WorkerId::trusted(name), first_token };
        let others = vec![claimer("w2", 2), claimer("w3", 6)];
        let request = ClaimRequest { others, ..claim(QueueName::Node, 9, T0) };
        let claimed = store.claim(&request).await.expect("claim works");
        assert_eq!(
            claimed.iter().map(|job| job.tier).collect::<Vec<_>>(),
            [[Tier::High; 5].as_slice(), &[Tier::Low; 3]].concat()
        );
        for leased in &claimed {
            let token =
                request.tokens.iter().position(|token| *token == leased.token).expect("a token of it");
            let expected = WorkerId::trusted(if token < 2 {
                "w1"
            } else if token < 6 {
                "w2"
            } else {
                "w3"
            });
            let record =
                store.job(&TenantScope::All, leased.id).await.expect("read works").expect("it is there");
            assert_eq!(record.worker_id, Some(expected), "round {round}, token {token}");
            complete(store, leased, T0).await;
        }
    }
}
