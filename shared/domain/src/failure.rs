//! Why an attempt failed, and how failures are grouped.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The longest error message that is kept, in bytes. Longer ones are cut at a character boundary.
pub const ERROR_MESSAGE_MAX_BYTES: usize = 8 * 1024;

/// An error as a handler reported it, or as we made it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JobError {
    /// For people.
    pub message: String,
    /// For programs: a short stable word, such as `timeout`, `worker_lost` or the handler's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Whatever else the handler sent, as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<serde_json::Value>,
}

impl JobError {
    /// An error with a code of ours.
    pub fn coded(code: &str, message: impl Into<String>) -> Self {
        Self { message: cut(message.into()), code: Some(code.to_owned()), details: None }
    }

    /// The same error with its message cut to [`ERROR_MESSAGE_MAX_BYTES`].
    #[must_use]
    pub fn bounded(mut self) -> Self {
        self.message = cut(self.message);
        self
    }
}

fn cut(mut message: String) -> String {
    if message.len() > ERROR_MESSAGE_MAX_BYTES {
        let mut end = ERROR_MESSAGE_MAX_BYTES;
        while !message.is_char_boundary(end) {
            end -= 1;
        }
        message.truncate(end);
    }
    message
}

/// Why a job became a dead letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeadReason {
    /// Every attempt failed.
    RetriesExhausted,
    /// The handler said that trying again is useless.
    NonRetryable,
    /// The job lost its worker too often.
    WorkerLost,
    /// The last attempt ran out of time.
    Timeout,
}

impl DeadReason {
    /// All reasons.
    pub const ALL: [Self; 4] = [Self::RetriesExhausted, Self::NonRetryable, Self::WorkerLost, Self::Timeout];

    /// The public and stored name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::RetriesExhausted => "retries_exhausted",
            Self::NonRetryable => "non_retryable",
            Self::WorkerLost => "worker_lost",
            Self::Timeout => "timeout",
        }
    }

    /// The reason with this name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == text)
    }
}

/// Groups failures of the same kind: job type, code, and the message with what varies from one failure to the
/// next (numbers, hex ids, quoted text) replaced. 16 hex digits.
pub fn fingerprint(job_type: &str, error: &JobError) -> String {
    let mut hash = Sha256::new();
    hash.update(job_type.as_bytes());
    hash.update([0]);
    hash.update(error.code.as_deref().unwrap_or_default().as_bytes());
    hash.update([0]);
    hash.update(shape_of(&error.message).as_bytes());
    hex::encode(&hash.finalize()[..8])
}

/// The first line of a message with words that hold a digit replaced by `#` and quoted text by `""`.
fn shape_of(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    let mut unquoted = String::with_capacity(line.len());
    let mut inside = None;
    for character in line.chars() {
        match inside {
            Some(quote) if character == quote => inside = None,
            Some(_) => {}
            None if matches!(character, '"' | '`') => {
                unquoted.push_str("\"\"");
                inside = Some(character);
            }
            None => unquoted.push(character),
        }
    }
    let mut shape = String::with_capacity(unquoted.len());
    for (index, word) in unquoted.split_whitespace().take(40).enumerate() {
        if index > 0 {
            shape.push(' ');
        }
        shape.push_str(if word.bytes().any(|byte| byte.is_ascii_digit()) { "#" } else { word });
    }
    shape
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(message: &str) -> String {
        fingerprint("encode", &JobError { message: message.into(), code: None, details: None })
    }

    #[test]
    fn failures_that_differ_in_numbers_and_names_are_one_group() {
        assert_eq!(print("order 17 not found in 3ms"), print("order 4711 not found in 12ms"));
        assert_eq!(print("no file \"a.mp4\""), print("no file \"b.mp4\""));
        assert_ne!(print("no file"), print("disk full"));
    }

    #[test]
    fn long_messages_are_cut_at_a_character() {
        let error = JobError::coded("x", "ä".repeat(ERROR_MESSAGE_MAX_BYTES));
        assert!(error.message.len() <= ERROR_MESSAGE_MAX_BYTES);
    }
}
