//! The canonical form of a definition: JSON with sorted keys and no white space. Two texts that mean the same have
//! the same content hash.

use serde_json::Value;

/// Writes the canonical form. Sorts by itself, so that it does not depend on how `serde_json` keeps its maps.
pub(super) fn to_canonical_json(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

fn write(value: &Value, text: &mut String) {
    match value {
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write(item, text);
            }
            text.push(']');
        }
        Value::Object(fields) => {
            let mut sorted: Vec<_> = fields.iter().collect();
            sorted.sort_by_key(|(field, _)| *field);
            text.push('{');
            for (index, (field, item)) in sorted.into_iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                text.push_str(&Value::from(field.as_str()).to_string());
                text.push(':');
                write(item, text);
            }
            text.push('}');
        }
        scalar => text.push_str(&scalar.to_string()),
    }
}
