//! What the log of a delivery says of a trigger whose start comes later than the delivery.

use serde_json::{Value, json};

use super::config::TriggerConfig;
use crate::id::ExecutionId;
use crate::time::Timestamp;

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

impl TriggerConfig {
    /// The word for a start that is put off; `None` where starts follow at once.
    pub const fn put_off_result(&self) -> Option<&'static str> {
        match (&self.debounce, &self.batch, &self.throttle) {
            (Some(_), _, _) => Some("debounced"),
            (None, Some(_), _) => Some("batched"),
            (None, None, Some(_)) => Some("throttled"),
            (None, None, None) => None,
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
    use uuid::Uuid;

    use super::*;

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
