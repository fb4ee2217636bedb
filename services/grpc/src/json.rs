//! Messages to JSON as REST reads it, and its answers back to messages. Fields of bytes hold JSON, which is carried along
//! as it is: large integers stay exact.

use std::collections::HashMap;
use std::fmt;

use bytes::Bytes;
use domain::error::Fault;
use prost_reflect::{
    DynamicMessage, FieldDescriptor, Kind, MapKey, MessageDescriptor, ReflectMessage as _, Value,
};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

// JSON to messages. Fields that the contract does not know are left out.

/// Reads a message.
pub(crate) fn read(descriptor: &MessageDescriptor, json: &[u8]) -> Result<DynamicMessage, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_slice(json);
    let message = MessageSeed(descriptor).deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(message.unwrap_or_else(|| DynamicMessage::new(descriptor.clone())))
}

/// Reads a message of which one field is all of the text.
pub(crate) fn read_field(
    descriptor: &MessageDescriptor,
    field: &FieldDescriptor,
    text: &[u8],
) -> Result<DynamicMessage, serde_json::Error> {
    let mut message = DynamicMessage::new(descriptor.clone());
    let value = if matches!(field.kind(), Kind::String) && !field.is_list() && !field.is_map() {
        Some(Value::String(String::from_utf8_lossy(text).into_owned()))
    } else {
        let mut deserializer = serde_json::Deserializer::from_slice(text);
        FieldSeed(field).deserialize(&mut deserializer)?
    };
    if let Some(value) = value {
        message.set_field(field, value);
    }
    Ok(message)
}

/// Reads an object; `None` for null.
struct MessageSeed<'a>(&'a MessageDescriptor);

impl<'de> DeserializeSeed<'de> for MessageSeed<'_> {
    type Value = Option<DynamicMessage>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for MessageSeed<'_> {
    type Value = Option<DynamicMessage>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut message = DynamicMessage::new(self.0.clone());
        while let Some(name) = map.next_key::<String>()? {
            let Some(field) = self.0.get_field_by_json_name(&name) else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            if let Some(value) = map.next_value_seed(FieldSeed(&field))? {
                message.set_field(&field, value);
            }
        }
        Ok(Some(message))
    }
}

/// Reads the value of a field; `None` for null.
struct FieldSeed<'a>(&'a FieldDescriptor);

impl<'de> DeserializeSeed<'de> for FieldSeed<'_> {
    type Value = Option<Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        if self.0.is_list() {
            deserializer.deserialize_any(ListVisitor(&self.0.kind()))
        } else if self.0.is_map() {
            deserializer.deserialize_any(MapVisitor(&self.0.kind()))
        } else {
            KindSeed(&self.0.kind()).deserialize(deserializer)
        }
    }
}

/// Reads one value; `None` for null.
struct KindSeed<'a>(&'a Kind);

impl<'de> DeserializeSeed<'de> for KindSeed<'_> {
    type Value = Option<Value>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        Ok(match self.0 {
            Kind::Message(descriptor) => MessageSeed(descriptor).deserialize(from)?.map(Value::Message),
            // Null is a value of what is carried along.
            Kind::Bytes => {
                let raw = Box::<RawValue>::deserialize(from)?;
                Some(Value::Bytes(Bytes::copy_from_slice(raw.get().as_bytes())))
            }
            Kind::String => Option::deserialize(from)?.map(Value::String),
            Kind::Bool => Option::deserialize(from)?.map(Value::Bool),
            Kind::Double => Option::deserialize(from)?.map(Value::F64),
            Kind::Float => Option::deserialize(from)?.map(Value::F32),
            Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => Option::deserialize(from)?.map(Value::I32),
            Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => Option::deserialize(from)?.map(Value::I64),
            Kind::Uint32 | Kind::Fixed32 => Option::deserialize(from)?.map(Value::U32),
            Kind::Uint64 | Kind::Fixed64 => Option::deserialize(from)?.map(Value::U64),
            Kind::Enum(_) => Option::deserialize(from)?.map(Value::EnumNumber),
        })
    }
}

struct ListVisitor<'a>(&'a Kind);

impl<'de> Visitor<'de> for ListVisitor<'_> {
    type Value = Option<Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element_seed(KindSeed(self.0))? {
            items.extend(item);
        }
        Ok(Some(Value::List(items)))
    }
}

/// The kind of a map is its entry: its keys are texts.
struct MapVisitor<'a>(&'a Kind);

impl<'de> Visitor<'de> for MapVisitor<'_> {
    type Value = Option<Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let Kind::Message(entry) = self.0 else {
            return Ok(None);
        };
        let kind = entry.map_entry_value_field().kind();
        let mut entries = HashMap::new();
        while let Some(key) = map.next_key::<String>()? {
            if let Some(value) = map.next_value_seed(KindSeed(&kind))? {
                entries.insert(MapKey::String(key), value);
            }
        }
        Ok(Some(Value::Map(entries)))
    }
}

// Messages to JSON.

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
