//! Job types that are pinned to builds: who gets their jobs, who may pin them, and what is said of those that wait.

use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::access::Role;
use domain::build::PinSource;
use domain::names::{CallerKey, JobType, TenantName, WorkerId};
use domain::time::DurationMs;
use engine::{EngineError, JobRequest, PollRequest};
use testkit::EngineHarness;

fn request(worker: &str, build: Option<&str>, builds: &[&str]) -> PollRequest {
    PollRequest {
        worker_id: WorkerId::trusted(worker),
        job_types: vec![JobType::trusted("greet")],
        jobs_max: 1,
        lease: None,
        wait: None,
        tenant: None,
        build: build.map(CallerKey::trusted),
        builds: names(builds),
    }
}

fn names(builds: &[&str]) -> Vec<CallerKey> {
    builds.iter().map(|name| CallerKey::trusted(*name)).collect()
}

fn greet() -> JobType {
    JobType::trusted("greet")
}

async fn enqueue(harness: &EngineHarness) -> domain::id::JobId {
    harness.enqueue(JobRequest::new(greet(), "{}")).await.unwrap().id
}

/// How many jobs a poll gets.
async fn polled(harness: &EngineHarness, request: PollRequest) -> usize {
    harness.engine.poll(&harness.admin(), request).await.expect("it works").taken().len()
}

async fn a_pinned_type_waits_for_a_worker_of_its_build(harness: EngineHarness) {
    let admin = harness.admin();
    let pin = harness.engine.pin_builds(&admin, None, greet(), names(&["v2", "v2"])).await.unwrap();
    assert_eq!((pin.builds, pin.source), (names(&["v2"]), PinSource::Operator));
    let id = enqueue(&harness).await;
    assert_eq!(polled(&harness, request("old", Some("v1"), &[])).await, 0);
    let why = harness.engine.why(&admin, id).await.unwrap();
    assert_eq!(why.reason.as_str(), "no_worker_of_build");
    assert!(why.detail.contains("v2") && why.detail.contains("other builds"), "{}", why.detail);
    assert_eq!(polled(&harness, request("new", Some("v2"), &[])).await, 1);
    let other = enqueue(&harness).await;
    assert_eq!(
        harness.engine.why(&admin, other).await.unwrap().reason.as_str(),
        "behind",
        "a worker is there"
    );

    harness.engine.unpin_builds(&admin, None, &greet()).await.unwrap();
    assert_eq!(polled(&harness, request("old", Some("v1"), &[])).await, 1);
    let again = harness.engine.unpin_builds(&admin, None, &greet()).await;
    assert!(matches!(again, Err(EngineError::NotFound { .. })), "{again:?}");
    let audit = harness.audit(&admin).await;
    let actions =
        audit.iter().map(|line| line.action.as_str()).filter(|action| action.starts_with("builds."));
    assert_eq!(actions.collect::<Vec<_>>(), ["builds.unpin", "builds.pin"]);
}

/// Waiting polls of several builds: the job comes to the one that it is for, and at once.
async fn a_waiting_poll_of_the_build_gets_the_job(harness: EngineHarness) {
    let harness = Arc::new(harness);
    harness.engine.pin_builds(&harness.admin(), None, greet(), names(&["v2"])).await.unwrap();
    let wait = |worker: &'static str, build: &'static str| {
        let harness = Arc::clone(&harness);
        let waiting = Some(DurationMs::from_secs(20));
        tokio::spawn(async move {
            polled(&harness, PollRequest { wait: waiting, ..request(worker, Some(build), &[]) }).await
        })
    };
    let (old, new) = (wait("old", "v1"), wait("new", "v2"));
    let started = Instant::now();
    enqueue(&harness).await;
    assert_eq!(new.await.unwrap(), 1);
    assert!(started.elapsed() < Duration::from_secs(15), "woken by the job");
    harness.engine.unpin_builds(&harness.admin(), None, &greet()).await.unwrap();
    enqueue(&harness).await;
    assert_eq!(old.await.unwrap(), 1, "unpinned, its jobs are for anybody");
}

async fn a_worker_pins_its_types_as_it_begins(harness: EngineHarness) {
    let admin = harness.admin();
    enqueue(&harness).await;
    assert_eq!(polled(&harness, request("new", Some("v2"), &["v2"])).await, 1);
    let pins = harness.engine.build_pins(&admin, None).await.unwrap();
    assert_eq!((pins.len(), &pins[0].builds, pins[0].source), (1, &names(&["v2"]), PinSource::Worker));
    enqueue(&harness).await;
    assert_eq!(polled(&harness, request("old", Some("v1"), &[])).await, 0);

    // One that began earlier and asks again changes nothing; one that begins now does.
    harness.clock.advance(DurationMs::from_secs(1));
    assert_eq!(polled(&harness, request("newer", Some("v3"), &["v2", "v3"])).await, 1);
    assert_eq!(polled(&harness, request("new", Some("v2"), &["v2"])).await, 0);
    assert_eq!(harness.engine.build_pins(&admin, None).await.unwrap()[0].builds, names(&["v2", "v3"]));

    // What an operator says stays.
    harness.engine.pin_builds(&admin, None, greet(), names(&["v1"])).await.unwrap();
    enqueue(&harness).await;
    assert_eq!(polled(&harness, request("newest", Some("v4"), &["v4"])).await, 0);
    assert_eq!(polled(&harness, request("old", Some("v1"), &[])).await, 1);
}

async fn what_is_said_of_builds_is_checked(harness: EngineHarness) {
    let admin = harness.admin();
    let pointers = |answer: Result<(), EngineError>| match answer {
        Err(EngineError::Invalid(faults)) => {
            faults.into_iter().map(|fault| fault.pointer).collect::<Vec<_>>()
        }
        other => panic!("{other:?}"),
    };
    let poll = async |asked| harness.engine.poll(&admin, asked).await.map(drop);
    assert_eq!(pointers(poll(request("w", Some("v1"), &["v2"])).await), ["/builds"]);
    assert_eq!(pointers(poll(request("w", None, &["v2"])).await), ["/builds"]);
    let pin = async |builds: Vec<CallerKey>| {
        harness.engine.pin_builds(&admin, None, greet(), builds).await.map(drop)
    };
    assert_eq!(pointers(pin(Vec::new()).await), ["/builds"]);
    let many: Vec<CallerKey> = (0..21).map(|number| CallerKey::trusted(format!("v{number}"))).collect();
    assert_eq!(pointers(pin(many).await), ["/builds"]);
    let own = JobType::trusted("trunkline:http");
    let refused = harness.engine.pin_builds(&admin, None, own, names(&["v1"])).await.map(drop);
    assert_eq!(pointers(refused), ["/jobType"]);
}

async fn i13_a_tenant_pins_its_own_jobs_only(harness: EngineHarness) {
    let (acme, umbrella) = (TenantName::trusted("acme"), TenantName::trusted("umbrella"));
    let of = |tenant: &TenantName| harness.bound(tenant.as_str(), Role::Operator);
    let pin = harness.engine.pin_builds(&of(&acme), None, greet(), names(&["v2"])).await.unwrap();
    assert_eq!(pin.tenant, Some(acme.clone()));
    let elsewhere =
        harness.engine.pin_builds(&of(&acme), Some(umbrella.clone()), greet(), names(&["v2"])).await;
    assert!(matches!(elsewhere, Err(EngineError::Forbidden { .. })), "{elsewhere:?}");
    assert!(harness.engine.build_pins(&of(&umbrella), None).await.unwrap().is_empty());
    let job = JobRequest { tenant: Some(umbrella), ..JobRequest::new(greet(), "{}") };
    harness.enqueue(job).await.unwrap();
    assert_eq!(polled(&harness, request("old", Some("v1"), &[])).await, 1, "the other tenant's go on");
    let job = JobRequest { tenant: Some(acme), ..JobRequest::new(greet(), "{}") };
    harness.enqueue(job).await.unwrap();
    assert_eq!(polled(&harness, request("old", Some("v1"), &[])).await, 0);
}

on_both_databases!(
    a_pinned_type_waits_for_a_worker_of_its_build,
    a_waiting_poll_of_the_build_gets_the_job,
    a_worker_pins_its_types_as_it_begins,
    what_is_said_of_builds_is_checked,
    i13_a_tenant_pins_its_own_jobs_only,
);
