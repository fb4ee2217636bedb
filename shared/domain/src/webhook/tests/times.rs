//! Signed times: how far off they may be, and how they may be spelled.

use super::fixture::{NOW, Request, TEXT_SECRET, cases};
use crate::time::Timestamp;
use crate::webhook::{Provider, Rejection, SchemeConfig, Signer, TimestampUnit, sign};

#[test]
fn the_tolerance_is_two_sided() {
    let mut dated = 0;
    for case in cases() {
        let scheme = case.scheme();
        if !scheme.is_dated() || case.is_token() {
            continue;
        }
        dated += 1;
        let request = case.signed();
        let tolerance = scheme.tolerance.0;
        for (off, expected) in [
            (tolerance, Ok(())),
            (-tolerance, Ok(())),
            (tolerance + 1, Err(Rejection::TimestampPast)),
            (-tolerance - 1, Err(Rejection::TimestampFuture)),
            (365 * 86_400_000, Err(Rejection::TimestampPast)),
            (-365 * 86_400_000, Err(Rejection::TimestampFuture)),
        ] {
            let answer = request.verify_at(&case.config, &[&case.secret], Timestamp(NOW.0 + off));
            assert_eq!(answer.map(|_| ()), expected, "{} {off} ms later", case.name);
        }
    }
    assert!(dated >= 14, "{dated}");
}

#[test]
fn a_time_is_digits_even_when_anything_else_is_signed() {
    let spellings = [
        "1e9",
        "1.7e9",
        "+1700000000",
        "-1700000000",
        "1700000000.0",
        "1_700_000_000",
        "0x6553f100",
        "17000000x0",
        "١٧٠٠٠٠٠٠٠٠",
        "00000000001700000000",
        "9223372036854775807",
        "99999999999999999999",
        "9999999999999999999",
    ];
    for case in cases().into_iter().filter(super::fixture::Case::is_dated) {
        let unit = case.scheme().timestamp_unit;
        if matches!(case.scheme().timestamp, crate::webhook::TimestampSource::Body(_)) {
            continue;
        }
        let (right, wrong) = match unit {
            TimestampUnit::Seconds => ("1700000000", "1700000000000"),
            TimestampUnit::Milliseconds => ("1700000000000", "1700000000"),
        };
        let signed = case.sign_spelled(case.unsigned("msg_1", NOW), right);
        assert!(case.check(&signed).is_ok(), "{}: {:?}", case.name, case.check(&signed));
        for spelling in spellings.into_iter().chain([wrong]) {
            let signed = case.sign_spelled(case.unsigned("msg_1", NOW), spelling);
            let answer = case.check(&signed).expect_err(spelling);
            assert_eq!(answer.status(), 401, "{} {spelling}", case.name);
        }
    }
}

#[test]
fn linear_is_dated_by_its_body_and_not_by_its_header() {
    let config = SchemeConfig::preset(Provider::Linear);
    let signed = |body: &str| {
        let request = Request::post(body.as_bytes()).header("Linear-Timestamp", "1700000000000");
        let headers =
            request.with(|parts| sign(&config, Signer::Secret(TEXT_SECRET), "", parts, NOW)).unwrap();
        let answer = request.header(&headers[0].0, &headers[0].1).verify(&config, &[TEXT_SECRET]);
        answer.map(|verified| verified.timestamp)
    };
    assert_eq!(signed(r#"{"webhookTimestamp":1700000000000}"#), Ok(Some(NOW)));
    for (body, expected) in [
        (r"{}", Rejection::TimestampMissing),
        ("no json", Rejection::TimestampMissing),
        (r#"{"webhookTimestamp":"1700000000000"}"#, Rejection::TimestampMalformed),
        (r#"{"webhookTimestamp":1.7e12}"#, Rejection::TimestampMalformed),
        (r#"{"webhookTimestamp":-1}"#, Rejection::TimestampMalformed),
        (r#"{"webhookTimestamp":18446744073709551615}"#, Rejection::TimestampMalformed),
        (r#"{"webhookTimestamp":1700000000}"#, Rejection::TimestampPast),
        (r#"{"webhookTimestamp":1600000000000}"#, Rejection::TimestampPast),
        (r#"{"webhookTimestamp":1800000000000}"#, Rejection::TimestampFuture),
    ] {
        assert_eq!(signed(body), Err(expected), "{body}");
    }
}
