//! Payloads that are sealed at rest: who reads through the port sees nothing of it, as long as the key is there.

use std::sync::Arc;

use domain::access::TenantScope;
use domain::job::{Disposition, JobStatus};
use zeroize::Zeroizing;

use super::fixture::{T0, after_secs, claim_nodes, job, lease, tenant, uuid};
use crate::Store;
use crate::error::StoreError;
use crate::jobs::{JobFilter, LeaseExtension, NewJob, Settlement};
use crate::page::PageRequest;
use crate::payload_keys::{OpenPayloadKey, PayloadKey};

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

/// Seals payloads of these tenants from now on, and what belongs to none.
pub async fn seal_payloads_of(store: &dyn Store, tenants: &[&str]) {
    unlock(store);
    store.add_payload_key(&key(None, "k1", 1), &[]).await.expect("a key can be added");
    for of in tenants {
        store.add_payload_key(&key(Some(of), "k1", 2), &[]).await.expect("a key can be added");
    }
}

fn page() -> PageRequest {
    PageRequest { limit: 10, after: None }
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
    store.unlock_payloads(Arc::new(Opener(&[])));
    let refused = store.job(&ALL, sealed.id).await.expect_err("it cannot be read");
    assert!(matches!(&refused, StoreError::Sealed { key, .. } if key == "k1"), "{refused}");
    assert!(refused.is_retryable());
    let new = job();
    let refused = store.enqueue(std::slice::from_ref(&new), T0).await.expect_err("it cannot be sealed");
    assert!(matches!(refused, StoreError::Sealed { .. }), "{refused}");
    assert!(store.job(&ALL, new.id).await.expect("read works").is_none(), "nothing is written in the clear");
    let listed = store.list_jobs(&ALL, &JobFilter::default(), page()).await.expect("lists work").items;
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
    store.add_payload_key(&next, &[]).await.expect("a key can be added");
    let second = put().await;
    let keys = store.payload_keys(Some(&tenant("a"))).await.expect("read works");
    assert_eq!(keys.iter().map(|key| key.seals).collect::<Vec<_>>(), [true, false], "newest first");
    assert_eq!(keys[0], next);
    assert!(store.payload_keys(Some(&tenant("b"))).await.expect("read works").is_empty());
    assert!(store.stop_sealing(&tenant("a"), &[]).await.expect("it can end"));
    assert!(!store.stop_sealing(&tenant("a"), &[]).await.expect("it has ended"));
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

/// With the beginning of its erasure a tenant has no key any more, and what it sealed cannot be read by anybody.
pub async fn a_tenant_that_is_erased_has_no_keys(store: &dyn Store) {
    seal_payloads_of(store, &["a", "b"]).await;
    let (gone, stays) = (job(), NewJob { tenant: tenant("b"), ..job() });
    store.enqueue(&[gone.clone(), stays.clone()], T0).await.expect("enqueue works");
    super::erasure::begun(store, "a").await;
    assert!(store.payload_keys(Some(&tenant("a"))).await.expect("read works").is_empty());
    assert!(matches!(store.job(&ALL, gone.id).await, Err(StoreError::Sealed { .. })));
    assert!(store.job(&ALL, stays.id).await.expect("read works").is_some());
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
