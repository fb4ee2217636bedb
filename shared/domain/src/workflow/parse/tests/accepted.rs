//! Definitions that pass, and their canonical form.

use serde_json::{Value, json};

use super::fixture::{parse_json, workflow};
use crate::error::Fault;
use crate::queue::Tier;
use crate::time::DurationMs;
use crate::workflow::definition::{NodeKind, OnError, check_input};
use crate::workflow::parse::bounds::DefinitionLimits;
use crate::workflow::parse::text::Format;
use crate::workflow::parse::{Parsed, parse, parse_stored};

fn parse_yaml(text: &str) -> Result<Parsed, Vec<Fault>> {
    parse(text.as_bytes(), Format::Yaml, &DefinitionLimits::default())
}

const FULL: &str = r#"
name: order-fulfilment
version: 3
input: {type: object, required: [orderId], properties: {orderId: {type: string}}}
limits: {maxConcurrent: 5}
timeout: 1h
retry: {maxRetries: 3, initial: 1s, factor: 2, max: 5m, jitter: false}
nodes:
  - id: stock
    type: HTTP
    request:
      url: https://stock.example/items/${input.orderId}
      headers: {accept: application/json}
    timeout: 10s
    expect: [200, 201]
  - id: charge
    type: SERVICE_TASK
    jobType: charge-card
    dependsOn: [stock]
    when: nodes.stock.output.body.total > 0
    input: {order: "${input.orderId}", total: "${nodes.stock.output.body.total}"}
    retryCount: 7
    priority: high
    onError: continue
  - id: post
    type: TRANSFORM
    dependsOn: [charge]
    output: {carrier: post}
output: {charge: "${nodes.charge.output.id}"}
onFailure: []
"#;

#[test]
fn a_full_definition_is_read() {
    let parsed = parse_yaml(FULL).expect("valid");
    let definition = &parsed.definition;
    assert_eq!((definition.name.as_str(), definition.version), ("order-fulfilment", 3));
    assert_eq!(definition.max_concurrent, Some(5));
    assert_eq!(definition.timeout, Some(DurationMs::from_secs(3600)));
    let [stock, charge, post] = definition.nodes.as_slice() else { panic!("three nodes") };
    assert!(matches!(&stock.kind, NodeKind::Http { expect, .. } if expect == &[200, 201]));
    assert_eq!(stock.retry.and_then(|retry| retry.retries_max), Some(3));
    let retry = charge.retry.expect("own and the definition's");
    assert_eq!(retry.retries_max, Some(7));
    assert_eq!(
        retry.backoff.map(|backoff| (backoff.max, backoff.jitter)),
        Some((DurationMs::from_secs(300), false))
    );
    assert_eq!((charge.priority, &charge.on_error), (Some(Tier::High), &OnError::Continue));
    assert!(charge.when.is_some());
    assert_eq!(post.kind.type_name(), "TRANSFORM");
    assert_eq!(definition.graph.dependents, [vec![1], vec![2], vec![]]);
    assert_eq!((&definition.graph.roots, &definition.graph.leaves), (&vec![0], &vec![2]));

    assert_eq!(check_input(definition, &json!({"orderId": "a"})), Ok(()));
    let faults = check_input(definition, &json!({"orderId": 1})).expect_err("not a string");
    assert_eq!(faults[0].pointer, "/input/orderId");
    assert_eq!(check_input(definition, &json!({})).expect_err("missing")[0].pointer, "/input");
}

#[test]
fn the_content_hash_is_of_what_is_said_not_of_how() {
    let parsed = parse_yaml(FULL).expect("valid");
    let value: Value = serde_json::from_str(&parsed.canonical_json).expect("JSON");
    let pretty = serde_json::to_string_pretty(&value).expect("JSON");
    let again = parse(pretty.as_bytes(), Format::Json, &DefinitionLimits::default()).expect("valid");
    assert_eq!(parsed.content_hash, again.content_hash);
    assert_eq!(parsed.content_hash.len(), 64);
    assert_eq!(parsed.definition.canonical_json, again.canonical_json);
    let mut other = value;
    other["nodes"][2]["output"]["carrier"] = json!("pigeon");
    assert_ne!(parse_json(&other).expect("valid").content_hash, parsed.content_hash);
    assert_eq!(
        parse_json(&workflow(&[
            json!({"output": {"b": 1.0, "a": "\u{e4}\n"}, "type": "TRANSFORM", "id": "a"})
        ]))
        .expect("valid")
        .canonical_json,
        r#"{"name":"orders","nodes":[{"id":"a","output":{"a":"ä\n","b":1.0},"type":"TRANSFORM"}],"version":1}"#
    );
}

#[test]
fn what_was_stored_is_read_again() {
    let parsed = parse_yaml(FULL).expect("valid");
    let stored = parse_stored(&parsed.canonical_json).expect("stored");
    assert_eq!(stored.canonical_json, parsed.canonical_json);
    assert_eq!(stored.nodes.len(), 3);
    assert!(parse_stored("{}").is_err());
}
