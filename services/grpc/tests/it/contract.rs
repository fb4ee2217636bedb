//! The contract and OpenAPI, name by name. Every call, parameter and field of a body is there, and whatever is there has REST's name
//! and type.

use std::collections::{BTreeMap, BTreeSet};

use grpc::{MirroredCall, mirrored_calls};
use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor};
use serde_json::Value;

/// Calls of REST that no program needs over gRPC: pages of browsers, doors of senders, probes, and exports of bytes.
const REST_ONLY: &[&str] = &[
    "POST /callbacks/{executionId}/{nodeId}/{token}",
    "GET /healthz",
    "GET /readyz",
    "GET /hooks/{id}",
    "POST /hooks/{id}",
    "GET /schemas/workflow.json",
    "GET /v1/session",
    "POST /v1/session",
    "DELETE /v1/session",
    "GET /v1/archive/export",
    "GET /v1/audit/export",
    "POST /v1/backups",
];

/// Paths below which people and the console set up, look and decide.
const FOR_PEOPLE: &[&str] = &[
    "/attributes",
    " /v1/executions/{id}/states",
    " /v1/search/",
    " /v1/servers",
    " /v1/moves",
    " /v1/dev/",
    " /v1/alerts",
    " /v1/dead-letters/groups/",
    " /v1/dead-letters/{id}/data",
    " /v1/rates",
    " /v1/stats",
    " /v1/views",
    " /v1/workers/",
    " /v1/dispatch",
    " /v1/doctor",
    " /v1/retention",
    " /v1/tenants/{tenant}/retention",
    " /v1/tenants/{tenant}/encryption",
    " /v1/tenants/{tenant}/erase",
    " /v1/jobs/{id}/data",
    " /v1/jobs/{id}/result",
    " /v1/executions/{id}/input",
    " /v1/executions/{id}/output",
    " /v1/executions/{id}/nodes/",
    " /v1/deliveries/{id}/body",
    " /v1/user-tasks/{executionId}/{nodeId}/input",
];

/// Fields of answers that gRPC has no use for: payloads are not bounded there, and lists without pages or counts have neither.
const NOT_IN_ANSWERS: &[&str] = &["omitted", "count", "scannedTo"];

fn openapi() -> Value {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../api/openapi.json"))
        .expect("the document is there");
    serde_json::from_str(&text).expect("it is JSON")
}

#[test]
fn every_call_of_rest_is_mirrored() {
    let document = openapi();
    let mut calls = BTreeSet::new();
    for (path, operations) in document["paths"].as_object().unwrap() {
        for method in operations.as_object().unwrap().keys() {
            if ["get", "post", "put", "delete"].contains(&method.as_str()) {
                calls.insert(format!("{} {path}", method.to_uppercase()));
            }
        }
    }
    calls.retain(|call| {
        !REST_ONLY.contains(&call.as_str()) && !FOR_PEOPLE.iter().any(|path| call.contains(path))
    });
    let mirrored: BTreeSet<String> = mirrored_calls().into_iter().map(|call| call.call).collect();
    assert_eq!(calls, mirrored);
}

#[test]
fn parameters_bodies_and_answers_have_the_same_names_and_types() {
    let document = openapi();
    let mut faults = Vec::new();
    for call in mirrored_calls() {
        let (method, path) = call.call.split_once(' ').unwrap();
        let operation = &document["paths"][path][method.to_lowercase()];
        let at = call.name.clone();
        let mut compare = Compare { document: &document, faults: &mut faults, at, is_answer: false };
        compare.parameters(&call, operation);
        compare.body(&call, operation);
        compare.is_answer = true;
        compare.answers(&call, operation);
    }
    assert!(faults.is_empty(), "{} differences:\n{}", faults.len(), faults.join("\n"));
}

struct Compare<'a> {
    document: &'a Value,
    faults: &'a mut Vec<String>,
    at: String,
    is_answer: bool,
}

impl Compare<'_> {
    fn parameters(&mut self, call: &MirroredCall, operation: &Value) {
        let of = |place: &str| -> BTreeSet<String> {
            let all = operation["parameters"].as_array().cloned().unwrap_or_default();
            let there = all.iter().filter(|parameter| parameter["in"] == place);
            there.map(|parameter| parameter["name"].as_str().unwrap().to_owned()).collect()
        };
        if of("path") != call.path.iter().cloned().collect() {
            self.fault(&format!("path {:?}", call.path));
        }
        let mut query = of("query");
        // Answers are whole over gRPC.
        query.remove("maxPayload");
        // A start that waits is `Start` and `Wait`; a look that waits is `Wait`.
        if !call.query.contains(&"wait".to_owned()) && query.remove("wait") {
            query.remove("timeout");
        }
        let sent: BTreeSet<String> = call.query.iter().cloned().collect();
        if sent != query {
            self.fault(&format!("query {query:?} {:?}", call.query));
        }
    }

    fn body(&mut self, call: &MirroredCall, operation: &Value) {
        let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
        if call.is_body_whole || schema.is_null() {
            if schema.is_null() && !call.body.is_empty() {
                self.fault("has a body");
            }
            return;
        }
        let fields = call.body.iter().map(|field| (field.json_name().to_owned(), field.clone())).collect();
        self.object(std::slice::from_ref(schema), &fields, 0);
    }

    fn answers(&mut self, call: &MirroredCall, operation: &Value) {
        if call.answer.is_some() {
            return;
        }
        let mut schemas = Vec::new();
        for (status, response) in operation["responses"].as_object().unwrap() {
            let content = &response["content"];
            let events = &content["text/event-stream"]["schema"];
            let schema = if events.is_null() { &content["application/json"]["schema"] } else { events };
            // The answer to a start that waited is what `Get` answers.
            let is_waited = call.name == "ExecutionService.Start" && status == "200";
            if status.starts_with('2') && !schema.is_null() && !is_waited {
                schemas.push(schema.clone());
            }
        }
        self.message(&schemas, &call.output, 0);
    }

    fn message(&mut self, schemas: &[Value], message: &MessageDescriptor, depth: usize) {
        let fields = message.fields().map(|field| (field.json_name().to_owned(), field)).collect();
        self.object(schemas, &fields, depth);
    }

    fn object(&mut self, schemas: &[Value], fields: &BTreeMap<String, FieldDescriptor>, depth: usize) {
        // Deeper than any shape of ours, and shapes may hold themselves.
        if depth > 12 {
            return;
        }
        let mut properties = BTreeMap::new();
        for schema in schemas {
            self.properties(schema, &mut properties);
        }
        for name in fields.keys().filter(|name| !properties.contains_key(*name)) {
            self.fault(&format!("REST has no {name}"));
        }
        for (name, schema) in &properties {
            let Some(field) = fields.get(name) else {
                if !self.is_answer || !NOT_IN_ANSWERS.contains(&name.as_str()) {
                    self.fault(&format!("gRPC has no {name}"));
                }
                continue;
            };
            let before = self.at.len();
            self.at.push('.');
            self.at.push_str(name);
            self.field(schema, field, depth + 1);
            self.at.truncate(before);
        }
    }

    fn properties(&self, schema: &Value, into: &mut BTreeMap<String, Value>) {
        let schema = self.resolved(schema);
        for part in ["allOf", "oneOf"].iter().filter_map(|key| schema[*key].as_array()).flatten() {
            self.properties(part, into);
        }
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            into.entry(name.clone()).or_insert_with(|| property.clone());
        }
    }

    fn resolved(&self, schema: &Value) -> Value {
        if let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
            return self.resolved(&self.document["components"]["schemas"][name]);
        }
        // A value or null.
        let real: Vec<&Value> =
            schema["oneOf"].as_array().into_iter().flatten().filter(|part| part["type"] != "null").collect();
        match real[..] {
            [one] => self.resolved(one),
            _ => schema.clone(),
        }
    }

    fn field(&mut self, schema: &Value, field: &FieldDescriptor, depth: usize) {
        let schema = self.resolved(schema);
        let kind = field.kind();
        let rest = type_of(&schema);
        let is_carried = matches!(kind, Kind::Bytes) && !field.is_list() && !field.is_map();
        let fits = match rest.as_str() {
            "string" => matches!(kind, Kind::String),
            "boolean" => matches!(kind, Kind::Bool),
            "number" => matches!(kind, Kind::Double),
            "integer" => {
                matches!(kind, Kind::Int32 | Kind::Int64 | Kind::Uint32 | Kind::Uint64)
            }
            "array" if field.is_list() => {
                if let Kind::Message(message) = &kind {
                    self.message(&[schema["items"].clone()], message, depth);
                }
                true
            }
            "object" if field.is_map() => {
                let value = match &kind {
                    Kind::Message(entry) => entry.map_entry_value_field().kind(),
                    _ => kind.clone(),
                };
                if let Kind::Message(message) = &value {
                    self.message(&[schema["additionalProperties"].clone()], message, depth);
                }
                true
            }
            "object" => match &kind {
                Kind::Message(message) => {
                    self.message(std::slice::from_ref(&schema), message, depth);
                    true
                }
                _ => is_carried,
            },
            // Any value, alternatives, lists of lists: carried along as JSON.
            _ => is_carried,
        };
        if !fits {
            self.fault(&format!("REST has {rest}, gRPC {kind:?}"));
        }
    }

    fn fault(&mut self, what: &str) {
        self.faults.push(format!("{}: {what}", self.at));
    }
}

fn type_of(schema: &Value) -> String {
    let kind = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().find(|kind| *kind != "null").cloned().unwrap_or_default(),
        other => other.clone(),
    };
    let has_parts = schema["allOf"].is_array() || schema["properties"].is_object();
    match kind.as_str() {
        Some(kind) => kind.to_owned(),
        None if has_parts => "object".to_owned(),
        None if schema["oneOf"].is_array() => {
            let parts = schema["oneOf"].as_array().unwrap();
            let all_objects =
                parts.iter().all(|part| part["properties"].is_object() || part["$ref"].is_string());
            if all_objects { "object" } else { "any" }.to_owned()
        }
        None => "any".to_owned(),
    }
}
