//! The pools as a whole, and what external workers may ask for.

use domain::time::DurationMs;
use serde::{Deserialize, Serialize};

/// The pools as a whole, and what external workers may ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WorkerSettings {
    /// How long a stopping process waits for running jobs before it gives them back.
    pub drain_timeout: DurationMs,
    /// The longest that a poll of an external worker is held open.
    pub poll_wait_max: DurationMs,
    /// The most jobs that one poll leases.
    pub jobs_per_poll_max: u32,
}

impl Default for WorkerSettings {
    fn default() -> Self {
        Self {
            drain_timeout: DurationMs::from_secs(25),
            poll_wait_max: DurationMs::from_secs(30),
            jobs_per_poll_max: 1_000,
        }
    }
}
