//! Sending events: what is refused, and what came before.

use domain::access::Role;
use domain::time::DurationMs;
use domain::webhook::{DeliverySource, DeliveryStatus};
use engine::EngineError;
use serde_json::json;
use testkit::EngineHarness;

use super::harness::{delivery, event, event_with_id, send, work};

async fn i01_an_event_is_a_delivery_of_its_own(harness: EngineHarness) {
    let sent = send(&harness, event("order.paid", &json!({"order": 7}))).await;
    let record = delivery(&harness, sent.delivery_id).await;
    assert_eq!((record.source(), record.status), (DeliverySource::Event, DeliveryStatus::Accepted));
    assert_eq!(record.event_type.as_deref(), Some("order.paid"));
    let body = harness.engine.delivery_body(&harness.admin(), record.id).await.unwrap();
    assert_eq!(body.as_deref(), Some(br#"{"order":7}"#.as_slice()));
    assert_eq!(work(&harness).await[0].status, DeliveryStatus::Unmatched);
}

async fn i07_the_same_name_and_id_within_a_day_is_one_event(harness: EngineHarness) {
    let again = || event_with_id("order.paid", "evt-1", &json!({"n": 1}));
    let first = send(&harness, again()).await;
    assert!(!first.is_deduplicated);
    let second = send(&harness, again()).await;
    assert_eq!((second.delivery_id, second.is_deduplicated), (first.delivery_id, true));
    assert!(!send(&harness, event_with_id("order.lost", "evt-1", &json!(1))).await.is_deduplicated);
    let batch = vec![again(), event_with_id("a", "x", &json!(1)), event_with_id("a", "x", &json!(2))];
    let sent = harness.engine.send_events(&harness.admin(), batch).await.unwrap();
    let known: Vec<bool> = sent.iter().map(|sent| sent.is_deduplicated).collect();
    assert_eq!(known, [true, false, true]);
    assert_eq!(sent[1].delivery_id, sent[2].delivery_id);
    harness.clock.advance(DurationMs::from_secs(24 * 3_600));
    assert!(!send(&harness, again()).await.is_deduplicated, "a day later it is another one");
}

async fn i13_events_stay_within_the_tenant(harness: EngineHarness) {
    let (acme, other) = (harness.bound("acme", Role::Client), harness.bound("other", Role::Client));
    let one = || vec![event_with_id("order.paid", "1", &json!(1))];
    let sent = harness.engine.send_events(&acme, one()).await.unwrap();
    assert!(harness.engine.delivery(&other, sent[0].delivery_id).await.is_err());
    assert!(!harness.engine.send_events(&other, one()).await.unwrap()[0].is_deduplicated);
    let viewer = harness.bound("acme", Role::Viewer);
    let refused = harness.engine.send_events(&viewer, one()).await;
    assert!(matches!(refused, Err(EngineError::Forbidden { .. })), "{refused:?}");
}

async fn what_an_event_carries_is_bounded(harness: EngineHarness) {
    let large = json!("x".repeat(1024 * 1024));
    let refused = harness.engine.send_events(&harness.admin(), vec![event("a", &large)]).await;
    let Err(EngineError::Invalid(faults)) = refused else { panic!("it is refused: {refused:?}") };
    assert_eq!(faults[0].pointer, "/data");
    let pair = vec![event("a", &json!(1)), event("b", &large)];
    let refused = harness.engine.send_events(&harness.admin(), pair).await;
    let Err(EngineError::Invalid(faults)) = refused else { panic!("it is refused: {refused:?}") };
    assert_eq!(faults[0].pointer, "/events/1/data");
    assert!(work(&harness).await.is_empty(), "all or none");
}

on_both_databases!(
    i01_an_event_is_a_delivery_of_its_own,
    i07_the_same_name_and_id_within_a_day_is_one_event,
    i13_events_stay_within_the_tenant,
    what_an_event_carries_is_bounded,
);
