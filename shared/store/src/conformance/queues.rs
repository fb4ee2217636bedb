//! Queues: figures and modes.

use domain::access::TenantScope;
use domain::failure::{DeadReason, JobError};
use domain::job::Disposition;
use domain::limits::LimitScope;
use domain::names::CallerKey;
use domain::queue::{QueueName, Tier};
use domain::scaling::Selection;
use domain::time::DurationMs;

use super::fixture::{T0, after_secs, claim_nodes, complete, enqueue, job, jobs, lease, tenant};
use crate::Store;
use crate::jobs::{NewJob, Settlement};
use crate::limits::LimitChange;
use crate::queues::{QueueFigures, QueueMode};

fn tier(figures: &QueueFigures, wanted: Tier) -> (u64, u64, u64, u64) {
    let of = figures.tiers.iter().find(|figures| figures.tier == wanted).expect("every tier has figures");
    (of.queued, of.processing, of.retry_wait, of.scheduled)
}

/// Counts by tier, ages, what ended lately, dead letters.
pub async fn figures_count_by_tier(store: &dyn Store) {
    enqueue(store, &jobs(4, "a", Tier::High)).await;
    enqueue(store, &jobs(2, "b", Tier::Low)).await;
    enqueue(store, &[NewJob { run_at: after_secs(500), ..job() }]).await;
    let claimed = claim_nodes(store, 3, after_secs(1)).await;
    complete(store, &claimed[0], after_secs(3)).await;
    let dead = Disposition::Die { reason: DeadReason::NonRetryable, error: JobError::coded("x", "x") };
    let retry = Disposition::RetryAt { at: after_secs(300), error: JobError::coded("x", "x") };
    let batch = [
        Settlement { lease: lease(&claimed[1]), disposition: dead },
        Settlement { lease: lease(&claimed[2]), disposition: retry },
    ];
    store.settle(&batch, after_secs(3)).await.expect("settle works");
    let figures =
        store.queue_figures(&TenantScope::All, QueueName::Node, after_secs(10)).await.expect("read works");
    assert_eq!(figures.mode, QueueMode::Running);
    assert_eq!(tier(&figures, Tier::High), (1, 0, 1, 0));
    assert_eq!(tier(&figures, Tier::Normal), (0, 0, 0, 1));
    assert_eq!(tier(&figures, Tier::Low), (2, 0, 0, 0));
    let high = figures.tiers.iter().find(|figures| figures.tier == Tier::High).expect("there");
    assert_eq!(high.oldest_age, Some(DurationMs::from_secs(10)));
    assert_eq!((figures.recent.ended, figures.recent.failed, figures.dead_letters), (2, 1, 1));
    assert_eq!(figures.recent.wait.map(|wait| wait[0]), Some(DurationMs::from_secs(1)));
    assert_eq!(figures.recent.run.map(|run| run[0]), Some(DurationMs::from_secs(2)));
}

/// What waits and runs is read by lane, with the limits that hold it.
pub async fn loads_are_read_by_lane(store: &dyn Store) {
    enqueue(store, &jobs(3, "a", Tier::High)).await;
    enqueue(store, &jobs(2, "b", Tier::Low)).await;
    let key = Some(CallerKey::trusted("one"));
    let keyed: Vec<NewJob> = (0..3).map(|_| NewJob { concurrency_key: key.clone(), ..job() }).collect();
    enqueue(store, &keyed).await;
    claim_nodes(store, 1, after_secs(1)).await;
    let change = LimitChange {
        queue: QueueName::Node,
        scope: LimitScope::Tenant(tenant("b")),
        max_concurrent: Some(Some(1)),
    };
    store.change_limits_and_rates(&[change], &[], T0).await.expect("change works");
    let load = store.queue_load(QueueName::Node, after_secs(2)).await.expect("read works");
    assert!(load.is_exact && !load.is_paused);
    let by_tier: Vec<_> = load
        .by_tier()
        .into_iter()
        .map(|(tier, of)| (tier, of.queued, of.startable, of.held_by_limit, of.processing))
        .collect();
    assert_eq!(
        by_tier,
        [(Tier::High, 2, 2, 0, 1), (Tier::Normal, 3, 1, 2, 0), (Tier::Low, 2, 1, 1, 0)],
        "one of the jobs with a key can start, and one of tenant b"
    );
    assert_eq!(load.scaling(&Selection::default()).oldest_at, Some(T0));
    store.set_queue_mode(QueueName::Node, QueueMode::Paused, T0).await.expect("change works");
    let load = store.queue_load(QueueName::Node, after_secs(2)).await.expect("read works");
    assert_eq!(load.scaling(&Selection::default()).startable, 0);
    let other = store.queue_load(QueueName::Webhook, T0).await.expect("read works");
    assert_eq!(other.lanes, []);
}

/// A tenant sees the figures of its own jobs.
pub async fn i13_figures_stay_within_the_tenant(store: &dyn Store) {
    enqueue(store, &jobs(4, "a", Tier::High)).await;
    let scope = TenantScope::One(tenant("b"));
    let figures = store.queue_figures(&scope, QueueName::Node, T0).await.expect("read works");
    assert_eq!(tier(&figures, Tier::High), (0, 0, 0, 0));
}

/// Modes are kept by queue.
pub async fn modes_are_kept(store: &dyn Store) {
    store.set_queue_mode(QueueName::Webhook, QueueMode::Draining, T0).await.expect("change works");
    let modes = store.queue_modes().await.expect("read works");
    assert_eq!(modes.len(), 4);
    for (queue, mode) in modes {
        let expected = if queue == QueueName::Webhook { QueueMode::Draining } else { QueueMode::Running };
        assert_eq!(mode, expected, "{queue}");
    }
}
