//! From when on `trunkline doctor` warns.

use domain::time::DurationMs;
use serde::{Deserialize, Serialize};

/// Thresholds of the checks.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DoctorSettings {
    /// The age of a transaction that keeps dead rows; a failure from six times as much on.
    pub snapshot_age: DurationMs,
    /// How far a machine's clock is from the database's; a failure from six times as much on.
    pub clock_offset: DurationMs,
    /// How long after its end a lease should have been taken back.
    pub lease_overdue: DurationMs,
    /// How long after its cause a parked execution should have gone on.
    pub parked_overdue: DurationMs,
    /// Which part of the disk is used; a failure at 0.97.
    pub disk_used: f64,
}

impl Default for DoctorSettings {
    fn default() -> Self {
        Self {
            snapshot_age: DurationMs::from_secs(600),
            clock_offset: DurationMs::from_secs(1),
            lease_overdue: DurationMs::from_secs(60),
            parked_overdue: DurationMs::from_secs(60),
            disk_used: 0.9,
        }
    }
}
