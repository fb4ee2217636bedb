//! Patterns of ids, names and durations: said once, by the name of the property, for all schemas.

use domain::workflow::schema::{JOB_TYPE, NAME};
use utoipa::openapi::schema::{Object, Schema, SchemaType, Type};
use utoipa::openapi::{Components, RefOr};

/// Numbers with units, such as `1h30m`.
const DURATION: &str = "^([0-9]+(d|h|m|s|ms))+$";

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
    if DURATIONS.contains(&property) {
        return Some(DURATION.to_owned());
    }
    find(IDS, property).map(id).or_else(|| find(NAMES, property).map(str::to_owned))
}

fn find(table: &[(&str, &'static str)], name: &str) -> Option<&'static str> {
    table.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
}

/// The pattern of ids with this prefix.
pub(super) fn id(prefix: &str) -> String {
    format!("^{prefix}_[0-9a-f]{{32}}$")
}

#[cfg(test)]
mod tests {
    use super::pattern;

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
