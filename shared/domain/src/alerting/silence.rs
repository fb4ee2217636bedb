//! Silences: alerts that nobody wants to be notified of for a while.

use super::alert::{Alert, Labels};
use crate::id::SilenceId;
use crate::time::Timestamp;

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
