//! One definition with every type in it.

use super::fixture::ORDER;
use crate::names::NodeId;
use crate::time::DurationMs;
use crate::workflow::definition::{NodeKind, OnItemError, TimerEnd};
use crate::workflow::parse::bounds::DefinitionLimits;
use crate::workflow::parse::text::Format;
use crate::workflow::parse::{parse, parse_stored};

#[test]
fn every_type_is_read() {
    let parsed = parse(ORDER.as_bytes(), Format::Json, &DefinitionLimits::default()).expect("valid");
    let definition = &parsed.definition;
    let types: Vec<&str> = definition.nodes.iter().map(|node| node.kind.type_name()).collect();
    assert_eq!(
        types,
        [
            "HTTP",
            "SERVICE_TASK",
            "USER_TASK",
            "SIGNAL",
            "TIMER",
            "MAP",
            "SWITCH",
            "WORKFLOW",
            "TRANSFORM",
            "WAIT_WEBHOOK",
            "WAIT_EVENT",
            "SERVICE_TASK"
        ]
    );
    assert_eq!(definition.on_failure_from, 11);
    let unique = definition.unique.as_ref().expect("it has one");
    let key = |input| unique.key_of(&input).map(|key| key.to_string());
    assert_eq!(key(serde_json::json!({"orderId": 7})).as_deref(), Ok("order 7"));
    let node = |index: usize| &definition.nodes[index];
    assert_eq!(node(1).compensate.as_ref().map(|task| task.kind.type_name()), Some("SERVICE_TASK"));
    let NodeKind::UserTask(task) = &node(2).kind else { panic!("a USER_TASK") };
    assert!(task.group.is_some() && task.assignee.is_none() && task.form.is_some());
    assert_eq!(task.due_in, Some(DurationMs::from_secs(86_400)));
    assert_eq!(task.escalation.as_ref().map(|handed| handed.after), Some(DurationMs::from_secs(2 * 86_400)));
    assert!(matches!(&node(3).kind, NodeKind::Signal { signal } if signal.as_str() == "payment-received"));
    assert!(matches!(&node(4).kind, NodeKind::Timer(TimerEnd::Duration(DurationMs(600_000)))));
    let NodeKind::Map(map) = &node(5).kind else { panic!("a MAP") };
    assert_eq!((map.concurrency, map.on_item_error), (Some(10), OnItemError::Collect));
    let NodeKind::Switch { cases, default } = &node(6).kind else { panic!("a SWITCH") };
    assert_eq!((cases[0].goto.as_str(), default.as_ref().map(NodeId::as_str)), ("courier", Some("post")));
    assert!(
        matches!(&node(7).kind, NodeKind::Workflow { workflow, version: Some(2), .. } if workflow.as_str() == "courier-booking")
    );
    let repeat = node(7).repeat.as_ref().expect("one");
    assert_eq!((repeat.rounds_max, repeat.delay), (5, DurationMs::from_secs(30)));
    assert_eq!(definition.graph.on_failure_roots, [11]);
    let NodeKind::WaitEvent(event) = &node(10).kind else { panic!("a WAIT_EVENT") };
    assert_eq!((event.events.len(), event.matches[0].0.as_str()), (2, "body.order.id"));
    assert!(event.filter.is_some() && event.lookback == DurationMs::from_secs(60));
    assert_eq!(definition.event_waits, [10]);
    assert!(parse_stored(&parsed.canonical_json).is_ok());
}

#[test]
fn timers_can_be_computed() {
    let text = ORDER.replace(r#""duration": "10m""#, r#""duration": "${input.wait}""#);
    let parsed = parse(text.as_bytes(), Format::Json, &DefinitionLimits::default()).expect("valid");
    assert!(matches!(&parsed.definition.nodes[4].kind, NodeKind::Timer(TimerEnd::DurationOf(_))));
    for until in ["${nodes.charge.output.at}", "2027-01-31T09:00:00+02:00"] {
        let text = ORDER.replace(r#""duration": "10m""#, &format!(r#""until": "{until}""#));
        let parsed = parse(text.as_bytes(), Format::Json, &DefinitionLimits::default()).expect(until);
        assert!(matches!(&parsed.definition.nodes[4].kind, NodeKind::Timer(TimerEnd::Until(_))));
    }
}

/// Fields that may be left out are left out here.
const SHORT: &str = r#"{
  "name": "order-fulfilment", "version": 3,
  "input": {"type": "object", "required": ["orderId"], "properties": {"orderId": {"type": "string"}}},
  "limits": {"maxConcurrent": 5},
  "timeout": "1h",
  "retry": {"maxRetries": 3, "initial": "1s", "factor": 2, "max": "5m", "jitter": true},
  "nodes": [
    {"id": "stock",   "type": "HTTP", "request": {"method": "GET", "url": "https://stock.example/items/${input.orderId}", "headers": {"accept": "application/json"}}, "timeout": "10s"},
    {"id": "charge",  "type": "SERVICE_TASK", "jobType": "charge-card", "dependsOn": ["stock"], "input": {"order": "${input.orderId}", "total": "${nodes.stock.output.body.total}"}, "retryCount": 3,
                      "compensate": {"type": "SERVICE_TASK", "jobType": "refund-card", "input": {"charge": "${nodes.charge.output.id}"}}},
    {"id": "approve", "type": "USER_TASK", "dependsOn": ["charge"], "when": "nodes.charge.output.total > 1000", "group": "finance", "form": {"type": "object", "required": ["ok"], "properties": {"ok": {"type": "boolean"}}}, "timeout": "3d"},
    {"id": "paid",    "type": "SIGNAL", "dependsOn": ["approve"], "signal": "payment-received", "timeout": "24h"},
    {"id": "cool",    "type": "TIMER", "dependsOn": ["paid"], "duration": "10m"},
    {"id": "notify",  "type": "MAP", "dependsOn": ["cool"], "items": "${nodes.charge.output.lines}", "concurrency": 10, "node": {"type": "SERVICE_TASK", "jobType": "notify", "input": {"line": "${item}", "index": "${index}"}}},
    {"id": "route",   "type": "SWITCH", "dependsOn": ["notify"], "cases": [{"when": "input.express", "goto": "courier"}], "default": "post"},
    {"id": "courier", "type": "WORKFLOW", "dependsOn": ["route"], "workflow": "courier-booking", "input": {"order": "${input.orderId}"}},
    {"id": "post",    "type": "TRANSFORM", "dependsOn": ["route"], "output": {"carrier": "post"}}
  ],
  "output": {"charge": "${nodes.charge.output.id}"},
  "onFailure": [{"id": "tell", "type": "SERVICE_TASK", "jobType": "tell-ops", "input": {"error": "${error.message}"}}]
}
"#;

#[test]
fn a_short_form_is_read() {
    let parsed = parse(SHORT.as_bytes(), Format::Json, &DefinitionLimits::default()).expect("valid");
    let definition = &parsed.definition;
    assert_eq!((definition.nodes.len(), definition.on_failure_from), (10, 9));
    // The SWITCH leads to both, whether or not they list it.
    assert_eq!(definition.graph.dependents[6], [7, 8]);
    assert_eq!((&definition.graph.roots, &definition.graph.leaves), (&vec![0], &vec![7, 8]));
}
