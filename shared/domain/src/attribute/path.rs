//! Paths into payloads, such as `data.customer.id` or `input."order no"`.

use std::fmt;

use serde_json::Value;

/// The most values that one path takes from a payload.
pub(super) const VALUES_MAX: usize = 16;

/// The most parts of a path behind its root.
pub const PARTS_MAX: usize = 10;

/// The longest part, in bytes.
const PART_BYTES_MAX: usize = 256;

words! {
    /// The payload that a path goes into.
    #[derive(PartialOrd, Ord)]
    PathRoot {
        /// The payload of a job.
        Data "data",
        /// The result of a job.
        Result "result",
        /// The input of an execution.
        Input "input",
        /// The output of an execution.
        Output "output",
    }
}

impl PathRoot {
    /// Whether it belongs to jobs; otherwise to executions.
    pub const fn is_of_jobs(self) -> bool {
        matches!(self, Self::Data | Self::Result)
    }
}

/// A path into a payload.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AttributePath {
    /// The payload.
    pub root: PathRoot,
    /// Names of members, from the outside in. Members of arrays are those of all their elements.
    pub parts: Vec<String>,
}

impl AttributePath {
    /// Reads a path; a sentence says what is expected where it is none.
    pub fn parse(text: &str) -> Result<Self, String> {
        let code_points: Vec<char> = text.chars().take(3_000).collect();
        let end = code_points.iter().position(|one| *one == '.').unwrap_or(code_points.len());
        let word: String = code_points[..end].iter().collect();
        let root = PathRoot::parse(&word)
            .ok_or_else(|| "expected a path that begins with data, result, input or output".to_owned())?;
        let (parts, behind) = read_parts(&code_points, end).map_err(|(_, message)| message)?;
        if behind != code_points.len() {
            return Err(
                "expected names with a dot before each, in quotes where they hold a dot, a blank or a colon"
                    .to_owned(),
            );
        }
        Ok(Self { root, parts })
    }

    /// What lies at the path, at most [`VALUES_MAX`] values that are neither null, arrays nor objects. `payload` is that of
    /// the root.
    pub fn values_in<'a>(&self, payload: &'a Value) -> Vec<&'a Value> {
        let mut found = Vec::new();
        collect(payload, &self.parts, &mut found);
        found
    }
}

fn collect<'a>(value: &'a Value, parts: &[String], found: &mut Vec<&'a Value>) {
    if found.len() == VALUES_MAX {
        return;
    }
    match (value, parts.split_first()) {
        (Value::Array(elements), _) => {
            // An element counts whether it has something there or not, so that the work is bounded.
            for element in elements.iter().take(VALUES_MAX) {
                collect(element, parts, found);
            }
        }
        (Value::Object(members), Some((name, rest))) => {
            if let Some(member) = members.get(name) {
                collect(member, rest, found);
            }
        }
        (Value::Null | Value::Object(_), _) | (_, Some(_)) => {}
        (value, None) => found.push(value),
    }
}

impl fmt::Display for AttributePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.root.as_str())?;
        for part in &self.parts {
            if !part.is_empty() && part.chars().all(is_of_word) {
                write!(f, ".{part}")?;
            } else {
                write!(f, ".\"{}\"", part.replace('\\', "\\\\").replace('"', "\\\""))?;
            }
        }
        Ok(())
    }
}

/// Reads `.part.part` from a place on; answers the parts and the place behind them. A fault has its place.
pub fn read_parts(text: &[char], mut at: usize) -> Result<(Vec<String>, usize), (usize, String)> {
    let begin = at;
    let mut parts = Vec::new();
    while text.get(at) == Some(&'.') {
        let (part, behind) = read_part(text, at + 1)?;
        if parts.len() == PARTS_MAX {
            return Err((at, format!("expected at most {PARTS_MAX} parts in a path")));
        }
        if part.len() > PART_BYTES_MAX || part.chars().any(char::is_control) {
            return Err((
                at,
                format!("expected a name of at most {PART_BYTES_MAX} bytes without control characters"),
            ));
        }
        parts.push(part);
        at = behind;
    }
    if parts.is_empty() {
        return Err((begin, "expected a path, such as data.customer.id".to_owned()));
    }
    Ok((parts, at))
}

fn read_part(text: &[char], begin: usize) -> Result<(String, usize), (usize, String)> {
    let mut at = begin;
    let mut part = String::new();
    if text.get(at) == Some(&'"') {
        loop {
            at += 1;
            match text.get(at) {
                None => return Err((begin, "the quote is not closed".to_owned())),
                Some('"') => return Ok((part, at + 1)),
                Some('\\') => {
                    at += 1;
                    match text.get(at) {
                        Some(one @ ('"' | '\\')) => part.push(*one),
                        _ => return Err((at.min(text.len()), "expected \\\" or \\\\".to_owned())),
                    }
                }
                Some(one) => part.push(*one),
            }
        }
    }
    while let Some(one) = text.get(at).filter(|one| is_of_word(**one)) {
        part.push(*one);
        at += 1;
    }
    if part.is_empty() {
        return Err((begin, "expected the name of a member after the dot".to_owned()));
    }
    Ok((part, at))
}

/// What a part without quotes holds.
fn is_of_word(one: char) -> bool {
    !one.is_whitespace()
        && !one.is_control()
        && !matches!(one, '.' | ':' | ',' | '"' | '(' | ')' | '\\' | '*')
}
