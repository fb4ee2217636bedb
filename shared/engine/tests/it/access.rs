//! Keys, roles, tenants and idempotency keys.

use std::collections::BTreeMap;
use std::sync::Arc;

use domain::access::{KeyScope, KeyScopes, Role, TenantScope};
use domain::names::{CallerKey, JobType, TenantName, WorkerId};
use domain::problem::ProblemCode;
use domain::search::SearchList;
use domain::time::DurationMs;
use engine::{
    Caller, Door, EngineError, JobRequest, KeyLimits, KeyRequest, ListRequest, Origin, PollRequest,
};
use store::access::Idempotency;
use store::jobs::{LeaseAnswer, LeaseExtension};
use testkit::{EngineHarness, lease_of};

fn job_of(tenant: &str) -> JobRequest {
    JobRequest {
        tenant: Some(TenantName::trusted(tenant)),
        ..JobRequest::new(JobType::trusted("encode"), "{}")
    }
}

async fn a_key_speaks_for_its_role_and_tenant_until_it_is_revoked(harness: EngineHarness) {
    let admin = harness.admin();
    let tenant = TenantName::trusted("acme");
    let (record, secret) =
        harness.engine.create_key(&admin, "ci", Role::Client, Some(tenant.clone())).await.unwrap();
    assert!(secret.reveal().starts_with("tl_") && secret.reveal().len() == 46, "{}", secret.reveal().len());
    assert_eq!(record.prefix, secret.reveal()[..8]);
    let caller = harness.engine.authenticate(secret.reveal()).await.unwrap().expect("it is valid");
    assert_eq!((caller.role, caller.scope), (Role::Client, TenantScope::One(tenant)));
    assert_eq!(caller.actor, record.id.to_string());
    assert_eq!(harness.engine.authenticate("tl_wrong").await.unwrap(), None);
    assert_eq!(harness.engine.authenticate("").await.unwrap(), None);
    harness.engine.revoke_key(&admin, record.id).await.unwrap();
    assert_eq!(harness.engine.authenticate(secret.reveal()).await.unwrap(), None);
    let keys = harness.engine.list_keys(&admin, None, 10).await.unwrap();
    assert_eq!(keys.len(), 1);
    assert!(keys[0].revoked_at.is_some());
}

async fn another_node_is_notified_of_a_revocation(harness: EngineHarness) {
    let admin = harness.admin();
    let other = harness.node(2);
    let (record, secret) = harness.engine.create_key(&admin, "ci", Role::Viewer, None).await.unwrap();
    assert!(other.engine.authenticate(secret.reveal()).await.unwrap().is_some());
    harness.engine.revoke_key(&admin, record.id).await.unwrap();
    testkit::eventually("the other node asks again", || async {
        other.engine.authenticate(secret.reveal()).await.unwrap().is_none()
    })
    .await;
}

async fn the_first_key_is_made_once(harness: EngineHarness) {
    assert!(!harness.engine.has_keys().await.unwrap());
    let made = harness.engine.bootstrap_key(None).await.unwrap().expect("there was none");
    assert_eq!(
        harness.engine.authenticate(&made).await.unwrap().map(|caller| caller.role),
        Some(Role::Admin)
    );
    assert_eq!(harness.engine.bootstrap_key(None).await.unwrap(), None);
    let given = "a-secret-of-my-own-choice-of-some-length";
    assert_eq!(harness.engine.bootstrap_key(Some(given)).await.unwrap(), None);
    assert_eq!(harness.engine.bootstrap_key(Some(given)).await.unwrap(), None);
    assert!(harness.engine.authenticate(given).await.unwrap().is_some());
    assert_eq!(harness.engine.list_keys(&harness.admin(), None, 10).await.unwrap().len(), 2);
    let short = harness.engine.bootstrap_key(Some("only-31-characters-0123456789-x")).await;
    assert!(matches!(short, Err(EngineError::Invalid(_))), "{short:?}");
}

async fn another_bootstrap_key_retires_the_one_before(harness: EngineHarness) {
    let made = harness.engine.bootstrap_key(None).await.unwrap().expect("there was none");
    let (one, two) = ("the-first-of-two-keys-0123456789-abc", "the-other-of-two-keys-0123456789-abc");
    harness.engine.bootstrap_key(Some(one)).await.unwrap();
    harness.engine.bootstrap_key(Some(two)).await.unwrap();
    assert!(harness.engine.authenticate(one).await.unwrap().is_none(), "it was retired");
    assert!(harness.engine.authenticate(two).await.unwrap().is_some());
    assert!(harness.engine.authenticate(&made).await.unwrap().is_some(), "the settings did not give it");
    // A node that still has the settings of before.
    harness.engine.bootstrap_key(Some(one)).await.unwrap();
    assert!(harness.engine.authenticate(one).await.unwrap().is_none());
    assert!(harness.engine.authenticate(two).await.unwrap().is_some());
}

async fn the_last_admin_key_stays(harness: EngineHarness) {
    let admin = harness.admin();
    let (first, _) = harness.engine.create_key(&admin, "first", Role::Admin, None).await.unwrap();
    let tenant = Some(TenantName::trusted("acme"));
    harness.engine.create_key(&admin, "of a tenant", Role::Admin, tenant).await.unwrap();
    let end = Some(harness.engine.now().plus(DurationMs::from_secs(3_600)));
    let ending = KeyRequest { expires_at: end, ..KeyRequest::new("ending", Role::Admin, None) };
    let (ending, _) = harness.engine.make_key(&admin, ending).await.unwrap();
    let refused = harness.engine.revoke_key(&admin, first.id).await;
    assert!(
        matches!(refused, Err(EngineError::Conflict { code: ProblemCode::LastAdminKey, .. })),
        "{refused:?}"
    );
    harness.engine.revoke_key(&admin, ending.id).await.unwrap();
    let (second, _) = harness.engine.create_key(&admin, "second", Role::Admin, None).await.unwrap();
    harness.engine.revoke_key(&admin, first.id).await.unwrap();
    harness.engine.revoke_key(&admin, first.id).await.unwrap();
    let refused = harness.engine.revoke_key(&admin, second.id).await;
    assert!(
        matches!(refused, Err(EngineError::Conflict { code: ProblemCode::LastAdminKey, .. })),
        "{refused:?}"
    );
}

async fn a_rotated_key_keeps_its_id_and_for_a_while_its_secret(harness: EngineHarness) {
    let admin = harness.admin();
    let (key, old) = harness.engine.create_key(&admin, "ci", Role::Client, None).await.unwrap();
    let overlap = DurationMs::from_secs(60);
    let (rotated, new) = harness.engine.rotate_key(&admin, key.id, Some(overlap)).await.unwrap();
    assert_eq!((rotated.id, rotated.role), (key.id, Role::Client));
    assert_ne!(old.reveal(), new.reveal());
    for secret in [&old, &new] {
        let caller = harness.engine.authenticate(secret.reveal()).await.unwrap().expect("both hold");
        assert_eq!(caller.actor, key.id.to_string());
    }
    harness.clock.advance(overlap);
    assert!(harness.engine.authenticate(old.reveal()).await.unwrap().is_none(), "the overlap is over");
    assert!(harness.engine.authenticate(new.reveal()).await.unwrap().is_some());
    harness.engine.rotate_key(&admin, key.id, Some(DurationMs::ZERO)).await.unwrap();
    assert!(harness.engine.authenticate(new.reveal()).await.unwrap().is_none(), "without an overlap at once");
    let gone = harness.engine.create_key(&admin, "gone", Role::Client, None).await.unwrap().0.id;
    harness.engine.revoke_key(&admin, gone).await.unwrap();
    let refused = harness.engine.rotate_key(&admin, gone, None).await;
    assert!(matches!(refused, Err(EngineError::NotFound { .. })), "{refused:?}");
}

async fn a_key_ends_at_its_expiry(harness: EngineHarness) {
    let admin = harness.admin();
    let end = Some(harness.engine.now().plus(DurationMs::from_secs(60)));
    let request = KeyRequest { expires_at: end, ..KeyRequest::new("ci", Role::Client, None) };
    let (_, secret) = harness.engine.make_key(&admin, request).await.unwrap();
    assert!(harness.engine.authenticate(secret.reveal()).await.unwrap().is_some());
    harness.clock.advance(DurationMs::from_secs(60));
    assert!(harness.engine.authenticate(secret.reveal()).await.unwrap().is_none());
    let passed = KeyRequest { expires_at: end, ..KeyRequest::new("late", Role::Client, None) };
    let refused = harness.engine.make_key(&admin, passed).await;
    assert!(matches!(refused, Err(EngineError::Invalid(_))), "{refused:?}");
}

async fn the_use_of_a_key_is_recorded(harness: EngineHarness) {
    let admin = harness.admin();
    let (key, secret) = harness.engine.create_key(&admin, "ci", Role::Client, None).await.unwrap();
    assert_eq!(key.last_used_at, None);
    harness.engine.authenticate(secret.reveal()).await.unwrap().expect("it is valid");
    testkit::eventually("the use is written down", || async {
        let keys = harness.engine.list_keys(&admin, None, 10).await.unwrap();
        keys[0].last_used_at.is_some()
    })
    .await;
}

async fn what_callers_start_and_who_failed_to_come_in_is_in_the_audit_log(harness: EngineHarness) {
    let address: std::net::IpAddr = "192.0.2.7".parse().unwrap();
    let origin = Origin {
        address: Some(address),
        user_agent: Some("curl/8".to_owned()),
        request_id: Some("request-1".to_owned()),
        door: Door::Cli,
    };
    let caller = Caller { origin: Some(Arc::new(origin)), actor: "key_1".to_owned(), ..harness.admin() };
    let batch = vec![job_of("acme"), job_of("acme"), job_of("acme")];
    let ids = harness.engine.enqueue(&caller, batch).await.unwrap();
    for _ in 0..500 {
        let user_agent = Some("guesser/1".to_owned());
        harness.engine.record_auth_failure(Origin {
            address: Some(address),
            user_agent,
            ..Origin::default()
        });
    }
    harness.engine.flush_audit().await;
    let lines = harness.audit(&harness.admin()).await;
    let of = |action: &str| lines.iter().filter(|line| line.action == action).collect::<Vec<_>>();
    let [enqueue] = of("job.enqueue")[..] else { panic!("one line for a batch: {lines:?}") };
    assert_eq!((enqueue.actor.as_str(), enqueue.subject.clone()), ("key_1", ids[0].id.to_string()));
    assert_eq!(enqueue.tenant, Some(TenantName::trusted("acme")), "the tenant is that of the jobs");
    assert_eq!(enqueue.address.as_deref(), Some("192.0.2.7"));
    assert_eq!(enqueue.user_agent.as_deref(), Some("curl/8"));
    assert_eq!(enqueue.request_id.as_deref(), Some("request-1"));
    assert_eq!((enqueue.door.as_deref(), enqueue.outcome.as_deref()), (Some("cli"), Some("done")));
    assert!(enqueue.detail.as_deref().is_some_and(|detail| detail.contains("\"count\":3")), "{enqueue:?}");
    for _ in 0..3 {
        harness.engine.record_refused(&caller, "GET /v1/api-keys", "not allowed");
    }
    harness.engine.flush_audit().await;
    let refused = harness.audit(&harness.admin()).await;
    let refused: Vec<_> = refused.iter().filter(|line| line.action == "auth.refused").collect();
    assert_eq!((refused.len(), refused[0].actor.as_str()), (1, "key_1"));
    assert_eq!(
        (refused[0].outcome.as_deref(), refused[0].reason.as_deref()),
        (Some("refused"), Some("not allowed"))
    );
    let [failed] = of("auth.failed")[..] else { panic!("one line for an address: {lines:?}") };
    assert_eq!((failed.subject.as_str(), failed.user_agent.as_deref()), ("192.0.2.7", Some("guesser/1")));
    assert!(failed.detail.as_deref().is_some_and(|detail| detail.contains("\"count\":500")), "{failed:?}");
}

async fn a_bootstrap_key_is_in_the_audit_log(harness: EngineHarness) {
    harness.engine.bootstrap_key(None).await.unwrap().expect("there was none");
    harness.engine.bootstrap_key(Some("a-secret-of-my-own-choice-of-some-length")).await.unwrap();
    let lines = harness.audit(&harness.admin()).await;
    assert_eq!(lines.iter().filter(|line| line.action == "key.bootstrap").count(), 2);
}

async fn a_deployment_is_set_up_once(harness: EngineHarness) {
    let code = harness.engine.set_up_code().await.unwrap().expect("sealed");
    let other = harness.node(2);
    let origin = || Origin { door: Door::Console, ..Origin::default() };
    for wrong in ["", "tl_x", &code.reveal()[1..]] {
        assert!(harness.engine.set_up(origin(), wrong).await.unwrap().is_none(), "{wrong}");
    }
    let done = other.engine.set_up(origin(), code.reveal()).await.unwrap().expect("another node takes it");
    let caller = harness.engine.authenticate(done.key.reveal()).await.unwrap().expect("it is a key");
    assert_eq!((caller.role, caller.scope.tenant()), (Role::Admin, None));
    assert_eq!(caller.actor, done.session.session.caller.actor, "the session stands for the key");
    assert!(harness.engine.set_up(origin(), code.reveal()).await.unwrap().is_none(), "it is used once");
    let lines = harness.audit(&harness.admin()).await;
    let of_set_up: Vec<_> = lines.iter().filter(|line| line.action == "key.setUp").collect();
    let [line] = of_set_up[..] else { panic!("one line: {lines:?}") };
    assert_eq!((line.actor.as_str(), line.subject.as_str()), ("set-up", caller.actor.as_str()));
    let late = harness.engine.set_up_code().await.unwrap().expect("sealed");
    harness.clock.advance(DurationMs::from_secs(3_600));
    assert!(harness.engine.set_up(origin(), late.reveal()).await.unwrap().is_none(), "it has ended");
}

async fn scopes_limit_names(harness: EngineHarness) {
    let scope = |json: &str| serde_json::from_str::<Vec<KeyScope>>(json).unwrap();
    let limited = |json: &str| {
        let scopes = KeyScopes::new(scope(json)).ok();
        let limits = KeyLimits { scopes, networks: Vec::new(), shows_payloads: true };
        Caller { limits: Some(Arc::new(limits)), ..harness.admin() }
    };
    let encodes = limited(r#"[{"actions": ["jobs.enqueue"], "jobTypes": ["enc*"], "tenants": ["acme"]}]"#);
    harness.engine.enqueue(&encodes, vec![job_of("acme")]).await.unwrap();
    for caller in [
        limited(r#"[{"actions": ["jobs.enqueue"], "jobTypes": ["mail"]}]"#),
        limited(r#"[{"actions": ["jobs.enqueue"], "tenants": ["umbrella"]}]"#),
        limited(r#"[{"actions": ["*.read"]}]"#),
    ] {
        let refused = harness.engine.enqueue(&caller, vec![job_of("acme")]).await;
        assert!(matches!(refused, Err(EngineError::Forbidden { .. })), "{refused:?}");
    }
    let poll = |tenant: Option<&str>| PollRequest {
        worker_id: WorkerId::trusted("w"),
        job_types: vec![JobType::trusted("encode")],
        jobs_max: 1,
        lease: None,
        wait: None,
        tenant: tenant.map(TenantName::trusted),
        build: None,
        builds: Vec::new(),
    };
    let named = limited(r#"[{"actions": ["jobs.work"]}]"#);
    let refused = harness.engine.poll(&named, poll(None)).await.err();
    assert!(matches!(refused, Some(EngineError::Forbidden { .. })), "all tenants at once need a word");
    assert_eq!(harness.engine.poll(&named, poll(Some("acme"))).await.unwrap().jobs.len(), 1);
    let all = limited(r#"[{"actions": ["jobs.work"], "tenants": ["*"]}]"#);
    harness.engine.poll(&all, poll(None)).await.unwrap();
}

async fn roles_hold(harness: EngineHarness) {
    let viewer = harness.bound("acme", Role::Viewer);
    let start = harness.engine.enqueue(&viewer, vec![job_of("acme")]).await;
    assert!(matches!(start, Err(EngineError::Forbidden { .. })), "{start:?}");
    let worker = harness.bound("acme", Role::Worker);
    let read = harness.engine.search_jobs(&worker, &ListRequest::all(SearchList::Jobs, 50)).await;
    assert!(matches!(read, Err(EngineError::Forbidden { .. })), "{read:?}");
    let operator = harness.bound("acme", Role::Operator);
    let keys = harness.engine.list_keys(&operator, None, 10).await;
    assert!(matches!(keys, Err(EngineError::Forbidden { .. })), "{keys:?}");
    let mode = harness
        .engine
        .set_queue_mode(&operator, domain::queue::QueueName::Node, store::queues::QueueMode::Paused)
        .await;
    assert!(matches!(mode, Err(EngineError::Forbidden { .. })), "all tenants share the queues: {mode:?}");
    let bound_admin = harness.bound("acme", Role::Admin);
    let escape = harness
        .engine
        .create_key(&bound_admin, "k", Role::Admin, Some(TenantName::trusted("umbrella")))
        .await;
    assert!(matches!(escape, Err(EngineError::Forbidden { .. })));
    let (own, _) = harness.engine.create_key(&bound_admin, "k", Role::Admin, None).await.unwrap();
    assert_eq!(own.tenant, Some(TenantName::trusted("acme")), "a bound key makes bound keys");
}

async fn i13_jobs_of_others_do_not_exist(harness: EngineHarness) {
    let id = harness.enqueue(job_of("acme")).await.unwrap().id;
    let umbrella = harness.bound("umbrella", Role::Operator);
    let is_hidden = |error: Option<EngineError>| assert!(matches!(error, Some(EngineError::NotFound { .. })));
    is_hidden(harness.engine.job(&umbrella, id).await.err());
    is_hidden(harness.engine.why(&umbrella, id).await.err());
    is_hidden(harness.engine.cancel_job(&umbrella, id).await.err());
    is_hidden(harness.engine.run_job_now(&umbrella, id).await.err());
    let refused = harness.engine.enqueue(&umbrella, vec![job_of("acme")]).await;
    assert!(matches!(refused, Err(EngineError::Forbidden { .. })), "{refused:?}");
    let listed = harness.engine.search_jobs(&umbrella, &ListRequest::all(SearchList::Jobs, 50)).await;
    assert!(listed.unwrap().items.is_empty());
    let claimed = harness.poll(&["encode"], 1).await.unwrap().remove(0);
    let lease = lease_of(&claimed);
    // Not even with the token: it was handed to somebody else.
    let item = engine::CompleteItem { lease, result: None, attributes: BTreeMap::new() };
    let complete = harness.engine.complete(&umbrella, vec![item]).await.unwrap();
    assert_eq!(complete, [Ok(LeaseAnswer::LeaseLost)]);
    let extension = LeaseExtension { lease, extend: None, progress: None };
    let beat = harness.engine.heartbeat(&umbrella, vec![extension]).await.unwrap();
    assert_eq!(beat, [Ok(LeaseAnswer::LeaseLost)]);
    let acme = harness.bound("acme", Role::Worker);
    let item = engine::CompleteItem { lease, result: Some("1".into()), attributes: BTreeMap::new() };
    assert_eq!(harness.engine.complete(&acme, vec![item.clone()]).await.unwrap(), [Ok(LeaseAnswer::Ok(()))]);
    assert_eq!(
        harness.engine.complete(&acme, vec![item.clone()]).await.unwrap(),
        [Ok(LeaseAnswer::AlreadyDone)]
    );
    assert_eq!(harness.engine.complete(&umbrella, vec![item]).await.unwrap(), [Ok(LeaseAnswer::LeaseLost)]);
}

async fn tenants_are_made_by_use_and_by_name(harness: EngineHarness) {
    let admin = harness.admin();
    harness.enqueue(job_of("acme")).await.unwrap();
    assert!(harness.engine.create_tenant(&admin, &TenantName::trusted("umbrella")).await.unwrap());
    assert!(!harness.engine.create_tenant(&admin, &TenantName::trusted("umbrella")).await.unwrap());
    let tenants = harness.engine.list_tenants(&admin, None, 10).await.unwrap();
    let names: Vec<_> = tenants.iter().map(|tenant| tenant.name.as_str()).collect();
    assert!(names.contains(&"acme") && names.contains(&"umbrella"), "{names:?}");
    let own = harness.engine.list_tenants(&harness.bound("acme", Role::Viewer), None, 10).await.unwrap();
    assert_eq!(own.iter().map(|tenant| tenant.name.as_str()).collect::<Vec<_>>(), ["acme"]);
}

async fn a_repeated_request_gets_the_first_answer(harness: EngineHarness) {
    let (acme, umbrella) = (harness.bound("acme", Role::Client), harness.bound("umbrella", Role::Client));
    let key = CallerKey::trusted("k1");
    let engine = &harness.engine;
    let Idempotency::Proceed { seed } = engine.reserve_idempotency(&acme, &key, "f1").await.unwrap() else {
        panic!("the first goes on")
    };
    assert_eq!(engine.reserve_idempotency(&acme, &key, "f1").await.unwrap(), Idempotency::InFlight);
    assert_eq!(engine.reserve_idempotency(&acme, &key, "f2").await.unwrap(), Idempotency::Reused);
    let other = engine.reserve_idempotency(&umbrella, &key, "f2").await.unwrap();
    assert!(matches!(other, Idempotency::Proceed { .. }), "keys are scoped by tenant");
    harness.clock.advance(DurationMs::from_secs(121));
    let lost = engine.reserve_idempotency(&acme, &key, "f1").await.unwrap();
    assert_eq!(lost, Idempotency::Proceed { seed }, "a lost request goes on with the first one's ids");
    engine.answer_idempotency(&acme, &key, 202, "{}").await.unwrap();
    let replay = engine.reserve_idempotency(&acme, &key, "f1").await.unwrap();
    assert_eq!(replay, Idempotency::Replay { status: 202, body: "{}".into() });
    harness.clock.advance(DurationMs::from_secs(25 * 3600));
    let forgotten = engine.reserve_idempotency(&acme, &key, "f9").await.unwrap();
    assert!(matches!(forgotten, Idempotency::Proceed { .. }), "{forgotten:?}");
}

on_both_databases!(
    a_key_speaks_for_its_role_and_tenant_until_it_is_revoked,
    another_node_is_notified_of_a_revocation,
    the_first_key_is_made_once,
    another_bootstrap_key_retires_the_one_before,
    the_last_admin_key_stays,
    a_rotated_key_keeps_its_id_and_for_a_while_its_secret,
    a_key_ends_at_its_expiry,
    the_use_of_a_key_is_recorded,
    what_callers_start_and_who_failed_to_come_in_is_in_the_audit_log,
    a_bootstrap_key_is_in_the_audit_log,
    a_deployment_is_set_up_once,
    scopes_limit_names,
    roles_hold,
    i13_jobs_of_others_do_not_exist,
    tenants_are_made_by_use_and_by_name,
    a_repeated_request_gets_the_first_answer,
);
