//! What providers ask before they send events.

use super::fixture::{Request, TEXT_SECRET, cases};
use crate::webhook::{
    HandshakeAnswer, HandshakeRefusal, Provider, SchemeConfig, Secret, Verified, challenge, handshake,
};

fn ask(provider: Provider, body: &str) -> Option<Result<HandshakeAnswer, HandshakeRefusal>> {
    let verified = Verified { secret_id: Some("a".to_owned()), ..Verified::default() };
    let secrets = [Secret { id: "b", text: "another" }, Secret { id: "a", text: TEXT_SECRET }];
    let config = SchemeConfig::preset(provider);
    Request::post(body.as_bytes()).with(|parts| handshake(&config, parts, &verified, &secrets))
}

#[test]
fn slack_gets_its_challenge_as_plain_text() {
    let body = |text: &str| serde_json::json!({ "type": "url_verification", "challenge": text }).to_string();
    let answer =
        ask(Provider::Slack, &body("3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P")).unwrap().unwrap();
    assert_eq!((answer.status, answer.content_type), (200, Some("text/plain; charset=utf-8")));
    assert_eq!(answer.body, "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P");
    for bad in
        ["", "<script>alert(1)</script>", "a b", "a\r\nb", &"a".repeat(513), &"a".repeat(10_240), "\u{e9}"]
    {
        let refusal = ask(Provider::Slack, &body(bad)).unwrap().unwrap_err();
        assert_eq!((refusal.status(), refusal.code()), (400, "challenge_malformed"), "{bad}");
    }
    assert!(ask(Provider::Slack, &body(&"a".repeat(512))).unwrap().is_ok());
    assert_eq!(ask(Provider::Slack, r#"{"type":"event_callback","challenge":"x"}"#), None);
    assert_eq!(ask(Provider::GitHub, &body("x")), None, "only Slack's endpoints answer Slack");
}

#[test]
fn zoom_gets_the_proof_of_the_secret_that_signed() {
    let body = |text: &str| {
        serde_json::json!({ "event": "endpoint.url_validation", "payload": { "plainToken": text } })
            .to_string()
    };
    let answer = ask(Provider::Zoom, &body("qgg8vlvZRS6UYooatFL8Aw")).unwrap().unwrap();
    let answered: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(answered["plainToken"], "qgg8vlvZRS6UYooatFL8Aw");
    // Computed with Python's hmac.
    assert_eq!(
        answered["encryptedToken"],
        "b8fc9c4b1920a39d344ad2accf87036e51d526f0d4105d2e69d5e4af7f31565e"
    );
    // A token that could be the signed content of an event would have its signature in the answer.
    for bad in ["v0:1700000000:{}", "", "a:b", "{}"] {
        assert_eq!(ask(Provider::Zoom, &body(bad)), Some(Err(HandshakeRefusal::ChallengeMalformed)), "{bad}");
    }
    assert_eq!(ask(Provider::Zoom, r#"{"event":"meeting.started"}"#), None);
}

#[test]
fn discord_pings_are_answered() {
    assert_eq!(ask(Provider::Discord, r#"{"version":1,"type":0}"#).unwrap().unwrap().status, 204);
    assert_eq!(ask(Provider::Discord, r#"{"type":1,"id":"1"}"#).unwrap().unwrap().body, r#"{"type":1}"#);
    assert_eq!(ask(Provider::Discord, r#"{"type":1,"event":{"type":"X"}}"#), None);
    assert_eq!(ask(Provider::Discord, r#"{"type":2}"#), None);
    assert_eq!(ask(Provider::Discord, "no json"), None);
}

#[test]
fn meta_shows_the_verify_token() {
    let config = SchemeConfig::preset(Provider::Meta);
    let get = |query: &str, token: Option<&str>| {
        let mut request = Request::post(b"").query(query);
        request.method = "GET".to_owned();
        request.with(|parts| challenge(&config, parts, token))
    };
    let good = "hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=meaty%2Bham";
    let answer = get(good, Some("meaty+ham")).unwrap().unwrap();
    assert_eq!((answer.status, answer.body.as_str()), (200, "1158201444"));
    assert_eq!(answer.content_type, Some("text/plain; charset=utf-8"));
    for token in [None, Some(""), Some("meaty ham"), Some("meaty+hams")] {
        let refusal = get(good, token).unwrap().unwrap_err();
        assert_eq!((refusal.status(), refusal), (403, HandshakeRefusal::VerifyTokenMismatch), "{token:?}");
    }
    assert!(get("hub.mode=subscribe&hub.challenge=1", Some("")).unwrap().is_err(), "an empty token is none");
    for query in [
        "hub.mode=subscribe&hub.challenge=%3Cscript%3E&hub.verify_token=t",
        "hub.mode=subscribe&hub.challenge=1&hub.challenge=2&hub.verify_token=t",
        "hub.mode=subscribe&hub.verify_token=t",
    ] {
        assert_eq!(get(query, Some("t")), Some(Err(HandshakeRefusal::ChallengeMalformed)), "{query}");
    }
    assert_eq!(get("hub.mode=unsubscribe", Some("t")), None);
    let other = SchemeConfig::preset(Provider::GitHub);
    let mut request = Request::post(b"").query(good);
    request.method = "GET".to_owned();
    assert_eq!(request.with(|parts| challenge(&other, parts, Some("meaty+ham"))), None);
}

#[test]
fn samples_are_events_and_no_handshakes() {
    for case in cases() {
        let request = case.signed();
        let verified = case.check(&request).unwrap();
        let secrets = [Secret { id: &case.secret, text: &case.secret }];
        assert_eq!(
            request.with(|parts| handshake(&case.config, parts, &verified, &secrets)),
            None,
            "{}",
            case.name
        );
    }
}
