//! Rates.

use domain::time::DurationMs;
use domain::webhook::Provider;
use engine::{Admission, Policy, Quota, Received, WebhookPolicy, WebhookRateLimit, WebhookRequest};
use serde_json::json;
use testkit::EngineBench;

use super::bench::{github, refusal, send, sender};

/// Endpoints that hold nothing.
fn holds_nothing() -> WebhookPolicy {
    WebhookPolicy { held_bytes_max: 0, ..WebhookPolicy::default() }
}

async fn an_endpoint_has_its_own_rate(bench: EngineBench) {
    let policy = Policy { webhooks: holds_nothing(), ..Policy::default() };
    let bench = EngineBench::with_policy(bench.store.clone(), policy);
    let limit = WebhookRateLimit { requests: 1, per: DurationMs::from_secs(3600), burst: Some(2) };
    let request = WebhookRequest { rate_limit: Some(limit), ..WebhookRequest::new("slow", Provider::GitHub) };
    let slow = sender(&bench.engine.create_webhook(&bench.admin(), request).await.unwrap());
    let free = github(&bench, "free", Vec::new()).await;
    for number in 0..10 {
        let mut forged = slow.push("x", &json!({ "number": number }));
        forged.body.push(b' ');
        assert_eq!(refusal(&send(&bench, slow.id, forged).await), (401, "signature"));
    }
    for number in 0..2 {
        let body = json!({ "number": number });
        assert!(matches!(send(&bench, slow.id, slow.push("x", &body)).await, Received::Accepted { .. }));
    }
    let third = send(&bench, slow.id, slow.push("x", &json!({"number": 2}))).await;
    assert_eq!(refusal(&third), (429, "rate_limited"));
    let Received::Refused(third) = third else { unreachable!("it is refused") };
    assert!(third.retry_after.is_some_and(|wait| wait > DurationMs::from_secs(3_000)), "{third:?}");
    let early = bench.engine.admit_delivery(Some(slow.id), None).await.unwrap();
    assert!(matches!(early, Admission::Refused(_)), "no body is read in vain: {early:?}");
    for number in 0..10 {
        let body = json!({ "number": number });
        assert!(matches!(send(&bench, free.id, free.push("x", &body)).await, Received::Accepted { .. }));
    }
}

on_both_databases!(an_endpoint_has_its_own_rate);

#[tokio::test]
async fn addresses_and_tenants_have_rates_too() {
    let quota = Some(Quota::new(1, DurationMs::from_secs(3600), 2));
    let bounded = |webhooks| {
        let policy = Policy { webhooks, ..Policy::default() };
        async move { EngineBench::with_policy(testkit::database::sqlite_memory().await.store, policy) }
    };
    let bench = bounded(WebhookPolicy { rate_limit_per_address: quota, ..WebhookPolicy::default() }).await;
    let admitted = async |bench: &EngineBench, id, address: &str| {
        let admission = bench.engine.admit_delivery(id, Some(address.parse().unwrap())).await.unwrap();
        matches!(admission, Admission::Admitted(_))
    };
    assert!(admitted(&bench, None, "192.0.2.1").await, "also for what does not exist");
    assert!(admitted(&bench, None, "192.0.2.1").await);
    assert!(!admitted(&bench, None, "192.0.2.1").await);
    assert!(admitted(&bench, None, "192.0.2.2").await);

    let bench = bounded(WebhookPolicy { rate_limit_per_tenant: quota, ..holds_nothing() }).await;
    let (one, two) = (github(&bench, "one", Vec::new()).await, github(&bench, "two", Vec::new()).await);
    for sender in [&one, &two] {
        let answer = send(&bench, sender.id, sender.push("x", &json!(1))).await;
        assert!(matches!(answer, Received::Accepted { .. }), "{answer:?}");
    }
    let third = send(&bench, one.id, one.push("x", &json!(2))).await;
    assert_eq!(refusal(&third), (429, "rate_limited"), "the endpoints of a tenant count together");
}
