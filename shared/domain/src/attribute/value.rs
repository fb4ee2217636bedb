//! Values of attributes: their types, and the text that they are stored as.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::names::{AttributeName, TenantName};
use crate::time::Timestamp;

/// The longest text of an attribute, in bytes.
pub const TEXT_BYTES_MAX: usize = 256;

words! {
    serde
    /// The type of an attribute.
    AttributeType {
        /// Text of at most [`TEXT_BYTES_MAX`] bytes.
        Text "text",
        /// A whole number of 64 bits.
        Integer "integer",
        /// A number.
        Number "number",
        /// `true` or `false`.
        Boolean "boolean",
        /// An instant, RFC 3339 in payloads.
        Instant "instant",
    }
}

/// A typed value.
#[derive(Debug, Clone, PartialEq)]
pub enum AttributeValue {
    /// Text.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// A finite number.
    Number(f64),
    /// Yes or no.
    Boolean(bool),
    /// An instant.
    Instant(Timestamp),
}

const SIGN: u64 = 1 << 63;

impl AttributeValue {
    /// The value of a type that a JSON value is; `None` where it does not fit.
    pub fn of_json(kind: AttributeType, value: &Value) -> Option<Self> {
        match kind {
            AttributeType::Text => {
                value.as_str().filter(|text| fits(text)).map(|text| Self::Text(text.to_owned()))
            }
            AttributeType::Integer => value.as_i64().map(Self::Integer),
            AttributeType::Number => value.as_f64().filter(|number| number.is_finite()).map(Self::Number),
            AttributeType::Boolean => value.as_bool().map(Self::Boolean),
            AttributeType::Instant => value.as_str().and_then(Timestamp::parse).map(Self::Instant),
        }
    }

    /// Text whose order by bytes is the order of the values of one type.
    pub fn stored(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Integer(number) | Self::Instant(Timestamp(number)) => {
                format!("{:016x}", number.cast_unsigned() ^ SIGN)
            }
            Self::Number(number) => {
                // Both zeros are one value.
                let bits = if *number == 0.0 { 0 } else { number.to_bits() };
                format!("{:016x}", if bits & SIGN == 0 { bits ^ SIGN } else { !bits })
            }
            Self::Boolean(is_true) => is_true.to_string(),
        }
    }

    /// Reads what [`AttributeValue::stored`] wrote.
    pub fn of_stored(kind: AttributeType, text: &str) -> Option<Self> {
        let bits = || u64::from_str_radix(text, 16).ok();
        Some(match kind {
            AttributeType::Text => Self::Text(text.to_owned()),
            AttributeType::Integer => Self::Integer((bits()? ^ SIGN).cast_signed()),
            AttributeType::Instant => Self::Instant(Timestamp((bits()? ^ SIGN).cast_signed())),
            AttributeType::Number => {
                let bits = bits()?;
                Self::Number(f64::from_bits(if bits & SIGN == 0 { !bits } else { bits ^ SIGN }))
            }
            AttributeType::Boolean => Self::Boolean(text.parse().ok()?),
        })
    }

    /// The value as JSON.
    pub fn to_json(&self) -> Value {
        match self {
            Self::Text(text) => Value::from(text.as_str()),
            Self::Integer(number) => Value::from(*number),
            Self::Number(number) => Value::from(*number),
            Self::Boolean(is_true) => Value::from(*is_true),
            Self::Instant(instant) => Value::from(instant.to_string()),
        }
    }
}

/// Whether a text can be an attribute: short, and storable.
fn fits(text: &str) -> bool {
    text.len() <= TEXT_BYTES_MAX && !text.contains('\0')
}

/// What an attribute is called beside its values: the same for a tenant, a name and a type on every node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct AttributeId(pub i64);

impl AttributeId {
    /// That of a name of a tenant. Another type is another id, so that values of an earlier type are not found.
    pub fn of(tenant: &TenantName, name: &AttributeName, kind: AttributeType) -> Self {
        let text = format!("{tenant}\n{name}\n{}", kind.as_str());
        let digest = Sha256::digest(text.as_bytes());
        let first = digest.first_chunk::<8>().copied().unwrap_or_default();
        Self(i64::from_be_bytes(first))
    }
}

/// A value as it is kept beside its object.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StoredAttribute {
    /// Of which attribute.
    pub attribute: AttributeId,
    /// What [`AttributeValue::stored`] wrote.
    pub value: String,
}
