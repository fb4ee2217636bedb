//! The types of nodes, each with the fields that only it has.

use serde_json::{Map, Value, json};

use crate::event::PATHS_MAX;
use crate::workflow::parse::{EVENTS_MAX, MAP_ITEMS_MAX, METHODS, VERSION_MAX};

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
        kind("SERVICE_TASK", "A handler of yours, chosen by job type, does it.", service_task()),
        kind("HTTP", "Sends a request. The output is {status, headers, body}.", http()),
        kind("TRANSFORM", "Computes its output in place.", transform()),
        kind("TIMER", "Waits for a time.", timer()),
        kind(
            "SIGNAL",
            "Waits for a signal; its payload is the output. One that came early is kept.",
            signal(),
        ),
        kind("USER_TASK", "Waits for a person; what was submitted is the output.", user_task()),
        kind(
            "MAP",
            "Does one thing for each item of a list. The output is the list of results in order.",
            map(),
        ),
        kind("WORKFLOW", "Runs another workflow; the child's output is the output.", workflow()),
        kind(
            "SWITCH",
            "Takes the first case that is true. The targets it does not choose are skipped.",
            switch(),
        ),
        kind(
            "WAIT_WEBHOOK",
            "Waits for one request to an address of its own, nodes.<id>.callbackUrl. The output is {body, headers, method}.",
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
    json!({"description": "What it does.", "type": "string", "oneOf": options})
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
            "pattern": "^[A-Za-z0-9][A-Za-z0-9_.:/-]{0,126}$",
            "not": {"pattern": "^trunkline:"},
            "description": "The handler's name. What starts with trunkline: is reserved.",
        },
        "input": described("#/$defs/template", "What the handler gets; an empty object where absent."),
    });
    fields(properties, &["jobType"])
}

fn http() -> Value {
    let request = json!({
        "type": "object",
        "required": ["url"],
        "additionalProperties": false,
        "properties": {
            "method": {"enum": METHODS, "description": "GET where absent."},
            "url": {
                "type": "string",
                "anyOf": [{"pattern": "^https?://."}, {"pattern": r"^[^/]*\$\{"}],
                "description": "A URL with http or https; may hold ${…}.",
            },
            "headers": {
                "type": "object",
                "propertyNames": {"pattern": "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$"},
                "additionalProperties": {"$ref": "#/$defs/text"},
            },
            "body": described("#/$defs/template", "Sent as JSON, or as it is where it is text."),
        },
    });
    let properties = json!({
        "request": request,
        "expect": {
            "type": "array", "minItems": 1,
            "items": {"type": "integer", "minimum": 100, "maximum": 599},
            "description": "The status codes that count as success; any 2xx where absent.",
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
                "description": "How long it waits, at most a year; or an expression that gives a duration.",
                "anyOf": [{"$ref": "#/$defs/timeout"}, {"type": "string", "pattern": r"\$\{"}],
            },
            "until": {
                "description": "An instant as RFC 3339, or an expression that gives one. One that has passed ends the timer at once.",
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
            "description": "The event's type, or several of which the first to come counts.",
            "anyOf": [name, {"type": "array", "minItems": 1, "maxItems": EVENTS_MAX, "uniqueItems": true, "items": name}],
        },
        "match": {
            "type": "object", "maxProperties": PATHS_MAX,
            "propertyNames": {"pattern": r"^body(\.|$)"},
            "description": "Paths into the body, each with what stands there in the event that is waited for.",
        },
        "filter": {
            "type": "string", "pattern": r"\S",
            "description": "A CEL condition over body, event and delivery, with input and nodes besides.",
        },
        "lookback": described("#/$defs/duration", "How long before the wait the event may have come; at most an hour."),
    });
    fields(properties, &["event"])
}

fn user_task() -> Value {
    json!({
        "properties": {
            "assignee": described("#/$defs/who", "The person."),
            "group": described("#/$defs/who", "The group, of which anybody may do it."),
            "input": described("#/$defs/template", "Input of the task, shown to the user."),
            "form": described("#/$defs/schema", "What may be submitted: a JSON Schema."),
            "dueIn": described(
                "#/$defs/duration",
                "When it should be done, counted from its start. Shown with the task; nothing happens then.",
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
            "description": "The list, or one expression that gives it.",
            "anyOf": [
                {"type": "array", "maxItems": MAP_ITEMS_MAX},
                {"type": "string", "pattern": r"^\$\{[\s\S]*\}$"},
            ],
        },
        "concurrency": {
            "type": "integer", "minimum": 1, "maximum": MAP_ITEMS_MAX,
            "description": "How many items may be under way at once; 100 where absent.",
        },
        "onItemError": {
            "description": "What happens when an item fails for good.",
            "oneOf": [
                {"const": "fail", "description": "The other items are cancelled, and the MAP fails. The default."},
                {"const": "collect", "description": "The item's result is {\"error\": …}."},
            ],
        },
        "node": described("#/$defs/item", "What is done for each item; item and index are in scope."),
    });
    fields(properties, &["items", "node"])
}

fn workflow() -> Value {
    let properties = json!({
        "workflow": described("#/$defs/name", "The child's workflow."),
        "version": {
            "type": "integer", "minimum": 1, "maximum": VERSION_MAX,
            "description": "The version; the latest at the time of the start where absent.",
        },
        "input": described("#/$defs/template", "The child's input; an empty object where absent."),
    });
    fields(properties, &["workflow"])
}

fn switch() -> Value {
    let case = json!({
        "type": "object",
        "required": ["when", "goto"],
        "additionalProperties": false,
        "properties": {
            "when": described("#/$defs/expression", "The case is taken when this is true and no case before it was."),
            "goto": described("#/$defs/nodeId", "Where it leads. That node waits for this one."),
        },
    });
    let properties = json!({
        "cases": {"type": "array", "minItems": 1, "items": case, "description": "The first that is true is taken."},
        "default": described("#/$defs/nodeId", "Taken where no case is."),
        "repeat": false,
    });
    fields(properties, &["cases"])
}

/// A reference with a description of its own.
pub(super) fn described(reference: &str, description: &str) -> Value {
    json!({"$ref": reference, "description": description})
}
