//! Reads the fields of an object: each accessor reports a wrong type at the field's pointer, and what is not known
//! is a fault.

use std::ops::RangeInclusive;

use serde_json::{Map, Value};

use crate::error::Fault;
use crate::job;
use crate::time::{DurationFault, DurationMs};
use crate::workflow::expression::PatternCount;
use crate::workflow::parse::bounds::DELAY_MAX;

/// The most faults that are reported of one definition.
const FAULTS_MAX: usize = 1_000;

/// The faults found so far.
#[derive(Debug, Default)]
pub(super) struct Faults {
    found: Vec<Fault>,
    is_stored: bool,
    /// What the patterns of the definition take so far.
    pub(super) patterns: PatternCount,
}

impl Faults {
    /// Those of a definition that was registered before. It is not judged again by rules of registration: another version
    /// may have had others.
    pub(super) fn of_stored() -> Self {
        Self { is_stored: true, ..Self::default() }
    }

    /// Whether the definition was registered before.
    pub(super) const fn is_stored(&self) -> bool {
        self.is_stored
    }

    /// Adds one.
    pub(super) fn add(&mut self, pointer: impl Into<String>, message: impl Into<String>) {
        if self.found.len() < FAULTS_MAX {
            self.found.push(Fault::new(pointer, message));
        }
    }

    /// Adds one that leaves the definition with a meaning: it breaks a rule of registration.
    pub(super) fn rule(&mut self, pointer: impl Into<String>, message: impl Into<String>) {
        if !self.is_stored {
            self.add(pointer, message);
        }
    }

    /// Whether nothing is wrong.
    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// The faults in the order in which they were found.
    pub(super) fn into_vec(self) -> Vec<Fault> {
        self.found
    }
}

/// A name as a part of a JSON pointer (RFC 6901 §3).
pub(in crate::workflow) fn escape(token: &str) -> String {
    token.replace('~', "~0").replace('/', "~1")
}

/// What kind of JSON a value is, for messages.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a bool",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// An object in the definition.
#[derive(Debug, Clone)]
pub(super) struct Fields<'v> {
    map: &'v Map<String, Value>,
    pointer: String,
}

impl<'v> Fields<'v> {
    /// The value as an object.
    pub(super) fn of(value: &'v Value, pointer: impl Into<String>, faults: &mut Faults) -> Option<Self> {
        let pointer = pointer.into();
        match value {
            Value::Object(map) => Some(Self { map, pointer }),
            other => {
                faults.add(pointer, format!("expected an object, found {}", kind(other)));
                None
            }
        }
    }

    /// Reports the fields that are not among `known`.
    pub(super) fn refuse_unknown(&self, known: &[&str], faults: &mut Faults) {
        for field in self.map.keys().filter(|field| !known.contains(&field.as_str())) {
            let hint = did_you_mean(field, known.iter().copied());
            faults.rule(self.at(field), format!("unknown field `{field}`{hint}"));
        }
    }

    /// The pointer of the object.
    pub(super) fn pointer(&self) -> &str {
        &self.pointer
    }

    /// The pointer of a field.
    pub(super) fn at(&self, field: &str) -> String {
        format!("{}/{}", self.pointer, escape(field))
    }

    /// The field, whatever it is.
    pub(super) fn get(&self, field: &str) -> Option<&'v Value> {
        self.map.get(field)
    }

    /// All fields.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&'v str, &'v Value)> {
        self.map.iter().map(|(field, value)| (field.as_str(), value))
    }

    /// The field; a fault where it is missing.
    pub(super) fn required(&self, field: &str, faults: &mut Faults) -> Option<&'v Value> {
        let value = self.map.get(field);
        if value.is_none() {
            faults.add(self.pointer.clone(), format!("`{field}` is required"));
        }
        value
    }

    /// An object.
    pub(super) fn object(&self, field: &str, faults: &mut Faults) -> Option<Fields<'v>> {
        Fields::of(self.get(field)?, self.at(field), faults)
    }

    /// A string.
    pub(super) fn text(&self, field: &str, faults: &mut Faults) -> Option<&'v str> {
        let value = self.get(field)?;
        let text = value.as_str();
        if text.is_none() {
            faults.add(self.at(field), format!("expected a string, found {}", kind(value)));
        }
        text
    }

    /// A list.
    pub(super) fn list(&self, field: &str, faults: &mut Faults) -> Option<&'v [Value]> {
        match self.get(field)? {
            Value::Array(items) => Some(items),
            other => {
                faults.add(self.at(field), format!("expected a list, found {}", kind(other)));
                None
            }
        }
    }

    /// True or false.
    pub(super) fn flag(&self, field: &str, faults: &mut Faults) -> Option<bool> {
        let value = self.get(field)?;
        let flag = value.as_bool();
        if flag.is_none() {
            faults.add(self.at(field), format!("expected true or false, found {}", kind(value)));
        }
        flag
    }

    /// A whole number in a range.
    pub(super) fn whole(&self, field: &str, range: RangeInclusive<u32>, faults: &mut Faults) -> Option<u32> {
        let value = self.get(field)?;
        let whole = value
            .as_u64()
            .and_then(|number| u32::try_from(number).ok())
            .filter(|number| faults.is_stored() || range.contains(number));
        if whole.is_none() {
            let (start, end) = range.into_inner();
            faults.add(self.at(field), format!("expected a whole number from {start} to {end}"));
        }
        whole
    }

    /// A duration with units.
    pub(super) fn duration(&self, field: &str, faults: &mut Faults) -> Option<DurationMs> {
        let value = self.get(field)?;
        let duration = value.as_str().and_then(|text| DurationMs::parse(text).ok());
        if duration.is_none() {
            faults.add(self.at(field), DurationFault.to_string());
        }
        duration
    }

    /// A wait: a duration of at most [`DELAY_MAX`].
    pub(super) fn delay(&self, field: &str, faults: &mut Faults) -> Option<DurationMs> {
        let delay = self.duration(field, faults)?;
        if delay > DELAY_MAX && !faults.is_stored() {
            faults.add(self.at(field), format!("at most a year ({DELAY_MAX})"));
            return None;
        }
        Some(delay)
    }

    /// How long a start may take: a duration above zero and of at most ten years.
    pub(super) fn expires_in(&self, faults: &mut Faults) -> Option<DurationMs> {
        let expires_in = self.duration("expiresIn", faults)?;
        if !job::is_valid(expires_in) && !faults.is_stored() {
            faults.add(self.at("expiresIn"), "expected a duration above zero and of at most ten years");
            return None;
        }
        Some(expires_in)
    }

    /// A timeout: a duration above zero.
    pub(super) fn timeout(&self, field: &str, faults: &mut Faults) -> Option<DurationMs> {
        let timeout = self.duration(field, faults)?;
        if timeout == DurationMs::ZERO {
            faults.add(self.at(field), "a timeout has to be longer than zero");
            return None;
        }
        Some(timeout)
    }
}

// Finds the word that somebody probably meant.

/// The candidate closest to `word`, where one is close.
pub(super) fn closest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let word = plain(word);
    if word.len() > 64 {
        return None;
    }
    candidates
        .into_iter()
        .map(|candidate| (distance(&word, &plain(candidate)), candidate))
        .filter(|(distance, candidate)| *distance <= 1 + candidate.len() / 5)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// ` (did you mean …?)`, or nothing.
pub(super) fn did_you_mean<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> String {
    closest(word, candidates).map(|meant| format!("; did you mean `{meant}`?")).unwrap_or_default()
}

/// `depends_on` and `dependsOn` are the same word.
fn plain(word: &str) -> Vec<u8> {
    word.bytes().filter(u8::is_ascii_alphanumeric).map(|byte| byte.to_ascii_lowercase()).collect()
}

/// The edit distance where swapping two neighbors is one edit (optimal string alignment).
fn distance(from: &[u8], to: &[u8]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=to.len()).collect();
    for (index, left) in from.iter().enumerate() {
        let mut row = vec![index + 1];
        for (column, right) in to.iter().enumerate() {
            let replaced = last[column] + usize::from(left != right);
            let mut least = replaced.min(last[column + 1] + 1).min(row[column] + 1);
            let is_swap = index > 0 && column > 0 && from[index - 1] == *right && to[column - 1] == *left;
            if is_swap {
                least = least.min(before[column - 1] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_recognized_and_other_words_are_not() {
        let words = ["wait", "charge", "dependsOn", "SERVICE_TASK", "maxConcurrent"];
        let table = [
            ("wiat", Some("wait")),
            ("chrage", Some("charge")),
            ("depends_on", Some("dependsOn")),
            ("dependOn", Some("dependsOn")),
            ("service-task", Some("SERVICE_TASK")),
            ("maxConcurrnet", Some("maxConcurrent")),
            ("what", None),
            ("stop", None),
            ("", None),
        ];
        for (word, meant) in table {
            assert_eq!(closest(word, words), meant, "{word}");
        }
    }
}
