//! Where a word about a delivery stands, in a header or in the JSON body: its event type, and the id that its provider
//! gave it.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::request::RequestParts;

/// The longest text of a locator, in bytes.
const LOCATOR_BYTES_MAX: usize = 256;

/// A place in a request. Text form: `header:X-Event` or `field:/event/type`, the latter a JSON pointer (RFC 6901).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Locator {
    /// The value of this header.
    Header(String),
    /// The text, number or boolean at this JSON pointer into the body.
    Field(String),
}

/// The text was no locator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected header:<name> or field:<JSON pointer>, such as header:X-Event or field:/event/type")]
pub struct LocatorFault;

impl Locator {
    /// Reads the text form.
    pub fn parse(text: &str) -> Result<Self, LocatorFault> {
        if text.len() > LOCATOR_BYTES_MAX {
            return Err(LocatorFault);
        }
        match text.split_once(':') {
            Some(("header", name)) if is_header_name(name) => Ok(Self::Header(name.to_owned())),
            Some(("field", pointer)) if is_pointer(pointer) => Ok(Self::Field(pointer.to_owned())),
            _ => Err(LocatorFault),
        }
    }

    /// What stands there.
    pub(super) fn read(&self, parts: &RequestParts<'_>) -> Option<String> {
        match self {
            Self::Header(name) => parts.header_text(name).map(str::to_owned),
            Self::Field(pointer) => scalar(parts.json()?, pointer),
        }
    }
}

/// The text, number or boolean at `pointer`, as text.
pub(super) fn scalar(value: &Value, pointer: &str) -> Option<String> {
    match value.pointer(pointer)? {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

/// A name that can stand in front of a header's colon (RFC 9110 token).
pub(super) fn is_header_name(text: &str) -> bool {
    (1..=100).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

fn is_pointer(text: &str) -> bool {
    text.starts_with('/') && text.len() > 1 && !text.chars().any(char::is_control)
}

impl fmt::Display for Locator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header(name) => write!(f, "header:{name}"),
            Self::Field(pointer) => write!(f, "field:{pointer}"),
        }
    }
}
impl Serialize for Locator {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
impl<'de> Deserialize<'de> for Locator {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}

// What a delivery is about: the word by which triggers are chosen.
