//! Holding webhook deliveries: stored once, bounded, and given their jobs when their endpoint takes deliveries again.

use domain::id::{DeliveryId, WebhookId};
use domain::queue::QueueName;
use domain::search::SearchList;

use super::fixture::{T0, after_secs, claim, id, number_found};
use super::operations::keep_all;
use super::webhook_fixture::{
    ALL, PAGE, accept_one, acceptance, count, created, delivery, guard, new, read, webhook,
};
use crate::Store;
use crate::operations::Retention;
use crate::webhooks::{
    Accepted, GuardKey, HELD_BYTES_EXTRA, HeldDelivery, Hold, NewDelivery, Release, WebhookChange,
    WebhookRecord,
};
use domain::webhook::DeliveryStatus;

/// More than any case holds.
const PLENTY: u64 = 1 << 20;

fn held(webhook_id: WebhookId, guards: &[GuardKey]) -> HeldDelivery {
    let delivery = delivery(webhook_id, DeliveryStatus::Held);
    HeldDelivery { delivery, guards: guards.to_vec(), bytes_max: PLENTY }
}

async fn hold(store: &dyn Store, all: &[HeldDelivery]) -> Vec<Hold> {
    store.hold_deliveries(all, T0).await.expect("hold works")
}

fn release_of(id: DeliveryId) -> Release {
    Release { id, job: acceptance(super::fixture::id(), &[]).job }
}

async fn release(store: &dyn Store, releases: &[Release]) -> u64 {
    store.release_deliveries(releases, after_secs(1)).await.expect("release works")
}

async fn releasable(store: &dyn Store, id: WebhookId) -> Vec<DeliveryId> {
    let held = store.held_deliveries(id, 100).await.expect("read works");
    held.into_iter().map(|held| held.id).collect()
}

async fn to_release(store: &dyn Store) -> Vec<WebhookId> {
    store.webhooks_to_release(None, 100).await.expect("read works")
}

async fn of_status(store: &dyn Store, status: DeliveryStatus) -> usize {
    number_found(store, &ALL, SearchList::Deliveries, &format!("status:{}", status.as_str())).await
}

/// Pauses an endpoint or resumes it, whatever it was.
async fn paused(store: &dyn Store, endpoint: &WebhookRecord, is_paused: bool) -> WebhookRecord {
    let next = WebhookRecord { is_paused, version: endpoint.version + 1, ..endpoint.clone() };
    let change = store.update_webhook(&ALL, &next).await.expect("update works");
    assert!(matches!(change, WebhookChange::Done(_)), "{change:?}");
    next
}

/// What is held has no job until it is released; then each has one, however often it is released, and in order.
pub async fn i01_a_held_webhook_delivery_waits_for_its_release(store: &dyn Store) {
    let (endpoint, other) = (webhook("one"), webhook("two"));
    created(store, &endpoint, &[]).await;
    created(store, &other, &[]).await;
    let endpoint = paused(store, &endpoint, true).await;
    let all: Vec<HeldDelivery> = (0..3).map(|_| held(endpoint.id, &[])).collect();
    let ids: Vec<DeliveryId> = all.iter().map(|held| held.delivery.id).collect();
    assert_eq!(hold(store, &all).await, ids.iter().copied().map(Hold::Held).collect::<Vec<_>>());
    assert_eq!(hold(store, &all[..1]).await, [Hold::Held(ids[0])], "a repeated call");
    accept_one(store, &acceptance(other.id, &[])).await;
    assert_eq!(
        (of_status(store, DeliveryStatus::Held).await, of_status(store, DeliveryStatus::Accepted).await),
        (3, 1)
    );
    let listed = store.deliveries_with_status(DeliveryStatus::Held, PAGE).await.expect("read works").items;
    assert!(listed.iter().map(|delivery| delivery.id).eq(ids.iter().rev().copied()), "{listed:?}");
    let listed = store.deliveries_with_status(DeliveryStatus::Accepted, PAGE).await.expect("read works");
    assert_eq!((listed.items.len(), listed.next), (1, None));
    let shown = read(store, ids[0]).await;
    assert_eq!((shown.status, shown.job_id, shown.processed_at), (DeliveryStatus::Held, None, None));
    let body = store.delivery_body(&ALL, ids[0]).await.expect("read works");
    assert_eq!(body, Some(all[0].delivery.body.clone()));
    let claimed = store.claim(&claim(QueueName::Webhook, 10, T0)).await.expect("claim works");
    assert_eq!(claimed.len(), 1, "what is held has no job");
    assert!(to_release(store).await.is_empty(), "it is paused");
    let releases: Vec<Release> = ids.iter().copied().map(release_of).collect();
    assert_eq!(release(store, &releases).await, 0, "it is paused");

    paused(store, &endpoint, false).await;
    assert_eq!(to_release(store).await, [endpoint.id]);
    let later = store.webhooks_to_release(Some(endpoint.id), 100).await.expect("read works");
    assert!(later.is_empty(), "{later:?}");
    assert_eq!(releasable(store, endpoint.id).await, ids, "oldest first");
    // Whoever read this list may be gone before it releases: then another one does.
    assert_eq!(release(store, &releases[..2]).await, 2);
    assert_eq!(release(store, &releases[..2]).await, 0);
    assert_eq!(releasable(store, endpoint.id).await, [ids[2]]);
    let shown = read(store, ids[1]).await;
    assert_eq!((shown.status, shown.job_id), (DeliveryStatus::Accepted, Some(releases[1].job.id)));
    assert_eq!(release(store, &releases).await, 1);
    assert!(to_release(store).await.is_empty());
    let claimed = store.claim(&claim(QueueName::Webhook, 10, after_secs(2))).await.expect("claim works");
    let claimed: Vec<_> = claimed.into_iter().map(|job| job.id).collect();
    assert_eq!(claimed, releases.iter().map(|release| release.job.id).collect::<Vec<_>>());
}

/// Each endpoint holds so many bytes. What does not fit leaves nothing behind, no guard either.
pub async fn a_webhook_holds_so_many_bytes(store: &dyn Store) {
    let (endpoint, other) = (webhook("one"), webhook("two"));
    created(store, &endpoint, &[]).await;
    created(store, &other, &[]).await;
    let sized = |webhook_id, name: u8, bytes: usize| {
        let held = held(webhook_id, &[guard(name)]);
        let delivery = NewDelivery { body: vec![b'x'; bytes], ..held.delivery };
        HeldDelivery { delivery, bytes_max: 2 * HELD_BYTES_EXTRA + 30, ..held }
    };
    let all = [
        sized(endpoint.id, 1, 10),
        sized(endpoint.id, 2, 20),
        sized(endpoint.id, 3, 0),
        sized(other.id, 3, 30),
    ];
    let answers = hold(store, &all).await;
    assert_eq!(answers[2], Hold::Full);
    assert!([0, 1, 3].iter().all(|&index| matches!(answers[index], Hold::Held(_))), "{answers:?}");
    assert_eq!(count(store).await, 3);
    assert_eq!(hold(store, &[sized(endpoint.id, 4, 0)]).await, [Hold::Full], "what is stored counts");
    assert_eq!(release(store, &[release_of(all[0].delivery.id)]).await, 1);
    let again = sized(endpoint.id, 3, 5);
    assert_eq!(hold(store, std::slice::from_ref(&again)).await, [Hold::Held(again.delivery.id)]);
    assert!(hold(store, &[]).await.is_empty());
}

/// Guards tell a repetition of what is held, and of what was held.
pub async fn i07_a_held_webhook_delivery_is_known_again(store: &dyn Store) {
    let endpoint = webhook("one");
    created(store, &endpoint, &[]).await;
    let (first, second) = (held(endpoint.id, &[guard(1)]), held(endpoint.id, &[guard(1), guard(2)]));
    let first_id = first.delivery.id;
    let both = [first, second];
    assert_eq!(hold(store, &both).await, [Hold::Held(first_id), Hold::Duplicate(first_id)]);
    assert_eq!(hold(store, &both).await, [Hold::Held(first_id), Hold::Duplicate(first_id)], "the same call");
    let late = acceptance(endpoint.id, &[guard(2)]);
    assert_eq!(accept_one(store, &late).await, Accepted::Duplicate(first_id));
    assert_eq!(releasable(store, endpoint.id).await, [first_id]);
    assert_eq!(release(store, &[release_of(first_id)]).await, 1);
    assert_eq!(hold(store, &[held(endpoint.id, &[guard(1)])]).await, [Hold::Duplicate(first_id)]);
    let other = acceptance(endpoint.id, &[guard(9)]);
    assert_eq!(accept_one(store, &other).await, new(&other));
}

/// What is held stays whatever its age, and what a deleted endpoint held is released.
pub async fn a_deleted_webhook_releases_what_it_held(store: &dyn Store) {
    let endpoint = webhook("one");
    created(store, &endpoint, &[]).await;
    paused(store, &endpoint, true).await;
    let one = held(endpoint.id, &[]);
    hold(store, std::slice::from_ref(&one)).await;
    let retention = Retention { deliveries_before: after_secs(3_600), ..keep_all() };
    assert_eq!(store.prune(&retention, 100).await.expect("prune works"), 0);
    assert!(store.delete_webhook(&ALL, endpoint.id).await.expect("delete works"));
    assert_eq!(to_release(store).await, [endpoint.id]);
    assert_eq!(release(store, &[release_of(one.delivery.id), release_of(id())]).await, 1);
    assert_eq!(read(store, one.delivery.id).await.status, DeliveryStatus::Accepted);
}
