//! Accepting webhook deliveries: stored with their job, once, as far as their guards tell.

use std::collections::HashSet;

use domain::id::JobId;
use domain::job::JobStatus;
use domain::queue::QueueName;

use super::fixture::{T0, after_secs, claim, id, status};
use super::webhook_fixture::{
    ALL, accept, accept_one, acceptance, count, delivery, duplicate_of, guard, guard_until, new, read,
};
use crate::Store;
use crate::webhooks::{Acceptance, DeliveryRecord, NewDelivery};
use domain::webhook::DeliveryStatus;

/// What was accepted can be read back to the last field, and its job can be claimed.
pub async fn i01_an_accepted_webhook_delivery_is_there_with_every_field(store: &dyn Store) {
    let bodies: [Vec<u8>; 3] = [(0..=255).collect(), Vec::new(), vec![b'x'; 70_000]];
    let plain = acceptance(id(), &[]);
    let whole = Acceptance {
        delivery: NewDelivery {
            reason: Some("why".to_owned()),
            provider_event_id: Some("evt_\u{fc}".to_owned()),
            secret_id: Some(id()),
            replay_of: Some(id()),
            traceparent: Some("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01".to_owned()),
            headers: r#"[["x-a","\u0000 \"quoted\" '"],["x-a","2"]]"#.to_owned(),
            received_at: after_secs(5),
            ..plain.delivery.clone()
        },
        ..plain
    };
    let bare = acceptance(id(), &[]);
    let bare = Acceptance {
        delivery: NewDelivery { event_type: None, remote_address: None, ..bare.delivery.clone() },
        ..bare
    };
    for mut batch in [vec![whole.clone(), bare, acceptance(id(), &[])], of_one_endpoint()] {
        for (one, body) in batch.iter_mut().zip(&bodies) {
            one.delivery.body.clone_from(body);
        }
        let answers = accept(store, &batch, T0).await;
        assert_eq!(answers, batch.iter().map(new).collect::<Vec<_>>());
        for (one, body) in batch.iter().zip(&bodies) {
            let kept = store.delivery_body(&ALL, one.delivery.id).await.expect("read works");
            assert_eq!(kept.as_ref(), Some(body), "the exact bytes, an empty body too");
            assert_eq!(read(store, one.delivery.id).await, shown(one), "every field");
            assert_eq!(status(store, one.job.id).await, JobStatus::Queued);
        }
        let claimed = store.claim(&claim(QueueName::Webhook, 10, T0)).await.expect("claim works");
        let ids: HashSet<JobId> = claimed.iter().map(|job| job.id).collect();
        assert_eq!(ids, batch.iter().map(|one| one.job.id).collect::<HashSet<JobId>>());
    }
    assert!(accept(store, &[], T0).await.is_empty());
}

/// Deliveries that differ only in what those of one endpoint mostly differ in.
fn of_one_endpoint() -> Vec<Acceptance> {
    let (endpoint, secret_id) = (id(), Some(id()));
    let mut batch: Vec<Acceptance> =
        (1..=3).map(|name| acceptance(endpoint, &[guard(name), guard(name + 10)])).collect();
    batch[0].delivery.event_type = None;
    batch[1].delivery.remote_address = None;
    batch[2].delivery.provider_event_id = Some("evt_1".to_owned());
    for (late, one) in (1..).zip(&mut batch) {
        (one.delivery.secret_id, one.delivery.received_at) = (secret_id, after_secs(late));
    }
    batch
}

fn shown(one: &Acceptance) -> DeliveryRecord {
    let delivery = one.delivery.clone();
    DeliveryRecord {
        id: delivery.id,
        webhook_id: delivery.webhook_id,
        tenant: delivery.tenant,
        status: DeliveryStatus::Accepted,
        reason: delivery.reason,
        event_type: delivery.event_type,
        provider_event_id: delivery.provider_event_id,
        secret_id: delivery.secret_id,
        job_id: Some(one.job.id),
        duplicate_of: None,
        replay_of: delivery.replay_of,
        remote_address: delivery.remote_address,
        method: delivery.method,
        target: delivery.target,
        headers: delivery.headers,
        body_bytes: delivery.body.len() as u64,
        traceparent: delivery.traceparent,
        received_at: delivery.received_at,
        processed_at: None,
        outcome: None,
        executions: Vec::new(),
        woke: Vec::new(),
        payload_dropped_at: None,
    }
}

/// Any guard that is known makes a duplicate: a line without body and without job.
pub async fn i07_a_webhook_delivery_is_accepted_once(store: &dyn Store) {
    let endpoint = id();
    let first = acceptance(endpoint, &[guard(1), guard(2)]);
    assert_eq!(accept_one(store, &first).await, new(&first));
    for guards in [&[guard(1), guard(2)][..], &[guard(1)], &[guard(2)], &[guard(2), guard(1)]] {
        let copy = acceptance(endpoint, guards);
        assert_eq!(accept_one(store, &copy).await, duplicate_of(&first));
        let line = read(store, copy.delivery.id).await;
        assert_eq!((line.status, line.duplicate_of), (DeliveryStatus::Duplicate, Some(first.delivery.id)));
        assert_eq!((line.job_id, line.body_bytes), (None, first.delivery.body.len() as u64));
        assert_eq!(store.delivery_body(&ALL, copy.delivery.id).await.expect("read works"), None);
        assert_eq!(store.job(&ALL, copy.job.id).await.expect("read works"), None);
    }
    // Guards are each endpoint's own, and what has none (a replay) is never a duplicate.
    let elsewhere = acceptance(id(), &[guard(1), guard(2)]);
    assert_eq!(accept_one(store, &elsewhere).await, new(&elsewhere));
    for replay in [acceptance(endpoint, &[]), acceptance(endpoint, &[])] {
        assert_eq!(accept_one(store, &replay).await, new(&replay));
    }
    let claimed = store.claim(&claim(QueueName::Webhook, 100, T0)).await.expect("claim works");
    assert_eq!(claimed.len(), 4);
}

/// A provider's retry with a fresh signature: its delivery guard is known, its replay guard new. Both stand for the
/// first delivery then, so that a copy of the retry gets its id too, even when the delivery guard is gone.
pub async fn i07_guards_of_a_webhook_duplicate_stand_for_the_first(store: &dyn Store) {
    let endpoint = id();
    let first = acceptance(endpoint, &[guard(1), guard_until(9, after_secs(30))]);
    accept_one(store, &first).await;
    let retry = acceptance(endpoint, &[guard(2), guard(9)]);
    assert_eq!(accept_one(store, &retry).await, duplicate_of(&first));
    let replayed = acceptance(endpoint, &[guard(2), guard(9)]);
    assert_eq!(accept(store, &[replayed], after_secs(30)).await, [duplicate_of(&first)]);
    let third = acceptance(endpoint, &[guard(9)]);
    assert_eq!(accept(store, std::slice::from_ref(&third), after_secs(30)).await, [duplicate_of(&first)]);
    assert_eq!(count(store).await, 4);
}

/// Deliveries of one call count as if they came one after the other.
pub async fn i07_webhook_duplicates_in_one_batch_are_of_the_first(store: &dyn Store) {
    let endpoint = id();
    let known = acceptance(endpoint, &[guard(1)]);
    accept_one(store, &known).await;
    let batch = [
        acceptance(endpoint, &[guard(2), guard(1)]), // of `known`, and takes 2 for it
        acceptance(endpoint, &[guard(3)]),
        acceptance(endpoint, &[guard(2)]), // of `known`, by way of the one above
        acceptance(endpoint, &[guard(4), guard(3)]), // of the second, and takes 4 for it
        acceptance(endpoint, &[guard(5), guard(4)]), // of the second
        acceptance(endpoint, &[guard(6), guard(6)]),
        acceptance(endpoint, &[guard(3), guard(1)]), // of the second: the first guard that is known tells
        acceptance(endpoint, &[]),
    ];
    let answers = accept(store, &batch, T0).await;
    let second = duplicate_of(&batch[1]);
    let known = duplicate_of(&known);
    let expected = [known, new(&batch[1]), known, second, second, new(&batch[5]), second, new(&batch[7])];
    assert_eq!(answers, expected);
    for (name, expected) in [(2, known), (4, second), (5, second), (6, duplicate_of(&batch[5]))] {
        let probe = acceptance(endpoint, &[guard(name)]);
        assert_eq!(accept_one(store, &probe).await, expected, "guard {name}");
    }
    let claimed = store.claim(&claim(QueueName::Webhook, 100, T0)).await.expect("claim works");
    assert_eq!(claimed.len(), 4, "the known one, the second, the sixth and the last");
}

/// A guard counts until it expires, and is replaced then.
pub async fn an_expired_webhook_guard_is_replaced(store: &dyn Store) {
    let endpoint = id();
    let at = |secs, until| (after_secs(secs), acceptance(endpoint, &[guard_until(1, after_secs(until))]));
    let (_, first) = at(0, 60);
    accept_one(store, &first).await;
    let (now, early) = at(59, 500);
    assert_eq!(accept(store, &[early], now).await, [duplicate_of(&first)]);
    // A repetition does not prolong it.
    let (now, second) = at(60, 120);
    assert_eq!(accept(store, std::slice::from_ref(&second), now).await, [new(&second)]);
    let (now, copy) = at(119, 200);
    assert_eq!(accept(store, &[copy], now).await, [duplicate_of(&second)]);
    // One of the guards has expired, the other has not: a duplicate of the other's.
    let mixed = acceptance(endpoint, &[guard_until(1, after_secs(300)), guard_until(2, after_secs(300))]);
    let holder = acceptance(endpoint, &[guard_until(2, after_secs(300))]);
    accept(store, std::slice::from_ref(&holder), after_secs(119)).await;
    assert_eq!(accept(store, &[mixed], after_secs(120)).await, [duplicate_of(&holder)]);
    let (now, last) = at(121, 300);
    assert_eq!(accept(store, &[last], now).await, [duplicate_of(&holder)]);
}

/// The same call again, after its answer was lost, changes nothing and gets the same answers; also when its guards
/// have expired and are others' by then.
pub async fn i07_a_repeated_webhook_call_gets_its_answers_again(store: &dyn Store) {
    let endpoint = id();
    let first = acceptance(endpoint, &[guard(1)]);
    let batch = [first.clone(), acceptance(endpoint, &[guard(1)]), acceptance(endpoint, &[]), first.clone()];
    let answers = accept(store, &batch, T0).await;
    assert_eq!(answers, [new(&batch[0]), duplicate_of(&batch[0]), new(&batch[2]), new(&batch[0])]);
    assert_eq!(accept(store, &batch, T0).await, answers);
    assert_eq!(count(store).await, 3);
    let successor = acceptance(endpoint, &[guard_until(1, after_secs(500))]);
    assert_eq!(accept(store, std::slice::from_ref(&successor), after_secs(60)).await, [new(&successor)]);
    // With one that is new beside them, which the repetition must not keep from being stored.
    let fresh = acceptance(endpoint, &[guard_until(1, after_secs(500))]);
    let mixed = [batch[0].clone(), fresh.clone(), batch[1].clone(), acceptance(endpoint, &[guard(7)])];
    let again = accept(store, &mixed, after_secs(61)).await;
    assert_eq!(again, [answers[0], duplicate_of(&successor), answers[1], new(&mixed[3])]);
    assert_eq!(count(store).await, 6);
    let claimed = store.claim(&claim(QueueName::Webhook, 100, after_secs(61))).await.expect("claim works");
    assert_eq!(claimed.len(), 4);
    let other_body =
        Acceptance { delivery: NewDelivery { body: vec![1], ..first.delivery.clone() }, ..first };
    accept(store, std::slice::from_ref(&other_body), after_secs(62)).await;
    let kept = store.delivery_body(&ALL, other_body.delivery.id).await.expect("read works");
    assert_eq!(kept, Some(delivery(endpoint, DeliveryStatus::Accepted).body), "the first body stays");
}

/// Many deliveries in one call, with a total of bytes that no single statement carries.
pub async fn many_webhook_deliveries_are_accepted_at_once(store: &dyn Store) {
    let endpoint = id();
    let guarded = |number: usize| {
        let mut guard = guard(0);
        guard.digest[..8].copy_from_slice(&((number % 1_500) as u64).to_be_bytes());
        let mut one = acceptance(endpoint, &[guard]);
        let length = if number.is_multiple_of(500) { 3 << 20 } else { number % 7 };
        one.delivery.body = vec![number as u8; length];
        one
    };
    let batch: Vec<Acceptance> = (0..2_500).map(guarded).collect();
    let answers = accept(store, &batch, T0).await;
    for (number, answer) in answers.iter().enumerate() {
        let expected =
            if number < 1_500 { new(&batch[number]) } else { duplicate_of(&batch[number - 1_500]) };
        assert_eq!(*answer, expected, "number {number}");
    }
    for number in [0, 1, 7, 500, 999, 1_000, 1_001, 1_499] {
        let one = &batch[number].delivery;
        let kept = store.delivery_body(&ALL, one.id).await.expect("read works").expect("kept");
        assert!(kept == one.body, "the body of number {number}");
    }
    assert_eq!(count(store).await, 2_500);
}
