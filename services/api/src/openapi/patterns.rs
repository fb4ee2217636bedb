//! Patterns of ids, names, durations and cursors: said once, by the name of the property, for all schemas.

use domain::workflow::schema::{JOB_TYPE, NAME};
use utoipa::openapi::schema::{Object, Schema, SchemaType, Type};
use utoipa::openapi::{Components, RefOr};

use crate::extract::CURSOR_MAX;

/// Numbers with units, such as `1h30m`.
const DURATION: &str = "^([0-9]+(d|h|m|s|ms))+$";

/// Ids, names and positions, and what [`domain::search::Cursor`] appends to them: base64url after a dot.
const CURSOR: &str = "^[A-Za-z0-9._-]+$";
/// The property that is a cursor in all lists.
const NEXT_CURSOR: &str = "nextCursor";

/// The properties that are names of one kind in all schemas.
const NAMES: &[(&str, &str)] = &[("tenant", NAME), ("workflow", NAME), ("jobType", JOB_TYPE)];

/// The properties that are ids of one kind in all schemas, and the prefix of such ids.
const IDS: &[(&str, &str)] = &[
    ("executionId", "exe"),
    ("jobId", "job"),
    ("deliveryId", "dlv"),
    ("webhookId", "whk"),
    ("alertId", "alt"),
    ("silencedBy", "sil"),
    ("duplicateOf", "dlv"),
    ("replayOf", "dlv"),
    ("existingId", "exe"),
    ("replaces", "exe"),
];

/// The schemas whose `id` is of one kind, and the prefix of such ids.
const OWN_IDS: &[(&str, &str)] = &[
    ("Acceptance", "job"),
    ("AcceptedJob", "job"),
    ("Completion", "job"),
    ("Enqueued", "job"),
    ("Failure", "job"),
    ("Heartbeat", "job"),
    ("Job", "job"),
    ("JobChange", "job"),
    ("JobLines", "job"),
    ("Outcome", "job"),
    ("PolledJob", "job"),
    ("Release", "job"),
    ("CreatedExecution", "exe"),
    ("Execution", "exe"),
    ("DeadLetter", "dlq"),
    ("DeadLetterChange", "dlq"),
    ("Alert", "alt"),
    ("AlertNotification", "ntf"),
    ("ApiKey", "key"),
    ("AuditLine", "evt"),
    ("Batch", "bat"),
    ("Delivery", "dlv"),
    ("EventTrigger", "trg"),
    ("Schedule", "sch"),
    ("Silence", "sil"),
    ("View", "viw"),
    ("Webhook", "whk"),
];

/// Properties that are durations wherever they are text.
const DURATIONS: &[&str] = &[
    "advance",
    "after",
    "catchUpWindow",
    "delay",
    "every",
    "expiresIn",
    "extend",
    "for",
    "initial",
    "jitter",
    "lease",
    "max",
    "overlap",
    "per",
    "period",
    "repeatEvery",
    "retryAfter",
    "timeout",
    "tolerance",
    "wait",
    "window",
];

/// Its names may end in `*`.
const OF_PREFIXES: &str = "AlertScope";

/// Adds the patterns to the properties of all components that have none.
pub(super) fn add(components: &mut Components) {
    for (name, schema) in &mut components.schemas {
        let RefOr::T(Schema::Object(object)) = schema else { continue };
        if name == OF_PREFIXES {
            continue;
        }
        for (property, schema) in &mut object.properties {
            if let RefOr::T(Schema::Object(text)) = schema
                && is_plain_text(text)
            {
                text.pattern = pattern(name, property);
                if property == NEXT_CURSOR {
                    text.max_length = Some(CURSOR_MAX);
                }
            }
        }
    }
}

/// Whether it is text of no other format, or null.
fn is_plain_text(object: &Object) -> bool {
    let is_text = match &object.schema_type {
        SchemaType::Type(kind) => *kind == Type::String,
        SchemaType::Array(kinds) => kinds.contains(&Type::String),
        SchemaType::AnyValue => false,
    };
    is_text && object.format.is_none() && object.enum_values.is_none() && object.pattern.is_none()
}

fn pattern(schema: &str, property: &str) -> Option<String> {
    if property == "id" {
        return find(OWN_IDS, schema).map(id);
    }
    if property == NEXT_CURSOR {
        return Some(CURSOR.to_owned());
    }
    if DURATIONS.contains(&property) {
        return Some(DURATION.to_owned());
    }
    find(IDS, property).map(id).or_else(|| find(NAMES, property).map(str::to_owned))
}

fn find(table: &[(&str, &'static str)], name: &str) -> Option<&'static str> {
    table.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
}

/// Bounds the text of a parameter that is a cursor.
pub(super) fn bound_cursor(schema: &mut Object) {
    schema.pattern = Some(CURSOR.to_owned());
    schema.max_length = Some(CURSOR_MAX);
}

/// The pattern of ids with this prefix.
pub(super) fn id(prefix: &str) -> String {
    format!("^{prefix}_[0-9a-f]{{32}}$")
}

#[cfg(test)]
mod tests {
    use domain::id::JobId;
    use domain::search::{Cursor, Search, SearchList};
    use domain::time::Timestamp;
    use store::job_logs::LogPosition;
    use uuid::Uuid;

    use super::{CURSOR, CURSOR_MAX, pattern};
    use crate::shapes::job_logs::cursor_of;

    #[test]
    fn every_cursor_has_the_pattern_and_the_length_of_cursors() {
        assert_eq!(pattern("ListOf_Job", "nextCursor").as_deref(), Some(CURSOR));
        let mut cursors = vec![i64::MIN.to_string(), i64::MAX.to_string(), "n".repeat(63)];
        for (at, place) in [(i64::MIN, Uuid::nil()), (i64::MAX, Uuid::from_u128(u128::MAX))] {
            for list in SearchList::ALL {
                let question = Search::all(list).fingerprint();
                cursors.push(Cursor { place, at, now: Timestamp(i64::MIN), question }.text(list));
            }
            let (job_id, attempt, number) = (JobId::from_uuid(place), u32::MAX, u32::MAX);
            cursors.push(cursor_of(&LogPosition { at: Timestamp(at), job_id, attempt, number }));
        }
        let is_of_pattern = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        for cursor in cursors {
            assert!(!cursor.is_empty() && cursor.len() <= CURSOR_MAX, "{cursor}");
            assert!(cursor.bytes().all(is_of_pattern), "{cursor}");
        }
    }

    #[test]
    fn properties_have_the_pattern_of_what_they_name() {
        let id = Some("^job_[0-9a-f]{32}$");
        assert_eq!(pattern("Job", "id").as_deref(), id);
        assert_eq!(pattern("Delivery", "jobId").as_deref(), id);
        assert_eq!(pattern("Poll", "lease").as_deref(), Some("^([0-9]+(d|h|m|s|ms))+$"));
        assert_eq!(pattern("Job", "tenant").as_deref(), Some("^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$"));
        assert_eq!((pattern("PayloadKey", "id"), pattern("Job", "rateKey")), (None, None));
    }
}
