//! Inbox entries as text.
//!
//! An entry is one line of JSON. The result of a node follows on the lines after it as the raw text that the handler
//! sent, so that it is neither parsed nor escaped on its way through the inbox. This module touches no database.

use domain::failure::JobError;
use domain::id::JobId;
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
            let mut text = line(&head);
            if let Ok(result) = result {
                text.push('\n');
                text.push_str(result);
            }
            text
        }
        InboxEntry::NodeRequeued { node_id, job_id } => {
            line(&RequeuedHead { node_id: node_id.clone(), job_id: *job_id })
        }
        InboxEntry::Cancel { reason } => line(&CancelHead { reason: reason.clone() }),
        InboxEntry::Retry => line(&RetryHead {}),
    }
}

/// The entry that [`encode`] made into this text; `None` for text that it never makes.
pub(crate) fn decode(kind: &str, text: &str) -> Option<InboxEntry> {
    let (head, rest) = text.split_once('\n').map_or((text, None), |(head, rest)| (head, Some(rest)));
    match kind {
        "node_settled" => {
            let head: SettledHead = serde_json::from_str(head).ok()?;
            let result = match (head.error, rest) {
                (Some(error), None) => Err(error),
                (None, Some(result)) => Ok(result.to_owned()),
                _ => return None,
            };
            Some(InboxEntry::NodeSettled {
                node_id: head.node_id,
                job_id: head.job_id,
                result,
                attempts: head.attempts,
                started_at: head.started_at_ms.map(Timestamp),
            })
        }
        "node_requeued" => {
            let head: RequeuedHead = serde_json::from_str(head).ok()?;
            Some(InboxEntry::NodeRequeued { node_id: head.node_id, job_id: head.job_id })
        }
        "cancel" => {
            let head: CancelHead = serde_json::from_str(head).ok()?;
            Some(InboxEntry::Cancel { reason: head.reason })
        }
        "retry" => serde_json::from_str::<RetryHead>(head).ok().map(|_| InboxEntry::Retry),
        _ => None,
    }
}

/// JSON without line breaks: serde_json escapes those inside strings.
fn line(head: &impl Serialize) -> String {
    serde_json::to_string(head).expect("heads hold only strings, numbers and JSON values")
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SettledHead {
    node_id: NodeId,
    job_id: JobId,
    attempts: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    started_at_ms: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<JobError>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RequeuedHead {
    node_id: NodeId,
    job_id: JobId,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct CancelHead {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RetryHead {}

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
            settled(Err(error)),
            InboxEntry::NodeRequeued {
                node_id: NodeId::trusted("a"),
                job_id: JobId::from_uuid(Uuid::from_u128(1)),
            },
            InboxEntry::Cancel { reason: Some("no\nlonger needed".into()) },
            InboxEntry::Cancel { reason: None },
            InboxEntry::Retry,
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

    #[test]
    fn foreign_text_is_no_entry() {
        let job = JobId::from_uuid(Uuid::from_u128(1));
        let neither = format!("{{\"nodeId\":\"a\",\"jobId\":\"{job}\",\"attempts\":1}}");
        for (kind, text) in [
            ("node_settled", neither.as_str()),
            ("node_settled", "{}\nnull"),
            ("node_requeued", "not json"),
            ("cancel", "{\"other\":1}"),
            ("retry", "[1]"),
            ("signal", "{}"),
        ] {
            assert_eq!(decode(kind, text), None, "{kind} {text}");
        }
    }
}
