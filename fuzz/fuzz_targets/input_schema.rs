//! Any schema, and any value to check against it: nothing panics, fills the memory or takes long.

#![no_main]

use domain::workflow::expression::InputSchema;
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|text: &str| {
    // The schema on the first line, the value on the others.
    let (schema, value) = text.split_once('\n').unwrap_or((text, "{}"));
    let Ok(schema) = serde_json::from_str::<Value>(schema) else { return };
    let value = serde_json::from_str::<Value>(value).unwrap_or(Value::Null);
    if let Ok(compiled) = InputSchema::compile(&schema) {
        let faults = compiled.check(&value).err();
        assert_eq!(compiled.check(&value).err(), faults);
        assert!(faults.is_none_or(|faults| !faults.is_empty()));
        // A schema is a value like others.
        let _ = compiled.check(&schema);
    }
});
