//! Messages to the JSON of REST. Fields that may be absent and are, and bytes that are empty, are left out.

use prost_reflect::{DynamicMessage, FieldDescriptor, Kind, MapKey, ReflectMessage as _, Value};

/// Writes a message as an object.
pub(super) fn write(message: &DynamicMessage, out: &mut String) {
    out.push('{');
    let mut is_first = true;
    for field in message.descriptor().fields() {
        let is_json = matches!(field.kind(), Kind::Bytes) && !field.is_list() && !field.is_map();
        if (field.supports_presence() || is_json) && !message.has_field(&field) {
            continue;
        }
        if !is_first {
            out.push(',');
        }
        is_first = false;
        push_text(field.json_name(), out);
        out.push(':');
        write_field(message, &field, out);
    }
    out.push('}');
}

/// Writes the value of a field.
pub(super) fn write_field(message: &DynamicMessage, field: &FieldDescriptor, out: &mut String) {
    write_value(&message.get_field(field), out);
}

fn write_value(value: &Value, out: &mut String) {
    match value {
        // What it holds is JSON, which the server has checked; the whole is read as JSON after this.
        Value::Bytes(bytes) => out.push_str(&String::from_utf8_lossy(bytes)),
        Value::Message(message) => write(message, out),
        Value::List(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_value(item, out);
            }
            out.push(']');
        }
        Value::Map(entries) => {
            out.push('{');
            for (index, (key, value)) in entries.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                let MapKey::String(key) = key else { continue };
                push_text(key, out);
                out.push(':');
                write_value(value, out);
            }
            out.push('}');
        }
        Value::String(text) => push_text(text, out),
        Value::Bool(flag) => out.push_str(&flag.to_string()),
        Value::I32(number) | Value::EnumNumber(number) => out.push_str(&number.to_string()),
        Value::I64(number) => out.push_str(&number.to_string()),
        Value::U32(number) => out.push_str(&number.to_string()),
        Value::U64(number) => out.push_str(&number.to_string()),
        Value::F32(number) => out.push_str(&number.to_string()),
        Value::F64(number) => out.push_str(&number.to_string()),
    }
}

fn push_text(text: &str, out: &mut String) {
    match serde_json::to_string(text) {
        Ok(quoted) => out.push_str(&quoted),
        // A text can always be quoted.
        Err(_) => out.push_str("\"\""),
    }
}
