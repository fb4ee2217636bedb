//! Patterns over event types: `push`, `order.*`, `*`.

use std::fmt;

/// The longest pattern, in bytes.
const PATTERN_BYTES_MAX: usize = 200;

/// A pattern in which `*` stands for any text, also none. Everything else stands for itself, case included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventPattern(String);

/// The text was no pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected an event type such as push, with * for any text, of at most 200 bytes")]
pub struct PatternFault;

impl EventPattern {
    /// Reads a pattern.
    pub fn parse(text: &str) -> Result<Self, PatternFault> {
        if text.is_empty() || text.len() > PATTERN_BYTES_MAX || text.chars().any(char::is_control) {
            return Err(PatternFault);
        }
        Ok(Self(text.to_owned()))
    }

    /// Whether an event type is one of these. Only a pattern of nothing but `*` takes a delivery that has none.
    pub fn matches(&self, event_type: Option<&str>) -> bool {
        match event_type {
            Some(text) => is_match(self.0.as_bytes(), text.as_bytes()),
            None => self.0.bytes().all(|byte| byte == b'*'),
        }
    }
}

impl fmt::Display for EventPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Goes back to the last `*` only, so that the work is at most the product of both lengths.
fn is_match(pattern: &[u8], text: &[u8]) -> bool {
    let (mut at, mut seen) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while seen < text.len() {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, seen));
                at += 1;
            }
            Some(&byte) if byte == text[seen] => {
                at += 1;
                seen += 1;
            }
            _ => match star {
                Some((star_at, from)) => {
                    star = Some((star_at, from + 1));
                    at = star_at + 1;
                    seen = from + 1;
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|&byte| byte == b'*')
}
