//! What executions are found by: set at the start, and by nodes that complete.

use serde_json::{Value, json};

use super::fixture::{Run, task};
use crate::attribute::AttributeValue;
use crate::failure::JobError;
use crate::workflow::execution::{Decision, Effect, Event};

fn more() -> Value {
    json!({"attributes": {
        "customerId": {"type": "integer", "value": "${input.customer.id}"},
        "region": {"type": "text", "value": "${input.regions}"},
        "total": {"type": "number"},
    }})
}

fn with(node: &Value, attributes: Value) -> Value {
    let mut node = node.clone();
    node["attributes"] = attributes;
    node
}

fn set(decision: &Decision) -> Vec<(&str, Vec<AttributeValue>, u32)> {
    let lists = decision.effects.iter().filter_map(|effect| match effect {
        Effect::SetAttributes(set) => Some(set),
        _ => None,
    });
    lists.flatten().map(|one| (one.name.as_str(), one.values.clone(), one.skipped)).collect()
}

fn text(text: &str) -> AttributeValue {
    AttributeValue::Text(text.to_owned())
}

#[test]
fn they_are_set_at_the_start_once() {
    let input = json!({"customer": {"id": 7}, "regions": ["eu", 1]});
    let mut run = Run::of(&json!([task("a", &[])]), &more(), input);
    let decision = run.apply(Event::Started).expect("starts");
    let expected = [("customerId", vec![AttributeValue::Integer(7)], 0), ("region", vec![text("eu")], 1)];
    assert_eq!(set(&decision), expected);
    assert_eq!(set(&run.apply(Event::Started).expect("again")), []);
}

#[test]
fn what_cannot_be_evaluated_stops_nothing() {
    let attributes = json!({"attributes": {
        "broken": {"type": "integer", "value": "${size(input.number)}"},
        "none": {"type": "text", "value": "${input.none}"},
    }});
    let mut run = Run::of(&json!([task("a", &[])]), &attributes, json!({"number": 7}));
    let decision = run.apply(Event::Started).expect("starts");
    assert_eq!(set(&decision), [("broken", vec![], 1), ("none", vec![], 0)]);
    assert_eq!(run.running(), ["a"]);
}

#[test]
fn a_node_sets_them_when_it_completes() {
    let sets = json!({"total": "${nodes.a.output.total}", "region": "${nodes.a.output.region}"});
    let nodes = json!([with(&task("a", &[]), sets)]);
    let mut run = Run::of(&nodes, &more(), json!({"customer": {"id": 1}, "regions": "eu"}));
    run.apply(Event::Started).expect("starts");
    let decision = run.succeed("a", json!({"total": 2.5, "region": "us"}));
    let expected = [("region", vec![text("us")], 0), ("total", vec![AttributeValue::Number(2.5)], 0)];
    assert_eq!(set(&decision), expected);
}

#[test]
fn a_node_that_failed_sets_none() {
    let sets = json!({"total": "${1.5}"});
    let mut node = with(&task("a", &[]), sets);
    node["onError"] = json!("continue");
    let mut run = Run::of(&json!([node]), &more(), json!({"customer": {"id": 1}, "regions": "eu"}));
    run.apply(Event::Started).expect("starts");
    let job = run.take("a");
    let failed = Run::settled(&job, Err(JobError::coded("boom", "it broke")));
    assert_eq!(set(&run.apply(failed).expect("awaited")), []);
}
