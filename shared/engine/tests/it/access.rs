//! Keys, roles, tenants and idempotency keys.

use domain::access::{Role, TenantScope};
use domain::names::{CallerKey, JobType, TenantName};
use domain::time::DurationMs;
use engine::{EngineError, JobRequest, LeaseOutcome};
use store::PageRequest;
use store::access::Idempotency;
use store::jobs::{JobFilter, LeaseExtension};
use testkit::{EngineBench, lease_of};

const PAGE: PageRequest = PageRequest { limit: 50, after: None };

fn job_of(tenant: &str) -> JobRequest {
    JobRequest {
        tenant: Some(TenantName::trusted(tenant)),
        ..JobRequest::new(JobType::trusted("encode"), "{}")
    }
}

async fn a_key_speaks_for_its_role_and_tenant_until_it_is_revoked(bench: EngineBench) {
    let admin = bench.admin();
    let tenant = TenantName::trusted("acme");
    let (record, secret) =
        bench.engine.create_key(&admin, "ci", Role::Client, Some(tenant.clone())).await.unwrap();
    assert!(secret.reveal().starts_with("tl_") && secret.reveal().len() == 46, "{}", secret.reveal().len());
    assert_eq!(record.prefix, secret.reveal()[..8]);
    let caller = bench.engine.authenticate(secret.reveal()).await.unwrap().expect("it is valid");
    assert_eq!((caller.role, caller.scope), (Role::Client, TenantScope::One(tenant)));
    assert_eq!(caller.actor, record.id.to_string());
    assert_eq!(bench.engine.authenticate("tl_wrong").await.unwrap(), None);
    assert_eq!(bench.engine.authenticate("").await.unwrap(), None);
    bench.engine.revoke_key(&admin, record.id).await.unwrap();
    assert_eq!(bench.engine.authenticate(secret.reveal()).await.unwrap(), None);
    let keys = bench.engine.list_keys(&admin, None, 10).await.unwrap();
    assert_eq!(keys.len(), 1);
    assert!(keys[0].revoked_at.is_some());
}

async fn another_node_hears_of_a_revocation(bench: EngineBench) {
    let admin = bench.admin();
    let other = bench.node(2);
    let (record, secret) = bench.engine.create_key(&admin, "ci", Role::Viewer, None).await.unwrap();
    assert!(other.engine.authenticate(secret.reveal()).await.unwrap().is_some());
    bench.engine.revoke_key(&admin, record.id).await.unwrap();
    testkit::eventually("the other node asks again", || async {
        other.engine.authenticate(secret.reveal()).await.unwrap().is_none()
    })
    .await;
}

async fn the_first_key_is_made_once(bench: EngineBench) {
    assert!(!bench.engine.has_keys().await.unwrap());
    let made = bench.engine.bootstrap_key(None).await.unwrap().expect("there was none");
    assert_eq!(bench.engine.authenticate(&made).await.unwrap().map(|caller| caller.role), Some(Role::Admin));
    assert_eq!(bench.engine.bootstrap_key(None).await.unwrap(), None);
    let given = "a-secret-of-my-own-choice";
    assert_eq!(bench.engine.bootstrap_key(Some(given)).await.unwrap(), None);
    assert_eq!(bench.engine.bootstrap_key(Some(given)).await.unwrap(), None);
    assert!(bench.engine.authenticate(given).await.unwrap().is_some());
    assert_eq!(bench.engine.list_keys(&bench.admin(), None, 10).await.unwrap().len(), 2);
    assert!(matches!(bench.engine.bootstrap_key(Some("short")).await, Err(EngineError::Invalid(_))));
}

async fn roles_hold(bench: EngineBench) {
    let viewer = bench.bound("acme", Role::Viewer);
    let start = bench.engine.enqueue(&viewer, vec![job_of("acme")]).await;
    assert!(matches!(start, Err(EngineError::Forbidden { .. })), "{start:?}");
    let worker = bench.bound("acme", Role::Worker);
    let read = bench.engine.list_jobs(&worker, &JobFilter::default(), PAGE).await;
    assert!(matches!(read, Err(EngineError::Forbidden { .. })), "{read:?}");
    let operator = bench.bound("acme", Role::Operator);
    let keys = bench.engine.list_keys(&operator, None, 10).await;
    assert!(matches!(keys, Err(EngineError::Forbidden { .. })), "{keys:?}");
    let mode = bench
        .engine
        .set_queue_mode(&operator, domain::queue::QueueName::Node, store::queues::QueueMode::Paused)
        .await;
    assert!(matches!(mode, Err(EngineError::Forbidden { .. })), "all tenants share the queues: {mode:?}");
    let bound_admin = bench.bound("acme", Role::Admin);
    let escape =
        bench.engine.create_key(&bound_admin, "k", Role::Admin, Some(TenantName::trusted("umbrella"))).await;
    assert!(matches!(escape, Err(EngineError::Forbidden { .. })));
    let (own, _) = bench.engine.create_key(&bound_admin, "k", Role::Admin, None).await.unwrap();
    assert_eq!(own.tenant, Some(TenantName::trusted("acme")), "a bound key makes bound keys");
}

async fn i13_jobs_of_others_do_not_exist(bench: EngineBench) {
    let id = bench.enqueue(job_of("acme")).await.unwrap().id;
    let umbrella = bench.bound("umbrella", Role::Operator);
    let is_hidden = |error: Option<EngineError>| assert!(matches!(error, Some(EngineError::NotFound { .. })));
    is_hidden(bench.engine.job(&umbrella, id).await.err());
    is_hidden(bench.engine.why(&umbrella, id).await.err());
    is_hidden(bench.engine.cancel_job(&umbrella, id).await.err());
    is_hidden(bench.engine.run_job_now(&umbrella, id).await.err());
    let refused = bench.engine.enqueue(&umbrella, vec![job_of("acme")]).await;
    assert!(matches!(refused, Err(EngineError::Forbidden { .. })), "{refused:?}");
    assert!(bench.engine.list_jobs(&umbrella, &JobFilter::default(), PAGE).await.unwrap().items.is_empty());
    let claimed = bench.poll(&["encode"], 1).await.unwrap().remove(0);
    let lease = lease_of(&claimed);
    // Not even with the token: it was handed to somebody else.
    let item = engine::CompleteItem { lease, result: None };
    let complete = bench.engine.complete(&umbrella, vec![item]).await.unwrap();
    assert_eq!(complete, [Ok(LeaseOutcome::LeaseLost)]);
    let extension = LeaseExtension { lease, extend: None, progress: None };
    let beat = bench.engine.heartbeat(&umbrella, vec![extension]).await.unwrap();
    assert_eq!(beat, [Ok((LeaseOutcome::LeaseLost, None))]);
    let acme = bench.bound("acme", Role::Worker);
    let item = engine::CompleteItem { lease, result: Some("1".into()) };
    assert_eq!(bench.engine.complete(&acme, vec![item.clone()]).await.unwrap(), [Ok(LeaseOutcome::Ok)]);
    assert_eq!(
        bench.engine.complete(&acme, vec![item.clone()]).await.unwrap(),
        [Ok(LeaseOutcome::AlreadyDone)]
    );
    assert_eq!(bench.engine.complete(&umbrella, vec![item]).await.unwrap(), [Ok(LeaseOutcome::LeaseLost)]);
}

async fn tenants_are_made_by_use_and_by_name(bench: EngineBench) {
    let admin = bench.admin();
    bench.enqueue(job_of("acme")).await.unwrap();
    assert!(bench.engine.create_tenant(&admin, &TenantName::trusted("umbrella")).await.unwrap());
    assert!(!bench.engine.create_tenant(&admin, &TenantName::trusted("umbrella")).await.unwrap());
    let tenants = bench.engine.list_tenants(&admin, None, 10).await.unwrap();
    let names: Vec<_> = tenants.iter().map(|tenant| tenant.name.as_str()).collect();
    assert!(names.contains(&"acme") && names.contains(&"umbrella"), "{names:?}");
    let own = bench.engine.list_tenants(&bench.bound("acme", Role::Viewer), None, 10).await.unwrap();
    assert_eq!(own.iter().map(|tenant| tenant.name.as_str()).collect::<Vec<_>>(), ["acme"]);
}

async fn a_repeated_request_gets_the_first_answer(bench: EngineBench) {
    let (acme, umbrella) = (bench.bound("acme", Role::Client), bench.bound("umbrella", Role::Client));
    let key = CallerKey::trusted("k1");
    let engine = &bench.engine;
    let Idempotency::Proceed { seed } = engine.reserve_idempotency(&acme, &key, "f1").await.unwrap() else {
        panic!("the first goes on")
    };
    assert_eq!(engine.reserve_idempotency(&acme, &key, "f1").await.unwrap(), Idempotency::InFlight);
    assert_eq!(engine.reserve_idempotency(&acme, &key, "f2").await.unwrap(), Idempotency::Reused);
    let other = engine.reserve_idempotency(&umbrella, &key, "f2").await.unwrap();
    assert!(matches!(other, Idempotency::Proceed { .. }), "keys are scoped by tenant");
    bench.clock.advance(DurationMs::from_secs(121));
    let lost = engine.reserve_idempotency(&acme, &key, "f1").await.unwrap();
    assert_eq!(lost, Idempotency::Proceed { seed }, "a lost request goes on with the first one's ids");
    engine.answer_idempotency(&acme, &key, 202, "{}").await.unwrap();
    let replay = engine.reserve_idempotency(&acme, &key, "f1").await.unwrap();
    assert_eq!(replay, Idempotency::Replay { status: 202, body: "{}".into() });
    bench.clock.advance(DurationMs::from_secs(25 * 3600));
    let forgotten = engine.reserve_idempotency(&acme, &key, "f9").await.unwrap();
    assert!(matches!(forgotten, Idempotency::Proceed { .. }), "{forgotten:?}");
}

on_both_databases!(
    a_key_speaks_for_its_role_and_tenant_until_it_is_revoked,
    another_node_hears_of_a_revocation,
    the_first_key_is_made_once,
    roles_hold,
    i13_jobs_of_others_do_not_exist,
    tenants_are_made_by_use_and_by_name,
    a_repeated_request_gets_the_first_answer,
);
