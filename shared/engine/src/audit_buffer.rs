//! Lines of the audit log of what changes nothing in the database, which many calls share: failed authentication by address
//! and minute, refusals by caller, address and minute, uses of secrets by secret and minute.
//!
//! There is no commit that they could be a part of, and a line for each would let strangers fill the disk. So they are
//! counted in memory and written together: a process that dies loses at most the last minute of them. What they count is
//! bounded; what does not fit is counted under one common line.

use std::collections::HashMap;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::json;
use store::audit::AuditRecord;

/// How long lines are gathered.
pub(super) const WINDOW: Duration = Duration::from_mins(1);
/// How many lines are gathered at once; more are counted under one common line of their action.
const LINES_MAX: usize = 1_000;
/// How many ids of requests a line keeps.
const REQUESTS_MAX: usize = 5;

/// Lines that are gathered and not yet written.
#[derive(Debug, Default)]
pub(crate) struct AuditBuffer(Mutex<HashMap<Place, Note>>);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Place {
    action: &'static str,
    /// Actor, tenant and address; empty for the common line.
    whose: [String; 3],
}

#[derive(Debug)]
struct Note {
    line: AuditRecord,
    count: u64,
    last: String,
    requests: Vec<String>,
}

impl AuditBuffer {
    /// Counts a call. Answers whether it is the first since the last were taken, which is when somebody has to see to their
    /// being written.
    pub(super) fn record(&self, line: AuditRecord, action: &'static str, last: String) -> bool {
        let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
        let tenant = line.tenant.as_ref().map(ToString::to_string);
        let mut place = Place {
            action,
            whose: [line.actor.clone(), text(tenant.as_deref()), text(line.address.as_deref())],
        };
        let mut notes = self.0.lock();
        let is_first = notes.is_empty();
        let mut line = line;
        if notes.len() >= LINES_MAX && !notes.contains_key(&place) {
            place.whose = Default::default();
            "many".clone_into(&mut line.actor);
            (line.tenant, line.address, line.user_agent) = (None, None, None);
        }
        let request = line.request_id.take();
        let note = notes.entry(place).or_insert_with(|| Note {
            line,
            count: 0,
            last: String::new(),
            requests: Vec::new(),
        });
        note.count += 1;
        note.last = last;
        if note.requests.len() < REQUESTS_MAX {
            note.requests.extend(request);
        }
        is_first
    }

    /// Takes what was gathered.
    pub(super) fn take(&self) -> Vec<AuditRecord> {
        let notes = std::mem::take(&mut *self.0.lock());
        notes.into_values().map(Note::into_line).collect()
    }
}

impl Note {
    fn into_line(self) -> AuditRecord {
        let first = self.line.subject.clone();
        let detail = json!({
            "count": self.count,
            "calls": self.count,
            "first": first,
            "last": self.last,
            "requestIds": self.requests,
        });
        let request_id = self.requests.first().filter(|_| self.count == 1).cloned();
        AuditRecord { detail: Some(detail.to_string()), request_id, ..self.line }
    }
}

#[cfg(test)]
mod tests {
    use domain::id::EventId;
    use domain::time::Timestamp;
    use uuid::Uuid;

    use super::*;

    fn line(actor: &str, address: &str) -> AuditRecord {
        AuditRecord {
            id: EventId::from_uuid(Uuid::nil()),
            at: Timestamp(0),
            actor: actor.to_owned(),
            tenant: None,
            action: "auth.refused".to_owned(),
            subject: "GET /v1/jobs".to_owned(),
            detail: None,
            address: Some(address.to_owned()),
            user_agent: None,
            request_id: Some("r".to_owned()),
            door: None,
            outcome: None,
            reason: None,
            before: None,
            after: None,
            batch: None,
        }
    }

    fn record(notes: &AuditBuffer, actor: &str, address: &str) -> bool {
        notes.record(line(actor, address), "auth.refused", "GET /v1/audit".to_owned())
    }

    #[test]
    fn calls_of_one_caller_share_a_line() {
        let notes = AuditBuffer::default();
        assert!(record(&notes, "key_1", "192.0.2.1"));
        assert!(!record(&notes, "key_1", "192.0.2.1"));
        assert!(!record(&notes, "key_2", "192.0.2.1"));
        let mut lines = notes.take();
        lines.sort_by(|one, other| one.actor.cmp(&other.actor));
        let details: Vec<serde_json::Value> = lines
            .iter()
            .filter_map(|line| line.detail.as_deref())
            .filter_map(|detail| serde_json::from_str(detail).ok())
            .collect();
        assert_eq!(
            details[0],
            json!({
                "count": 2,
                "calls": 2,
                "first": "GET /v1/jobs",
                "last": "GET /v1/audit",
                "requestIds": ["r", "r"],
            })
        );
        assert_eq!((lines[0].request_id.as_deref(), lines[1].request_id.as_deref()), (None, Some("r")));
        assert!(record(&notes, "key_1", "192.0.2.1"), "the next is the first again");
    }

    #[test]
    fn strangers_cannot_fill_the_log() {
        let notes = AuditBuffer::default();
        for number in 0..3 * LINES_MAX {
            record(&notes, "unknown", &format!("2001:db8::{number:x}"));
        }
        let lines = notes.take();
        assert_eq!(lines.len(), LINES_MAX + 1);
        assert_eq!(lines.iter().filter(|line| line.actor == "many" && line.address.is_none()).count(), 1);
    }
}
