//! Alerts: rules over what is measured, when they fire and resolve, and who is notified how often.
//!
//! Decisions only. What is measured, stored and sent comes from elsewhere.

mod route;
mod rule;

use crate::id::{AlertId, SilenceId};
use crate::time::{DurationMs, Timestamp};

pub use route::{AlertRoute, RouteKind, mail_text, new_secret, signed_headers, signing_key, slack_text};
pub use rule::{
    AlertMetric, AlertRule, AlertScope, Labels, Severity, Threshold, Unit, default_rules, is_name,
};

// When an alert is pending, fires and is resolved.

words! {
    /// Where an alert stands.
    AlertStatus {
        /// The value is beyond the bound, not yet for long enough.
        Pending "pending",
        /// It has been for long enough.
        Firing "firing",
        /// It is no more.
        Resolved "resolved",
    }
}

/// What was measured of one thing.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// The thing.
    pub labels: Labels,
    /// The value; for metrics that are counted since they were first seen, anything.
    pub value: f64,
}

/// An alert: one for each rule and labels that has not ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Alert {
    /// Its id.
    pub id: AlertId,
    /// The rule.
    pub rule: String,
    /// How bad it is.
    pub severity: Severity,
    /// Where it stands.
    pub status: AlertStatus,
    /// What it is about.
    pub labels: Labels,
    /// The last value.
    pub value: f64,
    /// The bound.
    pub threshold: f64,
    /// What people read.
    pub summary: String,
    /// When the value was first beyond the bound.
    pub started_at: Timestamp,
    /// When it began to fire.
    pub fired_at: Option<Timestamp>,
    /// Since when the value has been as it is at the end of an alert.
    pub clear_since: Option<Timestamp>,
    /// When it ended.
    pub resolved_at: Option<Timestamp>,
    /// The silence that keeps it from being sent.
    pub silenced_by: Option<SilenceId>,
    /// When somebody was last notified that it fires.
    pub notified_at: Option<Timestamp>,
}

impl Alert {
    /// Whether whoever hears of it every so often hears of it again: once for each such span since it began to fire, whomever
    /// else it was sent to meanwhile.
    pub fn is_due_again(&self, every: DurationMs, now: Timestamp) -> bool {
        let (Some(fired_at), Some(notified_at)) = (self.fired_at, self.notified_at) else { return false };
        let spans = |at: Timestamp| at.since(fired_at).0 / every.0.max(1);
        spans(now) > spans(notified_at)
    }
}

/// What becomes of an alert.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// There is none, as before.
    None,
    /// It is as it is now.
    Keep(Box<Alert>),
    /// It was pending and is over: nobody heard of it.
    Drop(AlertId),
}

/// Looks at one value of a rule, `None` where nothing was measured. `known` is the alert of that rule and those labels that
/// has not ended; `new` makes the id of one that begins.
pub fn step(
    rule: &AlertRule,
    labels: &Labels,
    value: Option<f64>,
    known: Option<&Alert>,
    now: Timestamp,
    new: impl FnOnce() -> AlertId,
) -> Change {
    let seen_since = known.map_or(now, |alert| alert.started_at);
    let measured = match value {
        Some(_) if rule.metric.is_since_seen() => Some(now.since(seen_since).0.max(0) as f64),
        value => value,
    };
    // Of what is since it was seen the beginning is remembered, long before it is beyond the bound.
    let begins = measured.is_some_and(|value| rule.metric.is_since_seen() || rule.is_beyond(value));
    let is_beyond = measured.is_some_and(|value| rule.is_beyond(value));
    let mut alert = match known {
        Some(known) => known.clone(),
        None if begins => fresh(rule, labels, now, new()),
        None => return Change::None,
    };
    alert.value = measured.unwrap_or(0.0);
    alert.severity = rule.severity;
    alert.threshold = rule.threshold.value();
    alert.summary = summary(rule, labels, alert.value);
    match alert.status {
        AlertStatus::Pending if !begins => return Change::Drop(alert.id),
        AlertStatus::Pending => {
            let beyond_for = now.since(seen_since);
            let needed = if rule.metric.is_since_seen() {
                DurationMs(rule.threshold.value() as i64 + rule.hold.0)
            } else {
                rule.hold
            };
            if is_beyond && beyond_for >= needed {
                alert.status = AlertStatus::Firing;
                alert.fired_at = Some(now);
            }
        }
        AlertStatus::Firing => {
            let is_clear = measured.is_none_or(|value| rule.is_clear(value));
            alert.clear_since = if is_clear { alert.clear_since.or(Some(now)) } else { None };
            if alert.clear_since.is_some_and(|since| now.since(since) >= rule.hold) {
                alert.status = AlertStatus::Resolved;
                alert.resolved_at = Some(now);
            }
        }
        AlertStatus::Resolved => return Change::None,
    }
    Change::Keep(Box::new(alert))
}

fn fresh(rule: &AlertRule, labels: &Labels, now: Timestamp, id: AlertId) -> Alert {
    Alert {
        id,
        rule: rule.name.clone(),
        severity: rule.severity,
        status: AlertStatus::Pending,
        labels: labels.clone(),
        value: 0.0,
        threshold: rule.threshold.value(),
        summary: String::new(),
        started_at: now,
        fired_at: None,
        clear_since: None,
        resolved_at: None,
        silenced_by: None,
        notified_at: None,
    }
}

/// A sentence for whoever is notified.
fn summary(rule: &AlertRule, labels: &Labels, value: f64) -> String {
    let of: Vec<String> = labels.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let of = if of.is_empty() { String::new() } else { format!(" ({})", of.join(", ")) };
    let side = if rule.is_below { "below" } else { "above" };
    let (value, bound) = (rule.metric.shown(value), rule.metric.shown(rule.threshold.value()));
    format!("{}{of}: {} is {value}, threshold {side} {bound}", rule.name, rule.metric.as_str())
}

// How often a notification is sent again that did not arrive.

/// Waits between tries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SendBackoff {
    /// The first wait.
    pub initial: DurationMs,
    /// By what each next wait is longer.
    pub factor: f64,
    /// The longest wait.
    pub max: DurationMs,
    /// How often it is sent in all.
    pub tries: u32,
}

impl Default for SendBackoff {
    fn default() -> Self {
        Self { initial: DurationMs::from_secs(5), factor: 4.0, max: DurationMs::from_secs(3_600), tries: 10 }
    }
}

impl SendBackoff {
    /// The wait after so many tries that failed; `None`: it is given up.
    pub fn after(&self, tries: u32) -> Option<DurationMs> {
        if tries >= self.tries {
            return None;
        }
        let wait = self.initial.0 as f64 * self.factor.max(1.0).powi(tries.saturating_sub(1).min(64) as i32);
        Some(DurationMs(wait.min(self.max.0 as f64) as i64))
    }
}

// Silences: alerts that nobody wants to be notified of for a while.

/// A silence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Silence {
    /// Its id.
    pub id: SilenceId,
    /// Only alerts of this rule.
    pub rule: Option<String>,
    /// Only alerts with these labels, beside others.
    pub labels: Labels,
    /// When it ends.
    pub until: Timestamp,
    /// Why.
    pub reason: String,
    /// Who made it.
    pub created_by: String,
    /// When it was made.
    pub created_at: Timestamp,
}

impl Silence {
    /// Whether it holds for an alert now.
    pub fn holds(&self, alert: &Alert, now: Timestamp) -> bool {
        now < self.until
            && self.rule.as_ref().is_none_or(|rule| *rule == alert.rule)
            && self.labels.iter().all(|(name, value)| alert.labels.get(name) == Some(value))
    }
}

/// The silence that keeps an alert from being sent; of several the one that ends last.
pub fn silenced_by(silences: &[Silence], alert: &Alert, now: Timestamp) -> Option<SilenceId> {
    let holding = silences.iter().filter(|silence| silence.holds(alert, now));
    holding.max_by_key(|silence| silence.until).map(|silence| silence.id)
}

#[cfg(test)]
mod tests;
