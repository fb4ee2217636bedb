//! Random requests: nothing panics, and no single bit can be changed.

use proptest::prelude::*;

use super::fixture::{NOW, Request, cases};
use crate::time::Timestamp;
use crate::webhook::{
    Dedupe, Provider, SchemeConfig, SchemeSettings, check_secret, event_type, guards, handshake, redact,
    redact_query,
};

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 2, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_answered(
        values in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..200), 4),
        body in prop::collection::vec(any::<u8>(), 0..300),
        secret in ".{0,80}",
        query in prop::option::of(".{0,60}"),
        url in prop::option::of(".{0,60}"),
        now in any::<i64>(),
    ) {
        for provider in Provider::ALL {
            let config = SchemeConfig::preset(provider);
            let mut request = Request::post(&body);
            (request.query, request.url) = (query.clone(), url.clone());
            for (scheme, value) in config.schemes().iter().zip(values.iter().cycle()) {
                let prefixed = [scheme.prefix.as_bytes(), value].concat();
                request = request.header(&scheme.header, prefixed);
                for name in scheme.headers().skip(1) {
                    request = request.header(name, value);
                }
            }
            let _ = request.verify_at(&config, &[&secret], Timestamp(now));
            let _ = check_secret(&config, &secret);
            request.with(|parts| {
                let verified = crate::webhook::Verified::default();
                let _ = guards(&config, &Dedupe::default(), parts, &verified, uuid::Uuid::nil());
                let _ = (event_type(&config, parts), handshake(&config, parts, &verified, &[]));
                let _ = (redact(&config, parts.headers), redact_query(parts.query.unwrap_or_default()));
            });
        }
    }

    #[test]
    fn no_bit_of_the_body_can_be_changed(at in any::<prop::sample::Index>(), bit in 0_u8..8) {
        for case in cases().into_iter().filter(|case| !case.is_token()) {
            let mut request = case.signed();
            let at = at.index(request.body.len());
            request.body[at] ^= 1_u8 << bit;
            prop_assert!(case.check(&request).is_err(), "{} bit {bit} of byte {at}", case.name);
        }
    }

    #[test]
    fn no_bit_of_the_signature_can_be_changed(at in any::<prop::sample::Index>(), bit in 0_u8..8) {
        for case in cases() {
            let mut request = case.signed();
            let name = case.signature_header();
            let value = request.value(&name).unwrap();
            let at = at.index(value.len());
            let before = value[at];
            value[at] ^= 1_u8 << bit;
            // `a` and `A` are one digit of a hexadecimal signature; a space at an end belongs to no value.
            let same_digit = before.is_ascii_hexdigit() && value[at].eq_ignore_ascii_case(&before);
            if same_digit || value[at].is_ascii_whitespace() || value[at] == b',' || value[at] == b';' {
                continue;
            }
            prop_assert!(case.check(&request).is_err(), "{} bit {bit} of byte {at}", case.name);
        }
    }

    #[test]
    fn any_settings_are_checked_or_refused(header in ".{0,20}", prefix in ".{0,8}", separator in any::<char>(), content in "[{}a-z.]{0,40}") {
        let value = serde_json::json!({
            "header": header, "prefix": prefix, "listSeparator": separator, "signedContent": content,
        });
        if let Ok(settings) = serde_json::from_value::<SchemeSettings>(value) {
            let _ = SchemeConfig::new(Provider::Hmac, &settings);
        }
    }

    #[test]
    fn what_is_signed_anew_verifies(id in "[a-zA-Z0-9_-]{1,40}", offset in -250_000_i64..250_000) {
        for case in cases() {
            let request = case.sign(case.unsigned(&id, NOW), &id, NOW);
            let offset = if case.name == "linear" { offset / 5 } else { offset / 3 };
            let now = Timestamp(NOW.0 + offset);
            prop_assert!(request.verify_at(&case.config, &[&case.secret], now).is_ok(), "{}", case.name);
        }
    }
}
