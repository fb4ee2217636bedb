//! Every way to spoil a request, on every way to sign one.

use super::fixture::{Case, NOW, Request, cases};
use crate::webhook::Rejection;
use crate::webhook::provider::Provider;

/// A way to spoil a request. `false`: it does not apply to this one.
type Tamper = fn(&Case, &mut Request) -> bool;

const REFUSED: [(&str, Tamper); 19] = [
    ("a bit of the body", |case, request| {
        let at = request.body.len() / 2;
        request.body[at] ^= 1;
        !case.is_token()
    }),
    ("one byte more", |case, request| {
        request.body.push(b'x');
        !case.is_token()
    }),
    ("one byte less", |case, request| {
        request.body.pop();
        !case.is_token()
    }),
    ("no body", |case, request| {
        request.body.clear();
        !case.is_token()
    }),
    ("the body written anew", |case, request| {
        // A form means the same in any order of its fields, and Twilio signs what it means.
        let value: Option<serde_json::Value> = serde_json::from_slice(&request.body).ok();
        let Some(value) = value.filter(|_| !case.is_token()) else { return false };
        request.body = serde_json::to_vec_pretty(&value).unwrap();
        true
    }),
    ("no signature", |case, request| {
        let name = case.signature_header();
        request.remove(&name);
        true
    }),
    ("an empty signature", |case, request| {
        let name = case.signature_header();
        request.value(&name).unwrap().clear();
        true
    }),
    ("the prefix alone", |case, request| {
        let name = case.signature_header();
        *request.value(&name).unwrap() = case.scheme().prefix.as_bytes().to_vec();
        true
    }),
    ("another digit in the signature", |case, request| {
        let name = case.signature_header();
        let value = request.value(&name).unwrap();
        let at = value.len() - 8;
        value[at] = if value[at] == b'7' { b'8' } else { b'7' };
        true
    }),
    ("half a signature", |case, request| {
        let name = case.signature_header();
        let value = request.value(&name).unwrap();
        value.truncate(value.len() - 4);
        true
    }),
    ("more than a signature", |case, request| {
        let name = case.signature_header();
        request.value(&name).unwrap().extend(b"AAAA");
        true
    }),
    ("bytes that are no text", |case, request| {
        let name = case.signature_header();
        request.value(&name).unwrap().extend([0xff, 0xfe]);
        true
    }),
    ("another version", |case, request| {
        let name = case.signature_header();
        let prefix = case.scheme().prefix.to_string();
        let text = String::from_utf8(request.value(&name).unwrap().clone()).unwrap();
        *request.value(&name).unwrap() = text.replace(&prefix, "v9=").into_bytes();
        !prefix.is_empty()
    }),
    ("the header twice", |case, request| {
        let name = case.signature_header();
        let value = request.value(&name).unwrap().clone();
        request.headers.push((name.to_uppercase(), value));
        true
    }),
    ("no time", |case, request| change_time(case, request, "")),
    ("another time", |case, request| change_time(case, request, "1700000001")),
    ("another id", |case, request| {
        let Some(name) = case.scheme().id_header.clone().filter(|_| !case.is_token()) else {
            return false;
        };
        request.value(&name).unwrap().push(b'x');
        true
    }),
    ("another registered address", |case, request| {
        request.url = Some("https://elsewhere.example/hooks/whk_1".to_owned());
        case.config.needs_public_url()
    }),
    ("no registered address", |case, request| {
        request.url = None;
        case.config.needs_public_url()
    }),
];

fn change_time(case: &Case, request: &mut Request, time: &str) -> bool {
    use crate::webhook::TimestampSource;
    let source = case.scheme().timestamp.clone();
    match source {
        TimestampSource::Header(name) if !case.is_token() => {
            *request.value(&name).unwrap() = time.as_bytes().to_vec();
            true
        }
        TimestampSource::Item(prefix) => {
            let name = case.signature_header();
            let text = String::from_utf8(request.value(&name).unwrap().clone()).unwrap();
            let old = format!("{prefix}1700000000");
            assert!(text.contains(&old), "{text}");
            let new = if time.is_empty() { String::new() } else { format!("{prefix}{time}") };
            *request.value(&name).unwrap() = text.replace(&old, &new).into_bytes();
            true
        }
        _ => false,
    }
}

#[test]
fn every_tamper_is_refused_by_every_provider() {
    let mut tried = 0;
    for case in cases() {
        let good = case.signed();
        assert!(case.check(&good).is_ok(), "{}: {:?}", case.name, case.check(&good));
        for (what, tamper) in REFUSED {
            let mut request = good.clone();
            if tamper(&case, &mut request) {
                let answer = case.check(&request);
                assert!(answer.is_err(), "{}: {what} was accepted", case.name);
                tried += 1;
            }
        }
    }
    assert!(tried > 300, "only {tried} pairs were tried");
}

#[test]
fn what_is_not_signed_may_change() {
    for case in cases() {
        let mut request = case.signed();
        for (name, value) in &mut request.headers {
            name.make_ascii_uppercase();
            value.insert(0, b' ');
            value.push(b'\t');
        }
        let request = request
            .header("Host", "elsewhere.example")
            .header("X-Forwarded-Host", "elsewhere.example")
            .header("X-Forwarded-Proto", "http")
            .header("Content-Type", "text/html");
        assert!(case.check(&request).is_ok(), "{}: {:?}", case.name, case.check(&request));
    }
}

#[test]
fn no_secret_lets_nothing_in() {
    for case in cases() {
        let request = case.signed();
        assert_eq!(request.verify(&case.config, &[]), Err(Rejection::SecretMissing), "{}", case.name);
        let other = ["another secret of many bytes", "whsec_YW5vdGhlciBzZWNyZXQgb2YgbWFueSBieXRlcw=="];
        let answer = request.verify(&case.config, &other);
        assert_eq!(answer.map_err(|rejection| rejection.status()), Err(401), "{}", case.name);
    }
    let unset = crate::webhook::SchemeConfig::preset(Provider::Hmac);
    assert!(Request::post(b"x").verify(&unset, &["0123456789abcdef"]).is_err());
}

#[test]
fn a_blank_secret_signs_nothing() {
    for case in cases() {
        let request = case.unsigned("sample1", NOW);
        let scheme = case.scheme();
        let empty_mac = "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad";
        let request = request.header(&scheme.header, format!("{}{empty_mac}", scheme.prefix));
        for blank in ["", "whsec_", "whpk_"] {
            assert!(request.verify(&case.config, &[blank]).is_err(), "{} {blank:?}", case.name);
        }
    }
}

#[test]
fn the_provider_none_takes_everything_and_remembers_no_signature() {
    let config = crate::webhook::SchemeConfig::preset(Provider::None);
    let verified = Request::post(b"").verify(&config, &[]).unwrap();
    assert_eq!(verified, crate::webhook::Verified::default());
}
