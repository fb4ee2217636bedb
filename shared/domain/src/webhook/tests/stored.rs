//! What of a request is stored: nothing that could be used again.

use super::fixture::{TEXT_SECRET, cases, generic};
use crate::webhook::{REDACTED, redact, redact_query};

#[test]
fn no_signature_survives() {
    for case in cases() {
        let request = case.signed();
        let name = case.signature_header();
        let value = String::from_utf8(request.clone().value(&name).unwrap().clone()).unwrap();
        let kept = request.with(|parts| redact(&case.config, parts.headers));
        assert_eq!(kept.len(), request.headers.len(), "{}", case.name);
        for ((name, shown), (original, _)) in kept.iter().zip(&request.headers) {
            assert_eq!(name, original);
            assert!(!shown.contains(&value) && !shown.contains(TEXT_SECRET), "{} {name}", case.name);
        }
        assert!(kept.iter().any(|(_, shown)| shown == REDACTED), "{}", case.name);
    }
}

#[test]
fn credentials_are_redacted_and_the_rest_is_kept() {
    let config = generic(&serde_json::json!({ "header": "X-Check" }));
    let secret = [
        "X-Check",
        "Authorization",
        "Proxy-Authorization",
        "Cookie",
        "Set-Cookie",
        "X-API-Key",
        "X-Gitlab-Token",
        "X-Hub-Signature",
        "X-Telegram-Bot-Api-Secret-Token",
        "X-Amz-Credential",
        "X-Session-Id",
        "X-Auth-Key",
    ];
    let harmless = [
        "Content-Type",
        "User-Agent",
        "X-GitHub-Event",
        "X-GitHub-Delivery",
        "webhook-id",
        "webhook-timestamp",
        "I-Twilio-Idempotency-Token",
        "X-Slack-Request-Timestamp",
        "Linear-Delivery",
    ];
    let headers: Vec<(&str, &[u8])> =
        secret.iter().chain(&harmless).map(|name| (*name, b"value \xff".as_slice())).collect();
    let kept = redact(&config, &headers);
    for (at, (name, value)) in kept.iter().enumerate() {
        assert_eq!(value == REDACTED, at < secret.len(), "{name}");
    }
    assert_eq!(kept.last().unwrap().1, "value \u{fffd}");
    assert_eq!(
        redact_query("a=1&hub.verify_token=x&api_key=y&Key=z&flag&monkey=1&bodySHA256=00"),
        "a=1&hub.verify_token=[redacted]&api_key=[redacted]&Key=[redacted]&flag&monkey=1&bodySHA256=00"
    );
}
