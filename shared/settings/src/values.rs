//! Small value types that settings are made of, with their text forms.

mod byte_size;
mod rate_limit;
mod role;
pub(crate) mod secret;

pub use byte_size::ByteSize;
pub use rate_limit::RateLimit;
pub(crate) use rate_limit::rate_limit_or_off;
pub use role::Role;
pub(crate) use role::roles_all;

// Serde forms of optional values that must have a text form, so that a layer can take a default away again.

/// A limit as a whole number, or `unlimited`.
pub(crate) mod unlimited {
    use std::fmt;

    use serde::de::{self, Visitor};
    use serde::{Deserializer, Serializer};

    const WORD: &str = "unlimited";

    #[expect(
        clippy::ref_option,
        clippy::trivially_copy_pass_by_ref,
        reason = "serde passes a reference to the field"
    )]
    pub(crate) fn serialize<S: Serializer>(limit: &Option<u32>, serializer: S) -> Result<S::Ok, S::Error> {
        match limit {
            Some(limit) => serializer.serialize_u32(*limit),
            None => serializer.serialize_str(WORD),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
        deserializer.deserialize_any(LimitVisitor)
    }

    struct LimitVisitor;

    impl Visitor<'_> for LimitVisitor {
        type Value = Option<u32>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a whole number or \"unlimited\"")
        }
        fn visit_i64<E: de::Error>(self, number: i64) -> Result<Option<u32>, E> {
            u32::try_from(number)
                .map(Some)
                .map_err(|_| E::invalid_value(de::Unexpected::Signed(number), &self))
        }
        fn visit_u64<E: de::Error>(self, number: u64) -> Result<Option<u32>, E> {
            u32::try_from(number)
                .map(Some)
                .map_err(|_| E::invalid_value(de::Unexpected::Unsigned(number), &self))
        }
        fn visit_str<E: de::Error>(self, text: &str) -> Result<Option<u32>, E> {
            if text == WORD {
                return Ok(None);
            }
            text.parse().map(Some).map_err(|_| E::invalid_value(de::Unexpected::Str(text), &self))
        }
    }
}

macro_rules! duration_or {
    ($(#[$doc:meta])* $name:ident, $word:literal) => {
        $(#[$doc])*
        pub(crate) mod $name {
            use domain::time::DurationMs;
            use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

            const WORD: &str = $word;

            #[expect(clippy::ref_option, reason = "serde passes a reference to the field")]
            pub(crate) fn serialize<S: Serializer>(
                span: &Option<DurationMs>,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                match span {
                    Some(span) => span.serialize(serializer),
                    None => serializer.serialize_str(WORD),
                }
            }

            pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Option<DurationMs>, D::Error> {
                let text = String::deserialize(deserializer)?;
                if text == WORD {
                    return Ok(None);
                }
                let parsed = DurationMs::parse(&text).map(Some);
                parsed.map_err(|fault| de::Error::custom(format!("{fault}, or \"{WORD}\"")))
            }
        }
    };
}

duration_or!(
    /// A duration, or `off`.
    off,
    "off"
);
duration_or!(
    /// A duration, or `inherit`: what is set for all.
    inherit,
    "inherit"
);

// Serde forms of numbers that may be `unlimited`.

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
