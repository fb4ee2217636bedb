//! What cases about webhooks share: an endpoint, its secrets, deliveries with guards, and calls that are expected to
//! work.

use domain::access::TenantScope;
use domain::id::{DeliveryId, WebhookId};
use domain::names::JobType;
use domain::queue::QueueName;
use domain::search::SearchList;
use domain::time::Timestamp;

use super::fixture::{T0, after_secs, id, job, number_found, tenant};
use crate::Store;
use crate::jobs::NewJob;
use crate::page::PageRequest;
use crate::webhooks::{
    Acceptance, Accepted, DeliveryRecord, GuardKey, NewDelivery, SealedSecret, SecretPurpose, WebhookChange,
    WebhookRecord,
};
use domain::webhook::DeliveryStatus;

/// Everybody's webhooks.
pub(super) const ALL: TenantScope = TenantScope::All;

/// More than any case has.
pub(super) const PAGE: PageRequest = PageRequest { limit: 1_000, after: None };

/// An endpoint of tenant `a`.
pub(super) fn webhook(name: &str) -> WebhookRecord {
    WebhookRecord {
        id: id(),
        tenant: tenant("a"),
        name: name.to_owned(),
        config: r#"{"provider":"github","triggers":[]}"#.to_owned(),
        is_paused: false,
        version: 1,
        created_at: T0,
        updated_at: T0,
    }
}

/// A secret that signatures are verified with, under the key `k1`, without an end.
pub(super) fn secret(sealed: &[u8]) -> SealedSecret {
    SealedSecret {
        id: id(),
        purpose: SecretPurpose::Signature,
        key_id: "k1".to_owned(),
        sealed: sealed.to_vec(),
        created_at: T0,
        expires_at: None,
    }
}

/// Stores an endpoint with its secrets.
pub(super) async fn created(store: &dyn Store, webhook: &WebhookRecord, secrets: &[SealedSecret]) {
    let change = store.create_webhook(webhook, secrets).await.expect("create works");
    assert_eq!(change, WebhookChange::Done(webhook.clone()));
}

/// The secrets of an endpoint that is there.
pub(super) async fn secrets_of(store: &dyn Store, id: WebhookId) -> Vec<SealedSecret> {
    store.webhook_with_secrets(&ALL, id).await.expect("read works").expect("the endpoint is there").1
}

/// A delivery to an endpoint of tenant `a`.
pub fn delivery(webhook_id: WebhookId, status: DeliveryStatus) -> NewDelivery {
    NewDelivery {
        id: id(),
        webhook_id,
        tenant: tenant("a"),
        status,
        reason: None,
        event_type: Some("push".to_owned()),
        provider_event_id: None,
        secret_id: None,
        replay_of: None,
        remote_address: Some("192.0.2.1".to_owned()),
        method: "POST".to_owned(),
        target: "/hooks/x?y=1".to_owned(),
        headers: r#"[["content-type","application/json"]]"#.to_owned(),
        body: br#"{"ref":"main"}"#.to_vec(),
        traceparent: None,
        received_at: T0,
    }
}

/// A guard that is kept for a minute from the beginning on.
pub fn guard(name: u8) -> GuardKey {
    guard_until(name, after_secs(60))
}

/// A guard that is kept until an instant.
pub(super) fn guard_until(name: u8, expires_at: Timestamp) -> GuardKey {
    GuardKey { digest: [name; 32], expires_at }
}

/// A verified delivery with these guards and a job of its own.
pub fn acceptance(webhook_id: WebhookId, guards: &[GuardKey]) -> Acceptance {
    let job = NewJob { queue: QueueName::Webhook, job_type: JobType::trusted("delivery"), ..job() };
    Acceptance { delivery: delivery(webhook_id, DeliveryStatus::Accepted), guards: guards.to_vec(), job }
}

/// Accepts deliveries at an instant.
pub(super) async fn accept(store: &dyn Store, acceptances: &[Acceptance], now: Timestamp) -> Vec<Accepted> {
    let answers = store.accept_deliveries(acceptances, now).await.expect("accept works");
    assert_eq!(answers.len(), acceptances.len());
    answers
}

/// Accepts one delivery at the beginning.
pub(super) async fn accept_one(store: &dyn Store, acceptance: &Acceptance) -> Accepted {
    accept(store, std::slice::from_ref(acceptance), T0).await[0]
}

/// A delivery that is there.
pub(super) async fn read(store: &dyn Store, id: DeliveryId) -> DeliveryRecord {
    store.delivery(&ALL, id).await.expect("read works").expect("the delivery is there")
}

/// How many deliveries there are in all.
pub(super) async fn count(store: &dyn Store) -> usize {
    number_found(store, &ALL, SearchList::Deliveries, "").await
}

/// The answer to a delivery that is seen for the first time.
pub(super) fn new(acceptance: &Acceptance) -> Accepted {
    Accepted::New(acceptance.delivery.id)
}

/// The answer to a repetition of a delivery.
pub(super) fn duplicate_of(acceptance: &Acceptance) -> Accepted {
    Accepted::Duplicate(acceptance.delivery.id)
}
