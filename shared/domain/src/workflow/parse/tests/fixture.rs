//! Small definitions with one thing changed.

use serde_json::{Value, json};

use crate::error::Fault;
use crate::workflow::parse::bounds::DefinitionLimits;
use crate::workflow::parse::text::Format;
use crate::workflow::parse::{Parsed, parse};

pub(in crate::workflow) fn parse_json(value: &Value) -> Result<Parsed, Vec<Fault>> {
    parse(value.to_string().as_bytes(), Format::Json, &DefinitionLimits::default())
}

pub(in crate::workflow) fn transform(id: &str, depends_on: &[&str], output: &Value) -> Value {
    json!({"id": id, "type": "TRANSFORM", "dependsOn": depends_on, "output": output})
}

pub(in crate::workflow) fn workflow(nodes: &[Value]) -> Value {
    json!({"name": "orders", "version": 1, "nodes": nodes})
}

#[track_caller]
pub(super) fn assert_fault(definition: &Value, pointer: &str, part: &str) {
    let faults =
        parse_json(definition).map(|parsed| parsed.canonical_json).expect_err(&definition.to_string());
    let found = faults.iter().any(|fault| fault.pointer == pointer && fault.message.contains(part));
    assert!(found, "expected {pointer:?} {part:?} in {faults:#?}");
}

/// A definition that is refused, where, and a part of why.
pub(super) struct Row {
    pub(super) definition: Value,
    pub(super) pointer: String,
    pub(super) part: String,
}

/// Reads a table: puts each row's value into its field of what is at `place` of `good`.
pub(super) fn rows(table: &str, place: &str, good: &Value) -> Vec<Row> {
    let read = |row: &str| {
        let cells: Vec<&str> = row.split(" | ").map(str::trim).collect();
        let [field, value, pointer, part] = cells.as_slice() else { panic!("four cells: {row}") };
        let mut definition = good.clone();
        let owner = definition.pointer_mut(place).expect("the place is there");
        owner[*field] = serde_json::from_str(value).expect(row);
        Row { definition, pointer: (*pointer).to_owned(), part: (*part).to_owned() }
    };
    table.trim().lines().map(read).collect()
}

/// Looks for the fault of each row.
#[track_caller]
pub(super) fn check(table: &str, place: &str, good: &Value) {
    for row in rows(table, place, good) {
        assert_fault(&row.definition, &row.pointer, &row.part);
    }
}

/// A definition in which every type and every field occurs.
pub(in crate::workflow) const ORDER: &str = r#"{
  "name": "order-fulfilment", "version": 3,
  "input": {"type": "object", "required": ["orderId"], "properties": {"orderId": {"type": "string"}}},
  "limits": {"maxConcurrent": 5}, "unique": {"key": "order ${input.orderId}", "policy": "queue"},
  "timeout": "1h",
  "retry": {"maxRetries": 3, "initial": "1s", "factor": 2, "max": "5m", "jitter": true},
  "nodes": [
    {"id": "stock", "type": "HTTP", "expect": [200], "timeout": "10s", "onError": {"goto": "post"},
     "request": {"method": "GET", "url": "https://stock.example/items/${input.orderId}",
                 "headers": {"accept": "application/json"}, "body": {"reply": "${nodes.call.callbackUrl}"}}},
    {"id": "charge", "type": "SERVICE_TASK", "jobType": "charge-card", "dependsOn": ["stock"], "retryCount": 3,
     "input": {"order": "${input.orderId}", "total": "${nodes.stock.output.body.total}"}, "priority": "high",
     "compensate": {"type": "SERVICE_TASK", "jobType": "refund-card", "timeout": "1m",
                    "input": {"charge": "${nodes.charge.output.id}", "why": "${error.message}"}}},
    {"id": "approve", "type": "USER_TASK", "dependsOn": ["charge"], "when": "nodes.charge.output.total > 1000",
     "group": "finance", "input": {"total": "${nodes.charge.output.total}"}, "timeout": "3d", "dueIn": "1d",
     "form": {"type": "object", "required": ["ok"], "properties": {"ok": {"type": "boolean"}}},
     "escalation": {"after": "2d", "assignee": "${input.manager}"}},
    {"id": "paid", "type": "SIGNAL", "dependsOn": ["approve"], "signal": "payment-received", "timeout": "24h"},
    {"id": "cool", "type": "TIMER", "dependsOn": ["paid"], "duration": "10m", "onError": "continue"},
    {"id": "notify", "type": "MAP", "dependsOn": ["cool"], "items": "${nodes.charge.output.lines}",
     "concurrency": 10, "onItemError": "collect",
     "node": {"type": "SERVICE_TASK", "jobType": "notify", "retryCount": 1,
              "input": {"line": "${item}", "index": "${index}"}}},
    {"id": "route", "type": "SWITCH", "dependsOn": ["notify"],
     "cases": [{"when": "input.express", "goto": "courier"}], "default": "post"},
    {"id": "courier", "type": "WORKFLOW", "dependsOn": ["route"], "workflow": "courier-booking", "version": 2,
     "input": {"order": "${input.orderId}", "before": "${nodes.courier.output}"},
     "repeat": {"until": "nodes.courier.output.booked", "max": 5, "delay": "30s"}},
    {"id": "post", "type": "TRANSFORM", "dependsOn": ["route"], "output": {"carrier": "post"}},
    {"id": "call", "type": "WAIT_WEBHOOK", "dependsOn": ["charge"], "timeout": "1d"},
    {"id": "shipped", "type": "WAIT_EVENT", "dependsOn": ["charge"], "timeout": "1d", "event": ["order.shipped", "order.lost"],
     "match": {"body.order.id": "${input.orderId}"}, "filter": "body.parcels > 0 && input.orderId != ''", "lookback": "1m"}
  ],
  "output": {"charge": "${nodes.charge.output.id}"},
  "onFailure": [
    {"id": "tell", "type": "SERVICE_TASK", "jobType": "tell-ops", "input": {"error": "${error.message}"}}
  ]
}"#;
