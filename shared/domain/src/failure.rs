//! Why an attempt failed, and how failures are grouped.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::names::WorkflowName;
use crate::time::Timestamp;

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

/// The most items of a list that are read: more than any call takes, which says how many it does.
pub const ITEMS_READ_MAX: usize = 20_000;

/// The most values that the items of one list hold together, such as those in the details of errors.
pub const VALUES_READ_MAX: usize = 1_000_000;

/// The longest text that is read as a small value. Whatever is taken is shorter.
pub const SMALL_BYTES_MAX: usize = 256 * 1024;

/// Reads JSON that is small wherever it is right: attributes, and the details of errors. A list of zeros takes sixteen times as much
/// in memory as it is as text, so what is far too long stays text: where its bounds are checked, it is refused like any other that is
/// too long.
pub fn small_value(text: &str) -> serde_json::Result<serde_json::Value> {
    if text.len() > SMALL_BYTES_MAX { Ok(text.into()) } else { serde_json::from_str(text) }
}

/// How many values a value consists of. As values they take many times as much memory as their text.
pub fn values_of(value: &serde_json::Value) -> usize {
    use serde_json::Value;
    match value {
        Value::Array(items) => 1 + items.iter().map(values_of).sum::<usize>(),
        Value::Object(fields) => 1 + fields.values().map(values_of).sum::<usize>(),
        _ => 1,
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

words! {
    serde
    /// Why a job became a dead letter.
    DeadReason {
        /// Every attempt failed.
        RetriesExhausted "retries_exhausted",
        /// The handler said that trying again is useless.
        NonRetryable "non_retryable",
        /// The job lost its worker too often.
        WorkerLost "worker_lost",
        /// The last attempt ran out of time.
        Timeout "timeout",
    }
}

words! {
    /// Where a dead letter is.
    DeadLetterStatus {
        /// Waits for an operator.
        Open "open",
        /// Its job went back to its queue.
        Requeued "requeued",
        /// Kept for audit only.
        Archived "archived",
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

// What operators decide about a kind of failure: dead letters of the same fingerprint.
//
// A decision is stored once. Whether it still holds is decided whenever the group is looked at, from what has died since:
// nothing is written when the failure returns.

/// The most deaths that an ignored group waits for. Deaths are counted up to this many.
pub const IGNORE_COUNT_MAX: u32 = 10_000;

words! {
    /// Where a group stands.
    #[derive(PartialOrd, Ord)]
    GroupState {
        /// Somebody should look at it.
        Open "open",
        /// Its cause is gone, until it returns.
        Resolved "resolved",
        /// Nobody wants to see it for now.
        Ignored "ignored",
    }
}

/// Until when a group is ignored: until any of these has come. Without one, until somebody reopens it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IgnoreUntil {
    /// An instant.
    pub instant: Option<Timestamp>,
    /// So many more dead letters.
    pub count: Option<u32>,
    /// A dead letter of this version of a workflow, or of a later one.
    pub version: Option<IgnoredVersion>,
}

/// The version that is expected to have mended an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IgnoredVersion {
    /// The workflow.
    pub workflow: WorkflowName,
    /// Its version, from 1.
    pub version: u32,
}

/// What somebody decided about a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupDecision {
    /// The state that it was given.
    pub state: GroupState,
    /// How long it is ignored.
    pub until: IgnoreUntil,
    /// Why, for people.
    pub note: Option<String>,
    /// Who decided.
    pub decided_by: String,
    /// When.
    pub decided_at: Timestamp,
}

/// What has died of a group since the last decision about it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DeathsSince {
    /// How many, whatever became of them; counted up to [`IGNORE_COUNT_MAX`].
    pub count: u64,
    /// Whether one of them was of the version that the decision waits for.
    pub is_of_version: bool,
}

/// Where a group stands now, and whether it came back by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupStanding {
    /// The state.
    pub state: GroupState,
    /// Whether a decision stopped to hold by itself.
    pub is_reopened: bool,
}

/// Decides where a group stands.
pub fn standing(decision: Option<&GroupDecision>, deaths: DeathsSince, now: Timestamp) -> GroupStanding {
    let is_over = |decision: &GroupDecision| match decision.state {
        GroupState::Open => false,
        GroupState::Resolved => deaths.count > 0,
        GroupState::Ignored => {
            decision.until.instant.is_some_and(|instant| instant <= now)
                || decision.until.count.is_some_and(|count| deaths.count >= u64::from(count))
                || (decision.until.version.is_some() && deaths.is_of_version)
        }
    };
    match decision {
        None => GroupStanding { state: GroupState::Open, is_reopened: false },
        Some(decision) if is_over(decision) => GroupStanding { state: GroupState::Open, is_reopened: true },
        Some(decision) => GroupStanding { state: decision.state, is_reopened: false },
    }
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

    const NOW: Timestamp = Timestamp(10_000);

    fn decided(state: GroupState, instant: Option<i64>, count: Option<u32>) -> GroupDecision {
        GroupDecision {
            state,
            until: IgnoreUntil { instant: instant.map(Timestamp), count, version: None },
            note: None,
            decided_by: "ops".into(),
            decided_at: Timestamp(1_000),
        }
    }

    #[test]
    fn a_decision_holds_until_the_failure_returns() {
        use GroupState::{Ignored, Open, Resolved};
        let cases = [
            (decided(Resolved, None, None), 0, Resolved, false),
            (decided(Resolved, None, None), 1, Open, true),
            (decided(Open, None, None), 5, Open, false),
            (decided(Ignored, None, None), 10_000, Ignored, false),
            (decided(Ignored, Some(10_001), None), 3, Ignored, false),
            (decided(Ignored, Some(10_000), None), 0, Open, true),
            (decided(Ignored, None, Some(3)), 2, Ignored, false),
            (decided(Ignored, None, Some(3)), 3, Open, true),
            (decided(Ignored, Some(10_001), Some(3)), 3, Open, true),
        ];
        for (decision, count, state, is_reopened) in cases {
            let is = standing(Some(&decision), since(count, false), NOW);
            assert_eq!(is, GroupStanding { state, is_reopened }, "{decision:?} after {count}");
        }
        assert_eq!(standing(None, since(7, false), NOW), GroupStanding { state: Open, is_reopened: false });
    }

    fn since(count: u64, is_of_version: bool) -> DeathsSince {
        DeathsSince { count, is_of_version }
    }

    #[test]
    fn an_error_is_ignored_until_a_version_has_it() {
        use GroupState::{Ignored, Open, Resolved};
        let version = IgnoredVersion { workflow: WorkflowName::trusted("order"), version: 3 };
        let until = |decision: GroupDecision| GroupDecision {
            until: IgnoreUntil { version: Some(version.clone()), ..decision.until },
            ..decision
        };
        let cases = [
            (until(decided(Ignored, None, None)), since(9_999, false), Ignored),
            (until(decided(Ignored, None, None)), since(1, true), Open),
            (until(decided(Ignored, None, Some(3))), since(3, false), Open),
            (until(decided(Ignored, Some(10_000), None)), since(0, false), Open),
            (decided(Ignored, None, None), since(1, true), Ignored),
            (decided(Resolved, None, None), since(0, false), Resolved),
        ];
        for (decision, deaths, state) in cases {
            let is = standing(Some(&decision), deaths, NOW);
            assert_eq!(is.state, state, "{decision:?} after {deaths:?}");
        }
    }

    #[test]
    fn states_have_names() {
        for state in GroupState::ALL {
            assert_eq!(GroupState::parse(state.as_str()), Some(state));
        }
        assert_eq!(GroupState::parse("closed"), None);
    }
}
