//! The scheme of an endpoint as its user writes it.

use serde_json::{Value, json};

use super::fixture::{NOW, PREFIXED_SECRET, Request, TEXT_SECRET};
use crate::webhook::{
    Content, Provider, SchemeConfig, SchemeSettings, Signer, Template, TemplateFault, sign,
};

fn read(provider: Provider, settings: &Value) -> Result<SchemeConfig, Vec<String>> {
    let settings: SchemeSettings =
        serde_json::from_value(settings.clone()).map_err(|error| vec![error.to_string()])?;
    SchemeConfig::new(provider, &settings)
        .map_err(|faults| faults.into_iter().map(|fault| fault.pointer).collect())
}

#[test]
fn a_header_is_enough_and_everything_can_be_said() {
    let plain = read(Provider::Hmac, &json!({ "header": "X-Signature" })).unwrap();
    assert!(!plain.needs_public_url() && !plain.schemes()[0].is_dated());
    let described = json!({
        "header": "X-Sig", "algorithm": "sha1", "encoding": "base64", "prefix": "v1=", "listSeparator": ",",
        "signedContent": "{url}.{timestamp}.{body}", "timestampItem": "t=", "timestampUnit": "ms",
        "tolerance": "10m", "secretEncoding": "hex", "eventType": "field:/kind",
    });
    let full = read(Provider::Hmac, &described).unwrap();
    assert!(full.needs_public_url());
    let settings: SchemeSettings = serde_json::from_value(described.clone()).unwrap();
    assert_eq!(serde_json::to_value(&settings).unwrap(), described, "what was read is shown again");
}

#[test]
fn what_would_look_safe_and_not_be_is_refused() {
    for (settings, pointers) in [
        (json!({}), vec!["/header"]),
        (json!({ "header": "X Y" }), vec!["/header"]),
        (json!({ "header": "X", "timestampHeader": "T" }), vec!["/signedContent"]),
        (json!({ "header": "X", "signedContent": "{timestamp}{body}" }), vec!["/signedContent"]),
        (json!({ "header": "X", "signedContent": "{id}{body}" }), vec!["/signedContent"]),
        (json!({ "header": "X", "idHeader": "I" }), vec!["/idHeader"]),
        (json!({ "header": "X", "tolerance": "5m" }), vec!["/tolerance"]),
        (
            json!({ "header": "X", "timestampHeader": "T", "signedContent": "{timestamp}{body}", "tolerance": "2d" }),
            vec!["/tolerance"],
        ),
        (
            json!({ "header": "X", "timestampHeader": "x", "signedContent": "{timestamp}{body}" }),
            vec!["/timestampHeader"],
        ),
        (json!({ "header": "X", "listSeparator": "a" }), vec!["/listSeparator"]),
        (json!({ "header": "X", "listSeparator": ",", "prefix": "v1," }), vec!["/prefix"]),
        (
            json!({ "header": "X", "timestampItem": "t=", "signedContent": "{timestamp}{body}" }),
            vec!["/timestampItem"],
        ),
        (
            json!({ "header": "X", "listSeparator": ",", "prefix": "t=", "timestampItem": "t=",
                    "signedContent": "{timestamp}{body}" }),
            vec!["/timestampItem"],
        ),
    ] {
        assert_eq!(read(Provider::Hmac, &settings).unwrap_err(), pointers, "{settings}");
    }
    for unknown in [
        json!({ "header": "X", "algorithm": "md5" }),
        json!({ "header": "X", "algorithm": "token" }),
        json!({ "header": "X", "encoding": "plain" }),
        json!({ "header": "X", "colour": "red" }),
        json!({ "header": "X", "signedContent": "{timestamp}" }),
        json!({ "header": "X", "signedContent": "{body}{host}" }),
        json!({ "header": "X", "tolerance": "300" }),
        json!({ "header": "X", "eventType": "/type" }),
    ] {
        assert!(read(Provider::Hmac, &unknown).is_err(), "{unknown}");
    }
}

#[test]
fn presets_take_a_tolerance_and_an_event_type_only() {
    let paddle =
        read(Provider::Paddle, &json!({ "tolerance": "5s", "eventType": "header:X-Event" })).unwrap();
    assert_eq!(paddle.schemes()[0].tolerance.0, 5_000);
    assert_eq!(read(Provider::Stripe, &json!({ "header": "X" })).unwrap_err(), [""]);
    assert_eq!(read(Provider::GitHub, &json!({ "tolerance": "5s" })).unwrap_err(), ["/tolerance"]);
    assert_eq!(read(Provider::Paddle, &json!({ "tolerance": "0s" })).unwrap_err(), ["/tolerance"]);
    for provider in Provider::ALL.iter().filter(|provider| **provider != Provider::Hmac) {
        assert_eq!(read(*provider, &json!({})).unwrap(), SchemeConfig::preset(*provider));
        assert_eq!(Provider::parse(provider.as_str()), Some(*provider));
        assert_eq!(serde_json::to_value(provider).unwrap(), provider.as_str());
    }
}

#[test]
fn templates_of_presets_are_templates() {
    for scheme in Provider::ALL.iter().flat_map(|provider| SchemeConfig::preset(*provider).schemes().to_vec())
    {
        let Content::Template(template) = &scheme.content else { continue };
        assert_eq!(Template::parse(template.as_str()).as_ref(), Ok(template));
    }
    for (text, fault) in [
        ("", TemplateFault::NoBody),
        ("{body", TemplateFault::UnknownPlaceholder),
        ("body}", TemplateFault::UnknownPlaceholder),
        ("{body}{Body}", TemplateFault::UnknownPlaceholder),
        ("{body}{}", TemplateFault::UnknownPlaceholder),
        ("{body}{body}", TemplateFault::Repeated),
    ] {
        assert_eq!(Template::parse(text), Err(fault), "{text}");
    }
    assert_eq!(Template::parse(format!("{}{{body}}", "x".repeat(300))), Err(TemplateFault::TooLong));
}

#[test]
fn secrets_can_be_written_in_three_ways() {
    let bytes = b"0123456789abcdef0123456789abcdef";
    let texts = [
        ("text", String::from_utf8(bytes.to_vec()).unwrap()),
        ("hex", hex::encode(bytes)),
        ("base64", PREFIXED_SECRET["whsec_".len()..].trim_end_matches('=').to_owned()),
    ];
    let mut signatures = texts.map(|(form, text)| {
        let config = read(Provider::Hmac, &json!({ "header": "X", "secretEncoding": form })).unwrap();
        Request::post(b"x").with(|parts| sign(&config, Signer::Secret(&text), "", parts, NOW)).unwrap()[0]
            .1
            .clone()
    });
    signatures.sort();
    assert_eq!(signatures[0], signatures[2]);
    let stripe = SchemeConfig::preset(Provider::Stripe);
    let other = Request::post(b"x").with(|parts| sign(&stripe, Signer::Secret(TEXT_SECRET), "", parts, NOW));
    assert!(other.unwrap()[0].1.starts_with("t=1700000000,v1="));
}
