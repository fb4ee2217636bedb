//! Rules: a metric, a threshold, and for how long it has to be beyond it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::error::Fault;
use crate::time::DurationMs;

/// What tells alerts of one rule apart.
pub type Labels = BTreeMap<String, String>;

/// The longest name of a rule or route, in bytes.
const NAME_BYTES_MAX: usize = 64;
/// The longest span of a rule.
const SPAN_MAX: DurationMs = DurationMs::from_secs(24 * 3_600);
/// The longest span over which something is measured.
const WINDOW_MAX: DurationMs = DurationMs::from_secs(3_600);
/// How many routes a rule has.
const ROUTES_MAX: usize = 16;

words! {
    serde
    /// How bad it is.
    #[derive(PartialOrd, Ord)]
    Severity {
        /// Somebody should look.
        Warning "warning",
        /// Somebody has to look now.
        Critical "critical",
    }
}

/// A bound: a duration for ages and waits, else a number.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Threshold {
    /// A duration.
    Duration(DurationMs),
    /// A number, or a part of the whole.
    Number(f64),
}

impl Threshold {
    /// As a number; durations in milliseconds.
    pub fn value(self) -> f64 {
        match self {
            Self::Duration(DurationMs(ms)) => ms as f64,
            Self::Number(number) => number,
        }
    }

    /// The same bound moved by a factor.
    fn times(self, factor: f64) -> f64 {
        self.value() * factor
    }

    fn fits(self, unit: Unit) -> bool {
        match (self, unit) {
            (Self::Duration(span), Unit::Duration) => span.0 >= 0,
            (Self::Number(number), Unit::Number) => number.is_finite() && number >= 0.0,
            (Self::Number(number), Unit::Share) => (0.0..=1.0).contains(&number),
            _ => false,
        }
    }
}

/// What a rule is limited to. Absent fields match everything.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AlertScope {
    /// A queue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<String>,
    /// A tenant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// A workflow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow: Option<String>,
    /// A job type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job_type: Option<String>,
    /// An endpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webhook_id: Option<String>,
    /// A schedule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule_id: Option<String>,
}

impl AlertScope {
    /// The fields that are set, by their public names.
    pub fn fields(&self) -> impl Iterator<Item = (&'static str, &str)> {
        [
            ("queue", &self.queue),
            ("tenant", &self.tenant),
            ("workflow", &self.workflow),
            ("jobType", &self.job_type),
            ("webhookId", &self.webhook_id),
            ("scheduleId", &self.schedule_id),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name, value.as_deref()?)))
    }

    /// Whether something with these labels is meant.
    pub fn has(&self, labels: &Labels) -> bool {
        self.fields().all(|(name, value)| labels.get(name).is_some_and(|label| label == value))
    }
}

/// A rule.
#[derive(Debug, Clone, PartialEq)]
pub struct AlertRule {
    /// Its name.
    pub name: String,
    /// What it looks at.
    pub metric: AlertMetric,
    /// What it is limited to.
    pub scope: AlertScope,
    /// The bound that a value must exceed, or stay below.
    pub threshold: Threshold,
    /// Whether values below the bound are meant.
    pub is_below: bool,
    /// Beyond which value an alert ends; 80 % of a bound above, 125 % of one below where absent.
    pub clear_at: Option<Threshold>,
    /// Over which span it is measured.
    pub window: Option<DurationMs>,
    /// For how long the value must be beyond the bound, and afterwards beyond that of the end.
    pub hold: DurationMs,
    /// How bad it is.
    pub severity: Severity,
    /// Who is notified.
    pub routes: Vec<String>,
    /// Whether it is looked at.
    pub enabled: bool,
}

impl AlertRule {
    /// Whether a value is beyond the bound.
    pub fn is_beyond(&self, value: f64) -> bool {
        if self.is_below { value < self.threshold.value() } else { value > self.threshold.value() }
    }

    /// Whether a value ends an alert.
    pub fn is_clear(&self, value: f64) -> bool {
        let bound = match (self.clear_at, self.is_below) {
            (Some(bound), _) => bound.value(),
            (None, false) => self.threshold.times(0.8),
            (None, true) => self.threshold.times(1.25),
        };
        if self.is_below { value >= bound } else { value <= bound }
    }

    /// The span over which it is measured.
    pub fn measured_over(&self) -> Option<DurationMs> {
        self.window.or_else(|| self.metric.window_default())
    }

    /// What is wrong with it.
    pub fn faults(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        if !is_name(&self.name) {
            faults.push(Fault::new("/name", name_expected()));
        }
        let unit = self.metric.unit();
        let pointer = if self.is_below { "/below" } else { "/above" };
        for (pointer, bound) in [(pointer, Some(self.threshold)), ("/clearAt", self.clear_at)] {
            if bound.is_some_and(|bound| !bound.fits(unit)) {
                let expected = match unit {
                    Unit::Duration => "expected a duration such as \"5m\"",
                    Unit::Number => "expected a number from 0",
                    Unit::Share => "expected a number from 0 to 1",
                };
                faults.push(Fault::new(pointer, expected));
            }
        }
        // A value that ends an alert while it is beyond the bound would let it fire again at once.
        if faults.is_empty() && self.clear_at.is_some_and(|bound| self.is_beyond(bound.value())) {
            faults.push(Fault::new("/clearAt", "expected a value on the other side of the threshold"));
        }
        faults.extend(self.scope_faults());
        if self.window.is_some_and(|window| window < DurationMs::from_secs(60) || window > WINDOW_MAX) {
            faults.push(Fault::new("/window", "expected a duration from 1m to 1h"));
        }
        if self.hold.0 < 0 || self.hold > SPAN_MAX {
            faults.push(Fault::new("/for", "expected a duration from 0s to 24h"));
        }
        if self.routes.len() > ROUTES_MAX || !self.routes.iter().all(|route| is_name(route)) {
            faults.push(Fault::new("/routes", format!("expected at most {ROUTES_MAX} names of routes")));
        }
        faults
    }

    /// A rule that is limited to what its metric does not know would never fire.
    fn scope_faults(&self) -> impl Iterator<Item = Fault> {
        let known = self.metric.scope_fields();
        let unknown = self.scope.fields().filter(move |(name, _)| !known.contains(name));
        unknown.map(move |(name, _)| {
            let metric = self.metric.as_str();
            let expected = if known.is_empty() { "nothing".to_owned() } else { known.join(", ") };
            Fault::new(format!("/scope/{name}"), format!("{metric} can be limited to {expected}"))
        })
    }
}

/// What a name of a rule or a route looks like.
pub(super) fn name_expected() -> String {
    format!("expected 1 to {NAME_BYTES_MAX} letters, digits, '_', '-' or '.'")
}

/// Whether this can be the name of a rule or a route.
pub fn is_name(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    (1..=NAME_BYTES_MAX).contains(&text.len()) && !text.starts_with('.') && text.bytes().all(is_part)
}

/// The rules that are there without anybody having made them, named as their metrics.
pub fn default_rules() -> Vec<AlertRule> {
    use self::AlertMetric as M;
    use Severity::{Critical, Warning};
    let span = |seconds| Threshold::Duration(DurationMs::from_secs(seconds));
    let rules = [
        (M::OldestAge, span(300), 120, Warning),
        (M::WaitP99, span(60), 300, Warning),
        (M::Depth, Threshold::Number(100_000.0), 300, Warning),
        (M::ErrorRate, Threshold::Number(0.2), 120, Warning),
        (M::DeliveryRejectedRate, Threshold::Number(0.5), 0, Warning),
        (M::ScheduleLate, span(60), 0, Warning),
        (M::LimitHeld, span(900), 0, Warning),
        (M::DeadLetterGrowth, Threshold::Number(10.0), 0, Critical),
        (M::NoWorker, span(120), 0, Critical),
        (M::DiskUsed, Threshold::Number(0.9), 60, Critical),
        (M::LogBytes, Threshold::Number(1_073_741_824.0), 300, Critical),
        (M::BrokerAway, span(60), 0, Critical),
        (M::TypeHeld, span(120), 0, Critical),
    ];
    let rules = rules.into_iter().map(|(metric, threshold, hold, severity)| AlertRule {
        name: metric.as_str().to_owned(),
        metric,
        scope: AlertScope::default(),
        threshold,
        is_below: false,
        clear_at: None,
        window: None,
        hold: DurationMs::from_secs(hold),
        severity,
        routes: vec!["log".to_owned()],
        enabled: true,
    });
    rules.collect()
}

// What rules can look at.

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
        words! {
            /// What a rule looks at.
            #[derive(PartialOrd, Ord)]
            AlertMetric {
                $($(#[$doc])* $name $word,)*
            }
        }

        impl AlertMetric {
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
    /// For how long no offers of a job type have been made, where jobs are pushed.
    TypeHeld = "type_held", Duration;
}

impl AlertMetric {
    /// Over which span it is measured where a rule does not say; `None` where it is a state.
    pub const fn window_default(self) -> Option<DurationMs> {
        match self {
            Self::WaitP99 | Self::ErrorRate | Self::DeliveryRejectedRate | Self::DeadLetterGrowth => {
                Some(DurationMs::from_secs(300))
            }
            _ => None,
        }
    }

    /// What a rule of it can be limited to, by the names of the scope's fields.
    pub const fn scope_fields(self) -> &'static [&'static str] {
        match self {
            Self::OldestAge
            | Self::WaitP99
            | Self::Depth
            | Self::ErrorRate
            | Self::DeadLetterGrowth
            | Self::NoWorker => &["queue", "tenant", "workflow", "jobType"],
            Self::DeliveryRejectedRate => &["tenant", "webhookId"],
            Self::ScheduleLate => &["tenant", "workflow", "scheduleId"],
            Self::LimitHeld => &["queue"],
            Self::TypeHeld => &["queue", "jobType"],
            Self::DiskUsed | Self::LogBytes | Self::BrokerAway => &[],
        }
    }

    /// Whether the value is how long something has been so: it is counted from when the rule first saw it.
    pub const fn is_since_seen(self) -> bool {
        matches!(self, Self::LimitHeld)
    }

    /// A value as people read it.
    pub fn shown(self, value: f64) -> String {
        match self.unit() {
            Unit::Duration => {
                let exact = value.max(0.0) as i64;
                // Nobody reads the milliseconds of minutes.
                DurationMs(if exact < 60_000 { exact } else { exact - exact % 1_000 }).to_string()
            }
            Unit::Number => format!("{value:.0}"),
            Unit::Share => format!("{:.1} %", value * 100.0),
        }
    }
}
