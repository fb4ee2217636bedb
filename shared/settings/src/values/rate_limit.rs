//! How many requests a caller may make: `100` (a second), `100/1s`, `6000/1m`, or `0` and `off` for no limit.

use std::fmt;
use std::num::NonZeroU32;

use domain::time::DurationMs;
use serde::{Serialize, Serializer};

/// So many requests in each span of time. A caller that was idle may make all of them at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    /// How many requests the span allows, and how large a burst may be.
    pub requests: NonZeroU32,
    /// The span; never zero.
    pub per: DurationMs,
}

/// The text was no rate limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct RateLimitFault;

const EXPECTED: &str =
    "requests per second such as 100, requests in a span such as 100/1s or 6000/1m, or \"off\"";

impl RateLimit {
    /// So many requests a second; `None` for zero.
    pub const fn per_second(requests: u32) -> Option<Self> {
        match NonZeroU32::new(requests) {
            Some(requests) => Some(Self { requests, per: DurationMs::from_secs(1) }),
            None => None,
        }
    }

    /// Reads the text form; `Ok(None)` is no limit.
    fn parse(text: &str) -> Result<Option<Self>, RateLimitFault> {
        let text = text.trim();
        if text == "off" {
            return Ok(None);
        }
        let Some((requests, span)) = text.split_once('/') else {
            return text.parse().map(Self::per_second).map_err(|_| RateLimitFault);
        };
        let per = DurationMs::parse(span).map_err(|_| RateLimitFault)?;
        let requests = requests.trim_end().parse().map_err(|_| RateLimitFault)?;
        if per > DurationMs::ZERO { Ok(Some(Self { requests, per })) } else { Err(RateLimitFault) }
    }
}

impl fmt::Display for RateLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.requests, self.per)
    }
}

impl Serialize for RateLimit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The serde form of a rate limit that may be off.
pub(crate) mod rate_limit_or_off {
    use std::fmt;

    use serde::de::{self, Visitor};
    use serde::{Deserializer, Serialize, Serializer};

    use super::{EXPECTED, RateLimit};

    #[expect(clippy::ref_option, reason = "serde passes a reference to the field")]
    pub(crate) fn serialize<S: Serializer>(
        limit: &Option<RateLimit>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match limit {
            Some(limit) => limit.serialize(serializer),
            None => serializer.serialize_str("off"),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<RateLimit>, D::Error> {
        deserializer.deserialize_any(RateLimitVisitor)
    }

    struct RateLimitVisitor;

    impl Visitor<'_> for RateLimitVisitor {
        type Value = Option<RateLimit>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(EXPECTED)
        }
        fn visit_i64<E: de::Error>(self, number: i64) -> Result<Self::Value, E> {
            u32::try_from(number)
                .map(RateLimit::per_second)
                .map_err(|_| E::invalid_value(de::Unexpected::Signed(number), &self))
        }
        fn visit_u64<E: de::Error>(self, number: u64) -> Result<Self::Value, E> {
            u32::try_from(number)
                .map(RateLimit::per_second)
                .map_err(|_| E::invalid_value(de::Unexpected::Unsigned(number), &self))
        }
        fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
            RateLimit::parse(text).map_err(|_| E::invalid_value(de::Unexpected::Str(text), &self))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{RateLimit, RateLimitFault};

    #[test]
    fn rates_read_and_print() {
        for (text, printed) in
            [("100", "100/1s"), ("100/1s", "100/1s"), ("6000/1m", "6000/1m"), ("5 /500ms", "5/500ms")]
        {
            let limit = RateLimit::parse(text).expect("valid").expect("a limit");
            assert_eq!(limit.to_string(), printed, "{text}");
        }
        for text in ["0", "off"] {
            assert_eq!(RateLimit::parse(text), Ok(None), "{text}");
        }
        for text in ["", "fast", "100/", "100/0s", "0/1s", "100/60", "-1", "1.5"] {
            assert_eq!(RateLimit::parse(text), Err(RateLimitFault), "{text}");
        }
    }
}
