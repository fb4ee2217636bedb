//! Instants as people write them: RFC 3339, a date, `now`, or `now-15m`.

use crate::time::Timestamp;

const DAY_MS: i64 = 86_400_000;

/// The longest way back or ahead of `now`: ten years.
const OFFSET_MAX_MS: i64 = 3_650 * DAY_MS;

/// What a text for an instant covers: one instant, or a whole day where it is a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InstantSpan {
    /// Where it begins.
    pub from: Timestamp,
    /// The first instant after it.
    pub until: Timestamp,
}

impl InstantSpan {
    /// Reads a text. `now` is what relative times count from.
    pub fn parse(text: &str, now: Timestamp) -> Option<Self> {
        if let Some(rest) = text.strip_prefix("now") {
            return offset(rest).map(|ms| Self::of(Timestamp(now.0.saturating_add(ms))));
        }
        if text.len() == 10 {
            let midnight = Timestamp::parse(&format!("{text}T00:00:00Z"))?;
            return Some(Self { from: midnight, until: Timestamp(midnight.0.saturating_add(DAY_MS)) });
        }
        Timestamp::parse(text).map(Self::of)
    }

    const fn of(instant: Timestamp) -> Self {
        Self { from: instant, until: Timestamp(instant.0.saturating_add(1)) }
    }

    /// Whether it is a single instant.
    pub const fn is_instant(self) -> bool {
        self.until.0.saturating_sub(self.from.0) <= 1
    }
}

/// `-15m`, `+2h`, or nothing.
fn offset(text: &str) -> Option<i64> {
    if text.is_empty() {
        return Some(0);
    }
    let (sign, rest) = match text.split_at_checked(1)? {
        ("-", rest) => (-1, rest),
        ("+", rest) => (1, rest),
        _ => return None,
    };
    let (number, unit) = rest.split_at_checked(rest.len().checked_sub(1)?)?;
    let unit = match unit {
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => DAY_MS,
        _ => return None,
    };
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let ms = number.parse::<i64>().ok()?.checked_mul(unit)?;
    (ms <= OFFSET_MAX_MS).then_some(sign * ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_absolute_relative_or_days() {
        let now = Timestamp(1_000_000_000);
        let from = |text: &str| InstantSpan::parse(text, now).map(|span| span.from.0);
        assert_eq!(from("now"), Some(1_000_000_000));
        assert_eq!(from("now-15m"), Some(1_000_000_000 - 900_000));
        assert_eq!(from("now+2h"), Some(1_000_000_000 + 7_200_000));
        assert_eq!(from("1970-01-02"), Some(DAY_MS));
        assert_eq!(from("1970-01-01T00:00:01Z"), Some(1_000));
        assert!(!InstantSpan::parse("1970-01-02", now).is_some_and(InstantSpan::is_instant));
        for text in [
            "",
            "now-",
            "now-m",
            "now-1",
            "now-1w",
            "now--1m",
            "now-99999999999d",
            "yesterday",
            "nowä",
            "1970-1-2",
        ] {
            assert_eq!(from(text), None, "{text}");
        }
    }
}
