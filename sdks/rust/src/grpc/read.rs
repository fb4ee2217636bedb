//! The JSON of REST to messages. Fields that the contract does not know are left out.

use std::collections::HashMap;
use std::fmt;

use bytes::Bytes;
use prost::Message as _;
use prost_reflect::{
    DynamicMessage, FieldDescriptor, Kind, MapKey, MessageDescriptor, ReflectMessage as _, Value,
};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use tonic::Status;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};

/// Reads a message.
pub(super) fn read(descriptor: &MessageDescriptor, json: &[u8]) -> Result<DynamicMessage, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_slice(json);
    let message = MessageSeed(descriptor).deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(message.unwrap_or_else(|| DynamicMessage::new(descriptor.clone())))
}

/// Sets one field.
pub(super) fn set_field(
    message: &mut DynamicMessage,
    field: &FieldDescriptor,
    text: &[u8],
) -> Result<(), serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    if let Some(value) = FieldSeed(field).deserialize(&mut deserializer)? {
        message.set_field(field, value);
    }
    Ok(())
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

    /// Where REST takes a text for an error, it is the error's message.
    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        let mut message = DynamicMessage::new(self.0.clone());
        if let Some(field) = self.0.get_field_by_name("message") {
            message.set_field(&field, Value::String(text.to_owned()));
        }
        Ok(Some(message))
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

// Messages whose types are known at run time only.

/// Reads messages of one type.
pub(crate) struct DynamicCodec {
    input: MessageDescriptor,
}

impl DynamicCodec {
    pub(crate) fn reading(input: MessageDescriptor) -> Self {
        Self { input }
    }
}

/// Reads.
pub(crate) struct DynamicDecoder(MessageDescriptor);

/// Writes.
pub(crate) struct DynamicEncoder;

impl Codec for DynamicCodec {
    type Encode = DynamicMessage;
    type Decode = DynamicMessage;
    type Encoder = DynamicEncoder;
    type Decoder = DynamicDecoder;

    fn encoder(&mut self) -> DynamicEncoder {
        DynamicEncoder
    }

    fn decoder(&mut self) -> DynamicDecoder {
        DynamicDecoder(self.input.clone())
    }
}

impl Decoder for DynamicDecoder {
    type Item = DynamicMessage;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<DynamicMessage>, Status> {
        DynamicMessage::decode(self.0.clone(), buffer)
            .map(Some)
            .map_err(|error| Status::internal(format!("the answer cannot be read: {error}")))
    }
}

impl Encoder for DynamicEncoder {
    type Item = DynamicMessage;
    type Error = Status;

    fn encode(&mut self, message: DynamicMessage, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        message.encode(buffer).map_err(|error| Status::internal(error.to_string()))
    }
}

// Messages to the JSON of REST. Fields that may be absent and are, and bytes that are empty, are left out.

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
