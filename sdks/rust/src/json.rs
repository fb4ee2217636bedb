//! JSON as text, so that numbers stay exact.

use std::fmt;

use futures::future::BoxFuture;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

/// A JSON value: data, results, outputs. Integers of any size stay exact until they are decoded.
#[derive(Clone)]
pub struct Json(Box<RawValue>);

impl Json {
    /// The JSON of a value.
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        serde_json::value::to_raw_value(value).map(Self)
    }

    /// Parses JSON text with exactly one value.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// The decoded value.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.0.get())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        self.0.get()
    }

    /// Whether it is `null`.
    pub fn is_null(&self) -> bool {
        self.0.get() == "null"
    }
}

impl Default for Json {
    /// `null`.
    fn default() -> Self {
        Self(RawValue::NULL.to_owned())
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.get())
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.get())
    }
}

/// The same text.
impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        self.0.get() == other.0.get()
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(Self)
    }
}

// What happens to payloads on the way.

/// The error of a codec.
pub type CodecError = Box<dyn std::error::Error + Send + Sync>;

/// What a payload belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PayloadKind {
    /// The data of a job.
    Data,
    /// The result of a job.
    Result,
}

/// Information about a payload for a codec.
#[derive(Debug, Clone, Copy)]
pub struct Payload<'a> {
    /// Data or result.
    pub kind: PayloadKind,
    /// The job type; empty for the result of a job of unknown type.
    pub job_type: &'a str,
}

/// Encrypts, compresses or stores payloads elsewhere: JSON in, JSON out. It applies to data and results of single jobs.
/// Jobs of workflows are not encoded, because expressions of the definition read them; `decode` receives everything,
/// and returns values that `encode` did not create unchanged.
pub trait Codec: Send + Sync + 'static {
    /// Before a payload is sent.
    fn encode<'a>(&'a self, value: Json, payload: Payload<'a>) -> BoxFuture<'a, Result<Json, CodecError>>;
    /// After a payload came.
    fn decode<'a>(&'a self, value: Json, payload: Payload<'a>) -> BoxFuture<'a, Result<Json, CodecError>>;
}

/// Leaves payloads as they are.
pub(crate) struct Plain;

impl Codec for Plain {
    fn encode<'a>(&'a self, value: Json, _payload: Payload<'a>) -> BoxFuture<'a, Result<Json, CodecError>> {
        Box::pin(async { Ok(value) })
    }

    fn decode<'a>(&'a self, value: Json, _payload: Payload<'a>) -> BoxFuture<'a, Result<Json, CodecError>> {
        Box::pin(async { Ok(value) })
    }
}

#[cfg(test)]
mod tests {
    use super::Json;

    #[test]
    fn large_numbers_stay_exact() {
        let text = r#"{"n":123456789012345678901234567890}"#;
        let json = Json::parse(text).expect("JSON");
        assert_eq!(serde_json::to_string(&json).expect("JSON"), text);
        assert!(Json::parse("1,2").is_err());
        assert!(Json::default().is_null());
        assert_eq!(Json::of(&9_007_199_254_740_993_i64).expect("JSON").as_str(), "9007199254740993");
    }
}
