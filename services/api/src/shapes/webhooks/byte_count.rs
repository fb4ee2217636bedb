//! A number of bytes as it is sent: a whole number, or text with a unit as in the settings.

use std::fmt;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};

const EXPECTED: &str = "a number of bytes such as 1048576, \"512KiB\" or \"1MiB\"";
const UNITS: [(&str, u64); 3] = [("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)];

/// A number of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ByteCount(pub(super) u64);

impl ByteCount {
    fn parse(text: &str) -> Option<Self> {
        let (digits, bytes) =
            UNITS.iter().find_map(|(unit, bytes)| text.strip_suffix(unit).map(|digits| (digits, *bytes)))?;
        let digits = digits.trim_end();
        let is_plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let count = if is_plain { digits.parse::<u64>().ok() } else { None };
        count?.checked_mul(bytes).map(Self)
    }
}

struct ByteCountVisitor;

impl Visitor<'_> for ByteCountVisitor {
    type Value = ByteCount;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(EXPECTED)
    }

    fn visit_u64<E: Error>(self, count: u64) -> Result<ByteCount, E> {
        Ok(ByteCount(count))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<ByteCount, E> {
        ByteCount::parse(text).ok_or_else(|| E::custom(format!("expected {EXPECTED}")))
    }
}

impl<'de> Deserialize<'de> for ByteCount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ByteCountVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_units_are_read() {
        let read = |text: &str| serde_json::from_str::<ByteCount>(text).ok().map(|count| count.0);
        for (text, bytes) in [("1024", 1_024), ("\"512KiB\"", 524_288), ("\"1 MiB\"", 1 << 20), ("\"7B\"", 7)]
        {
            assert_eq!(read(text), Some(bytes), "{text}");
        }
        for text in
            ["\"MiB\"", "\"1024\"", "\"-1B\"", "-1", "1.5", "\"1MB\"", "null", "\"99999999999999999MiB\""]
        {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
