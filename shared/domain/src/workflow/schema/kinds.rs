//! The types of nodes, each with the fields that only it has.

use serde_json::{Map, Value, json};

use crate::event::PATHS_MAX;
use crate::workflow::parse::{EVENTS_MAX, MAP_ITEMS_MAX, METHODS, VERSION_MAX};

/// Names and ids.
pub const NAME: &str = "^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$";

/// Job types.
pub const JOB_TYPE: &str = "^[A-Za-z0-9][A-Za-z0-9_.:/-]{0,126}$";

/// A type, what it does, and the object of its own fields.
pub(super) struct Kind {
    /// Its public name.
    pub(super) name: &'static str,
    /// What it does, in a sentence.
    pub(super) description: &'static str,
    /// What an object of this type has to meet.
    pub(super) schema: Value,
}

/// All types.
pub(super) fn kinds() -> Vec<Kind> {
    let kind = |name, description, schema| Kind { name, description, schema };
    vec![
        kind("SERVICE_TASK", "A worker's handler, selected by job type, does the work.", service_task()),
        kind("HTTP", "Sends a request. The output is {status, headers, body}.", http()),
        kind("TRANSFORM", "Computes its output in place.", transform()),
        kind("TIMER", "Waits for a duration or until an instant.", timer()),
        kind(
            "SIGNAL",
            "Waits for a signal, whose payload is the output. Earlier signals are buffered.",
            signal(),
        ),
        kind("USER_TASK", "Waits for a person. The submitted data is the output.", user_task()),
        kind(
            "MAP",
            "Runs a node for each item of a list. The output is the list of results in order.",
            map(),
        ),
        kind("WORKFLOW", "Runs another workflow; the child's output is the output.", workflow()),
        kind("SWITCH", "Takes the first case that is true. Other targets are skipped.", switch()),
        kind(
            "WAIT_WEBHOOK",
            "Waits for one request to a one-time URL, nodes.<id>.callbackUrl. The output is {body, headers, method}.",
            json!({}),
        ),
        kind(
            "WAIT_EVENT",
            "Waits for an event or a delivery of a webhook. The output is {event, body, deliveryId, receivedAt}.",
            wait_event(),
        ),
    ]
}

/// Says of each type in `names` which fields it has.
pub(super) fn by_type(names: &[&str]) -> Value {
    let rules = names.iter().map(|name| {
        json!({
            "if": {"required": ["type"], "properties": {"type": {"const": name}}},
            "then": {"$ref": format!("#/$defs/{name}")},
        })
    });
    rules.collect()
}

/// The field `type` where it may have these values.
pub(super) fn type_field(names: &[&str]) -> Value {
    let known = kinds();
    let options: Vec<Value> = known
        .iter()
        .filter(|kind| names.contains(&kind.name))
        .map(|kind| json!({"const": kind.name, "description": kind.description}))
        .collect();
    json!({"description": "Node type.", "type": "string", "oneOf": options})
}

fn fields(properties: Value, required: &[&str]) -> Value {
    let mut schema = Map::from_iter([("properties".to_owned(), properties)]);
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    Value::Object(schema)
}

fn service_task() -> Value {
    let properties = json!({
        "jobType": {
            "type": "string",
            "pattern": JOB_TYPE,
            "not": {"pattern": "^trunkline:"},
            "description": "Job type, which selects the handler. Names that start with trunkline: are reserved.",
        },
        "input": described("#/$defs/template", "Input of the handler (default: an empty object)."),
    });
    fields(properties, &["jobType"])
}

fn http() -> Value {
    let request = json!({
        "type": "object",
        "required": ["url"],
        "additionalProperties": false,
        "properties": {
            "method": {"enum": METHODS, "description": "HTTP method (default: GET)."},
            "url": {
                "type": "string",
                "anyOf": [{"pattern": "^https?://."}, {"pattern": r"^[^/]*\$\{"}],
                "description": "An http or https URL; may contain ${…}.",
            },
            "headers": {
                "type": "object",
                "propertyNames": {"pattern": "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$"},
                "additionalProperties": {"$ref": "#/$defs/text"},
            },
            "body": described("#/$defs/template", "Sent as JSON; text is sent unchanged."),
        },
    });
    let properties = json!({
        "request": request,
        "expect": {
            "type": "array", "minItems": 1,
            "items": {"type": "integer", "minimum": 100, "maximum": 599},
            "description": "Status codes that count as success (default: any 2xx).",
        },
    });
    fields(properties, &["request"])
}

fn transform() -> Value {
    fields(json!({"output": described("#/$defs/template", "The output.")}), &["output"])
}

fn timer() -> Value {
    json!({
        "properties": {
            "duration": {
                "description": "Duration of the wait, at most a year, or an expression that evaluates to a duration.",
                "anyOf": [{"$ref": "#/$defs/timeout"}, {"type": "string", "pattern": r"\$\{"}],
            },
            "until": {
                "description": "An RFC 3339 instant, or an expression that evaluates to one. If it has passed, the timer ends immediately.",
                "type": "string",
                "anyOf": [{"format": "date-time", "pattern": "^[0-9]{4}"}, {"pattern": r"\$\{"}],
            },
        },
        "oneOf": [{"required": ["duration"]}, {"required": ["until"]}],
    })
}

fn signal() -> Value {
    let properties = json!({
        "signal": {
            "type": "string", "minLength": 1, "maxLength": 200,
            "not": {"pattern": r"\$\{"},
            "description": "The signal's name: plain text, without expressions.",
        },
    });
    fields(properties, &["signal"])
}

fn wait_event() -> Value {
    let name = json!({
        "type": "string", "minLength": 1, "maxLength": 200,
        "not": {"pattern": r"\*|\$\{"},
    });
    let properties = json!({
        "event": {
            "description": "Event type, or several types, of which the first to arrive counts.",
            "anyOf": [name, {"type": "array", "minItems": 1, "maxItems": EVENTS_MAX, "uniqueItems": true, "items": name}],
        },
        "match": {
            "type": "object", "maxProperties": PATHS_MAX,
            "propertyNames": {"pattern": r"^body(\.|$)"},
            "description": "Paths into the body of the event, each with the expected value.",
        },
        "filter": {
            "type": "string", "pattern": r"\S",
            "description": "A CEL condition over body, event and delivery; input and nodes are also in scope.",
        },
        "lookback": described("#/$defs/duration", "How long before the wait the event may have arrived; at most an hour."),
    });
    fields(properties, &["event"])
}

fn user_task() -> Value {
    json!({
        "properties": {
            "assignee": described("#/$defs/who", "Person that the task is assigned to."),
            "group": described("#/$defs/who", "Group whose members can complete the task."),
            "input": described("#/$defs/template", "Input of the task, shown to the user."),
            "form": described("#/$defs/schema", "JSON Schema of the submitted data."),
            "dueIn": described(
                "#/$defs/duration",
                "Due time, counted from the start of the task. Only shown with the task.",
            ),
            "escalation": {
                "type": "object",
                "description": "Reassigns the task if it is not completed in time.",
                "required": ["after"],
                "additionalProperties": false,
                "properties": {
                    "after": described("#/$defs/duration", "Counted from the task's start."),
                    "assignee": described("#/$defs/who", "The new person."),
                    "group": described("#/$defs/who", "The new group."),
                },
            },
        },
        "anyOf": [{"required": ["assignee"]}, {"required": ["group"]}],
    })
}

fn map() -> Value {
    let properties = json!({
        "items": {
            "description": "The list, or an expression that evaluates to a list.",
            "anyOf": [
                {"type": "array", "maxItems": MAP_ITEMS_MAX},
                {"type": "string", "pattern": r"^\$\{[\s\S]*\}$"},
            ],
        },
        "concurrency": {
            "type": "integer", "minimum": 1, "maximum": MAP_ITEMS_MAX,
            "description": "Maximum number of concurrent items (default: 100).",
        },
        "onItemError": {
            "description": "What happens when an item fails permanently.",
            "oneOf": [
                {"const": "fail", "description": "The other items are cancelled, and the MAP fails. The default."},
                {"const": "collect", "description": "The item's result is {\"error\": …}."},
            ],
        },
        "node": described("#/$defs/item", "The node that runs for each item. item and index are in scope."),
    });
    fields(properties, &["items", "node"])
}

fn workflow() -> Value {
    let properties = json!({
        "workflow": described("#/$defs/name", "Workflow of the child."),
        "version": {
            "type": "integer", "minimum": 1, "maximum": VERSION_MAX,
            "description": "Version of the workflow (default: the latest when the child starts).",
        },
        "input": described("#/$defs/template", "Input of the child (default: an empty object)."),
    });
    fields(properties, &["workflow"])
}

fn switch() -> Value {
    let case = json!({
        "type": "object",
        "required": ["when", "goto"],
        "additionalProperties": false,
        "properties": {
            "when": described("#/$defs/expression", "Condition: the case is taken if this is true and no earlier case was."),
            "goto": described("#/$defs/nodeId", "Target node, which implicitly depends on this node."),
        },
    });
    let properties = json!({
        "cases": {"type": "array", "minItems": 1, "items": case, "description": "The first case whose condition is true is taken."},
        "default": described("#/$defs/nodeId", "Target if no case is taken."),
        "repeat": false,
    });
    fields(properties, &["cases"])
}

/// A reference with a description of its own.
pub(super) fn described(reference: &str, description: &str) -> Value {
    json!({"$ref": reference, "description": description})
}
