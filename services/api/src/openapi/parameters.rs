//! Descriptions of parameters that many operations have: said once, by name, and for ids by what they belong to.

use utoipa::openapi::RefOr;
use utoipa::openapi::path::{Operation, Parameter};
use utoipa::openapi::schema::Schema;

use super::patterns;

/// The collection before `{id}`, what an id of it names, and the prefix of such ids.
const IDS: &[(&str, &str, &str)] = &[
    ("jobs", "the job", "job"),
    ("executions", "the execution", "exe"),
    ("dead-letters", "the dead letter", "dlq"),
    ("api-keys", "the API key", "key"),
    ("batches", "the bulk operation", "bat"),
    ("schedules", "the schedule", "sch"),
    ("webhooks", "the webhook endpoint", "whk"),
    ("hooks", "the webhook endpoint", "whk"),
    ("deliveries", "the delivery", "dlv"),
    ("triggers", "the trigger", "trg"),
    ("silences", "the silence", "sil"),
    ("notifications", "the notification", "ntf"),
    ("views", "the saved view", "viw"),
];

/// The collection before `{name}`, and what a name of it names.
const NAMES: &[(&str, &str)] = &[
    ("workflows", "Name of the workflow."),
    ("routes", "Name of the alert route."),
    ("rules", "Name of the alert rule."),
    ("secrets", "Name of the secret."),
    ("signals", "Name of the signal."),
];

/// Parameters that mean the same wherever they stand.
const OTHERS: &[(&str, &str)] = &[
    ("tenant", "Name of the tenant."),
    ("executionId", "ID of the execution."),
    ("execution", "ID of the execution."),
    ("nodeId", "ID of the node within the definition, with the index for an item of a `MAP`."),
    ("token", "Token of the callback URL."),
    ("queue", "Queue."),
    ("workflow", "Name of the workflow."),
    ("jobType", "Job type."),
    ("fingerprint", "Fingerprint of the failure, as shown by dead letters and their groups."),
    ("reason", "Reason for the permanent failure."),
    ("position", "Position of the command, from the response that accepted it."),
    ("key", "Rate key, or a pattern that ends in `*`."),
    ("priority", "Priority."),
    ("assignee", "Person that the task is assigned to."),
    ("group", "Group that the task is assigned to."),
    ("version", "Version of the workflow."),
];

/// Describes the parameters of an operation that have no description of their own.
pub(super) fn describe(operation: &mut Operation, path: &str) {
    for parameter in operation.parameters.iter_mut().flatten() {
        let RefOr::T(parameter) = parameter else { continue };
        if parameter.name == "cursor"
            && let Some(RefOr::T(Schema::Object(schema))) = &mut parameter.schema
        {
            patterns::bound_cursor(schema);
        }
        let before = collection(path, &parameter.name);
        match (parameter.name.as_str(), before) {
            ("id", Some("workers")) => describe_as(parameter, "ID chosen by the worker."),
            ("id", Some(before)) => {
                if let Some((_, what, prefix)) = IDS.iter().find(|(known, ..)| *known == before) {
                    describe_as(parameter, &format!("ID of {what}."));
                    if let Some(RefOr::T(Schema::Object(schema))) = &mut parameter.schema {
                        schema.pattern = Some(patterns::id(prefix));
                    }
                }
            }
            ("name", Some(before)) => {
                if let Some((_, text)) = NAMES.iter().find(|(known, _)| *known == before) {
                    describe_as(parameter, text);
                }
            }
            (name, _) => {
                if let Some((_, text)) = OTHERS.iter().find(|(known, _)| *known == name) {
                    describe_as(parameter, text);
                }
            }
        }
    }
}

fn describe_as(parameter: &mut Parameter, text: &str) {
    parameter.description.get_or_insert_with(|| text.to_owned());
}

/// The segment before that of the parameter.
fn collection<'a>(path: &'a str, parameter: &str) -> Option<&'a str> {
    let (before, _) = path.split_once(&format!("/{{{parameter}}}"))?;
    before.rsplit('/').next()
}

#[cfg(test)]
mod tests {
    use super::collection;

    #[test]
    fn the_collection_is_the_segment_before() {
        assert_eq!(collection("/v1/jobs/{id}/cancel", "id"), Some("jobs"));
        assert_eq!(collection("/v1/tenants/{tenant}/secrets/{name}", "name"), Some("secrets"));
        assert_eq!(collection("/v1/stats", "queue"), None);
    }
}
