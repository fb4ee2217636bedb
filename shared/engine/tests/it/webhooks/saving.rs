//! Endpoints: saved, changed, tested, and what is wrong with them.

use domain::access::Role;
use domain::problem::ProblemCode;
use domain::time::DurationMs;
use domain::webhook::{Dedupe, Provider, SchemeSettings, TriggerConfig, sample, test_key};
use engine::{EngineError, SecretText, WebhookRateLimit, WebhookRequest};
use serde_json::json;
use store::PageRequest;
use testkit::EngineHarness;

use super::harness::{github, register, trigger, work};

async fn every_fault_is_reported_with_its_pointer(harness: EngineHarness) {
    register(&harness, "deploy").await;
    let request = WebhookRequest {
        name: String::new(),
        secrets: Some(vec![SecretText::new(" "), SecretText::new("aaaaaaaaaaaaaaaaaaaaaaaa")]),
        verify_token: Some(SecretText::new("x")),
        public_url: Some("example.com".to_owned()),
        dedupe: Dedupe { window: Some(DurationMs(1)), ..Dedupe::default() },
        rate_limit: Some(WebhookRateLimit { requests: 0, per: DurationMs::ZERO, burst: Some(0) }),
        max_body: Some(26 * 1024 * 1024),
        respond_with: Some(201),
        triggers: vec![
            TriggerConfig { filter: Some("body.a ==".to_owned()), ..trigger("deploy") },
            TriggerConfig { filter: Some("input.a == 1".to_owned()), ..trigger("nothing") },
            TriggerConfig {
                version: Some(9),
                input: Some(json!({"a": ["${nodes.x}"]})),
                ..trigger("deploy")
            },
        ],
        ..WebhookRequest::new("x", Provider::Hmac)
    };
    let answer = harness.engine.create_webhook(&harness.admin(), request).await;
    let Err(EngineError::Invalid(faults)) = answer else { panic!("{answer:?}") };
    let mut pointers: Vec<&str> = faults.iter().map(|fault| fault.pointer.as_str()).collect();
    pointers.sort_unstable();
    let expected = [
        "/dedupe/window",
        "/maxBody",
        "/name",
        "/publicUrl",
        "/rateLimit/burst",
        "/rateLimit/per",
        "/rateLimit/requests",
        "/respondWith",
        "/scheme/header",
        "/triggers/0/filter",
        "/triggers/1/filter",
        "/triggers/1/workflow",
        "/triggers/2/input/a/0",
        "/triggers/2/version",
        "/verifyToken",
    ];
    assert_eq!(pointers, expected, "{faults:?}");
    let scheme = SchemeSettings { header: Some("x-signature".to_owned()), ..SchemeSettings::default() };
    let weak = WebhookRequest {
        scheme,
        secrets: Some(vec![SecretText::new("aaaaaaaaaaaaaaaaaaaaaaaa")]),
        ..WebhookRequest::new("weak", Provider::Hmac)
    };
    let answer = harness.engine.create_webhook(&harness.admin(), weak).await;
    let Err(EngineError::Invalid(faults)) = answer else { panic!("{answer:?}") };
    assert_eq!(faults[0].pointer, "/secrets/0");
    let signs_url = WebhookRequest {
        secrets: Some(vec![SecretText::new("0123456789abcdef0123456789abcdef")]),
        ..WebhookRequest::new("square", Provider::Square)
    };
    let answer = harness.engine.create_webhook(&harness.admin(), signs_url).await;
    let Err(EngineError::Invalid(faults)) = answer else { panic!("{answer:?}") };
    assert_eq!(faults[0].pointer, "/publicUrl");
}

async fn a_change_keeps_what_it_does_not_name(harness: EngineHarness) {
    register(&harness, "deploy").await;
    let admin = harness.admin();
    let sender = github(&harness, "repo", vec![trigger("deploy"), trigger("deploy")]).await;
    let view = harness.engine.webhook(&admin, sender.id).await.unwrap();
    let ids: Vec<_> = view.config.triggers.iter().map(|trigger| trigger.id.clone().unwrap()).collect();
    assert_eq!(ids, ["deploy", "deploy-2"]);
    assert_eq!(view.path, format!("/hooks/{}", sender.id));
    let request = WebhookRequest::new("renamed", Provider::GitHub);
    let saved =
        harness.engine.update_webhook(&admin, sender.id, request.clone(), Some(view.version)).await.unwrap();
    assert_eq!((saved.view.name.as_str(), saved.view.version), ("renamed", view.version + 1));
    assert_eq!(saved.view.secrets, view.secrets, "the secret stays");
    let stale = harness.engine.update_webhook(&admin, sender.id, request.clone(), Some(view.version)).await;
    assert!(
        matches!(stale, Err(EngineError::Conflict { code: ProblemCode::WebhookVersionConflict, .. })),
        "{stale:?}"
    );
    github(&harness, "other", Vec::new()).await;
    let taken = WebhookRequest { name: "other".to_owned(), ..request };
    let taken = harness.engine.update_webhook(&admin, sender.id, taken, None).await;
    assert!(
        matches!(taken, Err(EngineError::Conflict { code: ProblemCode::WebhookNameTaken, .. })),
        "{taken:?}"
    );
    let unfit = WebhookRequest { public_url: None, ..WebhookRequest::new("renamed", Provider::Svix) };
    let unfit = harness.engine.update_webhook(&admin, sender.id, unfit, None).await;
    // A hexadecimal text happens to be base64 of a length that Svix takes, so only keys of another form are refused.
    assert!(unfit.is_ok(), "{unfit:?}");
    let unfit = harness
        .engine
        .update_webhook(&admin, sender.id, WebhookRequest::new("renamed", Provider::SendGrid), None)
        .await;
    let Err(EngineError::Invalid(faults)) = unfit else { panic!("{unfit:?}") };
    assert_eq!(faults[0].pointer, "/secrets");
}

async fn i13_webhooks_of_others_do_not_exist(harness: EngineHarness) {
    let acme = harness.bound("acme", Role::Operator);
    let umbrella = harness.bound("umbrella", Role::Operator);
    let request = WebhookRequest::new("repo", Provider::GitHub);
    let id = harness.engine.create_webhook(&acme, request.clone()).await.unwrap().view.id;
    let page = PageRequest { limit: 10, after: None };
    assert_eq!(harness.engine.list_webhooks(&acme, None, page).await.unwrap().items.len(), 1);
    assert!(harness.engine.list_webhooks(&umbrella, None, page).await.unwrap().items.is_empty());
    let is_hidden = |error: Option<EngineError>| assert!(matches!(error, Some(EngineError::NotFound { .. })));
    is_hidden(harness.engine.webhook(&umbrella, id).await.err());
    is_hidden(harness.engine.update_webhook(&umbrella, id, request, None).await.err());
    is_hidden(harness.engine.delete_webhook(&umbrella, id).await.err());
    is_hidden(harness.engine.pause_webhook(&umbrella, id, true).await.err());
    is_hidden(harness.engine.test_webhook(&umbrella, id).await.err());
    let viewer = harness.bound("acme", Role::Viewer);
    let refused = harness.engine.delete_webhook(&viewer, id).await;
    assert!(matches!(refused, Err(EngineError::Forbidden { .. })), "{refused:?}");
}

/// Each provider that has a shared secret can be tried out before it sends anything.
async fn a_sample_of_each_provider_is_accepted(harness: EngineHarness) {
    let admin = harness.admin();
    for provider in Provider::ALL.iter().copied() {
        let scheme = SchemeSettings {
            header: (provider == Provider::Hmac).then(|| "x-signature".to_owned()),
            ..SchemeSettings::default()
        };
        let standard = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
        let public = test_key(provider, &[7; 32])
            .filter(|_| matches!(provider, Provider::Discord | Provider::SendGrid));
        let secret = match (&public, provider) {
            (Some(key), _) => key.public_text().to_owned(),
            (None, Provider::Standard | Provider::Svix) => standard.to_owned(),
            (None, _) => "0123456789abcdef0123456789abcdef".to_owned(),
        };
        let secrets = (provider != Provider::None).then(|| vec![SecretText::new(secret)]);
        let public_url = Some("https://hooks.example.com/in".to_owned());
        let request = WebhookRequest {
            scheme,
            secrets,
            public_url,
            ..WebhookRequest::new(provider.as_str(), provider)
        };
        let view = harness.engine.create_webhook(&admin, request).await.unwrap().view;
        assert_eq!(view.is_verified, provider != Provider::None, "{provider}");
        let tested = harness.engine.test_webhook(&admin, view.id).await;
        if public.is_some() {
            let is_refused =
                matches!(tested, Err(EngineError::Conflict { code: ProblemCode::CannotSign, .. }));
            assert!(is_refused, "{provider}: {tested:?}");
            continue;
        }
        let tested = tested.unwrap_or_else(|error| panic!("{provider}: {error}"));
        assert_eq!(tested.event_type, sample(provider, "x", harness.engine.now()).event_type, "{provider}");
    }
    assert!(work(&harness).await.len() >= Provider::ALL.len() - 2);
}

async fn without_a_secret_nothing_can_be_tried(harness: EngineHarness) {
    let admin = harness.admin();
    for provider in [Provider::Stripe, Provider::Discord] {
        let request = WebhookRequest::new(provider.as_str(), provider);
        let view = harness.engine.create_webhook(&admin, request).await.unwrap().view;
        let tested = harness.engine.test_webhook(&admin, view.id).await;
        let is_refused =
            matches!(tested, Err(EngineError::Conflict { code: ProblemCode::WebhookSecretMissing, .. }));
        assert!(is_refused, "{provider}: {tested:?}");
    }
}

on_both_databases!(
    every_fault_is_reported_with_its_pointer,
    a_change_keeps_what_it_does_not_name,
    i13_webhooks_of_others_do_not_exist,
    a_sample_of_each_provider_is_accepted,
    without_a_secret_nothing_can_be_tried,
);
