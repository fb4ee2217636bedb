//! Samples and their event types.

use super::fixture::{NOW, Request, generic};
use crate::webhook::{Provider, SchemeConfig, SchemeSettings, event_type, sample};

#[test]
fn each_sample_is_of_the_type_that_its_provider_says() {
    for (provider, expected) in [
        (Provider::GitHub, Some("push")),
        (Provider::Stripe, Some("payment_intent.succeeded")),
        (Provider::Slack, Some("app_mention")),
        (Provider::Shopify, Some("orders/create")),
        (Provider::Standard, Some("user.created")),
        (Provider::Svix, Some("user.created")),
        (Provider::Twilio, Some("received")),
        (Provider::Linear, Some("Issue")),
        (Provider::GitLab, Some("Push Hook")),
        (Provider::Square, Some("payment.updated")),
        (Provider::Zoom, Some("meeting.started")),
        (Provider::Discord, Some("APPLICATION_AUTHORIZED")),
        (Provider::PagerDuty, Some("incident.triggered")),
        (Provider::Paddle, Some("transaction.completed")),
        (Provider::Meta, Some("messages")),
        (Provider::HubSpot, Some("contact.creation")),
        (Provider::SendGrid, Some("delivered")),
        (Provider::Razorpay, Some("payment.captured")),
        (Provider::Hmac, None),
        (Provider::None, None),
    ] {
        let made = sample(provider, "id1", NOW);
        assert_eq!(made.event_type.as_deref(), expected, "{provider}");
        let text = String::from_utf8(made.body.clone()).unwrap();
        assert!(!text.contains("{{") && text.contains("id1"), "{provider}: {text}");
        if provider != Provider::Twilio {
            let read: Result<serde_json::Value, _> = serde_json::from_slice(&made.body);
            assert!(read.is_ok(), "{provider}");
        }
        assert_ne!(made, sample(provider, "id2", NOW), "{provider}");
    }
}

#[test]
fn an_endpoint_says_where_its_event_type_stands() {
    let at = |locator: &str| generic(&serde_json::json!({ "header": "X-Sig", "eventType": locator }));
    let request = Request::post(br#"{"kind":"a.b","n":3,"deep":{"x":[true]}}"#).header("x-event", " named ");
    let found = |config: &SchemeConfig| request.with(|parts| event_type(config, parts));
    assert_eq!(found(&at("header:X-Event")).as_deref(), Some("named"));
    assert_eq!(found(&at("field:/kind")).as_deref(), Some("a.b"));
    assert_eq!(found(&at("field:/n")).as_deref(), Some("3"));
    assert_eq!(found(&at("field:/deep/x/0")).as_deref(), Some("true"));
    assert_eq!(found(&at("field:/deep")), None);
    assert_eq!(found(&at("header:X-Other")), None);
    let settings: SchemeSettings = serde_json::from_str(r#"{"eventType":"field:/kind"}"#).unwrap();
    let github = SchemeConfig::new(Provider::GitHub, &settings).unwrap();
    assert_eq!(found(&github).as_deref(), Some("a.b"));
}

#[test]
fn what_could_be_no_name_is_no_event_type() {
    let config = SchemeConfig::preset(Provider::Stripe);
    for body in
        [r#"{"type":"a\nb"}"#.to_owned(), format!(r#"{{"type":"{}"}}"#, "x".repeat(201)), "[]".to_owned()]
    {
        assert_eq!(Request::post(body.as_bytes()).with(|parts| event_type(&config, parts)), None, "{body}");
    }
    let decoded = br#"{"type":"inside"}"#;
    let packed = Request::post(b"\x1f\x8b");
    let headers: Vec<(&str, &[u8])> = Vec::new();
    let parts = crate::webhook::RequestParts::new("POST", "/", &headers, &packed.body).with_decoded(decoded);
    assert_eq!(event_type(&config, &parts).as_deref(), Some("inside"));
}
