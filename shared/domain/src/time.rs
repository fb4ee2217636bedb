//! Instants and durations as integer milliseconds, with their text forms. Holds no clock.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An instant: milliseconds since the Unix epoch, UTC. Text form: RFC 3339 with milliseconds and `Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// The instant `duration` later; saturates.
    #[must_use]
    pub const fn plus(self, duration: DurationMs) -> Self {
        Self(self.0.saturating_add(duration.0))
    }

    /// The instant `duration` earlier; saturates.
    #[must_use]
    pub const fn minus(self, duration: DurationMs) -> Self {
        Self(self.0.saturating_sub(duration.0))
    }

    /// How long after `earlier` this instant is; zero when it is not.
    pub const fn since(self, earlier: Self) -> DurationMs {
        let ms = self.0.saturating_sub(earlier.0);
        DurationMs(if ms < 0 { 0 } else { ms })
    }

    /// Reads RFC 3339 with any offset.
    pub fn parse(text: &str) -> Option<Self> {
        text.parse::<jiff::Timestamp>().ok().map(|t| Self(t.as_millisecond()))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(instant) => write!(f, "{instant:.3}"),
            Err(_) => write!(f, "{}ms", self.0),
        }
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| {
            serde::de::Error::custom("expected an RFC 3339 instant such as 2026-11-20T12:00:00.000Z")
        })
    }
}

/// A span of time in milliseconds, never negative. Text form: `500ms`, `30s`, `5m`, `1h30m`, `3d`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct DurationMs(pub i64);

/// The longest duration that is accepted from outside: ten years.
pub const DURATION_MAX: DurationMs = DurationMs(3650 * 24 * 3600 * 1000);

impl DurationMs {
    /// Zero.
    pub const ZERO: Self = Self(0);

    /// A number of seconds.
    pub const fn from_secs(secs: i64) -> Self {
        Self(secs * 1000)
    }

    /// As the standard library's type, for timers.
    pub const fn to_std(self) -> std::time::Duration {
        std::time::Duration::from_millis(if self.0 < 0 { 0 } else { self.0 as u64 })
    }

    /// Reads `500ms`, `30s`, `5m`, `1h30m`, `3d`: whole numbers with units, each unit at most once, largest first.
    /// A bare number is refused, because nobody remembers whether it is seconds or milliseconds.
    pub fn parse(text: &str) -> Result<Self, DurationFault> {
        const UNITS: [(&str, i64); 5] =
            [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];
        let mut rest = text.trim();
        let (mut total, mut next_unit) = (0_i64, 0_usize);
        if rest.is_empty() || rest.len() > 32 {
            return Err(DurationFault);
        }
        while !rest.is_empty() {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            let number: i64 = rest[..digits].parse().map_err(|_| DurationFault)?;
            rest = &rest[digits..];
            let letters = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
            let unit = UNITS.iter().position(|(name, _)| *name == &rest[..letters]).ok_or(DurationFault)?;
            if unit < next_unit {
                return Err(DurationFault);
            }
            next_unit = unit + 1;
            rest = &rest[letters..];
            let span = number.checked_mul(UNITS[unit].1).ok_or(DurationFault)?;
            total = total.checked_add(span).ok_or(DurationFault)?;
        }
        if total > DURATION_MAX.0 { Err(DurationFault) } else { Ok(Self(total)) }
    }
}

/// The text was no duration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected a duration with a unit, such as 500ms, 30s, 5m, 1h30m or 3d (at most ten years)")]
pub struct DurationFault;

impl fmt::Display for DurationMs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        if rest == 0 {
            return f.write_str("0s");
        }
        for (name, ms) in [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)] {
            if rest >= ms {
                write!(f, "{}{name}", rest / ms)?;
                rest %= ms;
            }
        }
        Ok(())
    }
}

impl Serialize for DurationMs {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
impl<'de> Deserialize<'de> for DurationMs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_and_print() {
        for (text, ms) in
            [("500ms", 500), ("30s", 30_000), ("5m", 300_000), ("1h30m", 5_400_000), ("3d", 259_200_000)]
        {
            assert_eq!(DurationMs::parse(text), Ok(DurationMs(ms)), "{text}");
            assert_eq!(DurationMs(ms).to_string(), text);
        }
        for text in
            ["", "5", "s", "5x", "-5s", "1.5s", "5m1h", "1s1s", "99999999999999999999s", "4000d", "5 s", "١s"]
        {
            assert_eq!(DurationMs::parse(text), Err(DurationFault), "{text}");
        }
    }

    #[test]
    fn instants_read_and_print_with_milliseconds() {
        let instant = Timestamp::parse("2026-11-20T12:00:00+01:00").expect("valid");
        assert_eq!(instant.to_string(), "2026-11-20T11:00:00.000Z");
        assert_eq!(Timestamp::parse("yesterday"), None);
    }
}
