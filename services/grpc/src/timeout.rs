//! `grpc-timeout`: how long a caller waits for an answer.

use std::time::Duration;

use axum::http::HeaderMap;

/// What the caller asks for; `None` where it says nothing, or nothing that can be read.
pub(crate) fn of(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get("grpc-timeout")?.to_str().ok()?;
    let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    if digits.is_empty() || digits.len() > 8 {
        return None;
    }
    let value: u64 = digits.parse().ok()?;
    Some(match unit {
        "H" => Duration::from_secs(value * 3_600),
        "M" => Duration::from_secs(value * 60),
        "S" => Duration::from_secs(value),
        "m" => Duration::from_millis(value),
        "u" => Duration::from_micros(value),
        "n" => Duration::from_nanos(value),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_distinguished() {
        let read = |text: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert("grpc-timeout", axum::http::HeaderValue::from_static(text));
            of(&headers)
        };
        assert_eq!(read("2M"), Some(Duration::from_mins(2)));
        assert_eq!(read("250m"), Some(Duration::from_millis(250)));
        for text in ["", "5", "m", "-1S", "999999999S", "1x"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
