//! What rules can look at.

use crate::time::DurationMs;

/// How thresholds of a metric are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// A duration; values are milliseconds.
    Duration,
    /// A number of things, or of bytes.
    Number,
    /// A part of the whole, from 0 to 1.
    Share,
}

macro_rules! metrics {
    ($($(#[$doc:meta])* $name:ident = $word:literal, $unit:ident;)*) => {
        /// What a rule looks at.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum AlertMetric {
            $($(#[$doc])* $name,)*
        }

        impl AlertMetric {
            /// All metrics.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The public and stored name.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }

            /// How its thresholds are written.
            pub const fn unit(self) -> Unit {
                match self { $(Self::$name => Unit::$unit,)* }
            }
        }
    };
}

metrics! {
    /// How long the oldest queued job of a queue's tier has been claimable.
    OldestAge = "oldest_age", Duration;
    /// The time from claimable to claimed that one in a hundred jobs of a queue exceeds.
    WaitP99 = "wait_p99", Duration;
    /// How many jobs of a queue's tier are queued.
    Depth = "depth", Number;
    /// Which part of the attempts of a job type fails.
    ErrorRate = "error_rate", Share;
    /// Which part of the deliveries of an endpoint is rejected.
    DeliveryRejectedRate = "delivery_rejected_rate", Share;
    /// How long a schedule has been due.
    ScheduleLate = "schedule_late", Duration;
    /// For how long a limit has been reached while jobs wait.
    LimitHeld = "limit_held", Duration;
    /// How many dead letters with one fingerprint are new.
    DeadLetterGrowth = "dead_letter_growth", Number;
    /// How long the oldest job of a type has waited without a worker that takes it.
    NoWorker = "no_worker", Duration;
    /// Which part of the disk of the database's file is used.
    DiskUsed = "disk_used", Share;
    /// Bytes of the database's log: SQLite's beside its file, PostgreSQL's that replication slots keep.
    LogBytes = "log_bytes", Number;
    /// For how long the relay of a node has not reached Kafka.
    BrokerAway = "broker_away", Duration;
}

impl AlertMetric {
    /// The metric with this name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|metric| metric.as_str() == text)
    }

    /// Over which span it is measured where a rule does not say; `None` where it is a state.
    pub const fn window_default(self) -> Option<DurationMs> {
        match self {
            Self::WaitP99 | Self::ErrorRate | Self::DeliveryRejectedRate | Self::DeadLetterGrowth => {
                Some(DurationMs::from_secs(300))
            }
            _ => None,
        }
    }

    /// Whether the value is how long something has been so: it is counted from when the rule first saw it.
    pub const fn is_since_seen(self) -> bool {
        matches!(self, Self::LimitHeld)
    }

    /// A value as people read it.
    pub fn shown(self, value: f64) -> String {
        match self.unit() {
            Unit::Duration => DurationMs(value.max(0.0) as i64).to_string(),
            Unit::Number => format!("{value:.0}"),
            Unit::Share => format!("{:.1} %", value * 100.0),
        }
    }
}
