//! What a paused endpoint, or one over its rate, does not take now: held, and matched once when it does.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use async_trait::async_trait;
use domain::time::DurationMs;
use domain::webhook::{DeliveryStatus, Provider};
use engine::{Policy, Quota, RateLimits, Received, Verdict, WebhookPolicy, WebhookRateLimit, WebhookRequest};
use serde_json::json;
use testkit::EngineHarness;
use tokio::sync::Barrier;

use super::harness::{Sender, executions, github, refusal, register, send, sender, trigger, work};

async fn held(harness: &EngineHarness, sender: &Sender, number: u32) {
    let body = json!({ "number": number });
    let answer = send(harness, sender.id, sender.push("1", &body)).await;
    assert!(matches!(answer, Received::Held { status: 202, .. }), "{answer:?}");
    let again = send(harness, sender.id, sender.push("1", &body)).await;
    assert!(matches!(again, Received::Duplicate { .. }), "a repetition of what is held: {again:?}");
}

async fn of_status(harness: &EngineHarness, status: DeliveryStatus) -> usize {
    harness.deliveries(&format!("status:{}", status.as_str())).await.len()
}

async fn release(harness: &EngineHarness) {
    while harness.engine.release_held_tick().await.unwrap() {}
}

async fn i07_what_came_while_paused_starts_once_after_the_pause(harness: EngineHarness) {
    register(&harness, "deploy").await;
    let admin = harness.admin();
    let sender = github(&harness, "repo", vec![trigger("deploy")]).await;
    harness.engine.pause_webhook(&admin, sender.id, true).await.unwrap();
    for number in 0..3 {
        held(&harness, &sender, number).await;
    }
    release(&harness).await;
    assert!(work(&harness).await.is_empty(), "it is paused");
    assert_eq!(of_status(&harness, DeliveryStatus::Held).await, 3);
    harness.engine.pause_webhook(&admin, sender.id, false).await.unwrap();
    // Two nodes at once, and one that comes back later.
    let other = harness.node(2);
    let (one, two) = tokio::join!(harness.engine.release_held_tick(), other.engine.release_held_tick());
    one.unwrap();
    two.unwrap();
    release(&other).await;
    assert_eq!(of_status(&harness, DeliveryStatus::Held).await, 0);
    let matched = work(&harness).await;
    assert_eq!(matched.len(), 3);
    assert!(matched.iter().all(|one| one.status == DeliveryStatus::Matched), "{matched:?}");
    release(&harness).await;
    assert!(work(&harness).await.is_empty(), "each once");
    assert_eq!(executions(&harness).await.len(), 3);
}

async fn what_is_over_the_rate_waits_for_it(harness: EngineHarness) {
    register(&harness, "deploy").await;
    let limit = WebhookRateLimit { requests: 2, per: DurationMs::from_secs(3600), burst: None };
    let request = |rate_limit| WebhookRequest {
        rate_limit,
        triggers: vec![trigger("deploy")],
        ..WebhookRequest::new("slow", Provider::GitHub)
    };
    let admin = harness.admin();
    let sender = sender(&harness.engine.create_webhook(&admin, request(Some(limit))).await.unwrap());
    for number in 0..2 {
        let answer = send(&harness, sender.id, sender.push("1", &json!({ "number": number }))).await;
        assert!(matches!(answer, Received::Accepted { .. }), "{answer:?}");
    }
    for number in 2..5 {
        held(&harness, &sender, number).await;
    }
    release(&harness).await;
    assert_eq!(work(&harness).await.len(), 2, "the rate allows no more");
    harness.engine.update_webhook(&admin, sender.id, request(None), None).await.unwrap();
    release(&harness).await;
    assert_eq!(work(&harness).await.len(), 3);
    assert_eq!(executions(&harness).await.len(), 5);
}

/// The rates of one of two nodes. What they count first they count when both want to.
struct TwoNodesRates {
    both: Arc<Barrier>,
    is_first: AtomicBool,
    counted: Arc<AtomicUsize>,
}

#[async_trait]
impl RateLimits for TwoNodesRates {
    async fn check(&self, class: &'static str, _key: &str, _quota: Quota) -> Verdict {
        if class == "webhook" {
            self.counted.fetch_add(1, Ordering::Relaxed);
            if self.is_first.swap(false, Ordering::Relaxed) {
                self.both.wait().await;
            }
        }
        Verdict::Allowed
    }
}

async fn nodes_that_release_the_same_deliveries_hardly_spend_their_rate(harness: EngineHarness) {
    let admin = harness.admin();
    let limit = WebhookRateLimit { requests: 100, per: DurationMs::from_secs(3600), burst: None };
    let request =
        WebhookRequest { rate_limit: Some(limit), ..WebhookRequest::new("rated", Provider::GitHub) };
    let sender = sender(&harness.engine.create_webhook(&admin, request).await.unwrap());
    harness.engine.pause_webhook(&admin, sender.id, true).await.unwrap();
    for number in 0..7 {
        held(&harness, &sender, number).await;
    }
    harness.engine.pause_webhook(&admin, sender.id, false).await.unwrap();
    let (both, counted) = (Arc::new(Barrier::new(2)), Arc::new(AtomicUsize::new(0)));
    let node = |seed| {
        let (both, counted) = (Arc::clone(&both), Arc::clone(&counted));
        let rates = TwoNodesRates { both, is_first: AtomicBool::new(true), counted };
        harness.node_with_rates(seed, Arc::new(rates))
    };
    let (one, two) = (node(2), node(3));
    let (first, second) = tokio::join!(one.engine.release_held_tick(), two.engine.release_held_tick());
    first.unwrap();
    second.unwrap();
    assert_eq!(of_status(&harness, DeliveryStatus::Held).await, 0);
    assert_eq!(counted.load(Ordering::Relaxed), 7 + 1, "one is counted by the node that finds it gone");
}

on_both_databases!(
    nodes_that_release_the_same_deliveries_hardly_spend_their_rate,
    i07_what_came_while_paused_starts_once_after_the_pause,
    what_is_over_the_rate_waits_for_it
);

#[tokio::test]
async fn beyond_what_an_endpoint_holds_senders_are_asked_to_retry() {
    let store = testkit::database::sqlite_memory().await.store;
    let webhooks = WebhookPolicy { held_bytes_max: 3_000, ..WebhookPolicy::default() };
    let harness = EngineHarness::with_policy(store, Policy { webhooks, ..Policy::default() });
    let sender = github(&harness, "repo", Vec::new()).await;
    harness.engine.pause_webhook(&harness.admin(), sender.id, true).await.unwrap();
    for number in 0..2 {
        let answer = send(&harness, sender.id, sender.push("1", &json!({ "number": number }))).await;
        assert!(matches!(answer, Received::Held { .. }), "{answer:?}");
    }
    let full = send(&harness, sender.id, sender.push("1", &json!({ "number": 2 }))).await;
    assert_eq!(refusal(&full), (429, "paused"));
    let Received::Refused(full) = full else { unreachable!("it is refused") };
    assert_eq!(full.retry_after, Some(DurationMs::from_secs(60)));
    assert_eq!(of_status(&harness, DeliveryStatus::Held).await, 2);
}
