//! Rates: starts per period, exact, changeable at run time, and counted for claims alone.

use domain::access::TenantScope;
use domain::failure::JobError;
use domain::job::Disposition;
use domain::limits::LimitScope;
use domain::names::JobType;
use domain::queue::{QueueName, Tier};
use domain::rate::{Rate, RateOverride, RateScope};
use domain::time::{DurationMs, Timestamp};

use super::fixture::{
    T0, after_secs, claim, claim_nodes, complete, enqueue, execution, job, jobs, lease, tenant, version,
    workflow,
};
use super::parking::{committed, park, take_up};
use crate::Store;
use crate::executions::{Appended, InboxEntry};
use crate::jobs::{ClaimedJob, NewJob, Settlement};
use crate::limits::{LimitChange, RateChange};
use crate::workflows::WorkflowVersion;

fn rate(text: &str) -> Rate {
    Rate::parse(text).expect("it is a rate")
}

async fn set(store: &dyn Store, queue: QueueName, scope: RateScope, to: Option<&str>) {
    let change = RateChange { queue, scope, rate: to.map(rate) };
    store.change_limits_and_rates(&[], &[change], T0).await.expect("change works");
}

fn of_type(name: &str) -> NewJob {
    NewJob { job_type: JobType::trusted(name), ..job() }
}

fn ms(after: i64) -> Timestamp {
    T0.plus(DurationMs(after))
}

/// No window has more starts than the rate says, wherever it begins, and each is used before long.
pub async fn i03_no_window_has_more_starts_than_its_rate(store: &dyn Store) {
    enqueue(store, &jobs(200, "a", Tier::Normal)).await;
    set(store, QueueName::Node, RateScope::Global, Some("5/10s")).await;
    let mut starts: Vec<i64> = Vec::new();
    for step in 0..400 {
        let now = ms(step * 100);
        let claimed = claim_nodes(store, if step % 3 == 0 { 60 } else { 2 }, now).await;
        starts.extend(claimed.iter().map(|job| job.started_at.0));
    }
    for (place, &first) in starts.iter().enumerate() {
        let within = starts[place..].iter().filter(|&&at| at - first < 10_000).count();
        assert!(within <= 5, "{within} starts within 10 s of {first}: {starts:?}");
    }
    assert!(starts.len() >= 18, "{} of 20 were used in four periods", starts.len());
    assert_eq!(claim_nodes(store, 60, ms(3_600_000)).await.len(), 5, "what was not used is not saved up");
}

/// A bucket is emptied at once and then refills evenly.
pub async fn i03_a_bucket_refills_evenly(store: &dyn Store) {
    enqueue(store, &jobs(30, "a", Tier::Normal)).await;
    set(store, QueueName::Node, RateScope::Global, Some("10/10s burst 3")).await;
    assert_eq!(claim_nodes(store, 10, T0).await.len(), 3, "the bucket is full");
    assert_eq!(claim_nodes(store, 10, ms(999)).await.len(), 0);
    assert_eq!(claim_nodes(store, 10, ms(1_000)).await.len(), 1);
    assert_eq!(claim_nodes(store, 10, ms(2_500)).await.len(), 1);
    assert_eq!(claim_nodes(store, 10, ms(3_000)).await.len(), 1, "half a token was kept");
    assert_eq!(claim_nodes(store, 10, after_secs(60)).await.len(), 3, "it holds three");
}

/// A clock that goes back gives nobody a second chance.
pub async fn i03_a_clock_that_goes_back_brings_no_starts(store: &dyn Store) {
    enqueue(store, &jobs(30, "a", Tier::Normal)).await;
    set(store, QueueName::Node, RateScope::Global, Some("2/10s")).await;
    assert_eq!(claim_nodes(store, 1, after_secs(100)).await.len(), 1);
    assert_eq!(claim_nodes(store, 10, after_secs(50)).await.len(), 1, "one is left");
    for back in [50, 61, 99, 105, 110] {
        assert_eq!(claim_nodes(store, 10, after_secs(back)).await.len(), 0, "at {back} s");
    }
    assert_eq!(claim_nodes(store, 10, after_secs(111)).await.len(), 2);
}

/// Tenants, workflows and job types each have theirs; who has none gets the default, and who is held back holds up
/// nobody else.
pub async fn i03_each_rate_holds_back_its_own(store: &dyn Store) {
    let node = QueueName::Node;
    let mut batch = jobs(10, "a", Tier::Normal);
    batch.extend(jobs(10, "b", Tier::Normal));
    let with_workflow = |name: &str| NewJob { tenant: tenant("c"), workflow: Some(workflow(name)), ..job() };
    batch.extend((0..10).map(|_| with_workflow("w1")));
    batch.extend((0..10).map(|_| with_workflow("w2")));
    enqueue(store, &batch).await;
    set(store, node, RateScope::TenantDefault, Some("7/1h")).await;
    set(store, node, RateScope::Tenant(tenant("a")), Some("2/1h")).await;
    set(store, node, RateScope::Workflow(workflow("w1")), Some("3/1h")).await;
    let claimed = claim_nodes(store, 60, T0).await;
    let of = |name: &str| claimed.iter().filter(|job| job.tenant == tenant(name)).count();
    let of_w1 = claimed.iter().filter(|job| job.workflow == Some(workflow("w1"))).count();
    assert_eq!((of("a"), of("b"), of("c")), (2, 7, 7));
    assert!(of_w1 <= 3, "w1 has {of_w1}");
    assert!(claim_nodes(store, 60, after_secs(60)).await.is_empty());
    set(store, node, RateScope::TenantDefault, None).await;
    let claimed = claim_nodes(store, 60, after_secs(61)).await;
    assert!(claimed.iter().all(|job| job.tenant != tenant("a")), "its own rate holds");
    let more_of_w1 = claimed.iter().filter(|job| job.workflow == Some(workflow("w1"))).count();
    assert_eq!(of_w1 + more_of_w1, 3);
}

/// What a type holds back does not hold back others behind it in its line, and starts in order once it may.
pub async fn i04_a_held_job_type_holds_back_nobody_behind_it(store: &dyn Store) {
    let batch: Vec<NewJob> = (0..12).map(|n| of_type(if n % 3 == 2 { "other" } else { "mail" })).collect();
    enqueue(store, &batch).await;
    set(store, QueueName::Node, RateScope::JobType(JobType::trusted("mail")), Some("2/10s")).await;
    let ids = |claimed: &[ClaimedJob]| claimed.iter().map(|job| job.id).collect::<Vec<_>>();
    let expected = |places: &[usize]| places.iter().map(|&place| batch[place].id).collect::<Vec<_>>();
    let first = claim_nodes(store, 4, T0).await;
    let mut found = ids(&first);
    found.extend(ids(&claim_nodes(store, 60, T0).await));
    found.sort_unstable();
    assert_eq!(found, expected(&[0, 1, 2, 5, 8, 11]));
    assert_eq!(ids(&claim_nodes(store, 60, after_secs(11)).await), expected(&[3, 4]));
    assert_eq!(ids(&claim_nodes(store, 60, after_secs(22)).await), expected(&[6, 7]));
}

/// A limit of a type counts over tenants, and a slot that is freed is used.
pub async fn i03_a_job_type_has_a_limit_of_its_own(store: &dyn Store) {
    let mut batch: Vec<NewJob> = (0..5).map(|_| of_type("mail")).collect();
    batch.extend((0..5).map(|_| NewJob { tenant: tenant("b"), ..of_type("mail") }));
    batch.extend((0..4).map(|_| of_type("other")));
    enqueue(store, &batch).await;
    let scope = LimitScope::JobType(JobType::trusted("mail"));
    let limit = LimitChange { queue: QueueName::Node, scope: scope.clone(), max_concurrent: Some(Some(3)) };
    store.change_limits_and_rates(&[limit], &[], T0).await.expect("change works");
    let claimed = claim_nodes(store, 60, T0).await;
    let mails: Vec<_> = claimed.iter().filter(|job| job.job_type.as_str() == "mail").collect();
    assert_eq!((claimed.len(), mails.len()), (7, 3));
    assert!(claim_nodes(store, 60, T0).await.is_empty());
    complete(store, mails[0], T0).await;
    assert_eq!(claim_nodes(store, 60, T0).await.len(), 1, "one slot became free, one is taken");
    let overrides = store.limit_overrides().await.expect("read works");
    assert!(overrides.iter().any(|set| set.scope == scope && set.max_concurrent == Some(3)));
    let removed = LimitChange { queue: QueueName::Node, scope, max_concurrent: None };
    store.change_limits_and_rates(&[removed], &[], T0).await.expect("change works");
    assert_eq!(claim_nodes(store, 60, T0).await.len(), 6, "there is no limit");
    assert!(store.limit_overrides().await.expect("read works").is_empty());
}

/// What is set for the jobs of a tenant with a type holds for them alone, beside what is set for the type over all tenants.
pub async fn i03_a_job_type_of_a_tenant_has_a_limit_and_a_rate_of_its_own(store: &dyn Store) {
    let mail = || JobType::trusted("mail");
    let mut batch: Vec<NewJob> = (0..6).map(|_| of_type("mail")).collect();
    batch.extend((0..6).map(|_| NewJob { tenant: tenant("b"), ..of_type("mail") }));
    batch.extend((0..2).map(|_| of_type("other")));
    enqueue(store, &batch).await;
    let limit = |scope, max_concurrent| LimitChange {
        queue: QueueName::Node,
        scope,
        max_concurrent: Some(Some(max_concurrent)),
    };
    let own = LimitScope::TenantJobType(tenant("a"), mail());
    let changes = [limit(own.clone(), 2), limit(LimitScope::JobType(mail()), 5)];
    store.change_limits_and_rates(&changes, &[], T0).await.expect("change works");
    let claimed = claim_nodes(store, 60, T0).await;
    let of = |name: &str, job_type: &str| {
        claimed.iter().filter(|job| job.tenant == tenant(name) && job.job_type.as_str() == job_type).count()
    };
    assert_eq!((of("a", "mail"), of("b", "mail"), of("a", "other")), (2, 3, 2));
    assert!(claim_nodes(store, 60, T0).await.is_empty());
    for job in &claimed {
        complete(store, job, T0).await;
    }
    let overrides = store.limit_overrides().await.expect("read works");
    assert!(overrides.iter().any(|set| set.scope == own && set.max_concurrent == Some(2)));
    let removed = changes.map(|LimitChange { scope, .. }| LimitChange {
        queue: QueueName::Node,
        scope,
        max_concurrent: None,
    });
    store.change_limits_and_rates(&removed, &[], T0).await.expect("change works");
    let scope = RateScope::TenantJobType(tenant("a"), mail());
    set(store, QueueName::Node, scope.clone(), Some("1/10s")).await;
    let claimed = claim_nodes(store, 60, T0).await;
    let of_a = claimed.iter().filter(|job| job.tenant == tenant("a")).count();
    assert_eq!((claimed.len(), of_a), (4, 1), "three of the other tenant are left");
    assert_eq!(claim_nodes(store, 60, after_secs(5)).await.len(), 0);
    assert_eq!(claim_nodes(store, 60, after_secs(11)).await.len(), 1);
    let rates = store.rate_overrides().await.expect("read works");
    assert_eq!(rates, [RateOverride { queue: QueueName::Node, scope, rate: rate("1/10s") }]);
}

/// A change holds from the next claim on, and what was started before counts on.
pub async fn i03_a_rate_can_be_changed(store: &dyn Store) {
    let node = QueueName::Node;
    enqueue(store, &jobs(30, "a", Tier::Normal)).await;
    set(store, node, RateScope::Global, Some("2/1h")).await;
    assert_eq!(claim_nodes(store, 60, T0).await.len(), 2);
    assert!(claim_nodes(store, 60, after_secs(1)).await.is_empty());
    set(store, node, RateScope::Global, Some("5/1h")).await;
    assert_eq!(claim_nodes(store, 60, after_secs(2)).await.len(), 3, "two of five were started before");
    set(store, node, RateScope::Global, Some("3/1h")).await;
    assert!(claim_nodes(store, 60, after_secs(3)).await.is_empty());
    let set_now = RateOverride { queue: node, scope: RateScope::Global, rate: rate("3/1h") };
    assert_eq!(store.rate_overrides().await.expect("read works"), [set_now]);
    set(store, node, RateScope::Global, None).await;
    assert!(store.rate_overrides().await.expect("read works").is_empty());
    assert_eq!(claim_nodes(store, 60, after_secs(4)).await.len(), 25, "there is no rate");
}

/// A retry is a start like any other.
pub async fn i03_retries_count_as_starts(store: &dyn Store) {
    enqueue(store, &jobs(1, "a", Tier::Normal)).await;
    set(store, QueueName::Node, RateScope::Global, Some("1/10s")).await;
    let first = claim_nodes(store, 10, T0).await;
    let error = JobError::coded("again", "once more");
    let retry = Settlement { lease: lease(&first[0]), disposition: Disposition::RetryAt { at: T0, error } };
    store.settle(&[retry], T0).await.expect("settle works");
    store.promote_due(&[], after_secs(1), 100).await.expect("promote works");
    assert!(claim_nodes(store, 10, after_secs(5)).await.is_empty());
    let again = claim_nodes(store, 10, after_secs(11)).await;
    assert_eq!(again.iter().map(|job| (job.id, job.attempt)).collect::<Vec<_>>(), [(first[0].id, 2)]);
}

/// Of executions the first claim counts alone: a signal takes up a parked one while others wait for the rate.
pub async fn i03_results_and_signals_wait_for_no_rate(store: &dyn Store) {
    let limited = WorkflowVersion { rate: Some(rate("2/1h")), ..version("w") };
    store.register_workflow(&limited).await.expect("register works");
    let new: Vec<_> = (0..5).map(|_| execution("w")).collect();
    store.create_executions(&new, T0).await.expect("create works");
    let owners = store.claim(&claim(QueueName::Execution, 5, T0)).await.expect("claim works");
    let ids: Vec<_> = owners.iter().map(|job| job.id).collect();
    assert_eq!(ids, [new[0].job.id, new[1].job.id], "the rate of the definition");
    for round in 0..3 {
        let at = after_secs(2 * round + 2);
        assert!(take_up(store, at).await.is_none(), "no first claim in round {round}");
        let owner = if round == 0 { owners[1].clone() } else { continue };
        assert!(committed(store, &park(&new[1], &owner, None)).await.parked);
        let entry = InboxEntry::Signal { name: "go".into(), payload: "{}".into() };
        let appended = store
            .append_command(&TenantScope::All, new[1].id, super::fixture::id(), &entry, at)
            .await
            .expect("append works");
        assert!(matches!(appended, Appended::At(_)));
        let taken = take_up(store, at).await.expect("the signal took it up");
        assert_eq!(taken.id, new[1].job.id);
    }
    let later = store.claim(&claim(QueueName::Execution, 5, after_secs(3_700))).await.expect("claim works");
    let ids: Vec<_> = later.iter().map(|job| job.id).collect();
    assert_eq!(ids, [new[2].job.id, new[3].job.id], "two more may start an hour later");
}

/// However jobs come, none is started that the rate does not let through.
pub async fn i03_an_eager_start_keeps_the_rates(store: &dyn Store) {
    enqueue(store, &[job()]).await;
    let claimed = claim_nodes(store, 1, T0).await;
    complete(store, &claimed[0], T0).await;
    set(store, QueueName::Node, RateScope::Tenant(tenant("a")), Some("3/1h")).await;
    assert!(claim_nodes(store, 1, T0).await.is_empty());
    let mut started = 0;
    for step in 0..6 {
        let request = claim(QueueName::Node, 10, after_secs(step));
        let made = store.enqueue_eagerly(&jobs(2, "a", Tier::Normal), &request).await.expect("enqueue works");
        started += made.leased.len() + claim_nodes(store, 10, after_secs(step)).await.len();
        assert!(started <= 3, "{started} were started");
    }
    assert_eq!(started, 3);
}

/// Higher tiers come first under a rate, and tenants take turns.
pub async fn i05_a_rate_keeps_tiers_and_turns(store: &dyn Store) {
    let mut batch = jobs(6, "a", Tier::Low);
    batch.extend(jobs(6, "a", Tier::High));
    batch.extend(jobs(6, "b", Tier::High));
    enqueue(store, &batch).await;
    set(store, QueueName::Node, RateScope::Global, Some("4/10s")).await;
    for round in 0..3 {
        let claimed = claim_nodes(store, 60, after_secs(round * 11)).await;
        assert!(claimed.iter().all(|job| job.tier == Tier::High), "round {round}");
        let of_a = claimed.iter().filter(|job| job.tenant == tenant("a")).count();
        assert_eq!((claimed.len(), of_a), (4, 2), "round {round}");
    }
    let last = claim_nodes(store, 60, after_secs(40)).await;
    assert!(last.len() == 4 && last.iter().all(|job| job.tier == Tier::Low));
}
