//! Nothing that can be sent makes the parser panic.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::fixture::{ORDER, parse_json, transform, workflow};
use crate::workflow::graph_text::mermaid;
use crate::workflow::parse::bounds::DefinitionLimits;
use crate::workflow::parse::text::Format;
use crate::workflow::parse::{parse, parse_stored};

/// The words of a definition.
const WORDS: [&str; 66] = [
    "name",
    "version",
    "nodes",
    "id",
    "type",
    "HTTP",
    "SERVICE_TASK",
    "TRANSFORM",
    "MAP",
    "dependsOn",
    "when",
    "input",
    "output",
    "request",
    "url",
    "headers",
    "retry",
    "maxRetries",
    "timeout",
    "10s",
    "a",
    "b",
    "onError",
    "continue",
    "jobType",
    "${input.a}",
    "${nodes.a.output}",
    "x ${",
    "$${",
    "https://x.example",
    "properties",
    "$ref",
    "#",
    "limits",
    "maxConcurrent",
    "expect",
    "retryCount",
    "priority",
    "high",
    "onFailure",
    "\u{0}",
    "TIMER",
    "SIGNAL",
    "USER_TASK",
    "WORKFLOW",
    "SWITCH",
    "WAIT_WEBHOOK",
    "duration",
    "until",
    "signal",
    "group",
    "form",
    "escalation",
    "after",
    "items",
    "node",
    "${item}",
    "${error.code}",
    "${nodes.a.callbackUrl}",
    "workflow",
    "cases",
    "default",
    "goto",
    "repeat",
    "max",
    "compensate",
];

/// Any JSON, mostly made of the words of a definition, so that the readers behind the first check are reached too.
fn any_definition() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(WORDS.to_vec());
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-2_i64..300).prop_map(Value::from),
        any::<f64>().prop_map(|number| json!(number)),
        word.clone().prop_map(Value::from),
        ".{0,20}".prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 64, 8, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((word.clone(), inner), 0..10).prop_map(|fields| fields
                .into_iter()
                .map(|(field, value)| (field.to_owned(), value))
                .collect()),
        ]
    })
}

/// Texts that look like CEL.
fn any_expression() -> impl Strategy<Value = String> {
    let token = prop::sample::select(vec![
        "input", "nodes", "a", ".", "[", "]", "(", ")", "{", "}", "\"", "'", "1", "0x", "1.5", "1u", "-",
        "!", "+", "*", "/", "%", "<", ">=", "==", "&&", "||", "?", ":", ",", "has", "map", "all", "filter",
        "in", "true", "null", "r", "b", "\\", "x", "size", "`", "@", "$", "\n", "//", "ä", " ", "optional",
        "none", ".?", "output", "\"a\"",
    ]);
    prop::collection::vec(token, 0..30).prop_map(|tokens| tokens.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2 * ProptestConfig::default().cases, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for format in [Format::Json, Format::Yaml] {
            let _ = parse(&bytes, format, &DefinitionLimits::default());
        }
    }

    #[test]
    fn no_text_makes_it_panic(text in "[-{}\\[\\]:,\"'&*!|>#%@a-z0-9 \\n\\\\$]{0,120}") {
        for format in [Format::Json, Format::Yaml] {
            let _ = parse(text.as_bytes(), format, &DefinitionLimits::default());
        }
    }

    #[test]
    fn no_value_makes_it_panic(
        mut definition in any_definition(), nodes in prop::collection::vec(any_definition(), 0..4),
        type_name in prop::sample::select(vec![
            "SERVICE_TASK", "HTTP", "TRANSFORM", "TIMER", "SIGNAL", "USER_TASK", "MAP", "WORKFLOW", "SWITCH",
            "WAIT_WEBHOOK",
        ]),
        field in prop::sample::select(vec![
            "request", "input", "output", "retry", "when", "dependsOn", "duration", "until", "signal", "form",
            "escalation", "items", "node", "cases", "default", "onError", "compensate", "repeat",
        ]),
        value in any_definition(),
    ) {
        if let Err(faults) = parse_json(&definition) {
            prop_assert!(!faults.is_empty());
        }
        if definition.is_object() {
            definition["name"] = json!("a");
            definition["version"] = json!(1);
            definition["nodes"] = Value::from(nodes);
            if let Some(node) = definition["nodes"].get_mut(0).filter(|node| node.is_object()) {
                node["id"] = json!("a");
                node["type"] = json!(type_name);
                node[field] = value;
            }
        }
        match parse_json(&definition) {
            Ok(parsed) => {
                prop_assert!(parse_stored(&parsed.canonical_json).is_ok());
                prop_assert!(mermaid(&parsed.definition).starts_with("%% a"));
            }
            Err(faults) => prop_assert!(!faults.is_empty()),
        }
    }

    /// Close to what is right, so that what comes last is reached as well.
    #[test]
    fn no_field_makes_it_panic(
        list in prop::sample::select(vec!["nodes", "onFailure"]), index in any::<prop::sample::Index>(),
        field in any::<prop::sample::Index>(), value in any_definition(),
    ) {
        let mut definition: Value = serde_json::from_str(ORDER).expect("JSON");
        let nodes = definition[list].as_array_mut().expect("a list");
        let node = index.get_mut(nodes).as_object_mut().expect("an object");
        let fields: Vec<String> = node.keys().cloned().collect();
        node.insert(field.get(&fields).clone(), value);
        match parse_json(&definition) {
            Ok(parsed) => prop_assert!(mermaid(&parsed.definition).contains("flowchart")),
            Err(faults) => prop_assert!(faults.iter().all(|fault| definition.pointer(&fault.pointer).is_some())),
        }
    }

    #[test]
    fn no_expression_makes_it_panic(source in any_expression()) {
        let output = format!("${{{source}}}");
        let _ = parse_json(&workflow(&[transform("a", &[], &json!(output)), json!({"when": source})]));
    }
}
