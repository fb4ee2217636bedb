//! The JSON Schema of inputs.

use serde_json::{Value, json};

use crate::workflow::expression::InputSchema;

#[test]
fn schemas_are_checked_and_fetch_nothing() {
    let bad = [
        (json!({"type": "strin"}), "/type"),
        (json!({"required": "a"}), "/required"),
        (json!({"properties": {"a": {"minimum": "1"}}}), "/properties/a/minimum"),
        (json!({"pattern": "(a"}), "/pattern"),
        (json!({"$ref": "http://schemas.example/x.json"}), ""),
        (json!({"$ref": "file:///etc/passwd"}), ""),
    ];
    for (schema, pointer) in bad {
        let faults = InputSchema::compile(&schema).expect_err(&schema.to_string());
        assert_eq!(faults[0].pointer, pointer, "{schema}: {faults:?}");
    }
    let schema = InputSchema::compile(&json!({
        "type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}, "$ref": "#/$defs/x",
        "$defs": {"x": {"allOf": [{"$ref": "#/$defs/x"}]}},
    }));
    let schema = schema.expect("a schema may refer to itself");
    assert_eq!(schema.check(&json!({"id": "a"})), Ok(()));
    let faults = schema.check(&json!({"id": {"secret": 1}})).expect_err("not a string");
    assert_eq!(faults[0].pointer, "/id");
    assert!(!faults[0].message.contains("secret"), "{faults:?}");
}

#[test]
fn looks_are_those_of_the_value_and_bounded_by_its_length() {
    let numbers = json!({"type": "array", "items": {"type": "integer"}});
    let schema = InputSchema::compile(&json!({"type": "object", "properties": {"of": numbers}}));
    let schema = schema.expect("a schema");
    let looks_at = |count: usize| {
        let input = json!({"of": vec![0; count]});
        let (looks, at_most) = (schema.looks(&input), schema.looks_at(input.to_string().len()));
        assert!(looks >= count as u64 && looks <= at_most, "{looks} of {at_most}");
        looks
    };
    assert!(looks_at(1_000) < looks_at(2_000));
}

/// `allOf` of so many references to the next, so many times.
fn chain(length: usize, references: usize) -> Value {
    let mut definitions = json!({});
    for place in 0..length {
        let next = json!({"$ref": format!("#/$defs/d{}", place + 1)});
        definitions[format!("d{place}")] = json!({ "allOf": vec![next; references] });
    }
    definitions[format!("d{length}")] = json!({"type": "object"});
    json!({"$ref": "#/$defs/d0", "$defs": definitions})
}

/// Schemas that all refer to one another.
fn clique(size: usize) -> Value {
    let all: Vec<Value> = (0..size).map(|to| json!({"$ref": format!("#/$defs/d{to}")})).collect();
    let definitions: serde_json::Map<String, Value> =
        (0..size).map(|from| (format!("d{from}"), json!({ "allOf": all }))).collect();
    json!({"$ref": "#/$defs/d0", "$defs": definitions})
}

#[test]
fn schemas_from_which_too_much_follows_are_refused() {
    let twice_below = json!({"$ref": "#/$defs/t", "$defs": {"t": {
        "properties": {"a": {"allOf": [{"$ref": "#/$defs/t"}, {"$ref": "#/$defs/t"}]}}}}});
    let anchored = json!({"$ref": "#t", "$defs": {"t": {"$anchor": "t",
        "additionalProperties": {"anyOf": [{"$ref": "#t"}, {"$ref": "#t"}]}}}});
    let overlapping = json!({"$ref": "#/$defs/t", "$defs": {"t": {
        "patternProperties": {"^a": {"$ref": "#/$defs/t"}, "^b": {"$ref": "#/$defs/t"}}}}});
    let hostile = [
        ("a chain of two", chain(26, 2)),
        ("a long chain", chain(2_000, 1)),
        ("a clique", clique(12)),
        ("twice at each level", twice_below),
        ("twice at each level by name", anchored),
        ("patterns that overlap", overlapping),
        ("many values", json!({"enum": vec![0; 30_000]})),
        ("a costly list at each of many", json!({"allOf": vec![json!({"enum": vec![0; 900]}); 10]})),
    ];
    for (name, schema) in hostile {
        let faults = InputSchema::compile(&schema).map(|_| ()).expect_err(name);
        assert!(faults.len() == 1 && faults[0].message.len() < 400, "{name}: {faults:?}");
        let stored = InputSchema::compile_stored(&schema).expect("a stored schema keeps its meaning");
        let refused = stored.check(&json!({})).expect_err("nothing can be checked");
        assert!(refused[0].message.contains("register another version"), "{name}: {refused:?}");
    }
}

#[test]
fn schemas_that_people_write_are_taken() {
    let tree = json!({"$ref": "#/$defs/tree", "$defs": {"tree": {"type": "object", "properties": {
        "left": {"$ref": "#/$defs/tree"}, "right": {"$ref": "#/$defs/tree"}, "name": {"type": "string"},
        "children": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}}}});
    let choices: Vec<Value> =
        (0..60).map(|n| json!({"properties": {"kind": {"const": n}, "value": {"type": "string"}}})).collect();
    let good = [
        tree,
        chain(100, 1),
        json!({"type": "object", "oneOf": choices}),
        json!({"$id": "https://x.example/a", "$ref": "b", "$defs": {"b": {"$id": "b", "type": "object"}}}),
        json!({"$ref": "https://json-schema.org/draft/2020-12/schema"}),
        json!({"properties": (0..500).map(|n| (format!("f{n}"), json!({"type": "string", "pattern": "^[A-Z]{2}[0-9]{6}$"})))
            .collect::<serde_json::Map<_, _>>()}),
    ];
    for schema in good {
        let compiled = InputSchema::compile(&schema);
        let text = schema.to_string();
        assert!(compiled.is_ok(), "{}: {:?}", &text[..text.len().min(200)], compiled.err());
    }
}

#[test]
fn patterns_are_bounded_each_and_together() {
    let of = |patterns: Vec<String>| {
        let all: Vec<Value> = patterns.into_iter().map(|pattern| json!({ "pattern": pattern })).collect();
        json!({ "allOf": all })
    };
    let faults = InputSchema::compile(&of((0..800).map(|n| format!("\\p{{L}}{{100}}{n}")).collect()));
    let faults = faults.expect_err("too large");
    assert_eq!(faults[0].pointer, "/allOf/0/pattern", "{faults:?}");
    let faults = InputSchema::compile(&of((0..1_500).map(|n| format!("^[a-z]*{n}$")).collect()));
    assert!(faults.expect_err("too many")[0].message.contains("together"));
    let faults = InputSchema::compile(&json!({"patternProperties": {"\\p{L}{1000}": {}}}));
    assert_eq!(faults.expect_err("too large")[0].pointer, "/patternProperties/\\p{L}{1000}");
}

/// A text is gone through once for each pattern that applies to it.
#[test]
fn patterns_count_as_looks() {
    let of = |count: usize| {
        let all: Vec<Value> = (0..count).map(|n| json!({"pattern": format!("^[a-z]*{n}$")})).collect();
        InputSchema::compile(&json!({ "allOf": all }))
    };
    let faults = of(900).expect_err("too many for one value");
    assert!(faults[0].message.contains("may visit one value more than"), "{faults:?}");
    let some = of(250).expect("compiles");
    let faults = some.check(&json!("a".repeat(1_200_000))).expect_err("too much");
    assert!(faults[0].message.contains("too large to be checked"), "{faults:?}");
    let faults = some.check(&json!("a".repeat(1_000))).expect_err("no number at its end");
    assert_eq!(faults.len(), 20, "it is checked: {faults:?}");
}

#[test]
fn a_long_check_ends_at_the_first_fault() {
    let schema =
        InputSchema::compile(&json!({"items": {"type": "string", "pattern": "^a"}})).expect("compiles");
    let few = schema.check(&json!(vec![1; 100])).expect_err("not strings");
    assert_eq!(few.len(), 20);
    let many = schema.check(&json!(vec![1; 300_000])).expect_err("not strings");
    assert_eq!(many.len(), 1);
    let costly = InputSchema::compile(&json!({"items": {"enum": (0..3_000).collect::<Vec<_>>()}}));
    let faults = costly.expect("compiles").check(&json!(vec![-1; 300_000])).expect_err("too much");
    assert!(faults[0].message.contains("too large to be checked"), "{faults:?}");
}
