//! Workers, audit, bulk operations, retention.

use domain::access::TenantScope;
use domain::names::{CallerKey, JobType, TenantName, WorkerId};
use domain::search::{Order, Search, SearchList};
use domain::time::{DurationMs, Timestamp};

use super::fixture::{T0, after_secs, claim_nodes, complete, enqueue, job, jobs, tenant};
use super::search::{found, search};
use crate::Store;
use crate::operations::{LaneRemovalPace, Retention, WorkerRecord};
use crate::search::Counted;

/// Workers are listed with what they hold.
pub async fn workers_are_listed_with_their_leases(store: &dyn Store) {
    let seen = |name: &str, at: Timestamp| WorkerRecord {
        id: WorkerId::trusted(name),
        kind: "external".into(),
        tenant: None,
        job_types: vec![JobType::trusted("work")],
        first_seen_at: at,
        last_seen_at: at,
        leased: 0,
        build: None,
        draining_at: None,
        slots: None,
    };
    let with = |slots: u32, at: i64| WorkerRecord { slots: Some(slots), ..seen("w1", after_secs(at)) };
    store.record_workers(&[with(4, 0), seen("w2", T0)]).await.expect("note works");
    store.record_workers(&[with(1, 9)]).await.expect("note works");
    enqueue(store, &jobs(2, "a", domain::queue::Tier::Normal)).await;
    claim_nodes(store, 2, T0).await;
    let all = store.list_workers(&TenantScope::All, T0, 10).await.expect("list works");
    assert_eq!(all.len(), 2);
    let first = all.iter().find(|worker| worker.id.as_str() == "w1").expect("there");
    assert_eq!((first.first_seen_at, first.last_seen_at, first.leased), (T0, after_secs(9), 2));
    let slots = async || store.list_workers(&TenantScope::All, T0, 1).await.expect("list works")[0].slots;
    assert_eq!(slots().await, Some(4), "it asks for fewer while it has jobs");
    store.record_workers(&[with(6, 10)]).await.expect("note works");
    assert_eq!(slots().await, Some(6));
    let recent = store.list_workers(&TenantScope::All, after_secs(5), 10).await.expect("list works");
    assert_eq!(recent.len(), 1);
    store.record_workers(&[with(2, 80)]).await.expect("note works");
    assert_eq!(slots().await, Some(2), "another process of that name");
}

/// Workers are found by each filter, in each order, with what they hold.
pub async fn workers_are_found_by_each_filter(store: &dyn Store) {
    let seen = |name: &str, of: Option<&str>, job_types: &[&str], at: i64| WorkerRecord {
        id: WorkerId::trusted(name),
        kind: if of.is_some() { "external" } else { "pool" }.into(),
        tenant: of.map(tenant),
        job_types: job_types.iter().map(|name| JobType::trusted(*name)).collect(),
        first_seen_at: after_secs(-at),
        last_seen_at: after_secs(at),
        leased: 0,
        build: None,
        draining_at: None,
        slots: None,
    };
    let (one, two) = (seen("w1", Some("a"), &["work", "mail"], 1), seen("w1", Some("b"), &["mail"], 2));
    store.record_workers(&[one.clone(), two, seen("pool", None, &[], 3)]).await.expect("it records");
    enqueue(store, &jobs(2, "a", domain::queue::Tier::Normal)).await;
    claim_nodes(store, 2, T0).await;
    let all = TenantScope::All;
    let workers = async |scope: &TenantScope, search: &Search| {
        let ids = found(store, scope, search).await;
        let counted = store.count_found(scope, search, 9).await.expect("counting works");
        assert_eq!(counted, Counted::exactly(ids.len() as u64));
        let workers = store.workers_of(scope, &ids).await.expect("they can be read");
        assert_eq!(workers.len(), ids.len());
        workers
    };
    let names = |workers: Vec<WorkerRecord>| -> Vec<String> {
        let of =
            |worker: &WorkerRecord| worker.tenant.as_ref().map_or_else(|| "-".into(), ToString::to_string);
        workers.iter().map(of).collect()
    };
    for (query, expected) in [
        ("", vec!["-", "b", "a"]),
        ("kind:external", vec!["b", "a"]),
        ("kind:pool,none", vec!["-"]),
        ("tenant:a,b", vec!["b", "a"]),
        ("jobType:work", vec!["a"]),
        ("jobType:mail,other", vec!["b", "a"]),
        ("-jobType:mail", vec!["-"]),
        ("jobType:*", vec!["b", "a"]),
        ("lastSeen:>now+1s", vec!["-", "b"]),
        ("firstSeen:<now-2s", vec!["-"]),
    ] {
        let list = workers(&all, &search(SearchList::Workers, query)).await;
        assert_eq!(names(list), expected, "{query}");
    }
    let oldest =
        Search { sort: "firstSeen".to_owned(), order: Order::Asc, ..Search::all(SearchList::Workers) };
    assert_eq!(names(workers(&all, &oldest).await), ["-", "b", "a"]);
    let own = workers(&TenantScope::One(tenant("a")), &Search::all(SearchList::Workers)).await;
    assert_eq!(own, [WorkerRecord { leased: 2, ..one }]);
}

/// Two tenants may call their workers alike: each sees its own.
pub async fn i13_names_of_workers_are_each_tenants_own(store: &dyn Store) {
    let seen = |of: &str, job_type: &str| WorkerRecord {
        id: WorkerId::trusted("w1"),
        kind: "external".into(),
        tenant: Some(tenant(of)),
        job_types: vec![JobType::trusted(job_type)],
        first_seen_at: T0,
        last_seen_at: T0,
        leased: 0,
        build: None,
        draining_at: None,
        slots: None,
    };
    store
        .record_workers(&[seen("a", "old"), seen("b", "other"), seen("a", "work")])
        .await
        .expect("note works");
    enqueue(store, &jobs(2, "a", domain::queue::Tier::Normal)).await;
    claim_nodes(store, 2, T0).await;
    assert_eq!(store.list_workers(&TenantScope::All, T0, 10).await.expect("list works").len(), 2);
    for (of, job_type, leased) in [("a", "work", 2), ("b", "other", 0)] {
        let scope = TenantScope::One(tenant(of));
        let own = store.list_workers(&scope, T0, 10).await.expect("list works");
        let expected = WorkerRecord { leased, ..seen(of, job_type) };
        assert_eq!(own, [expected]);
    }
}

/// A worker is drained until it is gone: another one of its name, a minute later, is not.
pub async fn a_worker_is_drained_until_it_is_gone(store: &dyn Store) {
    let seen = |of: Option<&str>, kind: &str, at: i64| WorkerRecord {
        id: WorkerId::trusted("w1"),
        kind: kind.into(),
        tenant: of.map(tenant),
        job_types: vec![JobType::trusted("work")],
        first_seen_at: T0,
        last_seen_at: after_secs(at),
        leased: 0,
        build: Some(CallerKey::trusted("v7")),
        draining_at: None,
        slots: None,
    };
    let draining = || async { store.draining_workers(T0).await.expect("list works") };
    let drain = |of: Option<TenantName>| async move {
        let id = WorkerId::trusted("w1");
        store.drain_worker(of.as_ref(), &id, T0, after_secs(1), &[]).await.expect("it answers")
    };
    store
        .record_workers(&[
            seen(None, "pool", 0),
            seen(Some("a"), "external", 0),
            seen(Some("b"), "external", 0),
        ])
        .await
        .expect("note works");
    assert!(!drain(None).await, "pools are not drained");
    assert!(!drain(Some(tenant("c"))).await, "it has no such worker");
    assert!(drain(Some(tenant("a"))).await);
    assert!(drain(Some(tenant("a"))).await, "a second call changes nothing");
    assert_eq!(draining().await, [(Some(tenant("a")), WorkerId::trusted("w1"))]);
    store.record_workers(&[seen(Some("a"), "external", 60)]).await.expect("note works");
    let scope = TenantScope::One(tenant("a"));
    let own = store.list_workers(&scope, T0, 10).await.expect("list works");
    assert_eq!(own[0].draining_at, Some(after_secs(1)));
    assert_eq!(own[0].build, Some(CallerKey::trusted("v7")));
    assert!(store.draining_workers(after_secs(61)).await.expect("list works").is_empty(), "it is silent");
    store.record_workers(&[seen(Some("a"), "external", 121)]).await.expect("note works");
    assert!(draining().await.is_empty(), "another one has its name");
    assert_eq!(store.list_workers(&scope, T0, 10).await.expect("list works")[0].draining_at, None);
}

/// Retention that keeps everything, but of tenants that have times of their own.
pub fn keep_all() -> Retention {
    let never = Timestamp(0);
    Retention {
        completed_before: never,
        failed_before: never,
        cancelled_before: never,
        archive_before: never,
        executions_before: never,
        schedule_runs_before: never,
        idempotency_before: never,
        deliveries_before: never,
        audit_before: never,
        logs_before: never,
        workers_before: never,
        now: T0,
        subjects: Vec::new(),
    }
}

/// Pruning removes what ended long enough ago, in bounded steps, and nothing else.
pub async fn pruning_removes_only_what_is_old(store: &dyn Store) {
    let batch = jobs(5, "a", domain::queue::Tier::Normal);
    enqueue(store, &batch).await;
    let claimed = claim_nodes(store, 4, T0).await;
    for (index, job) in claimed.iter().enumerate() {
        complete(store, job, after_secs(index as i64)).await;
    }
    let retention = Retention { completed_before: after_secs(3), ..keep_all() };
    assert_eq!(store.prune(&keep_all(), 100).await.expect("prune works"), 0);
    assert_eq!(store.prune(&retention, 2).await.expect("prune works"), 2);
    assert_eq!(store.prune(&retention, 2).await.expect("prune works"), 1);
    assert_eq!(store.prune(&retention, 2).await.expect("prune works"), 0);
    let mut left = Vec::new();
    for job in &batch {
        left.push(store.job(&TenantScope::All, job.id).await.expect("read works").is_some());
    }
    assert_eq!(left, [false, false, false, true, true]);
    assert_eq!(enqueue(store, &[job()]).await.len(), 1);
}

/// A round of the removal of idle lanes, without patience.
async fn remove_lanes(store: &dyn Store, now: Timestamp) -> u64 {
    let pace = LaneRemovalPace { idle_for: DurationMs::ZERO, every: DurationMs::ZERO };
    let mut removed = 0;
    loop {
        let step = store.remove_idle_lanes(&pace, now).await.expect("lanes can be removed");
        removed += step.removed;
        if !step.has_more {
            return removed;
        }
    }
}

/// A lane goes with the last that is kept of its jobs, and a job that comes later is served all the same.
pub async fn lanes_that_nobody_uses_go(store: &dyn Store) {
    let day = 24 * 3_600;
    enqueue(store, &jobs(2, "gone", domain::queue::Tier::Normal)).await;
    enqueue(store, &jobs(1, "stays", domain::queue::Tier::Low)).await;
    for job in claim_nodes(store, 2, T0).await {
        complete(store, &job, T0).await;
    }
    assert_eq!(remove_lanes(store, after_secs(1)).await, 0, "what was finished is kept");
    let now = after_secs(400 * day);
    let old = Retention { completed_before: now, ..keep_all() };
    assert_eq!(store.prune(&old, 100).await.expect("prune works"), 2);
    assert_eq!(remove_lanes(store, now).await, 1);
    assert_eq!(remove_lanes(store, now).await, 0);
    enqueue(store, &jobs(2, "gone", domain::queue::Tier::Normal)).await;
    let served = claim_nodes(store, 10, now).await;
    let tenants: Vec<&str> = served.iter().map(|job| job.tenant.as_str()).collect();
    assert_eq!(tenants, ["gone", "gone", "stays"]);
}
