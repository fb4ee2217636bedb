//! What becomes of requests: accepted, repeated, refused, asked back.

use std::sync::Arc;

use domain::time::DurationMs;
use domain::webhook::{DeliveryStatus, Provider};
use engine::{Admission, EngineError, Received, SecretText, WebhookRequest};
use serde_json::json;
use testkit::{EngineHarness, eventually};

use super::harness::{Sender, accepted, executions, github, refusal, register, send, sender, trigger, work};

async fn a_signed_delivery_starts_an_execution(harness: EngineHarness) {
    register(&harness, "deploy").await;
    let sender = github(&harness, "repo", vec![trigger("deploy")]).await;
    let incoming = sender.push("guid-1", &json!({"ref": "refs/heads/main"}));
    let id = accepted(&harness, sender.id, incoming).await;
    let record = harness.engine.delivery(&harness.admin(), id).await.unwrap();
    assert_eq!(record.status, DeliveryStatus::Accepted);
    assert_eq!(record.event_type.as_deref(), Some("push"));
    assert_eq!(record.provider_event_id.as_deref(), Some("guid-1"));
    assert_eq!(record.remote_address.as_deref(), Some("192.0.2.7"));
    assert!(record.secret_id.is_some());
    assert!(record.headers.contains("x-hub-signature-256") || record.headers.contains("X-Hub-Signature-256"));
    assert!(!record.headers.contains("sha256="), "signatures are not kept: {}", record.headers);
    let matched = work(&harness).await;
    assert_eq!(matched.len(), 1);
    assert_eq!(matched[0].status, DeliveryStatus::Matched);
    let started = executions(&harness).await;
    assert_eq!(started.len(), 1);
    assert_eq!(matched[0].executions, [started[0].id]);
    assert_eq!(started[0].trigger.kind, "webhook");
    let detail = started[0].trigger.detail.clone().unwrap();
    assert!(detail.contains(&id.to_string()) && detail.contains(&sender.id.to_string()), "{detail}");
    let record = harness.engine.delivery(&harness.admin(), id).await.unwrap();
    assert_eq!((record.status, record.executions), (DeliveryStatus::Matched, vec![started[0].id]));
    let body = harness.engine.delivery_body(&harness.admin(), id).await.unwrap();
    assert_eq!(body.as_deref(), Some(&br#"{"ref":"refs/heads/main"}"#[..]));
}

async fn a_repetition_is_answered_with_the_first(harness: EngineHarness) {
    register(&harness, "deploy").await;
    let sender = github(&harness, "repo", vec![trigger("deploy")]).await;
    let body = json!({"ref": "refs/heads/main"});
    let first = accepted(&harness, sender.id, sender.push("guid-1", &body)).await;
    let again = send(&harness, sender.id, sender.push("guid-1", &body)).await;
    assert_eq!(again, Received::Duplicate { delivery_id: first });
    // Whoever has captured the request can change what is not signed, and gains nothing.
    let replayed = send(&harness, sender.id, sender.push("guid-2", &body)).await;
    assert_eq!(replayed, Received::Duplicate { delivery_id: first });
    let other = accepted(&harness, sender.id, sender.push("guid-1", &json!({"ref": "refs/heads/dev"}))).await;
    assert_ne!(other, first);
    work(&harness).await;
    assert_eq!(executions(&harness).await.len(), 2);
}

async fn i06_many_copies_at_once_make_one_execution(harness: EngineHarness) {
    register(&harness, "deploy").await;
    let sender = github(&harness, "repo", vec![trigger("deploy")]).await;
    let body = json!({"ref": "refs/heads/main"});
    let all = (0..200).map(|_| send(&harness, sender.id, sender.push("guid-1", &body)));
    let all = futures::future::join_all(all).await;
    let new = all.iter().filter(|received| matches!(received, Received::Accepted { .. })).count();
    let repeated = all.iter().filter(|received| matches!(received, Received::Duplicate { .. })).count();
    assert_eq!((new, repeated), (1, 199));
    work(&harness).await;
    assert_eq!(executions(&harness).await.len(), 1);
}

async fn forgeries_are_refused_and_kept_for_the_log(harness: EngineHarness) {
    let sender = github(&harness, "repo", Vec::new()).await;
    let forger = Sender { secret: "0123456789abcdef0123456789abcdef".to_owned(), ..sender.clone() };
    let forged = send(&harness, sender.id, forger.push("guid-1", &json!({}))).await;
    assert_eq!(refusal(&forged), (401, "signature"));
    let mut unsigned = sender.push("guid-2", &json!({}));
    unsigned.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("x-hub-signature-256"));
    assert_eq!(send(&harness, sender.id, unsigned).await, forged, "the sender learns nothing");
    let rejected = async || harness.deliveries("status:rejected").await;
    eventually("both are in the log", || async { rejected().await.len() == 2 }).await;
    let mut reasons: Vec<_> = rejected().await.into_iter().map(|row| row.reason).collect();
    reasons.sort();
    assert_eq!(reasons, [Some("signature_mismatch".to_owned()), Some("signature_missing".to_owned())]);
    // A forgery takes no key away from the delivery that it imitates.
    accepted(&harness, sender.id, sender.push("guid-1", &json!({}))).await;
}

async fn what_is_no_delivery_is_distinguished(harness: EngineHarness) {
    let sender = github(&harness, "repo", Vec::new()).await;
    let good = sender.push("guid-1", &json!({}));
    let nobody = domain::id::Id::from_uuid(uuid::Uuid::from_u128(9));
    assert_eq!(refusal(&send(&harness, nobody, good.clone()).await), (404, "unknown"));
    let get = engine::Incoming { method: "GET".to_owned(), ..good.clone() };
    assert_eq!(refusal(&send(&harness, sender.id, get).await), (405, "method"));
    let mut twice = good.clone();
    twice.headers.push(("X-Hub-Signature-256".to_owned(), b"sha256=00".to_vec()));
    assert_eq!(refusal(&send(&harness, sender.id, twice).await), (400, "malformed"));
    let mut long = good.clone();
    long.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("x-hub-signature-256"));
    long.headers.push(("X-Hub-Signature-256".to_owned(), vec![b'0'; 9 * 1024]));
    assert_eq!(refusal(&send(&harness, sender.id, long).await), (431, "header_too_large"));
    let mut packed = good.clone();
    packed.headers.push(("Content-Encoding".to_owned(), b"br".to_vec()));
    assert_eq!(refusal(&send(&harness, sender.id, packed).await), (415, "encoding"));
    let Admission::Admitted(admitted) = harness.engine.admit_delivery(Some(sender.id), None).await.unwrap()
    else {
        panic!("nothing limits rates here");
    };
    assert_eq!(admitted.body_bytes_max(), 1024 * 1024);
    assert_eq!(harness.engine.refuse_too_large(admitted, good).status, 413);
}

async fn handshakes_are_answered_and_start_nothing(harness: EngineHarness) {
    let admin = harness.admin();
    let secret = SecretText::new("8f742231b10e8888abcd99yyyzzz85a5");
    let slack =
        WebhookRequest { secrets: Some(vec![secret]), ..WebhookRequest::new("slack", Provider::Slack) };
    let slack = harness.engine.create_webhook(&admin, slack).await.unwrap().view.id;
    let slack = Sender {
        id: slack,
        provider: Provider::Slack,
        secret: "8f742231b10e8888abcd99yyyzzz85a5".to_owned(),
    };
    harness.engine.pause_webhook(&admin, slack.id, true).await.unwrap();
    let now = harness.engine.now();
    let question = json!({"type": "url_verification", "challenge": "abc123"}).to_string();
    let Received::Handshake(answer) =
        send(&harness, slack.id, slack.signed(&[], question.as_bytes(), now)).await
    else {
        panic!("a handshake, also while it is paused");
    };
    assert_eq!((answer.status, answer.body.as_str()), (200, "abc123"));
    let event = json!({"type": "event_callback", "event_id": "Ev1"}).to_string();
    harness.engine.pause_webhook(&admin, slack.id, false).await.unwrap();
    accepted(&harness, slack.id, slack.signed(&[], event.as_bytes(), now)).await;

    let meta =
        harness.engine.create_webhook(&admin, WebhookRequest::new("meta", Provider::Meta)).await.unwrap();
    let meta = sender(&meta);
    let ask = |token: &str| engine::Incoming {
        method: "GET".to_owned(),
        query: Some(format!("hub.mode=subscribe&hub.verify_token={token}&hub.challenge=77")),
        headers: Vec::new(),
        ..meta.signed(&[], b"", now)
    };
    let Received::Handshake(answer) = send(&harness, meta.id, ask(&meta.secret)).await else {
        panic!("the token is the endpoint's");
    };
    assert_eq!(answer.body, "77");
    assert_eq!(refusal(&send(&harness, meta.id, ask("guess")).await), (403, "challenge"));
}

async fn stale_requests_are_refused(harness: EngineHarness) {
    let request = WebhookRequest::new("svix", Provider::Svix);
    let sender = sender(&harness.engine.create_webhook(&harness.admin(), request).await.unwrap());
    let now = harness.engine.now();
    let at = |seconds: i64| sender.signed(&[], b"{}", now.plus(DurationMs::from_secs(seconds)));
    assert_eq!(refusal(&send(&harness, sender.id, at(-301)).await), (401, "signature"));
    assert_eq!(refusal(&send(&harness, sender.id, at(301)).await), (401, "signature"));
    accepted(&harness, sender.id, at(-299)).await;
}

on_both_databases!(
    a_signed_delivery_starts_an_execution,
    a_repetition_is_answered_with_the_first,
    i06_many_copies_at_once_make_one_execution,
    forgeries_are_refused_and_kept_for_the_log,
    what_is_no_delivery_is_distinguished,
    handshakes_are_answered_and_start_nothing,
    stale_requests_are_refused,
);

/// Own trouble is never the sender's: it comes again.
#[tokio::test]
async fn without_a_store_the_answer_is_an_error_that_may_pass() {
    let database = testkit::database::sqlite_memory().await;
    let harness = EngineHarness::new(Arc::clone(&database.store) as _);
    let sender = github(&harness, "repo", Vec::new()).await;
    let Admission::Admitted(admitted) = harness.engine.admit_delivery(Some(sender.id), None).await.unwrap()
    else {
        panic!("nothing limits rates here");
    };
    harness.store.close().await;
    let answer = harness.engine.receive_delivery(admitted, sender.push("guid-1", &json!({}))).await;
    assert!(matches!(&answer, Err(error @ EngineError::Store(_)) if error.is_retryable()), "{answer:?}");
    harness.clock.advance(DurationMs::from_secs(2));
    let answer = harness.engine.admit_delivery(Some(sender.id), None).await;
    assert!(matches!(&answer, Err(error @ EngineError::Store(_)) if error.is_retryable()), "{answer:?}");
}
