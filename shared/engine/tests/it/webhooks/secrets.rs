//! Secrets: rotated, sealed, sealed again, and shown to nobody.

use std::sync::Arc;

use domain::time::DurationMs;
use domain::webhook::Provider;
use engine::{EngineError, RotateSecret, SealingKeys, SecretText, WebhookRequest};
use serde_json::json;
use store::webhooks::SecretPurpose;
use testkit::EngineHarness;

use super::harness::{Sender, accepted, github, refusal, send, sender, trigger};

const FIRST: &str = "2026a:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const SECOND: &str = "2026b:HxwdGhsYGRYXFBUSExARDg8MDQoLCAkGBwQFAgMAAQE=";

fn keys(texts: &[&str]) -> SealingKeys {
    SealingKeys::parse(texts.iter().copied()).unwrap()
}

fn rotation(overlap: DurationMs) -> RotateSecret {
    RotateSecret { purpose: SecretPurpose::Signature, secret: None, overlap: Some(overlap) }
}

async fn both_secrets_hold_while_they_rotate(harness: EngineHarness) {
    let admin = harness.admin();
    let old = github(&harness, "repo", Vec::new()).await;
    let body = |number: u32| json!({ "number": number });
    accepted(&harness, old.id, old.push("x", &body(0))).await;
    let saved = harness
        .engine
        .rotate_webhook_secret(&admin, old.id, rotation(DurationMs::from_secs(3600)))
        .await
        .unwrap();
    let new = sender(&saved);
    assert_ne!(old.secret, new.secret);
    for number in 1..20 {
        let sender = if number % 2 == 0 { &old } else { &new };
        accepted(&harness, sender.id, sender.push("x", &body(number))).await;
    }
    harness.clock.advance(DurationMs::from_secs(3601));
    assert_eq!(refusal(&send(&harness, old.id, old.push("x", &body(20))).await), (401, "signature"));
    accepted(&harness, new.id, new.push("x", &body(21))).await;
    // Another node sees it as well.
    let node = harness.node(2);
    accepted(&node, new.id, new.push("x", &body(22))).await;
    assert_eq!(refusal(&send(&node, old.id, old.push("x", &body(23))).await), (401, "signature"));
    let weak = RotateSecret { secret: Some(SecretText::new(" ")), ..rotation(DurationMs::ZERO) };
    let weak = harness.engine.rotate_webhook_secret(&admin, old.id, weak).await;
    let Err(EngineError::Invalid(faults)) = weak else { panic!("{weak:?}") };
    assert_eq!(faults[0].pointer, "/secret");
}

async fn secrets_are_sealed_again_under_a_new_key(harness: EngineHarness) {
    let sender = github(&harness, "repo", Vec::new()).await;
    let first = harness.node_with_keys(2, keys(&[FIRST]));
    accepted(&first, sender.id, sender.push("x", &json!({"key": "database"}))).await;
    assert!(!first.engine.reseal_tick().await.unwrap());
    assert!(first.store.secrets_sealed_otherwise("2026a", 10).await.unwrap().is_empty());
    let second = harness.node_with_keys(3, keys(&[SECOND, FIRST]));
    accepted(&second, sender.id, sender.push("x", &json!({"key": "first"}))).await;
    assert!(!second.engine.reseal_tick().await.unwrap());
    let only = harness.node_with_keys(4, keys(&[SECOND]));
    accepted(&only, sender.id, sender.push("x", &json!({"key": "second"}))).await;

    // Without the key nothing can be verified: the sender is asked to retry, and not refused.
    let without = harness.node_with_keys(5, keys(&[FIRST]));
    let answer = send(&without, sender.id, sender.push("x", &json!({"key": "none"}))).await;
    assert_eq!(refusal(&answer), (503, "unavailable"));
    let view = without.engine.webhook(&harness.admin(), sender.id).await.unwrap();
    assert!(view.secrets.unwrap().iter().all(|secret| !secret.is_openable));
    assert!(!without.engine.reseal_tick().await.unwrap(), "what cannot be opened stays as it is");
    accepted(&only, sender.id, sender.push("x", &json!({"key": "still second"}))).await;
}

on_both_databases!(both_secrets_hold_while_they_rotate, secrets_are_sealed_again_under_a_new_key);

/// A secret that can be recognised is given, used, rotated and refused, and then looked for everywhere.
#[tokio::test]
async fn i11_a_secret_is_nowhere_to_be_seen() {
    const CANARY: &str = "canary-5d1f0a77c2-canary";
    let database = testkit::database::sqlite_file().await;
    let harness = EngineHarness::new(Arc::clone(&database.store) as _);
    let admin = harness.admin();
    super::harness::register(&harness, "deploy").await;
    let request = WebhookRequest {
        secrets: Some(vec![SecretText::new(CANARY)]),
        triggers: vec![trigger("deploy")],
        ..WebhookRequest::new("repo", Provider::GitHub)
    };
    let mut seen = vec![format!("{request:?}")];
    let saved = harness.engine.create_webhook(&admin, request.clone()).await.unwrap();
    seen.push(format!("{saved:?}"));
    let sender = Sender { id: saved.view.id, provider: Provider::GitHub, secret: CANARY.to_owned() };
    accepted(&harness, sender.id, sender.push("x", &json!({}))).await;
    let admission = harness.engine.admit_delivery(Some(sender.id), None).await.unwrap();
    seen.push(format!("{admission:?}{:?}{:?}", harness.engine, keys(&[FIRST])));
    let page = store::PageRequest { limit: 10, after: None };
    seen.push(format!("{:?}", harness.engine.list_webhooks(&admin, None, page).await.unwrap()));
    let bad = RotateSecret {
        secret: Some(SecretText::new(format!(" {CANARY}"))),
        ..rotation(DurationMs::from_secs(60))
    };
    seen.push(format!("{bad:?}"));
    let error = harness.engine.rotate_webhook_secret(&admin, sender.id, bad).await.unwrap_err();
    seen.push(format!("{error:?}{error}"));
    let twice = WebhookRequest { secrets: Some(vec![SecretText::new(CANARY); 2]), ..request };
    let error = harness.engine.create_webhook(&admin, twice).await.unwrap_err();
    seen.push(format!("{error:?}{error}"));
    // A sender that shows its secret in a header, or in the query, does not bring it into the log.
    let mut shown = sender.push("y", &json!({"other": true}));
    shown.query = Some(format!("token={CANARY}"));
    shown.headers.push(("X-Gitlab-Token".to_owned(), CANARY.as_bytes().to_vec()));
    let id = accepted(&harness, sender.id, shown).await;
    seen.push(format!("{:?}", harness.engine.delivery(&admin, id).await.unwrap()));
    seen.push(format!("{:?}", harness.engine.match_delivery(id, false, None).await.unwrap()));
    let leaks: Vec<_> = seen.iter().filter(|text| text.contains("canary")).collect();
    assert!(leaks.is_empty(), "{leaks:?}");

    harness.store.close().await;
    let path = std::path::PathBuf::from(database.url.trim_start_matches("sqlite://"));
    let mut all = Vec::new();
    for file in std::fs::read_dir(path.parent().unwrap()).unwrap() {
        all.extend(std::fs::read(file.unwrap().path()).unwrap());
    }
    let holds = |text: &str| all.windows(text.len()).any(|window| window == text.as_bytes());
    assert!(holds("X-Gitlab-Token"), "what is kept in the clear is found");
    // Not the word alone: a column of bulk operations is called so.
    assert!(!holds("5d1f0a77c2"), "the database holds the secret in the clear");
}
