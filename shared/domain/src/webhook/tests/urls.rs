//! Schemes that sign the endpoint's address.

use super::fixture::{Case, NOW, Request, cases};

fn case(name: &str) -> Case {
    cases().into_iter().find(|case| case.name == name).unwrap()
}

fn signed_as(case: &Case, url: &str, received_as: &str) -> bool {
    let mut request = Request::post(b"a=1&b=2");
    request.url = Some(url.to_owned());
    let mut request = case.sign(request, "x", NOW);
    request.url = Some(received_as.to_owned());
    case.check(&request).is_ok()
}

#[test]
fn twilio_may_write_the_port_or_not() {
    let twilio = case("twilio");
    for (signed, registered, good) in [
        ("https://h.example/x", "https://h.example:443/x", true),
        ("https://h.example:443/x", "https://h.example/x", true),
        ("http://h.example:80/x", "http://h.example/x", true),
        ("https://h.example/x", "https://h.example:8443/x", true),
        ("https://h.example:8443/x", "https://h.example/x", false),
        ("https://h.example:80/x", "https://h.example/x", false),
        ("https://[::1]:443/x", "https://[::1]/x", true),
        ("https://u:p@h.example:443/x", "https://u:p@h.example/x", true),
        ("https://h.example/x", "https://h.example/x#rc=3&rt=5000", true),
        ("https://h.example/x", "https://h.example/y", false),
    ] {
        assert_eq!(signed_as(&twilio, signed, registered), good, "{signed} {registered}");
    }
    let square = case("square");
    assert!(signed_as(&square, "https://h.example/x", "https://h.example/x"));
    assert!(!signed_as(&square, "https://h.example:443/x", "https://h.example/x"), "letter by letter");
}

#[test]
fn the_query_as_received_is_part_of_what_twilio_and_hubspot_sign() {
    for name in ["twilio", "hubspot"] {
        let case = case(name);
        let request = Request::post(b"a=1").query("one=1&two=%3A2");
        let mut request = case.sign(request, "x", NOW);
        assert!(case.check(&request).is_ok(), "{name}");
        for query in [None, Some("one=1"), Some("two=%3A2&one=1"), Some("one=1&two=%3A2&three=3")] {
            request.query = query.map(str::to_owned);
            assert!(case.check(&request).is_err(), "{name} {query:?}");
        }
    }
}

#[test]
fn hubspot_decodes_some_escapes_before_it_signs() {
    let hubspot = case("hubspot");
    let mut request = Request::post(b"{}").query("to=a:b/c");
    request = hubspot.sign(request, "x", NOW);
    request.query = Some("to=a%3Ab%2fc".to_owned());
    assert!(hubspot.check(&request).is_ok());
    request.method = "PUT".to_owned();
    assert!(hubspot.check(&request).is_err(), "the method is signed");
}

#[test]
fn a_twilio_body_is_what_was_hashed_or_what_was_sent_as_a_form() {
    use crate::webhook::Rejection;
    use sha2::{Digest, Sha256};
    let twilio = case("twilio");
    let body = br#"{"a":1}"#;
    let hash = hex::encode(Sha256::digest(body));
    let signed = twilio.sign(Request::post(body).query(&format!("bodySHA256={hash}")), "x", NOW);
    assert!(twilio.check(&signed).is_ok());
    let mut other = signed.clone();
    other.body[5] = b'2';
    assert_eq!(twilio.check(&other), Err(Rejection::BodyMismatch));
    let twice = Request::post(body).query(&format!("bodySHA256={hash}&bodySHA256={hash}"));
    assert_eq!(twilio.check(&twilio.sign(twice, "x", NOW)), Err(Rejection::BodyMismatch));
    // A signature of the address alone lets in no body, whatever its type is said to be.
    let mut bare = twilio.sign(Request::post(b""), "x", NOW);
    assert!(twilio.check(&bare).is_ok());
    bare.body = body.to_vec();
    assert!(twilio.check(&bare.header("Content-Type", "application/json")).is_err());
}
