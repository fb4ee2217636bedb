//! Figures of queues by minute and hour.

use domain::names::{TenantName, WorkflowName};
use domain::queue::{QueueName, Tier};
use domain::stats::{Counts, Levels, StatKey, Step};
use domain::time::{DurationMs, Timestamp};

use crate::Store;
use crate::stats::{StatFilter, StatPoint, StatRow};

const MINUTE: i64 = 60_000;

fn key(queue: QueueName, tier: Tier, tenant: Option<&str>, workflow: Option<&str>) -> StatKey {
    let (tenant, workflow) = (tenant.map(TenantName::trusted), workflow.map(WorkflowName::trusted));
    StatKey { queue, tier, tenant, workflow }
}

fn counts(number: u64, wait: i64) -> Counts {
    let mut counts = Counts {
        enqueued: number,
        claimed: number + 1,
        completed: number + 2,
        failed: number + 3,
        dead_lettered: number + 4,
        run_ms: number * 1_000,
        ..Counts::default()
    };
    counts.waits.add(DurationMs(wait));
    counts.runs.add(DurationMs(wait * 10));
    counts.ends.add(DurationMs(wait * 100));
    counts
}

fn row<T>(step: Step, at: i64, key: StatKey, figures: T) -> StatRow<T> {
    StatRow { step, at: Timestamp(at * step.ms()), key, figures }
}

fn all_of(step: Step) -> StatFilter {
    StatFilter {
        step,
        from: Timestamp(0),
        to: Timestamp(1_000 * step.ms()),
        tenant: None,
        workflow: None,
        queue: None,
        tier: None,
    }
}

async fn read(store: &dyn Store, filter: &StatFilter) -> Vec<StatPoint> {
    store.stats(filter).await.expect("read works")
}

/// What is added adds up over calls, queues and tiers; levels stand as they were set last.
pub async fn figures_add_up_and_levels_are_replaced(store: &dyn Store) {
    let (node, webhook) =
        (key(QueueName::Node, Tier::Normal, None, None), key(QueueName::Webhook, Tier::High, None, None));
    let added = [
        row(Step::Minute, 7, node.clone(), counts(10, 3)),
        row(Step::Minute, 7, webhook.clone(), counts(1, 70)),
        row(Step::Minute, 9, node.clone(), counts(5, 3)),
        row(Step::Hour, 0, node.clone(), counts(15, 3)),
    ];
    store.add_counts(&added).await.expect("it adds");
    store.add_counts(&added[..1]).await.expect("it adds");
    store.add_counts(&[]).await.expect("nothing is nothing");
    let level = |queued, oldest_age_ms| Levels { queued, processing: 2, oldest_age_ms };
    store
        .set_levels(&[
            row(Step::Minute, 7, node.clone(), level(99, 99)),
            row(Step::Minute, 8, node.clone(), level(4, 9)),
        ])
        .await
        .expect("it sets");
    let later = [row(Step::Minute, 7, node.clone(), level(3, 5)), row(Step::Minute, 7, webhook, level(1, 8))];
    store.set_levels(&later).await.expect("it sets");

    let points = read(store, &all_of(Step::Minute)).await;
    let at: Vec<i64> = points.iter().map(|point| point.at.0 / MINUTE).collect();
    assert_eq!(at, [7, 8, 9], "spans without figures are left out");
    let mut expected = counts(10, 3);
    expected.merge(&counts(10, 3));
    expected.merge(&counts(1, 70));
    assert_eq!(points[0].counts, expected);
    assert_eq!(points[0].levels, Levels { queued: 4, processing: 4, oldest_age_ms: 8 });
    assert_eq!((points[1].counts, points[1].levels), (Counts::default(), level(4, 9)));
    assert_eq!(points[2].counts, counts(5, 3));

    let nodes = StatFilter { queue: Some(QueueName::Node), ..all_of(Step::Minute) };
    let mut expected = counts(10, 3);
    expected.merge(&counts(10, 3));
    assert_eq!(read(store, &nodes).await[0].counts, expected);
    let high = StatFilter { tier: Some(Tier::High), ..all_of(Step::Minute) };
    assert_eq!(read(store, &high).await.len(), 1);
    let narrow =
        StatFilter { from: Timestamp(8 * MINUTE), to: Timestamp(9 * MINUTE), ..all_of(Step::Minute) };
    assert_eq!(read(store, &narrow).await.len(), 1);
    assert_eq!(read(store, &all_of(Step::Hour)).await[0].counts, counts(15, 3));
}

/// Rows of a tenant, of a workflow, of both and of all are read by themselves.
pub async fn i13_figures_are_read_by_tenant_and_workflow(store: &dyn Store) {
    let mut added = Vec::new();
    for (number, (tenant, workflow)) in
        [(None, None), (Some("a"), None), (None, Some("w")), (Some("a"), Some("w")), (Some("b"), Some("w"))]
            .into_iter()
            .enumerate()
    {
        let key = key(QueueName::Node, Tier::Low, tenant, workflow);
        added.push(row(Step::Minute, 1, key, counts(number as u64 * 100, 1)));
    }
    // More than one statement takes, in no order.
    for number in (0..300).rev() {
        let key = key(QueueName::Node, Tier::Low, Some(&format!("t{number}")), None);
        added.push(row(Step::Minute, 1, key, counts(number, 1)));
    }
    store.add_counts(&added).await.expect("it adds");
    let of = |tenant: Option<&str>, workflow: Option<&str>| StatFilter {
        tenant: tenant.map(TenantName::trusted),
        workflow: workflow.map(WorkflowName::trusted),
        ..all_of(Step::Minute)
    };
    for (filter, enqueued) in [
        (of(None, None), 0),
        (of(Some("a"), None), 100),
        (of(None, Some("w")), 200),
        (of(Some("a"), Some("w")), 300),
        (of(Some("b"), Some("w")), 400),
        (of(Some("t299"), None), 299),
    ] {
        let points = read(store, &filter).await;
        assert_eq!((points.len(), points[0].counts.enqueued), (1, enqueued), "{filter:?}");
    }
    assert!(read(store, &of(Some("b"), None)).await.is_empty());
}

/// Steps are kept for their own time.
pub async fn old_figures_are_removed_by_step(store: &dyn Store) {
    let node = key(QueueName::Node, Tier::Normal, None, None);
    let mut added: Vec<StatRow<Counts>> =
        (0..5).map(|at| row(Step::Minute, at, node.clone(), counts(1, 1))).collect();
    added.push(row(Step::Hour, 0, node, counts(1, 1)));
    store.add_counts(&added).await.expect("it adds");
    let prune = |limit| store.prune_stats(Step::Minute, Timestamp(3 * MINUTE), limit);
    assert_eq!(prune(2).await.expect("it prunes"), 2);
    assert_eq!(prune(2).await.expect("it prunes"), 1);
    assert_eq!(prune(2).await.expect("it prunes"), 0);
    assert_eq!(read(store, &all_of(Step::Minute)).await.len(), 2);
    assert_eq!(read(store, &all_of(Step::Hour)).await.len(), 1);
}
