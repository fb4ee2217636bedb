//! Rates: how many jobs may be started in a period, and which value is in force.
//!
//! A start is a claim. This module says what a rate is and whom it is for; [`StartCount`] counts.

mod count;
mod keys;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::names::{CallerKey, JobType, TenantName};
use crate::queue::{QueueName, WorkflowRef};
use crate::time::DurationMs;

pub use count::{CountTemplate, StartCount};
pub use keys::{KeyRate, KeyRates, is_rate_pattern};

/// The most starts of one rate, and the most tokens of its bucket.
pub const STARTS_MAX: u32 = 1_000_000;
/// The shortest period.
pub const PERIOD_MIN: DurationMs = DurationMs(100);
/// The longest period: 30 days.
pub const PERIOD_MAX: DurationMs = DurationMs(30 * 24 * 3_600 * 1_000);

/// So many starts in a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rate {
    /// At most so many starts in any such period, wherever it begins.
    Window {
        /// How many, at least one.
        starts: u32,
        /// The length of the period.
        per: DurationMs,
    },
    /// A bucket of tokens that refills evenly: at most `burst` and `starts` × t / `per` starts in any time t.
    Bucket {
        /// How many tokens a period brings, at least one.
        starts: u32,
        /// The length of the period.
        per: DurationMs,
        /// How many tokens the bucket holds, at least one.
        burst: u32,
    },
}

/// What is wrong with a rate: a sentence for whoever wrote it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RateFault(String);

impl Rate {
    /// A rate within the bounds: 1 to 1,000,000 starts and tokens, 100 ms to 30 days.
    pub fn new(starts: u32, per: DurationMs, burst: Option<u32>) -> Result<Self, RateFault> {
        if !(1..=STARTS_MAX).contains(&starts) {
            return Err(RateFault(format!("expected 1 to {STARTS_MAX} starts")));
        }
        if !(PERIOD_MIN..=PERIOD_MAX).contains(&per) {
            return Err(RateFault(format!("expected a period of {PERIOD_MIN} to {PERIOD_MAX}")));
        }
        match burst {
            None => Ok(Self::Window { starts, per }),
            Some(burst) if (1..=STARTS_MAX).contains(&burst) => Ok(Self::Bucket { starts, per, burst }),
            Some(_) => Err(RateFault(format!("expected a burst of 1 to {STARTS_MAX}"))),
        }
    }

    /// Reads `100/1m`, a window, or `100/1m burst 20`, a bucket: what [`Display`](fmt::Display) prints.
    pub fn parse(text: &str) -> Result<Self, RateFault> {
        let fault = || RateFault("expected a rate such as \"100/1m\"".to_owned());
        let (rate, burst) = match text.split_once(" burst ") {
            Some((rate, burst)) => (rate, Some(number(burst).ok_or_else(fault)?)),
            None => (text, None),
        };
        // Durations may have blanks around them, rates may not.
        let (starts, per) = rate.split_once('/').filter(|(_, per)| per.trim() == *per).ok_or_else(fault)?;
        let per = DurationMs::parse(per).map_err(|_| fault())?;
        Self::new(number(starts).ok_or_else(fault)?, per, burst)
    }

    /// How many starts a period brings.
    pub const fn starts(&self) -> u32 {
        match *self {
            Self::Window { starts, .. } | Self::Bucket { starts, .. } => starts,
        }
    }

    /// The length of the period.
    pub const fn per(&self) -> DurationMs {
        match *self {
            Self::Window { per, .. } | Self::Bucket { per, .. } => per,
        }
    }
}

/// Digits and nothing else.
fn number(text: &str) -> Option<u32> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Window { starts, per } => write!(f, "{starts}/{per}"),
            Self::Bucket { starts, per, burst } => write!(f, "{starts}/{per} burst {burst}"),
        }
    }
}

/// The two forms of a rate in documents.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Text(String),
    Bucket(Bucket),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Bucket {
    starts: u32,
    per: DurationMs,
    burst: u32,
}

impl Serialize for Rate {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let written = match *self {
            Self::Window { .. } => Written::Text(self.to_string()),
            Self::Bucket { starts, per, burst } => Written::Bucket(Bucket { starts, per, burst }),
        };
        written.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Rate {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let rate = match Written::deserialize(deserializer) {
            Ok(Written::Text(text)) if !text.contains(' ') => Self::parse(&text),
            Ok(Written::Bucket(Bucket { starts, per, burst })) => Self::new(starts, per, Some(burst)),
            _ => Err(RateFault("expected \"100/1m\" or {\"starts\", \"per\", \"burst\"}".to_owned())),
        };
        rate.map_err(serde::de::Error::custom)
    }
}

/// Whom a rate is for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RateScope {
    /// All jobs of the queue together.
    Global,
    /// What each tenant gets that has no rate of its own.
    TenantDefault,
    /// What each workflow gets that has no rate of its own, neither set nor in its definition.
    WorkflowDefault,
    /// What each job type gets that has no rate of its own.
    JobTypeDefault,
    /// One tenant.
    Tenant(TenantName),
    /// One workflow, over all tenants that run it.
    Workflow(WorkflowRef),
    /// One job type, over all tenants.
    JobType(JobType),
    /// The jobs of one tenant that have one type.
    TenantJobType(TenantName, JobType),
}

/// What starts are counted for, each by itself.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RateSubject {
    /// All jobs of the queue.
    Global,
    /// Those of one tenant.
    Tenant(TenantName),
    /// Those of one workflow.
    Workflow(WorkflowRef),
    /// Those of one job type.
    JobType(JobType),
    /// Those of a tenant with one job type.
    TenantJobType(TenantName, JobType),
    /// Those of a tenant with one rate key.
    Key(TenantName, CallerKey),
}

/// One rate that an operator set at run time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RateOverride {
    /// The queue it is for.
    pub queue: QueueName,
    /// Whom it is for.
    pub scope: RateScope,
    /// How many starts in a period.
    pub rate: Rate,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_read_and_print() {
        for text in ["100/1m", "1/100ms", "1000000/30d", "10/1s burst 1", "7/1h30m burst 1000000"] {
            assert_eq!(Rate::parse(text).expect("valid").to_string(), text);
        }
        for text in [
            "",
            "100",
            "/1m",
            "100/",
            "0/1m",
            "1000001/1m",
            "1/99ms",
            "1/31d",
            "+1/1s",
            " 1/1s",
            "1/1s ",
            "1.5/1s",
            "1/1s burst 0",
            "1/1s burst ",
            "1/1s burst 1000001",
            "99999999999/1s",
            "1/s",
        ] {
            assert!(Rate::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn documents_have_two_forms() {
        let read = |text: &str| serde_json::from_str::<Rate>(text);
        let window = Rate::Window { starts: 100, per: DurationMs(60_000) };
        assert_eq!(read(r#""100/1m""#).expect("valid"), window);
        let bucket = Rate::Bucket { starts: 100, per: DurationMs(60_000), burst: 20 };
        assert_eq!(read(r#"{"starts":100,"per":"1m","burst":20}"#).expect("valid"), bucket);
        for rate in [window, bucket] {
            let text = serde_json::to_string(&rate).expect("encodes");
            assert_eq!(read(&text).expect("valid"), rate);
        }
        for text in [
            "7",
            "null",
            r#""100/1m burst 20""#,
            r#"{"starts":1,"per":"1m"}"#,
            r#"{"starts":0,"per":"1m","burst":1}"#,
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
