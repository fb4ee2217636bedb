//! Instants as the server writes them.

use std::fmt;
use std::ops::{Add, Sub};
use std::str::FromStr;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An instant, in microseconds at least. Its text is RFC 3339 in UTC.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(jiff::Timestamp);

/// A text is not an instant.
#[derive(Debug, thiserror::Error)]
#[error("not an RFC 3339 timestamp: {0}")]
pub struct NoTimestamp(#[from] jiff::Error);

impl Timestamp {
    /// Now, by this machine's clock.
    pub fn now() -> Self {
        #[expect(clippy::disallowed_methods, reason = "the SDK's one look at the wall clock")]
        Self(jiff::Timestamp::now())
    }

    /// The instant at this number of seconds since 1970-01-01. Fails beyond the year 9999.
    pub fn from_second(second: i64) -> Result<Self, NoTimestamp> {
        Ok(Self(jiff::Timestamp::from_second(second)?))
    }

    /// Whole seconds since 1970-01-01.
    pub fn as_second(self) -> i64 {
        self.0.as_second()
    }

    /// Whole milliseconds since 1970-01-01.
    pub fn as_millisecond(self) -> i64 {
        self.0.as_millisecond()
    }

    /// The time elapsed since an earlier instant; `None` if that instant is later.
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

// Durations as the server reads and writes them, such as `300ms` or `1h30m`.

/// Whole milliseconds, rounded up.
pub(crate) fn text(duration: Duration) -> String {
    format!("{}ms", duration.as_nanos().div_ceil(1_000_000))
}

/// Reads `300ms`, `2s`, `1h30m`; `None` for anything else.
pub(crate) fn parse(text: &str) -> Option<Duration> {
    let mut left = text.trim();
    let mut total = Duration::ZERO;
    if left.is_empty() {
        return None;
    }
    while !left.is_empty() {
        let digits = left.find(|c: char| !c.is_ascii_digit())?;
        let number: u32 = left[..digits].parse().ok()?;
        left = &left[digits..];
        let unit_end = left.find(|c: char| c.is_ascii_digit()).unwrap_or(left.len());
        let unit = match &left[..unit_end] {
            "ms" => Duration::from_millis(1),
            "s" => Duration::from_secs(1),
            "m" => Duration::from_mins(1),
            "h" => Duration::from_hours(1),
            "d" => Duration::from_hours(24),
            _ => return None,
        };
        total = total.checked_add(unit.checked_mul(number)?)?;
        left = &left[unit_end..];
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::{Timestamp, parse, text};

    #[test]
    fn instants_are_texts() {
        let at: Timestamp = serde_json::from_str("\"2026-11-26T12:00:00.25Z\"").expect("an instant");
        assert_eq!(serde_json::to_string(&at).expect("JSON"), "\"2026-11-26T12:00:00.25Z\"");
        assert_eq!((at + Duration::from_secs(1)).since(at), Some(Duration::from_secs(1)));
        assert_eq!((at - Duration::from_secs(1)).since(at), None);
        assert_eq!(Timestamp::try_from(SystemTime::from(at)).expect("an instant"), at);
        assert!("yesterday".parse::<Timestamp>().is_err());
    }

    #[test]
    fn durations_are_written_and_read() {
        assert_eq!(text(Duration::from_micros(1_001)), "2ms");
        assert_eq!(text(Duration::from_secs(2)), "2000ms");
        assert_eq!(parse("1h30m"), Some(Duration::from_mins(90)));
        assert_eq!(parse("300ms"), Some(Duration::from_millis(300)));
        for wrong in ["", "5", "s", "5x", "-1s", "1.5s"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
