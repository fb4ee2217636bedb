//! Keys, tenants, idempotency.

use domain::access::{KeyScope, KeyScopes, Network, Role, TenantScope};
use domain::time::DurationMs;
use uuid::Uuid;

use super::audit::all_lines;
use super::fixture::{T0, after_secs, enqueue, id, job, tenant, uuid};
use crate::Store;
use crate::access::{Idempotency, IdempotencyReservation, KeyRecord, KeyRevocation, KeyRotation, KeySource};
use crate::audit::{AuditLine, AuditRecord};

pub(super) fn key(name: &str, tenant_name: Option<&str>) -> KeyRecord {
    let mut digest = [0_u8; 32];
    digest[..16].copy_from_slice(uuid().as_bytes());
    KeyRecord {
        id: id(),
        name: name.to_owned(),
        role: Role::Client,
        tenant: tenant_name.map(tenant),
        prefix: "tl_abcde".to_owned(),
        digest,
        created_at: T0,
        revoked_at: None,
        source: KeySource::Call,
        scopes: None,
        networks: Vec::new(),
        hides_payloads: false,
        expires_at: None,
        last_used_at: None,
        rotated_at: None,
        previous: None,
        person: None,
        groups: Vec::new(),
    }
}

/// A key is found by its digest, also after it was revoked.
pub async fn keys_are_found_by_digest(store: &dyn Store) {
    assert_eq!(store.count_keys().await.expect("count works"), 0);
    let own = key("ci", Some("a"));
    store.create_key(&own, &[]).await.expect("create works");
    store.create_key(&own, &[]).await.expect("creating twice works");
    assert_eq!(store.key_by_digest(&own.digest).await.expect("read works"), Some(own.clone()));
    assert_eq!(store.key_by_digest(&[9; 32]).await.expect("read works"), None);
    assert_eq!(store.count_keys().await.expect("count works"), 1);
    let revoke =
        async |scope: TenantScope, id, now| store.revoke_key(&scope, id, &[], now).await.expect("answers");
    assert_eq!(revoke(TenantScope::One(tenant("b")), own.id, T0).await, KeyRevocation::NotFound);
    assert_eq!(revoke(TenantScope::All, own.id, after_secs(1)).await, KeyRevocation::Done);
    let revoked = store.key_by_digest(&own.digest).await.expect("read works").expect("there");
    assert_eq!(revoked.revoked_at, Some(after_secs(1)));
    assert_eq!(store.count_keys().await.expect("count works"), 0);
    assert_eq!(revoke(TenantScope::All, id(), T0).await, KeyRevocation::NotFound);
}

/// What a key is limited to, when it ends and was used: stored and read as it was given.
pub async fn keys_keep_their_limits(store: &dyn Store) {
    let scope =
        KeyScope { actions: vec!["jobs.*".into()], job_types: vec!["mail".into()], ..KeyScope::default() };
    let limited = KeyRecord {
        scopes: KeyScopes::new(vec![scope]).ok(),
        networks: ["10.0.0.0/8", "2001:db8::/32"].into_iter().filter_map(Network::parse).collect(),
        hides_payloads: true,
        expires_at: Some(after_secs(60)),
        source: KeySource::FirstStart,
        person: Some("ann".into()),
        groups: vec!["finance".into(), "a, b".into()],
        ..key("limited", Some("a"))
    };
    store.create_key(&limited, &[]).await.expect("create works");
    let stored = store.key_by_digest(&limited.digest).await.expect("read works").expect("there");
    assert_eq!(stored, limited);
    store.record_key_uses(&[(limited.id, after_secs(9)), (id(), T0)]).await.expect("note works");
    store.record_key_uses(&[(limited.id, after_secs(3))]).await.expect("note works");
    let used = store.key_by_digest(&limited.digest).await.expect("read works").expect("there");
    assert_eq!(used.last_used_at, Some(after_secs(9)), "it does not step back");
    assert!(stored.opens(&limited.digest, after_secs(59)) && !stored.opens(&limited.digest, after_secs(60)));
}

/// A rotated key is found by both secrets, and a repeat of the rotation changes nothing.
pub async fn a_key_is_rotated_once(store: &dyn Store) {
    let own = key("ci", Some("a"));
    store.create_key(&own, &[]).await.expect("create works");
    let rotation = KeyRotation {
        id: own.id,
        prefix: "tl_other".into(),
        digest: [7; 32],
        previous_until: after_secs(60),
    };
    let scope = TenantScope::One(tenant("b"));
    assert_eq!(store.rotate_key(&scope, &rotation, &[], T0).await.expect("answers"), None);
    for _ in 0..2 {
        let rotated =
            store.rotate_key(&TenantScope::All, &rotation, &[], after_secs(1)).await.expect("works");
        let rotated = rotated.expect("there");
        assert_eq!((rotated.digest, rotated.prefix.as_str()), ([7; 32], "tl_other"));
        assert_eq!(rotated.previous.map(|previous| previous.digest), Some(own.digest));
        assert_eq!(rotated.rotated_at, Some(after_secs(1)));
    }
    for digest in [own.digest, [7; 32]] {
        let found = store.key_by_digest(&digest).await.expect("read works").expect("there");
        assert!(found.id == own.id && found.opens(&digest, after_secs(59)));
        assert_eq!(found.opens(&digest, after_secs(60)), digest == [7; 32]);
    }
}

/// The last key that can manage keys and never ends is not revoked; its tenant's, limited and ending ones do not count.
pub async fn the_last_admin_key_stays(store: &dyn Store) {
    let admin = |name: &str| KeyRecord { role: Role::Admin, ..key(name, None) };
    let (one, two) = (admin("one"), admin("two"));
    let bound = KeyRecord { tenant: Some(tenant("a")), ..admin("bound") };
    let ending = KeyRecord { expires_at: Some(after_secs(60)), ..admin("ending") };
    for new in [&one, &bound, &ending] {
        store.create_key(new, &[]).await.expect("create works");
    }
    let revoke = async |id| store.revoke_key(&TenantScope::All, id, &[], T0).await.expect("answers");
    assert_eq!(revoke(one.id).await, KeyRevocation::LastAdmin);
    store.create_key(&two, &[]).await.expect("create works");
    let (first, second) = tokio::join!(revoke(one.id), revoke(two.id));
    let outcomes = [first, second];
    assert!(
        outcomes.contains(&KeyRevocation::Done) && outcomes.contains(&KeyRevocation::LastAdmin),
        "{outcomes:?}"
    );
    assert_eq!(revoke(bound.id).await, KeyRevocation::Done);
}

/// A key that the settings give retires the one that they gave before, and its line of the audit log comes with it.
pub async fn a_given_key_retires_the_one_before(store: &dyn Store) {
    let given = |name: &str| KeyRecord { role: Role::Admin, source: KeySource::Settings, ..key(name, None) };
    let older = KeyRecord { source: KeySource::Unknown, ..given("bootstrap") };
    let (one, own) = (given("bootstrap"), KeyRecord { source: KeySource::Call, ..given("bootstrap") });
    let line = AuditRecord {
        id: id(),
        at: T0,
        actor: "system".into(),
        tenant: None,
        action: "key.bootstrap".into(),
        subject: one.id.to_string(),
        detail: None,
        address: None,
        user_agent: None,
        request_id: None,
        door: Some("system".into()),
        outcome: Some("done".into()),
        reason: None,
        before: None,
        after: None,
        batch: None,
    };
    store.create_key(&older, &[]).await.expect("create works");
    store.create_key(&own, &[]).await.expect("create works");
    let lines = std::slice::from_ref(&line);
    assert_eq!(store.replace_given_key(&one, lines).await.expect("works"), 1);
    assert_eq!(store.replace_given_key(&one, lines).await.expect("works"), 0, "it is there");
    let revoked = async |key: &KeyRecord| {
        let found = store.key_by_digest(&key.digest).await.expect("read works").expect("there");
        found.revoked_at.is_some()
    };
    assert!(revoked(&older).await && !revoked(&own).await && !revoked(&one).await);
    let listed = all_lines(store, &TenantScope::All).await;
    assert_eq!(listed, [AuditLine { record: line, seal: None }]);
}

/// A tenant lists its own keys.
pub async fn i13_keys_stay_within_the_tenant(store: &dyn Store) {
    for new in [key("one", Some("a")), key("two", Some("b")), key("three", None)] {
        store.create_key(&new, &[]).await.expect("create works");
    }
    let names = |keys: Vec<KeyRecord>| keys.into_iter().map(|key| key.name).collect::<Vec<_>>();
    let all = store.list_keys(&TenantScope::All, None, 2).await.expect("list works");
    let after = all.last().map(|key| key.id);
    assert_eq!(names(all), ["three", "two"]);
    assert_eq!(names(store.list_keys(&TenantScope::All, after, 2).await.expect("list works")), ["one"]);
    let own = store.list_keys(&TenantScope::One(tenant("b")), None, 10).await.expect("list works");
    assert_eq!(names(own), ["two"]);
}

/// A tenant is made by hand or by its first job.
pub async fn tenants_are_made_by_first_use(store: &dyn Store) {
    assert!(store.create_tenant(&tenant("m"), T0).await.expect("create works"));
    assert!(!store.create_tenant(&tenant("m"), T0).await.expect("answers"));
    enqueue(store, &[job()]).await;
    let names = |list: Vec<crate::access::TenantRecord>| {
        list.into_iter().map(|t| t.name.to_string()).collect::<Vec<_>>()
    };
    let all = store.list_tenants(&TenantScope::All, None, 10).await.expect("list works");
    assert_eq!(names(all), ["a", "m"]);
    assert_eq!(names(store.list_tenants(&TenantScope::All, Some("a"), 10).await.expect("list works")), ["m"]);
    let own = store.list_tenants(&TenantScope::One(tenant("m")), None, 10).await.expect("list works");
    assert_eq!(names(own), ["m"]);
}

fn reservation(key: &str, fingerprint: &str, process: Uuid) -> IdempotencyReservation {
    IdempotencyReservation {
        owner: "a".to_owned(),
        key: key.to_owned(),
        fingerprint: fingerprint.to_owned(),
        seed: uuid(),
        process,
        stale_before: T0.minus(DurationMs::from_secs(5)),
        forget_before: T0.minus(DurationMs::from_secs(86_400)),
    }
}

/// One request proceeds; its answer is replayed; another request under its key is refused.
pub async fn an_idempotency_key_replays_its_answer(store: &dyn Store) {
    let process = uuid();
    let first = reservation("k", "f", process);
    let seed = first.seed;
    assert_eq!(store.reserve_idempotency(&first, T0).await.expect("works"), Idempotency::Proceed { seed });
    assert_eq!(
        store.reserve_idempotency(&first, T0).await.expect("works"),
        Idempotency::Proceed { seed },
        "the same reservation, whose answer was lost"
    );
    let twin = reservation("k", "f", process);
    assert_eq!(store.reserve_idempotency(&twin, T0).await.expect("works"), Idempotency::InFlight);
    let other = reservation("k", "g", process);
    assert_eq!(store.reserve_idempotency(&other, T0).await.expect("works"), Idempotency::Reused);
    store.answer_idempotency("a", "k", 202, "{}", T0).await.expect("works");
    let replay = Idempotency::Replay { status: 202, body: "{}".into() };
    assert_eq!(store.reserve_idempotency(&twin, T0).await.expect("works"), replay);
    let elsewhere = IdempotencyReservation { owner: "b".into(), ..reservation("k", "g", process) };
    let proceeds = store.reserve_idempotency(&elsewhere, T0).await.expect("works");
    assert_eq!(proceeds, Idempotency::Proceed { seed: elsewhere.seed }, "keys are each owner's own");
}

/// A reservation whose request never ended is taken over with the first seed; so is one that was given back, since its
/// request may have been carried out. Another request may use a key that was given back.
pub async fn a_lost_request_is_taken_over(store: &dyn Store) {
    let first = reservation("k", "f", uuid());
    let seed = first.seed;
    store.reserve_idempotency(&first, T0).await.expect("works");
    let taker = uuid();
    let later = IdempotencyReservation { stale_before: after_secs(1), ..reservation("k", "f", taker) };
    assert_eq!(
        store.reserve_idempotency(&later, after_secs(6)).await.expect("works"),
        Idempotency::Proceed { seed }
    );
    let third = IdempotencyReservation { stale_before: after_secs(2), ..reservation("k", "f", taker) };
    assert_eq!(store.reserve_idempotency(&third, after_secs(7)).await.expect("works"), Idempotency::InFlight);
    store.forget_idempotency("a", "k", first.process).await.expect("works");
    let second = IdempotencyReservation { stale_before: after_secs(2), ..reservation("k", "f", taker) };
    assert_eq!(
        store.reserve_idempotency(&second, after_secs(7)).await.expect("works"),
        Idempotency::InFlight
    );
    store.forget_idempotency("a", "k", taker).await.expect("works");
    let again = reservation("k", "f", uuid());
    assert_eq!(store.reserve_idempotency(&again, T0).await.expect("works"), Idempotency::Proceed { seed });
    let twin = reservation("k", "f", uuid());
    let in_flight = IdempotencyReservation { process: again.process, ..twin };
    assert_eq!(store.reserve_idempotency(&in_flight, T0).await.expect("works"), Idempotency::InFlight);
    store.forget_idempotency("a", "k", again.process).await.expect("works");
    let fresh = reservation("k", "h", uuid());
    let proceeds = store.reserve_idempotency(&fresh, T0).await.expect("works");
    assert_eq!(proceeds, Idempotency::Proceed { seed: fresh.seed });
}

/// A reservation whose request goes on is not lost, however long that takes; one that was taken over, given back or answered
/// is held by nobody else.
pub async fn a_request_that_goes_on_is_not_taken_over(store: &dyn Store) {
    let first = reservation("k", "f", uuid());
    store.reserve_idempotency(&first, T0).await.expect("works");
    let keep = |process: uuid::Uuid, secs: i64| store.keep_idempotency("a", "k", process, after_secs(secs));
    assert!(keep(first.process, 4).await.expect("works"));
    assert!(!keep(uuid(), 4).await.expect("works"), "only the process that holds it");
    let at = |secs: i64| IdempotencyReservation {
        stale_before: after_secs(secs - 5),
        ..reservation("k", "f", first.process)
    };
    assert_eq!(store.reserve_idempotency(&at(8), after_secs(8)).await.expect("works"), Idempotency::InFlight);
    let taken = store.reserve_idempotency(&at(10), after_secs(10)).await.expect("works");
    assert_eq!(taken, Idempotency::Proceed { seed: first.seed });
    store.answer_idempotency("a", "k", 202, "{}", after_secs(10)).await.expect("works");
    assert!(!keep(first.process, 11).await.expect("works"), "it was answered");
}

/// The first that asks for a key makes it; everybody else gets the same.
pub async fn a_server_key_is_made_once(store: &dyn Store) {
    assert_eq!(store.server_key("callback", [1; 32], T0).await.expect("works"), [1; 32]);
    assert_eq!(store.server_key("callback", [2; 32], T0).await.expect("works"), [1; 32]);
    assert_eq!(store.server_key("other", [3; 32], T0).await.expect("works"), [3; 32]);
}
