//! Values as text, read by the type of their key; and parameters of a list as terms.

use super::fields::{Field, FieldKind, TEXT_BYTES_MAX};
use super::instant::InstantSpan;
use super::list::SearchList;
use super::term::{Bound, Term, TermValue, Test};
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
    "expected an RFC 3339 instant, a date, now, or a time from now such as now-15m (s, m, h, d)";

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
