//! Job types that are pinned to builds: only workers of one of them get their jobs, from the next claim on.

use domain::build::{BuildPin, PinSource, WorkerBuild};
use domain::names::{CallerKey, JobType, TenantName, WorkerId};
use domain::queue::QueueName;
use domain::time::Timestamp;

use super::fixture::{T0, after_secs, claim, complete, enqueue, job, tenant};
use crate::Store;
use crate::builds::WorkerPins;
use crate::jobs::{ClaimRequest, ClaimedJob, NewJob};
use crate::operations::WorkerRecord;

/// More than any case has.
const PINS_MAX: u32 = 100;

fn names(builds: &[&str]) -> Vec<CallerKey> {
    builds.iter().map(|name| CallerKey::trusted(*name)).collect()
}

fn pin(of: Option<TenantName>, job_type: &JobType, builds: &[&str]) -> BuildPin {
    let job_type = job_type.clone();
    BuildPin { tenant: of, job_type, builds: names(builds), source: PinSource::Operator, since: T0 }
}

async fn set(store: &dyn Store, pin: &BuildPin) {
    assert!(store.set_build_pin(pin, PINS_MAX).await.expect("pinning works"));
}

async fn claim_as(store: &dyn Store, build: WorkerBuild, now: Timestamp) -> Vec<ClaimedJob> {
    let request = ClaimRequest { build, ..claim(QueueName::Node, 10, now) };
    store.claim(&request).await.expect("claim works")
}

fn build(name: &str) -> WorkerBuild {
    WorkerBuild::Named(CallerKey::trusted(name))
}

fn of_type(job_type: &str) -> NewJob {
    NewJob { job_type: JobType::trusted(job_type), ..job() }
}

/// Workers of other builds get what is not pinned, and what is pinned waits for its build. A change holds from the next claim on.
pub async fn a_pinned_job_type_is_for_its_builds(store: &dyn Store) {
    let (pinned, free) = (of_type("pinned"), of_type("free"));
    set(store, &pin(None, &pinned.job_type, &["v2", "v3"])).await;
    enqueue(store, &[pinned.clone(), free.clone()]).await;
    let got = claim_as(store, build("v1"), T0).await;
    assert_eq!(got.iter().map(|job| job.id).collect::<Vec<_>>(), [free.id], "the other type goes on");
    for other in [build("v1"), WorkerBuild::Unnamed] {
        assert!(claim_as(store, other.clone(), T0).await.is_empty(), "{other:?}");
    }
    let got = claim_as(store, build("v3"), T0).await;
    assert_eq!(got.iter().map(|job| job.id).collect::<Vec<_>>(), [pinned.id]);
    complete(store, &got[0], T0).await;

    enqueue(store, &[of_type("pinned")]).await;
    assert!(claim_as(store, build("v1"), T0).await.is_empty());
    set(store, &pin(None, &pinned.job_type, &["v1"])).await;
    assert!(claim_as(store, build("v2"), T0).await.is_empty(), "the pin is another one");
    assert_eq!(claim_as(store, build("v1"), T0).await.len(), 1);
    enqueue(store, &[of_type("pinned")]).await;
    assert!(claim_as(store, WorkerBuild::Unnamed, T0).await.is_empty());
    assert!(store.remove_build_pin(None, &pinned.job_type, T0).await.expect("unpinning works"));
    assert!(!store.remove_build_pin(None, &pinned.job_type, T0).await.expect("unpinning works"));
    assert_eq!(claim_as(store, WorkerBuild::Unnamed, T0).await.len(), 1, "any worker takes it again");
}

/// A tenant's own pin counts instead of the one for all, and what asks for other people's work is not concerned.
pub async fn a_tenants_pin_counts_instead_of_the_one_for_all(store: &dyn Store) {
    let (own, other) = (
        NewJob { tenant: tenant("a"), ..of_type("pinned") },
        NewJob { tenant: tenant("b"), ..of_type("pinned") },
    );
    set(store, &pin(None, &own.job_type, &["v1"])).await;
    set(store, &pin(Some(tenant("a")), &own.job_type, &["v2"])).await;
    enqueue(store, &[own.clone(), other.clone()]).await;
    let first = claim_as(store, build("v1"), T0).await;
    assert_eq!(first.iter().map(|job| job.id).collect::<Vec<_>>(), [other.id]);
    let second = claim_as(store, build("v2"), T0).await;
    assert_eq!(second.iter().map(|job| job.id).collect::<Vec<_>>(), [own.id]);
    enqueue(store, &[NewJob { tenant: tenant("a"), ..of_type("pinned") }]).await;
    assert_eq!(claim_as(store, WorkerBuild::Any, T0).await.len(), 1);
    let pins = store.build_pins().await.expect("read works");
    assert_eq!(pins, [pin(None, &own.job_type, &["v1"]), pin(Some(tenant("a")), &own.job_type, &["v2"])]);
}

/// A job that comes while a worker of another build waits is not leased for it.
pub async fn an_eager_start_obeys_pins(store: &dyn Store) {
    set(store, &pin(None, &JobType::trusted("pinned"), &["v2"])).await;
    for _ in 0..3 {
        let request = ClaimRequest { build: build("v1"), ..claim(QueueName::Node, 1, T0) };
        let made = store.enqueue_eagerly(&[of_type("pinned")], &request).await.expect("enqueue works");
        assert!(made.leased.is_empty(), "it is for others");
        let got = claim_as(store, build("v2"), T0).await;
        assert_eq!(got.len(), 1);
        complete(store, &got[0], T0).await;
        // Nothing waits: from here on a store may lease as it inserts.
        assert!(claim_as(store, build("v2"), T0).await.is_empty());
    }
}

fn pins_of(worker: &str, build: &str, builds: &[&str]) -> WorkerPins {
    WorkerPins {
        worker_id: WorkerId::trusted(worker),
        build: CallerKey::trusted(build),
        tenant: None,
        job_types: vec![JobType::trusted("one"), JobType::trusted("two")],
        builds: names(builds),
    }
}

async fn pinned_to(store: &dyn Store, job_type: &str) -> Option<Vec<CallerKey>> {
    let pins = store.build_pins().await.expect("read works");
    pins.into_iter().find(|pin| pin.job_type.as_str() == job_type).map(|pin| pin.builds)
}

/// The worker that began last decides; an operator's pin stays.
pub async fn the_worker_that_began_last_pins(store: &dyn Store) {
    let (one, two) = (JobType::trusted("one"), JobType::trusted("two"));
    let by =
        async |pins: &WorkerPins, now| store.pin_by_worker(pins, PINS_MAX, now).await.expect("pinning works");
    let (old, new) = (pins_of("w1", "v1", &["v1"]), pins_of("w2", "v2", &["v2"]));
    assert_eq!(by(&old, T0).await, [one.clone(), two.clone()]);
    let seen = WorkerRecord {
        id: old.worker_id.clone(),
        kind: "external".to_owned(),
        tenant: None,
        job_types: old.job_types.clone(),
        first_seen_at: T0,
        last_seen_at: after_secs(9),
        leased: 0,
        build: Some(old.build.clone()),
        draining_at: None,
        slots: None,
    };
    store.record_workers(&[seen]).await.expect("recording works");
    assert_eq!(by(&new, after_secs(5)).await, [one.clone(), two.clone()]);
    assert!(by(&new, after_secs(6)).await.is_empty(), "nothing changes");
    assert!(by(&old, after_secs(9)).await.is_empty(), "it is still there, but began earlier");
    assert_eq!(pinned_to(store, "one").await, Some(names(&["v2"])));

    set(store, &pin(None, &one, &["v1"])).await;
    let third = pins_of("w3", "v3", &["v3"]);
    assert_eq!(by(&third, after_secs(20)).await, [two]);
    assert_eq!(pinned_to(store, "one").await, Some(names(&["v1"])), "an operator pinned it");
    assert_eq!(pinned_to(store, "two").await, Some(names(&["v3"])));
}

/// An operator unpins: workers that are there do not pin again, whichever process they come to; one that begins later does.
pub async fn a_pin_that_was_removed_is_not_pinned_by_workers_that_are_there(store: &dyn Store) {
    let one = JobType::trusted("one");
    let by =
        async |pins: &WorkerPins, now| store.pin_by_worker(pins, PINS_MAX, now).await.expect("pinning works");
    let old = WorkerPins { job_types: vec![one.clone()], ..pins_of("w1", "v1", &["v1"]) };
    assert_eq!(by(&old, T0).await, std::slice::from_ref(&one));
    let seen = WorkerRecord {
        id: old.worker_id.clone(),
        kind: "external".to_owned(),
        tenant: None,
        job_types: old.job_types.clone(),
        first_seen_at: T0,
        last_seen_at: T0,
        leased: 0,
        build: Some(old.build.clone()),
        draining_at: None,
        slots: None,
    };
    store.record_workers(&[seen]).await.expect("recording works");
    assert!(store.remove_build_pin(None, &one, after_secs(5)).await.expect("unpinning works"));
    assert!(by(&old, after_secs(9)).await.is_empty(), "it began before");
    assert_eq!(pinned_to(store, "one").await, None);
    enqueue(store, &[of_type("one")]).await;
    assert_eq!(claim_as(store, WorkerBuild::Unnamed, T0).await.len(), 1, "any worker takes it");
    assert!(!store.remove_build_pin(None, &one, after_secs(9)).await.expect("unpinning works"));
    let two = pin(None, &JobType::trusted("two"), &["v1"]);
    assert!(store.set_build_pin(&two, 1).await.expect("pinning works"), "what is unpinned does not count");
    let new = WorkerPins { job_types: vec![one.clone()], ..pins_of("w2", "v2", &["v2"]) };
    assert_eq!(by(&new, after_secs(20)).await, std::slice::from_ref(&one));
    assert_eq!(pinned_to(store, "one").await, Some(names(&["v2"])));
    // An operator's pin replaces one, whatever was before.
    assert!(store.remove_build_pin(None, &one, after_secs(30)).await.expect("unpinning works"));
    set(store, &pin(None, &one, &["v3"])).await;
    assert_eq!(pinned_to(store, "one").await, Some(names(&["v3"])));
}

/// No more than there may be.
pub async fn pins_are_bounded(store: &dyn Store) {
    let (one, two) = (JobType::trusted("one"), JobType::trusted("two"));
    assert!(store.set_build_pin(&pin(None, &one, &["v1"]), 1).await.expect("pinning works"));
    assert!(!store.set_build_pin(&pin(None, &two, &["v1"]), 1).await.expect("pinning works"));
    assert!(store.set_build_pin(&pin(None, &one, &["v2"]), 1).await.expect("one that is there changes"));
    assert_eq!(pinned_to(store, "one").await, Some(names(&["v2"])));
    assert_eq!(pinned_to(store, "two").await, None);
}

/// However many job types the workers of a tenant pin: others have room for theirs.
pub async fn pins_of_a_tenant_are_a_part_of_all(store: &dyn Store) {
    let types = ["one", "two", "three", "four"].map(JobType::trusted);
    let of_a = |at: usize, build: &str| pin(Some(tenant("a")), &types[at], &[build]);
    for at in 0..2 {
        assert!(store.set_build_pin(&of_a(at, "v1"), 8).await.expect("pinning works"));
    }
    assert!(!store.set_build_pin(&of_a(2, "v1"), 8).await.expect("pinning works"), "a quarter of all");
    assert!(store.set_build_pin(&of_a(1, "v2"), 8).await.expect("one that is there changes"));
    let (of, job_types) = (Some(tenant("a")), vec![types[1].clone(), types[3].clone()]);
    let by_worker = WorkerPins { tenant: of, job_types, ..pins_of("w1", "v1", &["v1"]) };
    assert!(store.pin_by_worker(&by_worker, 8, T0).await.expect("pinning works").is_empty());
    for other in [Some(tenant("b")), None] {
        let other = pin(other, &types[3], &["v1"]);
        assert!(store.set_build_pin(&other, 8).await.expect("pinning works"), "{other:?}");
    }
}
