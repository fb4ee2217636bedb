//! Messages to JSON.

use domain::error::Fault;
use prost_reflect::{DynamicMessage, FieldDescriptor, MapKey, ReflectMessage as _, Value};
use serde_json::value::RawValue;

/// Writes these fields of a message as an object. Fields that are not set are left out.
pub(crate) fn write_fields<'a>(
    message: &DynamicMessage,
    fields: impl Iterator<Item = &'a FieldDescriptor>,
    out: &mut String,
) -> Result<(), Fault> {
    out.push('{');
    let mut is_first = true;
    for field in fields.filter(|field| message.has_field(field)) {
        if !is_first {
            out.push(',');
        }
        is_first = false;
        let name = field.json_name();
        push_text(name, out);
        out.push(':');
        write_value(&message.get_field(field), out).map_err(|fault| fault.under(&format!("/{name}")))?;
    }
    out.push('}');
    Ok(())
}

/// Writes a value.
pub(crate) fn write_value(value: &Value, out: &mut String) -> Result<(), Fault> {
    match value {
        Value::Bytes(bytes) => out.push_str(raw(bytes)?),
        Value::Message(message) => {
            let fields: Vec<FieldDescriptor> = message.descriptor().fields().collect();
            write_fields(message, fields.iter(), out)?;
        }
        Value::List(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_value(item, out).map_err(|fault| fault.under(&format!("/{index}")))?;
            }
            out.push(']');
        }
        Value::Map(entries) => {
            out.push('{');
            for (index, (key, value)) in entries.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                let key = key_text(key);
                push_text(&key, out);
                out.push(':');
                write_value(value, out).map_err(|fault| fault.under(&format!("/{key}")))?;
            }
            out.push('}');
        }
        Value::String(text) => push_text(text, out),
        Value::F64(number) => push_number(*number, out),
        Value::F32(number) => push_number(f64::from(*number), out),
        other => out.push_str(&text_of(other)),
    }
    Ok(())
}

/// A scalar as it stands in paths and queries.
pub(crate) fn text_of(value: &Value) -> String {
    match value {
        Value::Bool(flag) => flag.to_string(),
        Value::I32(number) | Value::EnumNumber(number) => number.to_string(),
        Value::I64(number) => number.to_string(),
        Value::U32(number) => number.to_string(),
        Value::U64(number) => number.to_string(),
        Value::F32(number) => number.to_string(),
        Value::F64(number) => number.to_string(),
        Value::String(text) => text.clone(),
        Value::Bytes(_) | Value::Message(_) | Value::List(_) | Value::Map(_) => String::new(),
    }
}

/// Bytes that are one JSON value and nothing besides: they must not add fields to what they stand in.
fn raw(bytes: &[u8]) -> Result<&str, Fault> {
    serde_json::from_slice::<&RawValue>(bytes)
        .map(RawValue::get)
        .map_err(|error| Fault::new("", format!("expected JSON: {error}")))
}

fn key_text(key: &MapKey) -> String {
    match key {
        MapKey::Bool(flag) => flag.to_string(),
        MapKey::I32(number) => number.to_string(),
        MapKey::I64(number) => number.to_string(),
        MapKey::U32(number) => number.to_string(),
        MapKey::U64(number) => number.to_string(),
        MapKey::String(text) => text.clone(),
    }
}

/// JSON knows no infinity: REST says that null is no number.
fn push_number(number: f64, out: &mut String) {
    if number.is_finite() { out.push_str(&number.to_string()) } else { out.push_str("null") }
}

fn push_text(text: &str, out: &mut String) {
    match serde_json::to_string(text) {
        Ok(quoted) => out.push_str(&quoted),
        // A text can always be quoted.
        Err(_) => out.push_str("\"\""),
    }
}
