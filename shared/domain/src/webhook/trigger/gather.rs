//! Starts that do not follow from one event alone: what is debounced, batched, or waits its turn.
//!
//! Pure decisions over what is known of a key. Rows, locks and the clock are the store's; how many may start is
//! counted by [`StartCount`](crate::rate::StartCount).

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::id::ExecutionId;
use crate::rate::Rate;
use crate::time::{DurationMs, Timestamp};

/// The most events of a batch.
pub const BATCH_SIZE_MAX: u32 = 1_000;
/// The most events that a debounce makes one start of; with the next one another begins.
const DEBOUNCED_MAX: u32 = 10_000;
/// So many times the period of a debounce is its timeout where it has none.
const DEBOUNCE_TIMEOUT_FACTOR: i64 = 10;

/// One execution for events that come close to each other, with the last one's input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DebounceConfig {
    /// How long no further event may come.
    pub period: DurationMs,
    /// Which events belong together, with `${…}`; all of the trigger where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// How long after the first event it starts at the latest; ten periods where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<DurationMs>,
}

impl DebounceConfig {
    /// How long after the first event it starts at the latest.
    pub fn timeout(&self) -> DurationMs {
        self.timeout.unwrap_or(DurationMs(self.period.0.saturating_mul(DEBOUNCE_TIMEOUT_FACTOR)))
    }
}

/// So many starts in any period; the others wait their turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ThrottleConfig {
    /// How many.
    pub rate: Rate,
    /// Which starts count together, with `${…}`; all of the trigger where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// One execution for several events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BatchConfig {
    /// How many events at most.
    pub max_size: u32,
    /// How long after the first event it starts at the latest.
    pub timeout: DurationMs,
    /// Which events belong together, with `${…}`; all of the trigger where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// How events of a key become one start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gathering {
    /// The last one stands for all, once none came for a while.
    Debounce {
        /// How long none may come.
        period: DurationMs,
        /// How long after the first at the latest.
        timeout: DurationMs,
    },
    /// All of them together.
    Batch {
        /// How many at most.
        size_max: u32,
        /// How many bytes at most; one event alone may be larger.
        bytes_max: u64,
        /// How long after the first at the latest.
        timeout: DurationMs,
    },
}

/// What was gathered so far for a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gathered {
    /// When the first event came.
    pub first_at: Timestamp,
    /// When it starts, as things stand.
    pub due_at: Timestamp,
    /// How many events there are.
    pub count: u32,
    /// How large they are together.
    pub bytes: u64,
}

/// What becomes of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Admission {
    /// Whether what was gathered before starts without it.
    pub seals: bool,
    /// How things stand with it: those of before and this one, or this one alone.
    pub gathered: Gathered,
}

impl Gathering {
    /// Adds an event that came at `now` to what is gathered. What is due by then starts without it.
    pub fn add(self, before: Option<Gathered>, bytes: u64, now: Timestamp) -> Admission {
        let joined = before.filter(|before| before.due_at > now && self.has_room(*before, bytes));
        let first_at = joined.map_or(now, |before| before.first_at);
        let count = joined.map_or(1, |before| before.count.saturating_add(1));
        let bytes = joined.map_or(bytes, |before| before.bytes.saturating_add(bytes));
        let due_at = match self {
            Self::Debounce { period, timeout } => now.plus(period).min(first_at.plus(timeout)),
            Self::Batch { size_max, timeout, .. } if count < size_max => first_at.plus(timeout),
            Self::Batch { .. } => now,
        };
        let seals = before.is_some() && joined.is_none();
        Admission { seals, gathered: Gathered { first_at, due_at, count, bytes } }
    }

    fn has_room(self, before: Gathered, bytes: u64) -> bool {
        match self {
            Self::Debounce { .. } => before.count < DEBOUNCED_MAX,
            Self::Batch { size_max, bytes_max, .. } => {
                before.count < size_max && before.bytes.saturating_add(bytes) <= bytes_max
            }
        }
    }
}

// What the log of a delivery says of a trigger whose start comes later than the delivery.

/// Until when a start is put off, as far as that is known; only of lines that wait for one.
const UNTIL: &str = "putOffUntil";

/// How a start ended that was put off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StartEnd {
    /// It started this execution.
    Started(ExecutionId),
    /// An execution with the unique key was open, and is the answer.
    Joined(ExecutionId),
    /// An execution with the unique key was open, and nothing started.
    Exists(ExecutionId),
    /// It could not start.
    Failed {
        /// A stable word.
        code: String,
        /// A sentence.
        message: String,
    },
}

impl StartEnd {
    /// The word for it in the log.
    pub const fn result(&self) -> &'static str {
        match self {
            Self::Started(_) => "started",
            Self::Joined(_) => "joined",
            Self::Exists(_) => "exists",
            Self::Failed { .. } => "error",
        }
    }

    /// The execution that it started or found.
    pub const fn execution(&self) -> Option<ExecutionId> {
        match self {
            Self::Started(id) | Self::Joined(id) | Self::Exists(id) => Some(*id),
            Self::Failed { .. } => None,
        }
    }
}

/// Adds to the line of a trigger that its start is put off, and until when as things stand.
pub fn put_off_line(line: &mut Value, result: &str, until: Timestamp) {
    line["result"] = json!(result);
    line[UNTIL] = json!(until);
}

/// The outcome of a delivery, as raw JSON text, with the end of the start of a trigger. `None` where there is no line of this
/// trigger that waits for one.
pub fn with_end(outcome: &str, trigger_id: &str, end: &StartEnd) -> Option<String> {
    let mut lines: Vec<Value> = serde_json::from_str(outcome).ok()?;
    let waits = |line: &&mut Value| line["triggerId"] == trigger_id && is_put_off(&line["result"]);
    let line = lines.iter_mut().find(waits)?.as_object_mut()?;
    line.remove(UNTIL);
    line.insert("result".to_owned(), json!(end.result()));
    if let Some(id) = end.execution() {
        line.insert("executionId".to_owned(), json!(id));
    }
    if let StartEnd::Failed { code, message } = end {
        line.insert("error".to_owned(), json!({ "code": code, "message": message }));
    }
    Some(Value::Array(lines).to_string())
}

fn is_put_off(result: &Value) -> bool {
    matches!(result.as_str(), Some("debounced" | "throttled" | "batched"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;

    fn at(ms: i64) -> Timestamp {
        Timestamp(ms)
    }

    proptest! {
        /// Arrivals with their distances: the naive debounce starts at the first gap, or at the timeout.
        #[test]
        fn a_debounce_starts_after_a_gap_or_at_its_timeout(gaps in proptest::collection::vec(0_i64..300, 1..60)) {
            let (period, timeout) = (DurationMs(100), DurationMs(450));
            let gathering = Gathering::Debounce { period, timeout };
            let (mut now, mut open, mut starts) = (at(0), None::<Gathered>, Vec::new());
            let mut model: Vec<(Vec<i64>, i64)> = Vec::new();
            for gap in gaps {
                now = now.plus(DurationMs(gap));
                let admission = gathering.add(open, 1, now);
                if admission.seals {
                    starts.extend(open);
                }
                open = Some(admission.gathered);
                match model.last_mut().filter(|(_, due)| *due > now.0) {
                    Some((events, due)) => {
                        events.push(now.0);
                        *due = (now.0 + period.0).min(events[0] + timeout.0);
                    }
                    None => model.push((vec![now.0], now.0 + period.0)),
                }
            }
            starts.extend(open);
            let seen: Vec<(i64, i64, u32)> =
                starts.iter().map(|one| (one.first_at.0, one.due_at.0, one.count)).collect();
            let expected: Vec<(i64, i64, u32)> =
                model.iter().map(|(events, due)| (events[0], *due, events.len() as u32)).collect();
            prop_assert_eq!(seen, expected);
        }

        #[test]
        fn batches_keep_their_bounds(
            events in proptest::collection::vec((0_i64..40, 1_u64..60), 1..80), size_max in 1_u32..6
        ) {
            let (timeout, bytes_max) = (DurationMs(100), 100);
            let gathering = Gathering::Batch { size_max, bytes_max, timeout };
            let (mut now, mut open, mut batches) = (at(0), None::<Gathered>, Vec::new());
            for (gap, bytes) in &events {
                now = now.plus(DurationMs(*gap));
                let admission = gathering.add(open, *bytes, now);
                if admission.seals {
                    batches.extend(open);
                }
                open = Some(admission.gathered);
            }
            batches.extend(open);
            prop_assert_eq!(batches.iter().map(|batch| batch.count as usize).sum::<usize>(), events.len());
            for batch in &batches {
                prop_assert!(batch.count <= size_max && batch.count > 0);
                prop_assert!(batch.count == 1 || batch.bytes <= bytes_max, "{:?}", batch);
                prop_assert!(batch.due_at <= batch.first_at.plus(timeout));
                prop_assert!(batch.count == size_max || batch.due_at == batch.first_at.plus(timeout));
            }
        }
    }

    #[test]
    fn only_the_line_that_waits_changes() {
        let mut waiting = json!({ "triggerId": "b", "workflow": "w" });
        put_off_line(&mut waiting, "batched", Timestamp(1_795_176_000_000));
        assert_eq!(waiting["putOffUntil"], "2026-11-20T12:00:00.000Z");
        let started = json!({ "result": "started", "triggerId": "a" });
        let outcome = json!([started, waiting]).to_string();
        let end = StartEnd::Started(ExecutionId::from_uuid(Uuid::from_u128(7)));
        let shown = with_end(&outcome, "b", &end).expect("it waits");
        let lines: Vec<Value> = serde_json::from_str(&shown).expect("JSON");
        assert_eq!(lines[0], started);
        let id = end.execution();
        assert_eq!(
            lines[1],
            json!({"result": "started", "triggerId": "b", "workflow": "w", "executionId": id})
        );
        assert_eq!(with_end(&shown, "b", &end), None, "once");
        assert_eq!(with_end(&outcome, "a", &end), None);
        let failed = StartEnd::Failed { code: "x".into(), message: "y".into() };
        let lines = with_end(&outcome, "b", &failed).expect("it waits");
        assert!(lines.contains(r#""code":"x""#) && lines.contains(r#""result":"error""#), "{lines}");
    }
}
