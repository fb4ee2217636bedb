//! The OpenAPI document is frozen: a change of the interface shows in a review as a change of `openapi.json`.

use std::path::Path;

use domain::problem::ProblemCode;

/// Set this variable to write the file anew.
const WRITE_VARIABLE: &str = "TRUNKLINE_WRITE_OPENAPI";

#[test]
fn the_document_is_the_committed_one() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("openapi.json");
    let document = format!("{}\n", api::openapi_json());
    if std::env::var_os(WRITE_VARIABLE).is_some() {
        std::fs::write(&path, &document).expect("the file can be written");
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == document,
        "services/api/openapi.json is not what the routes say; write it anew with {WRITE_VARIABLE}=1 cargo test -p api"
    );
}

/// The calls of the contract.
const CALLS: &[(&str, &[&str])] = &[
    ("/v1/jobs", &["get", "post"]),
    ("/v1/jobs/batch", &["post"]),
    ("/v1/jobs/{id}", &["get"]),
    ("/v1/jobs/{id}/why", &["get"]),
    ("/v1/jobs/{id}/cancel", &["post"]),
    ("/v1/jobs/{id}/retry", &["post"]),
    ("/v1/jobs/{id}/reprioritize", &["post"]),
    ("/v1/jobs/poll", &["post"]),
    ("/v1/jobs/complete", &["post"]),
    ("/v1/jobs/fail", &["post"]),
    ("/v1/jobs/heartbeat", &["post"]),
    ("/v1/jobs/release", &["post"]),
    ("/v1/jobs/accept", &["post"]),
    ("/v1/jobs/logs", &["post"]),
    ("/v1/jobs/{id}/logs", &["get"]),
    ("/v1/queues", &["get"]),
    ("/v1/queues/{queue}", &["get"]),
    ("/v1/queues/{queue}/pause", &["post"]),
    ("/v1/queues/{queue}/resume", &["post"]),
    ("/v1/queues/{queue}/drain", &["post"]),
    ("/v1/job-types/{jobType}/attributes", &["get", "put"]),
    ("/v1/tenants/{tenant}/attributes", &["get", "put"]),
    ("/v1/workflows/{name}/attributes", &["get", "put"]),
    ("/v1/builds", &["get"]),
    ("/v1/dev/time", &["post"]),
    ("/v1/job-types/{jobType}/builds", &["delete", "put"]),
    ("/v1/job-types/{jobType}/limits", &["get", "put"]),
    ("/v1/limits", &["get", "put"]),
    ("/v1/tenants/{tenant}/limits", &["get", "put"]),
    ("/v1/tenants/{tenant}/usage", &["get"]),
    ("/v1/tenants/{tenant}/encryption", &["get", "put"]),
    ("/v1/tenants/{tenant}/encryption/rotate", &["post"]),
    ("/v1/tenants/{tenant}/quotas", &["get", "put"]),
    ("/v1/tenants/{tenant}/retention", &["get", "put"]),
    ("/v1/tenants/{tenant}/erase", &["post"]),
    ("/v1/retention", &["get", "put"]),
    ("/v1/jobs/{id}/data", &["get"]),
    ("/v1/dead-letters/{id}/data", &["get"]),
    ("/v1/jobs/{id}/result", &["get"]),
    ("/v1/executions/{id}/input", &["get"]),
    ("/v1/executions/{id}/output", &["get"]),
    ("/v1/executions/{id}/nodes/{nodeId}", &["get"]),
    ("/v1/executions/{id}/nodes/{nodeId}/items", &["get"]),
    ("/v1/executions/{id}/nodes/{nodeId}/input", &["get"]),
    ("/v1/executions/{id}/nodes/{nodeId}/output", &["get"]),
    ("/v1/doctor", &["get"]),
    ("/v1/workflows/{name}/limits", &["get", "put"]),
    ("/v1/workflows", &["get", "post"]),
    ("/v1/workflows/{name}", &["get"]),
    ("/v1/workflows/{name}/versions", &["get"]),
    ("/v1/workflows/{name}/versions/{version}", &["get"]),
    ("/v1/workflows/{name}/pause", &["post"]),
    ("/v1/workflows/{name}/resume", &["post"]),
    ("/v1/executions", &["get", "post"]),
    ("/v1/executions/batch", &["post"]),
    ("/v1/executions/{id}", &["get"]),
    ("/v1/executions/{id}/nodes", &["get"]),
    ("/v1/executions/{id}/events", &["get"]),
    ("/v1/executions/{id}/states", &["get"]),
    ("/v1/executions/{id}/logs", &["get"]),
    ("/v1/executions/{id}/cancel", &["post"]),
    ("/v1/executions/{id}/retry", &["post"]),
    ("/v1/executions/{id}/signals/{name}", &["post"]),
    ("/v1/executions/{id}/user-tasks/{nodeId}/complete", &["post"]),
    ("/v1/executions/{id}/rerun", &["post"]),
    ("/v1/executions/{id}/why", &["get"]),
    ("/v1/queues/{queue}/scaling", &["get"]),
    ("/v1/user-tasks", &["get"]),
    ("/v1/user-tasks/{executionId}/{nodeId}", &["get"]),
    ("/v1/user-tasks/{executionId}/{nodeId}/input", &["get"]),
    ("/v1/workflows/schema", &["get"]),
    ("/v1/workflows/simulate", &["post"]),
    ("/v1/workflows/{name}/graph", &["get"]),
    ("/v1/workflows/{name}/versions/{version}/graph", &["get"]),
    ("/v1/workflows/{name}/versions/{version}/source", &["put"]),
    ("/schemas/workflow.json", &["get"]),
    ("/callbacks/{executionId}/{nodeId}/{token}", &["post"]),
    ("/v1/commands/{position}", &["get"]),
    ("/v1/schedules", &["get", "post"]),
    ("/v1/schedules/preview", &["post"]),
    ("/v1/schedules/{id}", &["get", "put", "delete"]),
    ("/v1/schedules/{id}/pause", &["post"]),
    ("/v1/schedules/{id}/resume", &["post"]),
    ("/v1/schedules/{id}/run", &["post"]),
    ("/v1/schedules/{id}/backfill", &["post"]),
    ("/v1/schedules/{id}/preview", &["get"]),
    ("/v1/schedules/{id}/runs", &["get"]),
    ("/v1/webhooks", &["get", "post"]),
    ("/v1/webhooks/{id}", &["get", "put", "delete"]),
    ("/v1/webhooks/{id}/rotate-secret", &["post"]),
    ("/v1/webhooks/{id}/test", &["post"]),
    ("/v1/webhooks/{id}/pause", &["post"]),
    ("/v1/webhooks/{id}/resume", &["post"]),
    ("/v1/webhooks/{id}/deliveries", &["get"]),
    ("/v1/deliveries", &["get"]),
    ("/v1/deliveries/{id}", &["get"]),
    ("/v1/deliveries/{id}/body", &["get"]),
    ("/v1/deliveries/{id}/replay", &["post"]),
    ("/v1/deliveries/replay", &["post"]),
    ("/hooks/{id}", &["get", "post"]),
    ("/v1/dead-letters", &["get"]),
    ("/v1/dead-letters/groups", &["get"]),
    ("/v1/dead-letters/groups/{fingerprint}/ignore", &["post"]),
    ("/v1/dead-letters/groups/{fingerprint}/reopen", &["post"]),
    ("/v1/dead-letters/groups/{fingerprint}/resolve", &["post"]),
    ("/v1/dead-letters/requeue", &["post"]),
    ("/v1/dead-letters/archive", &["post"]),
    ("/v1/dead-letters/{id}", &["get"]),
    ("/v1/dead-letters/{id}/requeue", &["post"]),
    ("/v1/dead-letters/{id}/archive", &["post"]),
    ("/v1/batches", &["get"]),
    ("/v1/batches/{id}", &["get"]),
    ("/v1/batches/{id}/items", &["get"]),
    ("/v1/batches/{id}/pause", &["post"]),
    ("/v1/batches/{id}/resume", &["post"]),
    ("/v1/jobs/cancel", &["post"]),
    ("/v1/jobs/retry", &["post"]),
    ("/v1/jobs/reprioritize", &["post"]),
    ("/v1/executions/cancel", &["post"]),
    ("/v1/executions/retry", &["post"]),
    ("/v1/executions/rerun", &["post"]),
    ("/v1/schedules/pause", &["post"]),
    ("/v1/schedules/resume", &["post"]),
    ("/v1/batches/{id}/abort", &["post"]),
    ("/v1/archive", &["get"]),
    ("/v1/archive/export", &["get"]),
    ("/v1/events", &["get", "post"]),
    ("/v1/events/batch", &["post"]),
    ("/v1/triggers", &["get", "post"]),
    ("/v1/triggers/{id}", &["get", "put", "delete"]),
    ("/v1/search/suggest", &["get"]),
    ("/v1/servers", &["get"]),
    ("/v1/dispatch", &["get"]),
    ("/v1/stats", &["get"]),
    ("/v1/views", &["get", "post"]),
    ("/v1/views/{id}", &["get", "put", "delete"]),
    ("/v1/workers", &["get"]),
    ("/v1/workers/{id}/drain", &["post"]),
    ("/v1/audit/export", &["get"]),
    ("/v1/audit/verify", &["get"]),
    ("/v1/me", &["get"]),
    ("/v1/audit", &["get"]),
    ("/v1/alerts", &["get"]),
    ("/v1/alerts/rules", &["get"]),
    ("/v1/alerts/rules/{name}", &["get", "put", "delete"]),
    ("/v1/alerts/routes", &["get"]),
    ("/v1/alerts/routes/{name}", &["get", "put", "delete"]),
    ("/v1/alerts/routes/{name}/test", &["post"]),
    ("/v1/alerts/silences", &["get", "post"]),
    ("/v1/alerts/silences/{id}", &["get", "delete"]),
    ("/v1/alerts/notifications", &["get"]),
    ("/v1/alerts/notifications/{id}/retry", &["post"]),
    ("/v1/backups", &["post"]),
    ("/v1/moves", &["post"]),
    ("/v1/moves/last", &["get"]),
    ("/v1/moves/last/abort", &["post"]),
    ("/v1/tenants", &["get", "post"]),
    ("/v1/api-keys", &["get", "post"]),
    ("/v1/api-keys/{id}", &["delete"]),
    ("/v1/api-keys/{id}/rotate", &["post"]),
    ("/v1/tenants/{tenant}/secrets", &["get"]),
    ("/v1/tenants/{tenant}/secrets/{name}", &["put", "delete"]),
    ("/v1/user-tasks/{executionId}/{nodeId}/claim", &["post"]),
    ("/v1/user-tasks/{executionId}/{nodeId}/release", &["post"]),
    ("/healthz", &["get"]),
    ("/readyz", &["get"]),
];

#[test]
fn every_call_of_the_contract_is_described() {
    let document: serde_json::Value = serde_json::from_str(&api::openapi_json()).expect("JSON");
    for (path, methods) in CALLS {
        for method in *methods {
            assert!(document["paths"][path][method].is_object(), "{method} {path}");
        }
    }
}

#[test]
fn every_operation_and_parameter_is_described() {
    let document: serde_json::Value = serde_json::from_str(&api::openapi_json()).expect("JSON");
    let text = |value: &serde_json::Value| value.as_str().is_some_and(|text| !text.is_empty());
    for (path, item) in document["paths"].as_object().expect("paths") {
        for (method, operation) in item.as_object().expect("operations") {
            assert!(text(&operation["summary"]), "{method} {path} has no summary");
            assert!(text(&operation["description"]), "{method} {path} has no description");
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                let name = &parameter["name"];
                assert!(text(&parameter["description"]), "{name} of {method} {path} has no description");
            }
        }
    }
}

/// Fields that hold one of a set of words, and the component that lists the set.
const SETS_OF_WORDS: &[(&str, &str, &str)] = &[
    ("Alert", "severity", "AlertSeverity"),
    ("Alert", "status", "AlertStatus"),
    ("Attempt", "status", "AttemptStatus"),
    ("Attribute", "type", "AttributeType"),
    ("Batch", "status", "BatchStatus"),
    ("BatchItem", "outcome", "BatchItemOutcome"),
    ("Command", "status", "CommandStatus"),
    ("DoctorCheck", "status", "DoctorCheckStatus"),
    ("ExecutionState", "kind", "TimelineEventKind"),
    ("ExecutionWhy", "reason", "WhyReason"),
    ("Node", "status", "NodeStatus"),
    ("QueueMode", "mode", "QueueModeKind"),
    ("ReceivedDelivery", "status", "DeliveryStatus"),
    ("SimulatedEvent", "kind", "TimelineEventKind"),
    ("SimulatedNode", "status", "NodeStatus"),
    ("TimelineEvent", "kind", "TimelineEventKind"),
    ("Why", "reason", "WhyReason"),
];

#[test]
fn words_of_a_set_are_a_component() {
    let document: serde_json::Value = serde_json::from_str(&api::openapi_json()).expect("JSON");
    let schemas = &document["components"]["schemas"];
    for (schema, field, set) in SETS_OF_WORDS {
        let reference = format!("#/components/schemas/{set}");
        assert_eq!(schemas[schema]["properties"][field]["$ref"], reference, "{schema}.{field}");
        assert!(schemas[set]["enum"].as_array().is_some_and(|words| words.len() > 1), "{set}");
    }
}

#[test]
fn codes_of_problems_are_listed_and_later_ones_allowed() {
    let document: serde_json::Value = serde_json::from_str(&api::openapi_json()).expect("JSON");
    let schemas = &document["components"]["schemas"];
    assert_eq!(schemas["Problem"]["properties"]["code"]["$ref"], "#/components/schemas/ProblemCode");
    let forms = schemas["ProblemCode"]["anyOf"].as_array().expect("forms");
    let listed: Vec<&str> =
        forms[0]["enum"].as_array().expect("codes").iter().filter_map(serde_json::Value::as_str).collect();
    let known: Vec<&str> = ProblemCode::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(listed, known);
    assert_eq!(forms[1], serde_json::json!({ "type": "string" }), "an unknown code is valid");
}

/// Each row of the table in docs/errors.md begins with a status and a code.
#[test]
fn the_page_of_errors_has_every_code_once() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors.md");
    let page = std::fs::read_to_string(page).expect("there is docs/errors.md");
    let mut listed: Vec<&str> = Vec::new();
    for row in page.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |")) {
        let cells: Vec<&str> = row.split(" | ").collect();
        let Some(code) = cells.get(1).and_then(|cell| cell.strip_prefix('`')?.strip_suffix('`')) else {
            continue;
        };
        assert!(cells.len() == 3 && cells[0].parse::<u16>().is_ok_and(|status| status >= 400), "{row}");
        listed.push(code);
    }
    listed.sort_unstable();
    let mut known: Vec<&str> = ProblemCode::ALL.iter().map(|code| code.as_str()).collect();
    known.sort_unstable();
    assert_eq!(listed, known, "docs/errors.md has a row for each code");
}

#[test]
fn cursors_are_bounded() {
    let document: serde_json::Value = serde_json::from_str(&api::openapi_json()).expect("JSON");
    let next = &document["components"]["schemas"]["ListOf_Job"]["properties"]["nextCursor"];
    let parameters = document["paths"]["/v1/jobs"]["get"]["parameters"].as_array().expect("parameters");
    let cursor = parameters.iter().find(|parameter| parameter["name"] == "cursor").expect("a cursor");
    for schema in [next, &cursor["schema"]] {
        assert!(schema["pattern"].is_string() && schema["maxLength"].is_number(), "{schema}");
    }
}

#[test]
fn every_reference_leads_somewhere() {
    let document: serde_json::Value = serde_json::from_str(&api::openapi_json()).expect("JSON");
    let mut references = Vec::new();
    collect(&document, &mut references);
    assert!(references.len() > 50, "the document refers to its schemas");
    for reference in references {
        let pointer = reference.strip_prefix('#').expect("references are local");
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
}

fn collect(value: &serde_json::Value, references: &mut Vec<String>) {
    match value {
        serde_json::Value::Object(fields) => {
            for (name, field) in fields {
                match field {
                    serde_json::Value::String(text) if name == "$ref" => references.push(text.clone()),
                    other => collect(other, references),
                }
            }
        }
        serde_json::Value::Array(items) => items.iter().for_each(|item| collect(item, references)),
        _ => {}
    }
}
