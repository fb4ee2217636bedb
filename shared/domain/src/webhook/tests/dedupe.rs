//! The guards: what is a duplicate, and what is not.

use uuid::Uuid;

use super::fixture::{Case, NOW, Request, cases};
use crate::time::{DurationMs, Timestamp};
use crate::webhook::{Dedupe, DedupeOn, Guards, Provider, SchemeConfig, guards};

const ENDPOINT: Uuid = Uuid::from_u128(1);

fn of(case: &Case, dedupe: &Dedupe, request: &Request, now: Timestamp) -> Guards {
    let verified = request.verify_at(&case.config, &[&case.secret], now).unwrap();
    request.with(|parts| guards(&case.config, dedupe, parts, &verified, ENDPOINT))
}

fn auto(case: &Case, request: &Request) -> Guards {
    of(case, &Dedupe::default(), request, NOW)
}

fn keys(guards: &Guards) -> [Option<[u8; 32]>; 2] {
    [guards.replay.map(|guard| guard.key), guards.delivery.map(|guard| guard.key)]
}

fn is_duplicate(first: &Guards, second: &Guards) -> bool {
    keys(first).iter().zip(keys(second)).any(|(first, second)| first.is_some() && *first == second)
}

#[test]
fn the_same_request_is_a_duplicate_and_another_delivery_is_not() {
    for case in cases() {
        let first = auto(&case, &case.signed());
        assert!(is_duplicate(&first, &auto(&case, &case.signed())), "{}", case.name);
        let other = case.sign(case.unsigned("sample2", NOW), "sample2", NOW);
        assert!(!is_duplicate(&first, &auto(&case, &other)), "{}", case.name);
        let elsewhere = case.signed().verify(&case.config, &[&case.secret]).map(|verified| {
            case.signed()
                .with(|parts| guards(&case.config, &Dedupe::default(), parts, &verified, Uuid::from_u128(2)))
        });
        assert!(!is_duplicate(&first, &elsewhere.unwrap()), "{}: another endpoint", case.name);
    }
}

#[test]
fn a_retry_that_is_signed_anew_is_a_duplicate() {
    let later = Timestamp(NOW.0 + 30 * 60_000);
    for case in cases() {
        let first = auto(&case, &case.signed());
        // Linear writes the time of sending into the body; the others send the same body again.
        let body_at = if case.name == "linear" { later } else { NOW };
        let mut unsigned = case.unsigned("sample1", NOW);
        if case.name == "linear" {
            let text = String::from_utf8(unsigned.body).unwrap();
            unsigned.body = text.replace(&NOW.0.to_string(), &body_at.0.to_string()).into_bytes();
        }
        let retry = of(&case, &Dedupe::default(), &case.sign(unsigned, "sample1", later), later);
        assert_eq!(first.delivery, retry.delivery, "{}", case.name);
        let dated = case.scheme().is_dated();
        assert_eq!(first.replay != retry.replay, dated, "{}", case.name);
    }
}

#[test]
fn changing_what_is_not_signed_does_not_make_a_new_delivery() {
    let unsigned = [
        "X-GitHub-Delivery",
        "X-Shopify-Event-Id",
        "I-Twilio-Idempotency-Token",
        "Linear-Delivery",
        "X-Webhook-Id",
        "X-Razorpay-Event-Id",
    ];
    for case in cases().into_iter().filter(|case| !case.is_token()) {
        let first = auto(&case, &case.signed());
        for change in [None, Some("changed")] {
            let mut request = case.signed();
            for name in unsigned {
                match change {
                    None => request.remove(name),
                    Some(value) => {
                        if let Some(old) = request.value(name) {
                            *old = value.as_bytes().to_vec();
                        }
                    }
                }
            }
            let request = request.header("X-Request-Id", "fresh").header("X-Slack-Retry-Num", "1");
            let second = auto(&case, &request);
            assert_eq!(first.replay, second.replay, "{}", case.name);
            assert!(first.replay.is_some() && is_duplicate(&first, &second), "{}", case.name);
        }
    }
}

#[test]
fn a_batch_is_known_by_its_items() {
    let case = cases().into_iter().find(|case| case.name == "hubspot").unwrap();
    let signed =
        |body: &str| auto(&case, &case.sign(Request::post(body.as_bytes()), "", NOW)).delivery.unwrap().key;
    let first =
        signed(r#"[{"eventId":1,"subscriptionId":2,"attemptNumber":0},{"eventId":3,"subscriptionId":2}]"#);
    let retry =
        signed(r#"[{"eventId":3,"subscriptionId":2},{"eventId":1,"subscriptionId":2,"attemptNumber":1}]"#);
    assert_eq!(first, retry);
    for other in [
        r#"[{"eventId":1,"subscriptionId":2,"attemptNumber":0}]"#,
        r#"[{"eventId":1,"subscriptionId":3},{"eventId":3,"subscriptionId":2}]"#,
        r#"[{"eventId":1,"subscriptionId":2},{"eventId":3}]"#,
        "[]",
        "no json",
    ] {
        assert_ne!(first, signed(other), "{other}");
    }
}

#[test]
fn guards_are_kept_as_long_as_they_can_be_needed() {
    for case in cases() {
        let found = auto(&case, &case.signed());
        let delivery_ms = found.delivery.unwrap().kept_for_ms;
        assert!(delivery_ms >= 24 * 3_600_000, "{}", case.name);
        let scheme = case.scheme();
        match found.replay {
            None => assert!(case.is_token(), "{}", case.name),
            Some(replay) if scheme.is_dated() => {
                assert!(replay.kept_for_ms > 2 * scheme.tolerance.0, "{}", case.name);
            }
            Some(replay) => assert_eq!(replay.kept_for_ms, delivery_ms, "{}", case.name),
        }
    }
    for (name, hours) in [("stripe", 72), ("paddle", 72), ("github", 72), ("standard", 96), ("slack", 24)] {
        let case = cases().into_iter().find(|case| case.name == name).unwrap();
        assert_eq!(auto(&case, &case.signed()).delivery.unwrap().kept_for_ms, hours * 3_600_000, "{name}");
    }
}

#[test]
fn an_endpoint_may_choose() {
    let case = cases().into_iter().find(|case| case.name == "standard").unwrap();
    let by = |on: &str, id: &str, body: &str, header: Option<&str>| {
        let dedupe = Dedupe { on: DedupeOn::parse(on).unwrap(), window: Some(DurationMs::from_secs(3600)) };
        let mut request = Request::post(body.as_bytes());
        if let Some(value) = header {
            request = request.header("X-Key", value);
        }
        of(&case, &dedupe, &case.sign(request, id, NOW), NOW).delivery
    };
    let body = r#"{"n":7,"at":1}"#;
    // Some senders make a new id for each retry.
    assert_ne!(by("auto", "a", body, None), by("auto", "b", body, None));
    assert_eq!(by("body", "a", body, None), by("body", "b", body, None));
    assert_eq!(by("field:/n", "a", body, None), by("field:/n", "b", r#"{"n":7,"at":2}"#, None));
    assert_ne!(by("field:/n", "a", body, None), by("field:/n", "a", r#"{"n":8,"at":1}"#, None));
    assert_eq!(by("field:/gone", "a", body, None), by("body", "b", body, None));
    assert_eq!(by("header:X-Key", "a", body, Some("k")), by("header:X-Key", "b", "{}", Some("k")));
    assert_ne!(by("header:X-Key", "a", body, Some("k")), by("header:X-Key", "a", body, Some("l")));
    assert_eq!(by("none", "a", body, None), None);
    assert_eq!(by("auto", "a", body, None).unwrap().kept_for_ms, 3_600_000);
    let none = Dedupe { on: DedupeOn::None, window: None };
    assert!(of(&case, &none, &case.signed(), NOW).replay.is_some(), "dated signatures are good once");
    let github = cases().into_iter().find(|case| case.name == "github").unwrap();
    assert_eq!(of(&github, &none, &github.signed(), NOW).replay, None);
}

#[test]
fn settings_read_print_and_are_bounded() {
    for text in ["auto", "body", "none", "header:X-Id", "field:/a/b"] {
        let value = serde_json::json!({ "on": text, "window": "1h" });
        let read: Dedupe = serde_json::from_value(value.clone()).unwrap();
        assert_eq!(serde_json::to_value(&read).unwrap(), value);
        assert!(read.check().is_ok());
    }
    for text in ["", "id", "header:", "header:a b", "field:", "field:a", "field:/"] {
        assert!(DedupeOn::parse(text).is_err(), "{text}");
    }
    for window in [DurationMs::from_secs(59), DurationMs::from_secs(31 * 86_400)] {
        let dedupe = Dedupe { on: DedupeOn::Auto, window: Some(window) };
        assert_eq!(dedupe.check().unwrap_err().pointer, "/window");
    }
}

#[test]
fn what_nobody_signed_is_known_by_its_body() {
    let config = SchemeConfig::preset(Provider::None);
    let key = |body: &[u8]| {
        let request = Request::post(body).header("X-Id", "1");
        let verified = request.verify(&config, &[]).unwrap();
        request.with(|parts| guards(&config, &Dedupe::default(), parts, &verified, ENDPOINT))
    };
    assert_eq!(key(b"a"), key(b"a"));
    assert_ne!(key(b"a").delivery, key(b"b").delivery);
    assert_eq!(key(b"a").replay, None);
}
