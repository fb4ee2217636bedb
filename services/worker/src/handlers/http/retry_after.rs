//! `Retry-After`: seconds or an HTTP date (RFC 9110 §10.2.3 and §5.6.7). Pure.

use domain::retry::RETRY_AFTER_MAX;
use domain::time::{DurationMs, Timestamp};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use reqwest::header::{HeaderMap, RETRY_AFTER};

/// The three forms of an HTTP date, all in GMT. The last two are obsolete but must be accepted.
const DATE_FORMS: [&str; 3] =
    ["%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"];

/// How long the server wants us to wait, at most [`RETRY_AFTER_MAX`]; `None` if it does not say, or not clearly.
/// An instant that is past is no wait.
pub(super) fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<DurationMs> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    let wait = if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        // A number that does not fit is larger than the cap in any case.
        text.parse::<i64>().map_or(RETRY_AFTER_MAX, |seconds| DurationMs(seconds.saturating_mul(1_000)))
    } else {
        http_date(text)?.since(now)
    };
    Some(wait.min(RETRY_AFTER_MAX))
}

fn http_date(text: &str) -> Option<Timestamp> {
    let civil = DATE_FORMS.iter().find_map(|form| DateTime::strptime(form, text).ok())?;
    let instant = TimeZone::UTC.to_timestamp(civil).ok()?;
    Some(Timestamp(instant.as_millisecond()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::HeaderValue;

    const DAY_MS: i64 = 86_400_000;

    #[test]
    fn every_form() {
        let now = Timestamp::parse("1994-11-06T08:49:07Z").expect("valid");
        let table = [
            ("0", Some(0)),
            ("120", Some(120_000)),
            (" 7 ", Some(7_000)),
            ("86401", Some(DAY_MS)),
            ("99999999999999999999999", Some(DAY_MS)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(30_000)),
            ("Sunday, 06-Nov-94 08:49:37 GMT", Some(30_000)),
            ("Sun Nov  6 08:49:37 1994", Some(30_000)),
            ("Sun, 06 Nov 1994 08:49:00 GMT", Some(0)),
            ("Fri, 31 Dec 2100 23:59:59 GMT", Some(DAY_MS)),
            ("-5", None),
            ("1.5", None),
            ("soon", None),
            ("", None),
        ];
        for (text, expected) in table {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, HeaderValue::from_str(text).expect("valid"));
            assert_eq!(retry_after(&headers, now).map(|wait| wait.0), expected, "{text:?}");
        }
        assert_eq!(retry_after(&HeaderMap::new(), now), None);
    }
}
