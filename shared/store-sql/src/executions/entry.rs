//! Inbox entries as text.
//!
//! An entry is one line of JSON. What it carries (the result of a node or a child, the payload of a signal) follows on
//! the lines after it as the raw text that was sent, so that it is neither parsed nor escaped on its way through the
//! inbox. Fields that are not known here are those of a later version, and are passed over. This module touches no
//! database.

use domain::failure::JobError;
use domain::id::{ExecutionId, JobId};
use domain::names::NodeId;
use domain::time::Timestamp;
use serde::{Deserialize, Serialize};
use store::executions::InboxEntry;

/// The text of an entry; its kind goes into a column of its own.
pub(crate) fn encode(entry: &InboxEntry) -> String {
    match entry {
        InboxEntry::NodeSettled { node_id, job_id, result, attempts, started_at } => {
            let head = SettledHead {
                node_id: node_id.clone(),
                job_id: *job_id,
                attempts: *attempts,
                started_at_ms: started_at.map(|instant| instant.0),
                error: result.as_ref().err().cloned(),
            };
            with_payload(line(&head), result.as_deref().ok())
        }
        InboxEntry::NodeRequeued { node_id, job_id } => {
            line(&RequeuedHead { node_id: node_id.clone(), job_id: *job_id })
        }
        InboxEntry::ChildResumed { node_id, child_id } => {
            line(&ResumedHead { node_id: node_id.clone(), child_id: *child_id })
        }
        InboxEntry::Cancel { reason, compensate } => {
            line(&CancelHead { reason: reason.clone(), compensate: *compensate })
        }
        InboxEntry::Retry => line(&RetryHead {}),
        InboxEntry::Signal { name, payload } => {
            with_payload(line(&SignalHead { name: name.clone() }), Some(payload))
        }
        InboxEntry::UserTaskCompleted { node_id, round, output, actor } => {
            let head = UserTaskHead { node_id: node_id.clone(), round: *round, actor: actor.clone() };
            with_payload(line(&head), Some(output))
        }
        InboxEntry::Callback { node_id, round, payload } => {
            with_payload(line(&CallbackHead { node_id: node_id.clone(), round: *round }), Some(payload))
        }
        InboxEntry::Event { node_id, round, output } => {
            with_payload(line(&EventHead { node_id: node_id.clone(), round: *round }), Some(output))
        }
        InboxEntry::ChildSettled { node_id, child_id, result } => {
            let head = ChildHead {
                node_id: node_id.clone(),
                child_id: *child_id,
                error: result.as_ref().err().cloned(),
            };
            with_payload(line(&head), result.as_deref().ok())
        }
    }
}

fn with_payload(mut text: String, payload: Option<&str>) -> String {
    if let Some(payload) = payload {
        text.push('\n');
        text.push_str(payload);
    }
    text
}

/// Whether entries of a kind have a meaning here. Others are of a later version.
pub(crate) fn is_known(kind: &str) -> bool {
    const KINDS: [&str; 9] = [
        "node_settled",
        "node_requeued",
        "cancel",
        "retry",
        "signal",
        "user_task_completed",
        "callback",
        "child_settled",
        "event",
    ];
    KINDS.contains(&kind)
}

/// The entry that [`encode`] made into this text; `None` for text that it never makes.
pub(crate) fn decode(kind: &str, text: &str) -> Option<InboxEntry> {
    let (head, rest) = text.split_once('\n').map_or((text, None), |(head, rest)| (head, Some(rest)));
    match kind {
        "node_settled" => {
            let head: SettledHead = serde_json::from_str(head).ok()?;
            Some(InboxEntry::NodeSettled {
                node_id: head.node_id,
                job_id: head.job_id,
                result: result_of(head.error, rest)?,
                attempts: head.attempts,
                started_at: head.started_at_ms.map(Timestamp),
            })
        }
        "node_requeued" => {
            if let Ok(head) = serde_json::from_str::<ResumedHead>(head) {
                return Some(InboxEntry::ChildResumed { node_id: head.node_id, child_id: head.child_id });
            }
            let head: RequeuedHead = serde_json::from_str(head).ok()?;
            Some(InboxEntry::NodeRequeued { node_id: head.node_id, job_id: head.job_id })
        }
        "cancel" => {
            let head: CancelHead = serde_json::from_str(head).ok()?;
            Some(InboxEntry::Cancel { reason: head.reason, compensate: head.compensate })
        }
        "retry" => serde_json::from_str::<RetryHead>(head).ok().map(|_| InboxEntry::Retry),
        "signal" => {
            let head: SignalHead = serde_json::from_str(head).ok()?;
            Some(InboxEntry::Signal { name: head.name, payload: rest?.to_owned() })
        }
        "user_task_completed" => {
            let head: UserTaskHead = serde_json::from_str(head).ok()?;
            let output = rest?.to_owned();
            Some(InboxEntry::UserTaskCompleted {
                node_id: head.node_id,
                round: head.round,
                output,
                actor: head.actor,
            })
        }
        "callback" => {
            let head: CallbackHead = serde_json::from_str(head).ok()?;
            Some(InboxEntry::Callback { node_id: head.node_id, round: head.round, payload: rest?.to_owned() })
        }
        "event" => {
            let head: EventHead = serde_json::from_str(head).ok()?;
            Some(InboxEntry::Event { node_id: head.node_id, round: head.round, output: rest?.to_owned() })
        }
        "child_settled" => {
            let head: ChildHead = serde_json::from_str(head).ok()?;
            let result = result_of(head.error, rest)?;
            Some(InboxEntry::ChildSettled { node_id: head.node_id, child_id: head.child_id, result })
        }
        _ => None,
    }
}

/// The job that the first line of a `node_settled` names.
pub(crate) fn settled_job(head: &str) -> Option<JobId> {
    serde_json::from_str::<SettledHead>(head).ok().map(|head| head.job_id)
}

/// Either an error in the head or a result after it, never both.
fn result_of(error: Option<JobError>, rest: Option<&str>) -> Option<Result<String, JobError>> {
    match (error, rest) {
        (Some(error), None) => Some(Err(error)),
        (None, Some(result)) => Some(Ok(result.to_owned())),
        _ => None,
    }
}

/// JSON without line breaks: serde_json escapes those inside strings.
fn line(head: &impl Serialize) -> String {
    serde_json::to_string(head).expect("heads hold only strings, numbers and JSON values")
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SettledHead {
    #[serde(deserialize_with = "key")]
    node_id: NodeId,
    job_id: JobId,
    attempts: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    started_at_ms: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<JobError>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RequeuedHead {
    #[serde(deserialize_with = "key")]
    node_id: NodeId,
    job_id: JobId,
}

/// Distinguished from a requeued job by its field.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResumedHead {
    #[serde(deserialize_with = "key")]
    node_id: NodeId,
    child_id: ExecutionId,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct CancelHead {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    compensate: bool,
}

#[derive(Serialize, Deserialize)]
struct RetryHead {}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SignalHead {
    name: String,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct UserTaskHead {
    #[serde(deserialize_with = "key")]
    node_id: NodeId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    round: Option<u32>,
    actor: String,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct CallbackHead {
    #[serde(deserialize_with = "key")]
    node_id: NodeId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    round: Option<u32>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct EventHead {
    #[serde(deserialize_with = "key")]
    node_id: NodeId,
    round: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ChildHead {
    #[serde(deserialize_with = "key")]
    node_id: NodeId,
    child_id: ExecutionId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<JobError>,
}

/// Items of a `MAP` and compensations have keys that are no valid node ids.
fn key<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<NodeId, D::Error> {
    String::deserialize(deserializer).map(NodeId::trusted)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use uuid::Uuid;

    use super::*;

    fn settled(result: Result<String, JobError>) -> InboxEntry {
        InboxEntry::NodeSettled {
            node_id: NodeId::trusted("encode"),
            job_id: JobId::from_uuid(Uuid::from_u128(7)),
            result,
            attempts: 3,
            started_at: Some(Timestamp(1_000)),
        }
    }

    fn child(result: Result<String, JobError>) -> InboxEntry {
        InboxEntry::ChildSettled {
            node_id: NodeId::trusted("notify[17]"),
            child_id: ExecutionId::from_uuid(Uuid::from_u128(9)),
            result,
        }
    }

    #[test]
    fn entries_survive_the_way_through_text() {
        let error = JobError {
            message: "two\nlines \"quoted\"".into(),
            code: Some("boom".into()),
            details: Some(json!({"a": [1]})),
        };
        let entries = [
            settled(Ok("null".into())),
            settled(Ok("{\n  \"pretty\": true\n}".into())),
            settled(Ok(String::new())),
            settled(Err(error.clone())),
            InboxEntry::NodeRequeued {
                node_id: NodeId::trusted("a"),
                job_id: JobId::from_uuid(Uuid::from_u128(1)),
            },
            InboxEntry::ChildResumed {
                node_id: NodeId::trusted("notify[17]"),
                child_id: ExecutionId::from_uuid(Uuid::from_u128(2)),
            },
            InboxEntry::Cancel { reason: Some("no\nlonger needed".into()), compensate: true },
            InboxEntry::Cancel { reason: None, compensate: false },
            InboxEntry::Retry,
            InboxEntry::Signal { name: "paid\n".into(), payload: "{\n\"a\": 1}".into() },
            InboxEntry::UserTaskCompleted {
                node_id: NodeId::trusted("approve"),
                round: Some(3),
                output: "{}".into(),
                actor: "key \"x\"".into(),
            },
            InboxEntry::Callback { node_id: NodeId::trusted("hook"), round: Some(1), payload: "null".into() },
            child(Ok("1".into())),
            child(Err(error)),
        ];
        for entry in entries {
            let text = encode(&entry);
            assert_eq!(decode(entry.kind(), &text), Some(entry), "{text}");
        }
    }

    #[test]
    fn results_stay_byte_for_byte() {
        let raw = "{ \"big\": 12345678901234567890.10,\t\"same\":1,\"same\":2 }";
        match decode("node_settled", &encode(&settled(Ok(raw.into())))) {
            Some(InboxEntry::NodeSettled { result: Ok(text), .. }) => assert_eq!(text, raw),
            other => panic!("{other:?}"),
        }
    }

    /// Texts that are in databases: they are never changed. A form that changes gets another line.
    const STORED: [(&str, &str); 13] = [
        (
            "node_settled",
            "{\"nodeId\":\"a[3]\",\"jobId\":\"job_00000000000000000000000000000007\",\"attempts\":3,\"startedAtMs\":1000}\n{\"x\": 1}",
        ),
        (
            "node_settled",
            "{\"nodeId\":\"a\",\"jobId\":\"job_00000000000000000000000000000007\",\"attempts\":1,\"error\":{\"message\":\"no\",\"code\":\"boom\",\"details\":[1]}}",
        ),
        ("node_requeued", "{\"nodeId\":\"a\",\"jobId\":\"job_00000000000000000000000000000007\"}"),
        ("cancel", "{}"),
        ("cancel", "{\"reason\":\"enough\",\"compensate\":true}"),
        ("retry", "{}"),
        ("signal", "{\"name\":\"paid\"}\nnull"),
        ("user_task_completed", "{\"nodeId\":\"approve\",\"actor\":\"ada\"}\n{\"ok\":true}"),
        ("user_task_completed", "{\"nodeId\":\"approve\",\"round\":2,\"actor\":\"ada\"}\n{\"ok\":true}"),
        ("callback", "{\"nodeId\":\"hook\"}\n[]"),
        ("callback", "{\"nodeId\":\"hook\",\"round\":2}\n[]"),
        ("child_settled", "{\"nodeId\":\"child\",\"childId\":\"exe_00000000000000000000000000000009\"}\n1"),
        (
            "child_settled",
            "{\"nodeId\":\"child\",\"childId\":\"exe_00000000000000000000000000000009\",\"error\":{\"message\":\"no\"}}",
        ),
    ];

    #[test]
    fn stored_entries_are_read_and_fields_of_later_versions_passed_over() {
        for (kind, text) in STORED {
            assert!(is_known(kind));
            let entry = decode(kind, text).unwrap_or_else(|| panic!("{kind} {text}"));
            assert_eq!(encode(&entry), text, "it is written as it was");
            let comma = if text.starts_with("{}") { "" } else { "," };
            let later = text.replacen('{', &format!("{{\"laterField\":{{\"x\":[1]}}{comma}"), 1);
            assert_eq!(decode(kind, &later), Some(entry), "{later}");
        }
        assert!(!is_known("from_later"));
    }

    #[test]
    fn foreign_text_is_no_entry() {
        let job = JobId::from_uuid(Uuid::from_u128(1));
        let neither = format!("{{\"nodeId\":\"a\",\"jobId\":\"{job}\",\"attempts\":1}}");
        for (kind, text) in [
            ("node_settled", neither.as_str()),
            ("node_settled", "{}\nnull"),
            ("node_requeued", "not json"),
            ("retry", "[1]"),
            ("signal", "{\"name\":\"without a payload\"}"),
            ("child_settled", "{}\nnull"),
            ("unknown", "{}"),
        ] {
            assert_eq!(decode(kind, text), None, "{kind} {text}");
        }
    }
}
