//! Reading JSON that comes from outside: what serde does not check, and faults that point at their place.
//!
//! The fast path first: only text that fails is read again to find the place of the fault. `scan` looks at the raw text
//! before anything is built from it, `raw` carries parts of it along unread.

mod list;
mod raw;
mod scan;
mod small;

use axum::http::StatusCode;
use domain::error::Fault;
use domain::problem::ProblemCode;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Deserializer};
use serde_path_to_error::{Path, Segment};

use crate::problem::{ApiResult, Problem};

pub(crate) use list::{Item, count_values, list};
pub(crate) use raw::{RawJson, Veil, payloads_are_shown, veiled};
pub(crate) use scan::scan;
pub(crate) use small::{small_value, small_values};

// JSON text into shapes. The fast path first; only text that fails is read again to find the place of the fault.

/// Reads a shape. Text that is no JSON is 400 with line and column, text of another shape 422 with a pointer.
pub(crate) fn parse<T: DeserializeOwned>(text: &str) -> ApiResult<T> {
    serde_json::from_str(text).or_else(|_| explain(text))
}

/// Reads again, slowly, to say what is wrong and where.
fn explain<T: DeserializeOwned>(text: &str) -> ApiResult<T> {
    check_syntax(text)?;
    let mut deserializer = serde_json::Deserializer::from_str(text);
    serde_path_to_error::deserialize(&mut deserializer)
        .map_err(|error| Problem::fault(pointer_of(error.path()), message_of(error.inner())))
}

/// Fails with 400 where the text is no JSON.
pub(crate) fn check_syntax(text: &str) -> ApiResult<()> {
    serde_json::from_str::<IgnoredAny>(text).map(|_| ()).map_err(|error| {
        Problem::new(
            StatusCode::BAD_REQUEST,
            ProblemCode::MalformedJson,
            format!("The body is not valid JSON: {error}."),
        )
    })
}

/// serde's message without the line and column that it ends in: the pointer says more.
fn message_of(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let message = message.strip_suffix(&place).unwrap_or(&message);
    // What the words of a field are called in Rust helps nobody.
    let words = message.strip_prefix("unknown variant `").and_then(|rest| rest.rsplit_once("`, expected "));
    match words {
        Some((_, words)) => format!("expected {}", words.replace('`', "")),
        None => message.to_owned(),
    }
}

/// Reads a field that must not be null where it is there. Tells `null` from an absent field.
pub(crate) fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

// JSON pointers (RFC 6901).

/// Keys longer than this are cut in pointers: they are chosen by the caller.
const KEY_CHARS_MAX: usize = 80;

/// Appends one step to a pointer.
pub(crate) fn push_step(pointer: &mut String, step: &str) {
    pointer.push('/');
    for character in step.chars().take(KEY_CHARS_MAX) {
        match character {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
}

/// A fault at the place to which these steps lead.
pub(crate) fn fault_at(steps: &[&str], message: &str) -> Fault {
    let mut pointer = String::new();
    for step in steps {
        push_step(&mut pointer, step);
    }
    Fault::new(pointer, message)
}

/// The pointer to where serde stopped.
pub(crate) fn pointer_of(path: &Path) -> String {
    let mut pointer = String::new();
    for segment in path {
        match segment {
            Segment::Seq { index } => push_step(&mut pointer, &index.to_string()),
            Segment::Map { key } | Segment::Enum { variant: key } => push_step(&mut pointer, key),
            Segment::Unknown => {}
        }
    }
    pointer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Inner {
        #[expect(dead_code, reason = "only read by serde")]
        count: u32,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Outer {
        #[expect(dead_code, reason = "only read by serde")]
        items: Vec<Inner>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Tier {
        High,
        Normal,
        Low,
    }

    #[test]
    fn a_wrong_word_is_answered_with_the_right_ones() {
        let refused = parse::<Tier>(r#""urgent`, expected""#).expect_err("there is no such tier");
        let problem = serde_json::to_value(refused.shape()).expect("encodes");
        assert_eq!(problem["errors"][0]["message"], "expected one of high, normal, low");
        for (text, tier) in [("high", Tier::High), ("normal", Tier::Normal), ("low", Tier::Low)] {
            let read = parse::<Tier>(&format!("\"{text}\"")).expect("it is one");
            assert_eq!(std::mem::discriminant(&read), std::mem::discriminant(&tier));
        }
    }

    fn fault(text: &str) -> (u16, String, String) {
        let problem =
            serde_json::to_value(parse::<Outer>(text).expect_err("invalid").shape()).expect("encodes");
        (
            problem["status"].as_u64().expect("a number") as u16,
            problem["errors"][0]["pointer"].as_str().unwrap_or_default().to_owned(),
            problem["detail"].as_str().unwrap_or_default().to_owned(),
        )
    }

    #[test]
    fn faults_have_a_status_and_a_place() {
        assert_eq!(fault(r#"{"items":[{"count":1},{"count":"x"}]}"#).1, "/items/1/count");
        assert_eq!(fault(r#"{"items":[{"count":1,"more":2}]}"#).1, "/items/0/more");
        assert_eq!(fault(r#"{"items":[],"extra":true}"#).1, "/extra");
        assert_eq!(fault("[]").0, 422);
        let (status, _, detail) = fault("{\"items\":\n [,]}");
        assert_eq!(status, 400);
        assert!(detail.contains("line 2 column 3"), "{detail}");
        assert_eq!(fault("{\"extra\":1, nonsense").0, 400, "syntax goes before shape");
        assert_eq!(fault("").0, 400);
    }
}
