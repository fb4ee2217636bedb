//! How often a notification is sent again that did not arrive.

use crate::time::DurationMs;

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
