//! The schema accepts what `parse` accepts, and refuses what can be seen to be wrong.

use std::sync::LazyLock;

use jsonschema::Validator;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::json_schema;
use crate::workflow::parse::tests::fixture::{ORDER, parse_json};
use crate::workflow::parse::tests::{bad_definitions, good_definitions};

static VALIDATOR: LazyLock<Validator> =
    LazyLock::new(|| jsonschema::draft202012::new(&json_schema()).expect("a valid schema"));

/// Faults that take more than the field that they are in: other nodes, the text of an expression, whole documents.
const UNSEEN: [&str; 25] = [
    "NUL",
    "a secret is written as",
    "already the id",
    "at most a year",
    "at most ten years",
    "cannot read its own output",
    "not among the `attributes`",
    "did you mean `b`?",
    "empty",
    "expected an instant",
    "can only use `input`",
    "it comes after",
    "leads to itself",
    "no field `mesage`",
    "not a CEL expression",
    "not a valid JSON Schema",
    "only in",
    "over by its `timeout`",
    "over when `onFailure` starts",
    "same condition",
    "shorter than the first",
    "there is no",
    "unknown variable",
    "waits for itself",
    "without a closing",
];

#[test]
fn the_schema_is_one() {
    let schema = json_schema();
    assert!(jsonschema::draft202012::meta::is_valid(&schema));
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
}

/// Set this variable to write the file anew.
const WRITE_VARIABLE: &str = "TRUNKLINE_WRITE_SCHEMA";

#[test]
fn the_published_file_is_the_schema() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/workflow.schema.json");
    let schema = format!("{:#}\n", json_schema());
    if std::env::var_os(WRITE_VARIABLE).is_some() {
        std::fs::write(&path, &schema).expect("the file can be written");
    }
    let published = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        published == schema,
        "docs/workflow.schema.json is stale; write it anew with {WRITE_VARIABLE}=1 cargo test -p domain published"
    );
}

#[test]
fn what_is_accepted_validates() {
    let order: Value = serde_json::from_str(ORDER).expect("JSON");
    for definition in good_definitions().into_iter().chain([order]) {
        assert!(parse_json(&definition).is_ok(), "{definition}");
        if let Err(error) = VALIDATOR.validate(&definition) {
            panic!("{definition}: {} {error}", error.instance_path());
        }
    }
}

#[test]
fn what_can_be_seen_to_be_wrong_does_not_validate() {
    let bad = bad_definitions();
    let mut unseen = 0;
    for (definition, part) in &bad {
        if VALIDATOR.is_valid(definition) {
            assert!(UNSEEN.iter().any(|fault| part.contains(fault)), "{part}: {definition}");
            unseen += 1;
        }
    }
    assert!(bad.len() > 180 && unseen * 3 < bad.len(), "{unseen} of {}", bad.len());
}

#[test]
fn every_field_is_described() {
    let schema = json_schema();
    let mut bare = Vec::new();
    for part in ["", "/$defs/node", "/$defs/retry", "/$defs/SERVICE_TASK", "/$defs/MAP", "/$defs/USER_TASK"] {
        let owner = schema.pointer(part).expect(part);
        for (field, rule) in owner["properties"].as_object().expect("an object") {
            let referred = rule["$ref"].as_str().and_then(|to| schema.pointer(to.trim_start_matches('#')));
            let is_described =
                [Some(rule), referred].into_iter().flatten().any(|rule| rule["description"].is_string());
            if !is_described {
                bare.push(format!("{part}/{field}"));
            }
        }
    }
    assert_eq!(bare, ["/limits"]);
}

/// Everything in a definition, by its pointer.
fn pointers(value: &Value, pointer: &str, found: &mut Vec<String>) {
    let children: Vec<(String, &Value)> = match value {
        Value::Object(fields) => fields.iter().map(|(field, item)| (field.clone(), item)).collect(),
        Value::Array(items) => {
            items.iter().enumerate().map(|(index, item)| (index.to_string(), item)).collect()
        }
        _ => Vec::new(),
    };
    for (token, child) in children {
        let pointer = format!("{pointer}/{token}");
        found.push(pointer.clone());
        pointers(child, &pointer, found);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8 * ProptestConfig::default().cases, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is changed, an editor never marks what the server takes.
    #[test]
    fn what_is_changed_and_accepted_validates(
        place in any::<prop::sample::Index>(), other in any::<prop::sample::Index>(), what in 0..14_usize,
    ) {
        let mut definition: Value = serde_json::from_str(ORDER).expect("JSON");
        let mut found = Vec::new();
        pointers(&definition, "", &mut found);
        let value = match what {
            0 => json!(null),
            1 => json!("10s"),
            2 => json!(3),
            3 => json!("${input.a}"),
            4 => json!([]),
            5 => json!({}),
            6 => json!(true),
            7 => json!("0s"),
            8 => json!(["x", 1]),
            9 => json!("fail"),
            10 => json!(" 1h 5m"),
            _ => definition.pointer(other.get(&found).as_str()).cloned().unwrap_or_default(),
        };
        *definition.pointer_mut(place.get(&found).as_str()).expect("found before") = value;
        if parse_json(&definition).is_ok() {
            prop_assert!(VALIDATOR.is_valid(&definition), "{definition}");
        }
    }
}
