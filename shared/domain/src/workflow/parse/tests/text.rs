//! Text that is no definition at all, and text that is too much of one.

use serde_json::{Value, json};

use super::fixture::{assert_fault, parse_json, transform, workflow};
use crate::workflow::parse::bounds::DefinitionLimits;
use crate::workflow::parse::parse;
use crate::workflow::parse::text::Format;

#[test]
fn text_that_is_no_definition_is_refused() {
    let deep_json = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let deep_objects = format!("{}1{}", "{\"a\":".repeat(70), "}".repeat(70));
    let bomb = "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\n\
        d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\n\
        g: &g [*f,*f,*f,*f,*f,*f,*f,*f,*f]\nh: [*g,*g,*g,*g,*g,*g,*g,*g,*g]\n";
    let large = format!("{{\"a\": \"{}\"}}", "x".repeat(1024 * 1024));
    let table: Vec<(&[u8], Format, &str, &str)> = vec![
        (b"", Format::Json, "", "not valid JSON"),
        (b"{", Format::Json, "", "line 1"),
        (b"{} x", Format::Json, "", "not valid JSON"),
        (b"{\"a\": 1e999}", Format::Json, "", "not valid JSON"),
        (b"\xff\xfe", Format::Json, "", "not valid UTF-8 at byte 0"),
        (b"a: \xff", Format::Yaml, "", "not valid UTF-8 at byte 3"),
        (b"{\"name\": 1, \"name\": 2}", Format::Json, "/name", "appears twice"),
        (b"{\"nodes\": [{\"x\": {\"y\": 1, \"y\": 2}}]}", Format::Json, "/nodes/0/x/y", "appears twice"),
        (b"{\"a\\u0000\": 1}", Format::Json, "", "NUL"),
        (deep_json.as_bytes(), Format::Json, "", "nested deeper than 64"),
        (deep_objects.as_bytes(), Format::Json, "", "nested deeper than 64"),
        (deep_json.as_bytes(), Format::Yaml, "", "nested deeper than 64"),
        (deep_objects.as_bytes(), Format::Yaml, "", "nested deeper than 64"),
        (large.as_bytes(), Format::Json, "", "larger than 1048576 bytes"),
        (b"", Format::Yaml, "", "expected an object, found null"),
        (b"a: [", Format::Yaml, "", "not valid YAML"),
        (b"a: 1\na: 2", Format::Yaml, "/a", "appears twice"),
        (b"1: x", Format::Yaml, "", "a key that is a string"),
        (b"a: .nan", Format::Yaml, "/a", "no such number"),
        (b"a: !tag x", Format::Yaml, "", "not valid YAML"),
        (b"a: 1\n---\nb: 2", Format::Yaml, "", "not valid YAML"),
        (bomb.as_bytes(), Format::Yaml, "", ""),
    ];
    for (text, format, pointer, part) in table {
        let faults = parse(text, format, &DefinitionLimits::default()).map(|_| ()).expect_err(part);
        let found =
            faults.iter().any(|fault| fault.pointer.starts_with(pointer) && fault.message.contains(part));
        assert!(found, "expected {pointer:?} {part:?} in {faults:#?}");
        assert!(faults.iter().all(|fault| fault.message.len() < 2_000), "{part}");
    }
}

#[test]
fn limits_hold() {
    let nodes: Vec<Value> = (0..1_001).map(|index| transform(&format!("n{index}"), &[], &json!(1))).collect();
    assert_fault(&workflow(&nodes), "/nodes", "at most 1000 nodes");
    assert!(parse_json(&workflow(&nodes[..1_000])).is_ok());
    let small = DefinitionLimits { size_bytes_max: 40, ..DefinitionLimits::default() };
    let text = workflow(&nodes[..1]).to_string();
    assert!(parse(text.as_bytes(), Format::Json, &small).is_err());
}

#[test]
fn the_name_of_the_schema_is_for_editors_only() {
    let node = r#"{"id": "a", "type": "TRANSFORM", "output": 1}"#;
    let plain = format!(r#"{{"name": "w", "version": 1, "nodes": [{node}]}}"#);
    let named = plain.replacen('{', r#"{"$schema": "./workflow.json", "#, 1);
    let hash = |text: &str| {
        let parsed = parse(text.as_bytes(), Format::Json, &DefinitionLimits::default()).expect("accepted");
        parsed.content_hash
    };
    assert_eq!(hash(&plain), hash(&named));
    let wrong = plain.replacen('{', r#"{"$schema": 1, "#, 1);
    assert!(parse(wrong.as_bytes(), Format::Json, &DefinitionLimits::default()).is_err());
}
