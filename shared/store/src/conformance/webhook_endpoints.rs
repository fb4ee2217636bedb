//! Webhook endpoints: storing, editing, secrets and their rotation.

use domain::access::TenantScope;
use domain::time::Timestamp;

use super::fixture::{T0, after_secs, id, tenant};
use super::webhook_fixture::{ALL, PAGE, created, secret, secrets_of, webhook};
use crate::Store;
use crate::page::PageRequest;
use crate::webhooks::{SealedSecret, SecretPurpose, WebhookChange, WebhookRecord};

/// What was stored of an endpoint can be read back to the last field.
pub async fn a_webhook_is_stored_with_every_field(store: &dyn Store) {
    let one = WebhookRecord { is_paused: true, version: 7, updated_at: after_secs(3), ..webhook("ünï") };
    let old = SealedSecret { expires_at: Some(after_secs(9)), ..secret(&[0, 255, 0]) };
    let token = SealedSecret {
        purpose: SecretPurpose::VerifyToken,
        created_at: after_secs(1),
        ..secret(b"'; DROP TABLE webhook_secret")
    };
    created(store, &one, &[old.clone(), token.clone()]).await;
    assert_eq!(store.webhook(&ALL, one.id).await.expect("read works"), Some(one.clone()));
    let (record, secrets) =
        store.webhook_with_secrets(&ALL, one.id).await.expect("read works").expect("there");
    assert_eq!(record, one);
    assert_eq!(secrets, [token, old], "the latest first, sealed as they came");
    assert!(!format!("{secrets:?}").contains("255"), "what is sealed is not shown: {secrets:?}");
    // The same again is the same endpoint, without secrets twice.
    created(store, &one, &secrets).await;
    assert_eq!(secrets_of(store, one.id).await.len(), 2);
    assert_eq!(store.webhook(&ALL, id()).await.expect("read works"), None);
    assert!(store.webhook_with_secrets(&ALL, id()).await.expect("read works").is_none());
}

/// A tenant has each name once, whether an endpoint is made or renamed.
pub async fn a_webhooks_name_can_be_taken(store: &dyn Store) {
    let (first, second) = (webhook("first"), webhook("second"));
    created(store, &first, &[]).await;
    created(store, &second, &[]).await;
    let twin = WebhookRecord { id: id(), ..first.clone() };
    let sealed = secret(b"s");
    let taken = store.create_webhook(&twin, std::slice::from_ref(&sealed)).await.expect("create answers");
    assert_eq!(taken, WebhookChange::NameTaken);
    assert_eq!(store.webhook(&ALL, twin.id).await.expect("read works"), None);
    assert!(store.secrets_sealed_otherwise("k2", 10).await.expect("read works").is_empty());
    let renamed = WebhookRecord { name: "first".to_owned(), version: 2, ..second.clone() };
    let taken = store.update_webhook(&ALL, &renamed).await.expect("update answers");
    assert_eq!(taken, WebhookChange::NameTaken);
    assert_eq!(store.webhook(&ALL, second.id).await.expect("read works"), Some(second));
    created(store, &WebhookRecord { tenant: tenant("b"), ..webhook("first") }, &[]).await;
}

/// An edit names the version that it was made from; tenant and creation stay.
pub async fn a_webhooks_edit_needs_the_version_it_saw(store: &dyn Store) {
    let one = webhook("one");
    created(store, &one, &[secret(b"s")]).await;
    let edited = WebhookRecord {
        name: "other".to_owned(),
        config: r#"{"provider":"stripe"}"#.to_owned(),
        is_paused: true,
        version: 2,
        updated_at: after_secs(5),
        ..one.clone()
    };
    let sent = WebhookRecord { tenant: tenant("b"), created_at: after_secs(5), ..edited.clone() };
    let done = store.update_webhook(&ALL, &sent).await.expect("update works");
    assert_eq!(done, WebhookChange::Done(edited.clone()));
    assert_eq!(store.webhook(&ALL, one.id).await.expect("read works"), Some(edited.clone()));
    let again = store.update_webhook(&ALL, &edited).await.expect("update answers");
    assert_eq!(again, WebhookChange::VersionConflict);
    let ahead = WebhookRecord { version: 4, ..edited.clone() };
    assert_eq!(
        store.update_webhook(&ALL, &ahead).await.expect("update answers"),
        WebhookChange::VersionConflict
    );
    let unknown = WebhookRecord { id: id(), ..edited };
    assert_eq!(store.update_webhook(&ALL, &unknown).await.expect("update answers"), WebhookChange::NotFound);
    assert_eq!(secrets_of(store, one.id).await.len(), 1);
}

async fn rotated(
    store: &dyn Store,
    of: &WebhookRecord,
    new: &[SealedSecret],
    until: Timestamp,
    now: Timestamp,
) {
    let change = store.rotate_secrets(&ALL, of.id, new, until, now).await.expect("rotate works");
    assert!(matches!(change, WebhookChange::Done(_)), "{change:?}");
}

/// A rotation ends the secrets of the same purpose, none later than it would have, and removes those that ended before.
pub async fn a_webhooks_secrets_rotate(store: &dyn Store) {
    let one = webhook("one");
    let (first, token) = (secret(b"1"), SealedSecret { purpose: SecretPurpose::VerifyToken, ..secret(b"t") });
    created(store, &one, &[first.clone(), token.clone()]).await;
    let other = webhook("other");
    let foreign = secret(b"o");
    created(store, &other, std::slice::from_ref(&foreign)).await;
    let listed = store.secrets_of_webhooks(&[other.id, id()]).await.expect("read works");
    assert_eq!(listed, [(other.id, foreign)]);
    assert_eq!(store.secrets_of_webhooks(&[other.id, one.id]).await.expect("read works").len(), 3);
    assert!(store.secrets_of_webhooks(&[]).await.expect("read works").is_empty());
    let second = SealedSecret { created_at: after_secs(10), ..secret(b"2") };
    let change = store
        .rotate_secrets(&ALL, one.id, std::slice::from_ref(&second), after_secs(100), after_secs(10))
        .await
        .expect("rotate works");
    let touched = WebhookRecord { version: 2, updated_at: after_secs(10), ..one.clone() };
    assert_eq!(change, WebhookChange::Done(touched));
    let ending = SealedSecret { expires_at: Some(after_secs(100)), ..first };
    assert_eq!(secrets_of(store, one.id).await, [second.clone(), token.clone(), ending.clone()]);
    // At the same again the new secret does not end itself.
    rotated(store, &one, std::slice::from_ref(&second), after_secs(100), after_secs(10)).await;
    assert_eq!(secrets_of(store, one.id).await[0], second);
    // An end that is set does not move away; what ended at this very instant still holds.
    let third = SealedSecret { created_at: after_secs(100), ..secret(b"3") };
    rotated(store, &one, std::slice::from_ref(&third), after_secs(200), after_secs(100)).await;
    let second = SealedSecret { expires_at: Some(after_secs(200)), ..second };
    assert_eq!(secrets_of(store, one.id).await, [third.clone(), second.clone(), token.clone(), ending]);
    // Without overlap the older ones do not outlive it either; nothing new of the other purpose.
    let fourth = SealedSecret { created_at: after_secs(150), ..secret(b"4") };
    rotated(store, &one, std::slice::from_ref(&fourth), after_secs(150), after_secs(150)).await;
    let third = SealedSecret { expires_at: Some(after_secs(150)), ..third };
    let second = SealedSecret { expires_at: Some(after_secs(150)), ..second };
    assert_eq!(secrets_of(store, one.id).await, [fourth, third, second, token]);
    assert_eq!(secrets_of(store, other.id).await[0].expires_at, None);
    let nobody = store.rotate_secrets(&ALL, id(), &[secret(b"x")], T0, T0).await.expect("rotate answers");
    assert_eq!(nobody, WebhookChange::NotFound);
}

/// Secrets under an old key are found and sealed again.
pub async fn a_webhooks_secrets_are_sealed_again(store: &dyn Store) {
    let one = webhook("one");
    let (first, second) = (secret(b"1"), secret(b"2"));
    let third = SealedSecret { key_id: "k2".to_owned(), ..secret(b"3") };
    created(store, &one, &[first.clone(), second.clone(), third.clone()]).await;
    let otherwise = |limit| store.secrets_sealed_otherwise("k2", limit);
    assert_eq!(otherwise(10).await.expect("read works"), [first.clone(), second.clone()]);
    assert_eq!(otherwise(1).await.expect("read works"), std::slice::from_ref(&first));
    let resealed = SealedSecret { key_id: "k2".to_owned(), sealed: vec![0; 64], ..first };
    let gone = SealedSecret { key_id: "k2".to_owned(), ..secret(b"gone") };
    store.reseal_secrets(&[gone, resealed.clone()]).await.expect("reseal works");
    store.reseal_secrets(&[]).await.expect("nothing is nothing");
    assert_eq!(otherwise(10).await.expect("read works"), std::slice::from_ref(&second));
    assert_eq!(secrets_of(store, one.id).await, [third, second, resealed]);
}

/// Another tenant's endpoint does not exist.
pub async fn i13_webhooks_stay_within_the_tenant(store: &dyn Store) {
    let one = webhook("one");
    created(store, &one, &[secret(b"s")]).await;
    let other = TenantScope::One(tenant("b"));
    assert_eq!(store.webhook(&other, one.id).await.expect("read works"), None);
    assert!(store.webhook_with_secrets(&other, one.id).await.expect("read works").is_none());
    let edited = WebhookRecord { version: 2, is_paused: true, ..one.clone() };
    assert_eq!(store.update_webhook(&other, &edited).await.expect("update answers"), WebhookChange::NotFound);
    let rotated = store.rotate_secrets(&other, one.id, &[secret(b"2")], T0, T0).await;
    assert_eq!(rotated.expect("rotate answers"), WebhookChange::NotFound);
    assert!(!store.delete_webhook(&other, one.id).await.expect("delete answers"));
    assert!(store.list_webhooks(&other, None, PAGE).await.expect("list works").items.is_empty());
    let named = store.list_webhooks(&other, Some(&tenant("a")), PAGE).await.expect("list works");
    assert!(named.items.is_empty());
    // An id that another tenant has is never answered with that tenant's endpoint.
    let stolen = WebhookRecord { tenant: tenant("b"), ..one.clone() };
    let answer = store.create_webhook(&stolen, &[secret(b"3")]).await.expect("create answers");
    assert_eq!(answer, WebhookChange::NameTaken);
    let own = TenantScope::One(tenant("a"));
    assert_eq!(store.webhook(&own, one.id).await.expect("read works"), Some(one.clone()));
    assert_eq!(secrets_of(store, one.id).await.len(), 1);
    assert!(store.delete_webhook(&own, one.id).await.expect("delete works"));
}

/// Endpoints are listed newest first, by tenant and in pages.
pub async fn webhooks_are_listed_newest_first(store: &dyn Store) {
    let (first, second) = (webhook("first"), webhook("second"));
    let third = WebhookRecord { tenant: tenant("b"), ..webhook("third") };
    for one in [&first, &second, &third] {
        created(store, one, &[]).await;
    }
    let page = PageRequest { limit: 2, after: None };
    let part = store.list_webhooks(&ALL, None, page).await.expect("list works");
    assert_eq!((part.items, part.next), (vec![third.clone(), second.clone()], Some(second.id.uuid())));
    let rest = PageRequest { after: part.next, ..page };
    let rest = store.list_webhooks(&ALL, None, rest).await.expect("list works");
    assert_eq!((rest.items, rest.next), (vec![first], None));
    let of_b = store.list_webhooks(&ALL, Some(&tenant("b")), page).await.expect("list works");
    assert_eq!((of_b.items, of_b.next), (vec![third], None));
}
