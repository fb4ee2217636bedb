//! Alerts.

use domain::time::DurationMs;
use serde::{Deserialize, Serialize};

/// How often alert rules are evaluated, and how often notifications are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AlertSettings {
    /// How often rules are evaluated.
    pub evaluate_every: DurationMs,
    /// Waits between tries to send a notification.
    pub backoff: AlertBackoffSettings,
}

/// Waits between tries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AlertBackoffSettings {
    /// The first wait.
    pub initial: DurationMs,
    /// By what each next wait is longer.
    pub factor: u32,
    /// The longest wait.
    pub max: DurationMs,
    /// How often a notification is tried in all.
    pub tries: u32,
}

impl Default for AlertSettings {
    fn default() -> Self {
        Self { evaluate_every: DurationMs::from_secs(15), backoff: AlertBackoffSettings::default() }
    }
}

impl Default for AlertBackoffSettings {
    fn default() -> Self {
        Self { initial: DurationMs::from_secs(5), factor: 4, max: DurationMs::from_secs(3_600), tries: 10 }
    }
}
