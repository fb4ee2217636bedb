//! Serde forms of numbers that may be `unlimited`.

const WORD: &str = "unlimited";

/// A number of bytes, or `unlimited`.
pub(crate) mod size_or_unlimited {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::WORD;
    use crate::values::ByteSize;

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Form {
        Size(ByteSize),
        Text(String),
    }

    #[expect(clippy::ref_option, reason = "serde passes a reference to the field")]
    pub(crate) fn serialize<S: Serializer>(
        size: &Option<ByteSize>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match size {
            Some(size) => size.serialize(serializer),
            None => serializer.serialize_str(WORD),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<ByteSize>, D::Error> {
        match Form::deserialize(deserializer)? {
            Form::Size(size) => Ok(Some(size)),
            Form::Text(text) if text == WORD => Ok(None),
            Form::Text(_) => {
                Err(D::Error::custom("expected a number of bytes such as 10GiB, or \"unlimited\""))
            }
        }
    }
}

/// A count, or `unlimited`.
pub(crate) mod count_or_unlimited {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    use super::WORD;

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Form {
        Count(u64),
        Text(String),
    }

    #[expect(clippy::ref_option, reason = "serde passes a reference to the field")]
    pub(crate) fn serialize<S: Serializer>(count: &Option<u64>, serializer: S) -> Result<S::Ok, S::Error> {
        match count {
            Some(count) => serializer.serialize_u64(*count),
            None => serializer.serialize_str(WORD),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
        let fault = || D::Error::custom("expected a whole number or \"unlimited\"");
        match Form::deserialize(deserializer)? {
            Form::Count(count) => Ok(Some(count)),
            Form::Text(text) if text == WORD => Ok(None),
            Form::Text(text) => text.parse().map(Some).map_err(|_| fault()),
        }
    }
}
