//! Payloads that are sealed at rest: who reads through the port sees nothing of it, as long as the key is there.

use std::sync::Arc;

use domain::access::TenantScope;
use domain::job::{Disposition, JobStatus};
use domain::time::Timestamp;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::fixture::{T0, after_secs, claim_nodes, id, job, lease, listed_jobs, tenant, uuid};
use crate::Store;
use crate::access::{Idempotency, IdempotencyReservation};
use crate::error::{Closed, StoreError};
use crate::jobs::{LeaseExtension, NewJob, Settlement};
use crate::operations::ServerRecord;
use crate::payload_keys::{AddedKey, KeyUse, OpenPayloadKey, PayloadKey};

const ALL: TenantScope = TenantScope::All;

/// Opens keys that are sealed with one of these names. Here a sealed key is the key itself.
struct Opener(&'static [&'static str]);

impl OpenPayloadKey for Opener {
    fn open(&self, key: &PayloadKey) -> Option<Zeroizing<[u8; 32]>> {
        let is_there = self.0.contains(&key.key_id.as_str());
        is_there.then(|| key.sealed.as_slice().try_into().ok().map(Zeroizing::new)).flatten()
    }
}

fn key(of: Option<&str>, key_id: &str, byte: u8) -> PayloadKey {
    PayloadKey {
        id: uuid(),
        tenant: of.map(tenant),
        key_id: key_id.to_owned(),
        sealed: vec![byte; 32],
        seals: true,
        created_at: T0,
    }
}

/// Gives a store the key that [`seal_payloads_of`] seals keys with.
pub fn unlock(store: &dyn Store) {
    store.unlock_payloads(Arc::new(Opener(&["k1"])));
}

/// Takes that key away.
pub(super) fn lock(store: &dyn Store) {
    store.unlock_payloads(Arc::new(Opener(&[])));
}

/// Seals payloads of these tenants from now on, and what belongs to none.
pub async fn seal_payloads_of(store: &dyn Store, tenants: &[&str]) {
    unlock(store);
    add(store, &key(None, "k1", 1), KeyUse::Begin).await;
    for of in tenants {
        store.create_tenant(&tenant(of), T0).await.expect("a tenant can be made");
        add(store, &key(Some(of), "k1", 2), KeyUse::Begin).await;
    }
}

async fn add(store: &dyn Store, key: &PayloadKey, to: KeyUse) {
    let added = store.add_payload_key(key, to, &[]).await.expect("a key can be added");
    assert_eq!(added, AddedKey::Added);
}

fn is_erasing(error: &StoreError) -> bool {
    matches!(error, StoreError::Sealed { why: Closed::Erasing, .. })
}

/// Data, progress and result of a sealed tenant come back as they were given, small and large; so do those of others.
pub async fn sealed_payloads_open_for_whoever_has_the_key(store: &dyn Store) {
    seal_payloads_of(store, &["a"]).await;
    let large = format!("\"{}\"", "x".repeat(20_000));
    for (of, data) in [("a", r#"{"n": 1}"#), ("a", &large), ("b", r#"{"n": 2}"#)] {
        let new = NewJob { tenant: tenant(of), data: data.to_owned(), ..job() };
        store.enqueue(std::slice::from_ref(&new), T0).await.expect("enqueue works");
        let claimed = claim_nodes(store, 1, T0).await.remove(0);
        assert_eq!((claimed.id, claimed.data.as_str()), (new.id, data));
        let progress = Some(r#"{"at":"half"}"#.to_owned());
        let renewal = LeaseExtension { lease: lease(&claimed), extend: None, progress: progress.clone() };
        store.extend_leases(&[renewal], T0).await.expect("heartbeats work");
        let earlier = store.earlier_attempts(&[new.id]).await.expect("read works").remove(0);
        assert_eq!(earlier.progress, progress);
        let shown = store.job(&ALL, new.id).await.expect("read works").expect("it is there");
        assert_eq!((shown.data.as_deref(), shown.progress), (Some(data), progress));
        let result = Some(r#"{"sum":3}"#.to_owned());
        let report =
            Settlement { lease: lease(&claimed), disposition: Disposition::Complete(result.clone()) };
        store.settle(&[report], T0).await.expect("reports work");
        let shown = store.job(&ALL, new.id).await.expect("read works").expect("it is there");
        assert_eq!((shown.data.as_deref(), shown.result), (Some(data), result));
    }
}

/// Without its key nothing of a tenant is read or written, in words; everybody else goes on, and nothing is lost.
pub async fn a_missing_key_holds_up_nobody_else(store: &dyn Store) {
    seal_payloads_of(store, &["a"]).await;
    let (sealed, plain) = (job(), NewJob { tenant: tenant("b"), ..job() });
    store.enqueue(&[sealed.clone(), plain.clone()], T0).await.expect("enqueue works");
    lock(store);
    let refused = store.job(&ALL, sealed.id).await.expect_err("it cannot be read");
    assert!(
        matches!(&refused, StoreError::Sealed { why: Closed::WithoutKey(key), .. } if key == "k1"),
        "{refused}"
    );
    assert!(refused.is_retryable());
    let new = job();
    let refused = store.enqueue(std::slice::from_ref(&new), T0).await.expect_err("it cannot be sealed");
    assert!(matches!(refused, StoreError::Sealed { .. }), "{refused}");
    assert!(store.job(&ALL, new.id).await.expect("read works").is_none(), "nothing is written in the clear");
    let listed = listed_jobs(store, &ALL, "").await;
    let data = |id| listed.iter().find(|job| job.id == id).and_then(|job| job.data.clone());
    assert_eq!(data(plain.id), Some(plain.data.clone()));
    assert_eq!(data(sealed.id).as_deref(), Some(r#"{"sealed":true}"#));
    let claimed = claim_nodes(store, 2, T0).await;
    assert_eq!(claimed.iter().map(|job| job.id).collect::<Vec<_>>(), [plain.id]);
    assert!(claim_nodes(store, 2, after_secs(1)).await.is_empty(), "it is left alone for a while");
    // The key is back.
    store.unlock_payloads(Arc::new(Opener(&["k1"])));
    store.promote_due(&[], after_secs(61), 10).await.expect("promotion works");
    let claimed = claim_nodes(store, 2, after_secs(61)).await.remove(0);
    assert_eq!((claimed.id, claimed.data, claimed.attempt), (sealed.id, sealed.data, 1));
}

/// A new key seals what comes, earlier ones open what was; after the end of sealing all can be read.
pub async fn keys_rotate_and_sealing_ends(store: &dyn Store) {
    let put = async || {
        let new = job();
        store.enqueue(std::slice::from_ref(&new), T0).await.expect("enqueue works");
        new
    };
    let before = put().await;
    seal_payloads_of(store, &["a"]).await;
    let first = put().await;
    let next = PayloadKey { created_at: after_secs(1), ..key(Some("a"), "k1", 3) };
    let answer = async |to| store.add_payload_key(&next, to, &[]).await.expect("it answers");
    assert_eq!(answer(KeyUse::Begin).await, AddedKey::AlreadySealing);
    assert_eq!(answer(KeyUse::Rotate).await, AddedKey::Added);
    assert_eq!(answer(KeyUse::Rotate).await, AddedKey::Added, "whoever lost the answer asks again");
    let second = put().await;
    let keys = store.payload_keys(Some(&tenant("a"))).await.expect("read works");
    assert_eq!(keys.iter().map(|key| key.seals).collect::<Vec<_>>(), [true, false], "newest first");
    assert_eq!(keys[0], next);
    assert!(store.payload_keys(Some(&tenant("b"))).await.expect("read works").is_empty());
    assert!(store.stop_sealing(&tenant("a"), &[]).await.expect("it can end"));
    assert!(!store.stop_sealing(&tenant("a"), &[]).await.expect("it has ended"));
    // Whoever wanted to rotate meanwhile does not begin anew.
    let late = key(Some("a"), "k1", 4);
    let answer = store.add_payload_key(&late, KeyUse::Rotate, &[]).await.expect("it answers");
    assert_eq!(answer, AddedKey::NotSealing);
    let unknown = key(Some("nobody"), "k1", 4);
    let answer = store.add_payload_key(&unknown, KeyUse::Begin, &[]).await.expect("it answers");
    assert_eq!(answer, AddedKey::UnknownTenant);
    let after = put().await;
    for new in [before.clone(), first, second, after.clone()] {
        let shown = store.job(&ALL, new.id).await.expect("read works").expect("it is there");
        assert_eq!((shown.data, shown.status), (Some(new.data), JobStatus::Queued));
    }
    // What is not sealed needs no key.
    store.unlock_payloads(Arc::new(Opener(&[])));
    for new in [before, after] {
        assert!(store.job(&ALL, new.id).await.expect("read works").is_some());
    }
}

/// With the beginning of its erasure a tenant has no key any more: what it sealed cannot be read by anybody, and what comes for it
/// until the end is refused, and not written in the clear. Nothing of that counts as an attempt, and others go on.
pub async fn a_tenant_that_is_erased_has_no_keys(store: &dyn Store) {
    seal_payloads_of(store, &["a", "b"]).await;
    let (held, gone) = (job(), job());
    let stays = NewJob { tenant: tenant("b"), ..job() };
    store.enqueue(std::slice::from_ref(&held), T0).await.expect("enqueue works");
    let claimed = claim_nodes(store, 1, T0).await.remove(0);
    store.enqueue(&[gone.clone(), stays.clone()], T0).await.expect("enqueue works");
    let stale = store.payload_keys(Some(&tenant("a"))).await.expect("read works").remove(0);
    let batch = super::erasure::begun(store, "a").await;
    assert!(store.payload_keys(Some(&tenant("a"))).await.expect("read works").is_empty());
    let refused = store.job(&ALL, gone.id).await.expect_err("it cannot be read");
    assert!(is_erasing(&refused), "{refused}");
    assert!(refused.to_string().contains("is being erased"), "{refused}");
    assert!(store.job(&ALL, stays.id).await.expect("read works").is_some());
    let result = Disposition::Complete(Some(r#"{"sum":3}"#.to_owned()));
    let report = Settlement { lease: lease(&claimed), disposition: result };
    let refused = store.settle(&[report], T0).await.expect_err("it cannot be sealed");
    assert!(is_erasing(&refused), "{refused}");
    let refused = store.enqueue(&[job()], T0).await.expect_err("it cannot be sealed");
    assert!(is_erasing(&refused), "{refused}");
    // A claim passes it by, and counts nothing.
    let claimed = claim_nodes(store, 2, after_secs(1)).await;
    assert_eq!(claimed.iter().map(|job| job.id).collect::<Vec<_>>(), [stays.id]);
    let listed = listed_jobs(store, &ALL, "").await;
    let shown = listed.iter().find(|job| job.id == gone.id).expect("it is there until it is removed");
    assert_eq!((shown.data.as_deref(), shown.retry_count), (Some(r#"{"sealed":true}"#), 0));
    assert_ne!(shown.status, JobStatus::DeadLetter);
    // Neither who wanted to rotate nor who sealed the key again meanwhile brings a key back.
    for to in [KeyUse::Begin, KeyUse::Rotate] {
        let new = key(Some("a"), "k1", 5);
        let answer = store.add_payload_key(&new, to, &[]).await.expect("it answers");
        assert_eq!(answer, AddedKey::Erasing);
    }
    assert!(
        store
            .payload_keys_sealed_otherwise("k2", 9)
            .await
            .expect("read works")
            .iter()
            .all(|key| { key.tenant != Some(tenant("a")) })
    );
    store.reseal_payload_key(&stale).await.expect("it answers");
    assert!(is_erasing(&store.job(&ALL, gone.id).await.expect_err("it cannot be read")));
    // Afterwards the name is anybody's.
    super::erasure::ended(store, "a", &batch).await;
    let next = job();
    store.enqueue(std::slice::from_ref(&next), T0).await.expect("enqueue works");
    store.unlock_payloads(Arc::new(Opener(&[])));
    let shown = store.job(&ALL, next.id).await.expect("it needs no key").expect("it is there");
    assert_eq!(shown.data, Some(next.data));
}

/// Processes that began before the store could hold keys do not know them.
pub async fn servers_that_know_no_encryption_are_counted(store: &dyn Store) {
    let count =
        async |beside| store.servers_without_encryption(T0, beside).await.expect("they can be counted");
    // The schema is newer than this.
    let old = ServerRecord {
        id: id(),
        version: "0.0.1".into(),
        roles: Vec::new(),
        started_at: T0,
        last_seen_at: after_secs(1),
        clock_offset_ms: 0,
    };
    let new = ServerRecord { id: id(), started_at: Timestamp(i64::MAX), ..old.clone() };
    store.record_server(&new, T0).await.expect("it is recorded");
    assert_eq!(count(id()).await, 0);
    store.record_server(&old, T0).await.expect("it is recorded");
    assert_eq!(count(id()).await, 1);
    assert_eq!(count(old.id).await, 0, "whoever asks knows it");
    let silent = store.servers_without_encryption(after_secs(2), id()).await.expect("they can be counted");
    assert_eq!(silent, 0, "it was not seen since");
}

/// Keys under another key of the settings are found and sealed again; what they sealed can be read before and afterwards.
pub async fn keys_of_payloads_are_sealed_again(store: &dyn Store) {
    seal_payloads_of(store, &["a"]).await;
    let new = job();
    store.enqueue(std::slice::from_ref(&new), T0).await.expect("enqueue works");
    let stale = store.payload_keys_sealed_otherwise("k2", 9).await.expect("read works");
    assert_eq!(stale.len(), 2, "the tenant's and that of no tenant");
    for key in stale {
        let resealed = PayloadKey { key_id: "k2".to_owned(), ..key };
        store.reseal_payload_key(&resealed).await.expect("it can be stored");
    }
    assert!(store.payload_keys_sealed_otherwise("k2", 9).await.expect("read works").is_empty());
    assert!(store.job(&ALL, new.id).await.is_err(), "the earlier key opens it no more");
    store.unlock_payloads(Arc::new(Opener(&["k2"])));
    let shown = store.job(&ALL, new.id).await.expect("read works").expect("it is there");
    assert_eq!(shown.data, Some(new.data));
}

/// An answer that is kept for repeats is sealed for the tenant of its caller, and not for a caller of a tenant whose payloads are
/// not sealed. The server's own key seals those of callers who may see all tenants, while payloads of any are sealed.
pub async fn answers_are_sealed_for_whose_payloads_they_hold(store: &dyn Store) {
    seal_payloads_of(store, &["a"]).await;
    let reserve = async |owner: &str| {
        let reservation = IdempotencyReservation {
            owner: owner.to_owned(),
            key: "k".to_owned(),
            fingerprint: "f".to_owned(),
            seed: Uuid::from_u128(7),
            process: Uuid::from_u128(8),
            stale_before: T0,
            forget_before: T0,
        };
        store.reserve_idempotency(&reservation, T0).await
    };
    let answer = async |owner: &str| {
        reserve(owner).await.expect("a key can be reserved");
        store.answer_idempotency(owner, "k", 200, r#"{"n":1}"#, T0).await.expect("an answer is kept");
    };
    let (of_all, plain) = (["key_0", "oidc:https://id.example/7"], "b/key_2");
    for owner in ["a/key_1", of_all[0], of_all[1], plain] {
        answer(owner).await;
    }
    store.unlock_payloads(Arc::new(Opener(&[])));
    for owner in ["a/key_1", of_all[0], of_all[1]] {
        assert!(matches!(reserve(owner).await, Err(StoreError::Sealed { .. })), "{owner}");
    }
    let body = r#"{"n":1}"#.to_owned();
    let replay = Idempotency::Replay { status: 200, body };
    assert_eq!(reserve(plain).await.expect("nothing of it is sealed"), replay);
    // Nobody's payloads are sealed any more.
    store.stop_sealing(&tenant("a"), &[]).await.expect("it can end");
    answer("key_9").await;
    assert_eq!(reserve("key_9").await.expect("nothing of it is sealed"), replay);
}
