//! Aging: what waits for long enough is promoted a tier, so that higher tiers cannot keep it waiting for ever.

use domain::access::TenantScope;
use domain::queue::{QueueName, Tier};
use domain::time::DurationMs;

use super::fixture::{after_secs, claim_nodes, complete, enqueue, jobs, lease};
use crate::Store;
use crate::jobs::NewJob;

/// After which wait jobs are promoted.
const AGE: (QueueName, DurationMs) = (QueueName::Node, DurationMs::from_secs(60));

/// With aging on, a job that waited long enough is promoted one tier, and keeps its place in line.
pub async fn an_aged_job_is_promoted_a_tier(store: &dyn Store) {
    let (old, young) = (jobs(1, "a", Tier::Low), jobs(1, "a", Tier::Normal));
    enqueue(store, &old).await;
    store
        .enqueue(&[NewJob { run_at: after_secs(61), ..young[0].clone() }], after_secs(61))
        .await
        .expect("enqueue works");
    let ages = [(QueueName::Node, DurationMs::from_secs(60))];
    store.promote_due(&ages, after_secs(59), 100).await.expect("promote works");
    store.promote_due(&ages, after_secs(61), 100).await.expect("promote works");
    let claimed = claim_nodes(store, 2, after_secs(61)).await;
    assert_eq!(claimed.iter().map(|job| job.id).collect::<Vec<_>>(), [old[0].id, young[0].id]);
    let record =
        store.job(&domain::access::TenantScope::All, old[0].id).await.expect("read works").expect("there");
    assert_eq!(record.tier, Tier::Low, "what the caller asked for is still shown");
    assert_eq!(lease(&claimed[0]).id, old[0].id);
}

/// A job of the lowest tier starts although jobs of the highest never run out: after one age for each tier that it
/// passes.
pub async fn an_aged_job_starts_under_permanent_load(store: &dyn Store) {
    assert_eq!(under_load(store, "patient", &[AGE]).await, Some(120));
}

/// The same where the load is of its own tenant, whose lanes it shares.
pub async fn an_aged_job_starts_among_its_own(store: &dyn Store) {
    assert_eq!(under_load(store, "busy", &[AGE]).await, Some(120));
}

/// That load does keep it waiting where aging is off.
pub async fn without_aging_higher_tiers_come_first(store: &dyn Store) {
    assert_eq!(under_load(store, "patient", &[]).await, None);
}

/// A tenant enqueues one job of the lowest tier. From then on, every ten seconds bring more jobs of the highest than
/// are served. Answers after how many seconds the one is served, of 180.
async fn under_load(store: &dyn Store, of: &str, ages: &[(QueueName, DurationMs)]) -> Option<i64> {
    let patient = jobs(1, of, Tier::Low);
    enqueue(store, &patient).await;
    for seconds in (0..=180).step_by(10) {
        let now = after_secs(seconds);
        store.enqueue(&jobs(6, "busy", Tier::High), now).await.expect("enqueue works");
        store.promote_due(ages, now, 100).await.expect("promote works");
        let claimed = claim_nodes(store, 4, now).await;
        assert_eq!(claimed.len(), 4, "there is always more than is served");
        for job in &claimed {
            complete(store, job, now).await;
        }
        if claimed.iter().any(|job| job.id == patient[0].id) {
            return Some(seconds);
        }
    }
    None
}

/// However many lanes there are, a call looks at some of them, and the next one goes on: each has its turn.
pub async fn aging_goes_on_where_it_left_off(store: &dyn Store) {
    let tenants: Vec<String> = (0..1_100).map(|number| format!("t{number}")).collect();
    let waiting: Vec<NewJob> = tenants.iter().flat_map(|name| jobs(1, name, Tier::Low)).collect();
    enqueue(store, &waiting).await;
    let now = after_secs(61);
    let low = async || {
        let figures = store.queue_figures(&TenantScope::All, QueueName::Node, now).await.expect("read works");
        figures.tiers.iter().find(|of| of.tier == Tier::Low).map_or(0, |of| of.queued)
    };
    let mut left = vec![low().await];
    for _ in 0..3 {
        store.promote_due(&[AGE], now, 10_000).await.expect("promote works");
        left.push(low().await);
    }
    assert_eq!(left, [1_100, 600, 100, 0]);
}
