//! A number of bytes, written `512KiB`, `32MiB`, `1GiB` or as a plain integer.

use std::fmt;

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A number of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ByteSize(pub u64);

const EXPECTED: &str = "a number of bytes such as 512KiB, 32MiB or 1048576";
/// Largest first, so that printing takes the largest that divides the number.
const UNITS: [(&str, u64); 4] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)];

impl ByteSize {
    /// So many mebibytes.
    pub const fn mebibytes(count: u64) -> Self {
        Self(count << 20)
    }

    /// The number.
    pub const fn bytes(self) -> u64 {
        self.0
    }

    /// As a length in memory.
    pub const fn as_usize(self) -> usize {
        self.0 as usize
    }

    /// Reads a whole number with an optional unit.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let number: u64 = text[..digits].parse().ok()?;
        let unit = text[digits..].trim_start();
        let bytes = if unit.is_empty() { 1 } else { UNITS.iter().find(|(name, _)| *name == unit)?.1 };
        number.checked_mul(bytes).map(Self)
    }
}

impl fmt::Display for ByteSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, bytes) = UNITS
            .into_iter()
            .find(|(_, bytes)| self.0 >= *bytes && self.0.is_multiple_of(*bytes))
            .unwrap_or(("B", 1));
        write!(f, "{}{name}", self.0 / bytes)
    }
}

impl Serialize for ByteSize {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ByteSize {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ByteSizeVisitor;
        impl Visitor<'_> for ByteSizeVisitor {
            type Value = ByteSize;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(EXPECTED)
            }
            fn visit_i64<E: de::Error>(self, number: i64) -> Result<ByteSize, E> {
                u64::try_from(number)
                    .map(ByteSize)
                    .map_err(|_| E::invalid_value(de::Unexpected::Signed(number), &self))
            }
            fn visit_u64<E: de::Error>(self, number: u64) -> Result<ByteSize, E> {
                Ok(ByteSize(number))
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<ByteSize, E> {
                ByteSize::parse(text).ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
            }
        }
        deserializer.deserialize_any(ByteSizeVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::ByteSize;

    #[test]
    fn sizes_read_and_print() {
        for (text, bytes, printed) in [
            ("2MiB", 2 << 20, "2MiB"),
            ("512 KiB", 512 << 10, "512KiB"),
            ("1536", 1536, "1536B"),
            ("2048", 2048, "2KiB"),
            ("1GiB", 1 << 30, "1GiB"),
            ("0", 0, "0B"),
        ] {
            assert_eq!(ByteSize::parse(text), Some(ByteSize(bytes)), "{text}");
            assert_eq!(ByteSize(bytes).to_string(), printed);
        }
        for text in ["", "MiB", "2MB", "-1", "1.5MiB", "99999999999GiB", "2mib"] {
            assert_eq!(ByteSize::parse(text), None, "{text}");
        }
    }
}
