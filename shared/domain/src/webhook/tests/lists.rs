//! Headers with several signatures: rotation, other versions, and bounds.

use super::fixture::{Case, NOW, PREFIXED_SECRET, Request, TEXT_SECRET, cases};
use crate::webhook::{Provider, Rejection, SchemeConfig, Secret, verify};

const OTHER_TEXT: &str = "another secret of many bytes";
const OTHER_PREFIXED: &str = "whsec_YW5vdGhlciBzZWNyZXQgb2YgbWFueSBieXRlcw==";

fn lists() -> Vec<(Case, char)> {
    let separated = cases().into_iter().filter_map(|case| {
        let separator = case.scheme().list_separator?;
        (!case.is_token()).then_some((case, separator))
    });
    separated.collect()
}

#[test]
fn during_a_rotation_either_secret_is_enough_and_the_log_says_which() {
    for case in cases() {
        let request = case.signed();
        let prefixed = case.secret.starts_with("whsec_");
        let other = if prefixed { OTHER_PREFIXED } else { OTHER_TEXT };
        for order in
            [[("old", other), ("new", case.secret.as_str())], [("new", case.secret.as_str()), ("old", other)]]
        {
            let secrets = order.map(|(id, text)| Secret { id, text });
            let verified = request.with(|parts| verify(&case.config, &secrets, parts, NOW)).unwrap();
            assert_eq!(verified.secret_id.as_deref(), Some("new"), "{}", case.name);
        }
    }
}

#[test]
fn one_good_signature_among_others_is_enough() {
    for (case, separator) in lists() {
        let good = case.signed();
        let name = case.signature_header();
        let original = String::from_utf8(good.clone().value(&name).unwrap().clone()).unwrap();
        let prefix = case.scheme().prefix.to_string();
        let bad = format!("{prefix}c2lnbmF0dXJl");
        for list in [
            format!("{original}{separator}{bad}"),
            format!("{bad}{separator}{original}"),
            format!("v0=00{separator}{original}{separator}v9,AAAA"),
            format!("{separator}{original}{separator}{separator}"),
            format!("{original}{separator}{prefix}***"),
        ] {
            let mut request = good.clone();
            *request.value(&name).unwrap() = list.clone().into_bytes();
            assert!(case.check(&request).is_ok(), "{} {list}: {:?}", case.name, case.check(&request));
        }
    }
}

#[test]
fn the_first_signature_of_many_keeps_its_value_as_replay() {
    // A sender that rotates signs twice; taking away the first signature must not make another request of it.
    let config = SchemeConfig::preset(Provider::PagerDuty);
    let plain = Request::post(b"{}");
    let sign = |secret| {
        let headers = plain
            .with(|parts| {
                crate::webhook::sign(&config, crate::webhook::Signer::Secret(secret), "", parts, NOW)
            })
            .unwrap();
        headers[0].1.clone()
    };
    let (one, two) = (sign(TEXT_SECRET), sign(OTHER_TEXT));
    let secrets = [TEXT_SECRET, OTHER_TEXT];
    let both = plain
        .clone()
        .header("X-PagerDuty-Signature", format!("{one},{two}"))
        .verify(&config, &secrets)
        .unwrap();
    let stripped = plain.clone().header("X-PagerDuty-Signature", two).verify(&config, &secrets).unwrap();
    assert_ne!(both.signature, stripped.signature);
    assert_eq!(both.signed, stripped.signed);
    assert!(both.signed.is_some());
}

#[test]
fn sixteen_signatures_are_read_and_seventeen_refused() {
    for (case, separator) in lists() {
        let good = case.signed();
        let name = case.signature_header();
        let original = String::from_utf8(good.clone().value(&name).unwrap().clone()).unwrap();
        for (unknown, answer) in [(15, Ok(())), (16, Err(400))] {
            let mut request = good.clone();
            let others = format!("{separator}v9=00").repeat(unknown);
            *request.value(&name).unwrap() = format!("{original}{others}").into_bytes();
            let found = case.check(&request).map(|_| ()).map_err(|rejection| rejection.status());
            assert_eq!(found, answer, "{} with {unknown} more", case.name);
        }
    }
}

#[test]
fn a_header_over_8_kib_is_too_large_and_a_repeated_one_malformed() {
    for case in cases() {
        for name in case.scheme().headers().map(str::to_owned).collect::<Vec<_>>() {
            let mut request = case.signed();
            request.remove(&name);
            let request = request.header(&name, vec![b'a'; 9 * 1024]);
            assert_eq!(case.check(&request), Err(Rejection::HeaderTooLarge), "{} {name}", case.name);
            let twice = case.signed().header(&name, "1").header(&name, "1");
            assert_eq!(case.check(&twice), Err(Rejection::HeaderRepeated), "{} {name}", case.name);
        }
    }
    assert_eq!(Rejection::HeaderTooLarge.status(), 431);
    assert_eq!(Rejection::HeaderRepeated.status(), 400);
}

#[test]
fn older_and_weaker_versions_are_not_read() {
    let mac = "f2b6652b02692410dbb91049d40a731835ae0e0d3b9f29c79862df3c18ac397f";
    let body = "{\"hello\":\"w\u{f6}rld\",\"n\":1.0}";
    let stripe = SchemeConfig::preset(Provider::Stripe);
    let case = cases().into_iter().find(|case| case.name == "stripe").unwrap();
    let mut request = case.signed();
    let value = request.value("Stripe-Signature").unwrap();
    *value = String::from_utf8(value.clone()).unwrap().replace("v1=", "v0=").into_bytes();
    assert_eq!(request.verify(&stripe, &[TEXT_SECRET]), Err(Rejection::SignatureUnknown));

    let github = SchemeConfig::preset(Provider::GitHub);
    let legacy = Request::post(body.as_bytes()).header("X-Hub-Signature", "sha1=00");
    assert_eq!(legacy.verify(&github, &[TEXT_SECRET]), Err(Rejection::SignatureMissing));
    let upper = Request::post(body.as_bytes())
        .header("X-Hub-Signature-256", format!("sha256={}", mac.to_uppercase()));
    assert!(upper.verify(&github, &[TEXT_SECRET]).is_ok(), "hexadecimal has two cases");

    // Who registers a signing token does not accept it unsigned.
    let gitlab = SchemeConfig::preset(Provider::GitLab);
    let token = Request::post(b"{}").header("X-Gitlab-Token", PREFIXED_SECRET);
    assert!(token.verify(&gitlab, &[PREFIXED_SECRET]).is_err());
}

#[test]
fn an_id_that_could_be_cut_elsewhere_is_refused() {
    let case = cases().into_iter().find(|case| case.name == "standard").unwrap();
    for (id, expected) in [
        ("msg.1700000000", Rejection::IdMalformed),
        ("msg\u{7f}", Rejection::IdMalformed),
        ("", Rejection::IdMissing),
    ] {
        let request = case.sign(case.unsigned("x", NOW), id, NOW);
        assert_eq!(case.check(&request), Err(expected), "{id:?}");
    }
    let long = "m".repeat(257);
    let request = case.sign(case.unsigned("x", NOW), &long, NOW);
    assert_eq!(case.check(&request), Err(Rejection::IdMalformed));
}
