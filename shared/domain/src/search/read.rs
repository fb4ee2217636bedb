//! Values as text, read by the type of their key; and parameters of a list as terms.

use super::fields::{Field, FieldKind, TEXT_BYTES_MAX};
use super::list::SearchList;
use super::{Bound, Term, TermValue, Test};
use crate::time::Timestamp;

/// The most values of one term.
pub(super) const TESTS_MAX: usize = 50;

/// What is wrong with a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParameterFault {
    /// The list has none of this name.
    Unknown,
    /// Its value is wrong; the sentence says what is expected.
    Value(String),
}

/// The term of a parameter such as `status=FAILED,CANCELLED` or `createdAfter=now-1h`. `values` are its values, one each.
pub fn term_of_parameter(
    list: SearchList,
    name: &str,
    values: &[&str],
    now: Timestamp,
) -> Result<Term, ParameterFault> {
    if values.is_empty() || values.len() > TESTS_MAX {
        return Err(ParameterFault::Value(format!("expected 1 to {TESTS_MAX} values")));
    }
    if let Some(field) = list.field(name) {
        if !field.is_many && values.len() > 1 {
            return Err(ParameterFault::Value("expected one value".to_owned()));
        }
        let tests =
            values.iter().map(|text| value_of(field, text).map(Test::Is).map_err(ParameterFault::Value));
        return Ok(Term { key: name.to_owned(), is_negated: false, tests: tests.collect::<Result<_, _>>()? });
    }
    let first = list.instants()[0];
    let (instant, is_after) = match name {
        "from" => (Some(first), true),
        "to" => (Some(first), false),
        _ => match (name.strip_suffix("After"), name.strip_suffix("Before")) {
            (Some(instant), _) => (list.instant(instant), true),
            (_, Some(instant)) => (list.instant(instant), false),
            _ => (None, false),
        },
    };
    let instant = instant.ok_or(ParameterFault::Unknown)?;
    let [text] = values else {
        return Err(ParameterFault::Value("expected one instant".to_owned()));
    };
    let span =
        InstantSpan::parse(text, now).ok_or_else(|| ParameterFault::Value(INSTANT_EXPECTED.to_owned()))?;
    let bound = Some(Bound { value: TermValue::Instant(span.from), is_included: is_after });
    let test = if is_after { Test::Between(bound, None) } else { Test::Between(None, bound) };
    Ok(Term { key: instant.to_owned(), is_negated: false, tests: vec![test] })
}

/// What is expected where an instant is.
pub(super) const INSTANT_EXPECTED: &str =
    "expected an RFC 3339 instant, a date, now, or a time relative to now such as now-15m (s, m, h, d)";

/// A value of a field.
pub(super) fn value_of(field: &Field, text: &str) -> Result<TermValue, String> {
    match field.kind {
        FieldKind::Word(words) if words.contains(&text) => Ok(TermValue::Text(text.to_owned())),
        FieldKind::Word(words) => Err(format!("expected one of {}", words.join(", "))),
        FieldKind::Id(prefix, read) => {
            read(text).map(TermValue::Id).ok_or_else(|| format!("expected {prefix}_ and 32 hex digits"))
        }
        FieldKind::Text(_) if text.len() > TEXT_BYTES_MAX => {
            Err(format!("expected at most {TEXT_BYTES_MAX} bytes"))
        }
        FieldKind::Text(is_possible) if is_possible(text) => Ok(TermValue::Text(text.to_owned())),
        FieldKind::Text(_) => Err(format!("not a possible value of {}", field.name)),
        FieldKind::Integer => {
            text.parse().map(TermValue::Integer).map_err(|_| "expected a whole number".to_owned())
        }
    }
}

// Instants as people write them: RFC 3339, a date, `now`, or `now-15m`.

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
