//! The JSON Schema of inputs.

use serde_json::json;

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
