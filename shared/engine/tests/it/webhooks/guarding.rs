//! Rates.

use domain::time::DurationMs;
use domain::webhook::Provider;
use engine::{Admission, Policy, Quota, Received, WebhookPolicy, WebhookRateLimit, WebhookRequest};
use serde_json::json;
use testkit::EngineHarness;

use super::harness::{github, refusal, send, sender};

/// Endpoints that hold nothing.
fn holds_nothing() -> WebhookPolicy {
    WebhookPolicy { held_bytes_max: 0, ..WebhookPolicy::default() }
}

async fn an_endpoint_has_its_own_rate(harness: EngineHarness) {
    let policy = Policy { webhooks: holds_nothing(), ..Policy::default() };
    let harness = EngineHarness::with_policy(harness.store.clone(), policy);
    let limit = WebhookRateLimit { requests: 1, per: DurationMs::from_secs(3600), burst: Some(2) };
    let request = WebhookRequest { rate_limit: Some(limit), ..WebhookRequest::new("slow", Provider::GitHub) };
    let slow = sender(&harness.engine.create_webhook(&harness.admin(), request).await.unwrap());
    let free = github(&harness, "free", Vec::new()).await;
    for number in 0..10 {
        let mut forged = slow.push("x", &json!({ "number": number }));
        forged.body.push(b' ');
        assert_eq!(refusal(&send(&harness, slow.id, forged).await), (401, "signature"));
    }
    for number in 0..2 {
        let body = json!({ "number": number });
        assert!(matches!(send(&harness, slow.id, slow.push("x", &body)).await, Received::Accepted { .. }));
    }
    let third = send(&harness, slow.id, slow.push("x", &json!({"number": 2}))).await;
    assert_eq!(refusal(&third), (429, "rate_limited"));
    let Received::Refused(third) = third else { unreachable!("it is refused") };
    assert!(third.retry_after.is_some_and(|wait| wait > DurationMs::from_secs(3_000)), "{third:?}");
    let early = harness.engine.admit_delivery(Some(slow.id), None).await.unwrap();
    assert!(matches!(early, Admission::Refused(_)), "no body is read in vain: {early:?}");
    for number in 0..10 {
        let body = json!({ "number": number });
        assert!(matches!(send(&harness, free.id, free.push("x", &body)).await, Received::Accepted { .. }));
    }
}

on_both_databases!(an_endpoint_has_its_own_rate);

#[tokio::test]
async fn addresses_and_tenants_have_rates_too() {
    let quota = Some(Quota::new(1, DurationMs::from_secs(3600), 2));
    let bounded = |webhooks| {
        let policy = Policy { webhooks, ..Policy::default() };
        async move { EngineHarness::with_policy(testkit::database::sqlite_memory().await.store, policy) }
    };
    let harness = bounded(WebhookPolicy { rate_limit_per_address: quota, ..WebhookPolicy::default() }).await;
    let admitted = async |harness: &EngineHarness, id, address: &str| {
        let admission = harness.engine.admit_delivery(id, Some(address.parse().unwrap())).await.unwrap();
        matches!(admission, Admission::Admitted(_))
    };
    assert!(admitted(&harness, None, "192.0.2.1").await, "also for what does not exist");
    assert!(admitted(&harness, None, "192.0.2.1").await);
    assert!(!admitted(&harness, None, "192.0.2.1").await);
    assert!(admitted(&harness, None, "192.0.2.2").await);

    let harness = bounded(WebhookPolicy { rate_limit_per_tenant: quota, ..holds_nothing() }).await;
    let (one, two) = (github(&harness, "one", Vec::new()).await, github(&harness, "two", Vec::new()).await);
    for sender in [&one, &two] {
        let answer = send(&harness, sender.id, sender.push("x", &json!(1))).await;
        assert!(matches!(answer, Received::Accepted { .. }), "{answer:?}");
    }
    let third = send(&harness, one.id, one.push("x", &json!(2))).await;
    assert_eq!(refusal(&third), (429, "rate_limited"), "the endpoints of a tenant count together");
}
