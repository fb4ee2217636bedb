//! Instants as the server writes them.

use std::fmt;
use std::ops::{Add, Sub};
use std::str::FromStr;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An instant, in microseconds at least. Its text is RFC 3339 in UTC.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(jiff::Timestamp);

/// A text is no instant.
#[derive(Debug, thiserror::Error)]
#[error("no instant of RFC 3339: {0}")]
pub struct NoTimestamp(#[from] jiff::Error);

impl Timestamp {
    /// Now, by this machine's clock.
    pub fn now() -> Self {
        #[expect(clippy::disallowed_methods, reason = "the SDK's one look at the wall clock")]
        Self(jiff::Timestamp::now())
    }

    /// So many seconds after the beginning of 1970. Fails beyond the year 9999.
    pub fn from_second(second: i64) -> Result<Self, NoTimestamp> {
        Ok(Self(jiff::Timestamp::from_second(second)?))
    }

    /// Whole seconds since the beginning of 1970.
    pub fn as_second(self) -> i64 {
        self.0.as_second()
    }

    /// Whole milliseconds since the beginning of 1970.
    pub fn as_millisecond(self) -> i64 {
        self.0.as_millisecond()
    }

    /// How long it is after another instant; `None` where it is before.
    pub fn since(self, earlier: Self) -> Option<Duration> {
        Duration::try_from(self.0.duration_since(earlier.0)).ok()
    }
}

/// At the end of time, it stays there.
impl Add<Duration> for Timestamp {
    type Output = Self;

    fn add(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(duration).unwrap_or(jiff::Timestamp::MAX))
    }
}

/// At the beginning of time, it stays there.
impl Sub<Duration> for Timestamp {
    type Output = Self;

    fn sub(self, duration: Duration) -> Self {
        Self(self.0.saturating_sub(duration).unwrap_or(jiff::Timestamp::MIN))
    }
}

impl FromStr for Timestamp {
    type Err = NoTimestamp;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self(text.parse()?))
    }
}

impl TryFrom<SystemTime> for Timestamp {
    type Error = NoTimestamp;

    fn try_from(time: SystemTime) -> Result<Self, Self::Error> {
        Ok(Self(time.try_into()?))
    }
}

impl From<Timestamp> for SystemTime {
    fn from(timestamp: Timestamp) -> Self {
        timestamp.0.into()
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::Timestamp;

    #[test]
    fn instants_are_texts() {
        let at: Timestamp = serde_json::from_str("\"2026-11-26T12:00:00.25Z\"").expect("an instant");
        assert_eq!(serde_json::to_string(&at).expect("JSON"), "\"2026-11-26T12:00:00.25Z\"");
        assert_eq!((at + Duration::from_secs(1)).since(at), Some(Duration::from_secs(1)));
        assert_eq!((at - Duration::from_secs(1)).since(at), None);
        assert_eq!(Timestamp::try_from(SystemTime::from(at)).expect("an instant"), at);
        assert!("yesterday".parse::<Timestamp>().is_err());
    }
}
