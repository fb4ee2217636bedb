//! What a person would check first, decided from facts: each check says how it stands and how to mend it. The shell gathers the
//! facts.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::time::DurationMs;

mod checks;
mod facts;

pub use checks::{CHECK_NAMES, check_all};
pub use facts::{
    CertificateFacts, DatabaseFacts, DispatchFacts, DoctorFacts, KeyFacts, OldSnapshot, OverdueLease,
    PoolerFacts, SchemaFacts, SealingFacts, ServerFacts, StuckExecution, TableBloat,
};

/// How a check stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CheckStatus {
    /// It cannot be looked at here.
    Skipped,
    /// All is well.
    Ok,
    /// Somebody should look at it.
    Warn,
    /// Something does not work, or soon will not.
    Fail,
}

impl CheckStatus {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Ok, Self::Warn, Self::Fail, Self::Skipped];

    /// The public word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Skipped => "skipped",
            Self::Ok => "ok",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }
}

/// One check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// What was looked at.
    pub check: &'static str,
    /// How it stands.
    pub status: CheckStatus,
    /// What was found.
    pub detail: String,
    /// How to mend it; always there with a warning or a failure.
    pub fix: Option<String>,
    /// What it was found by, a few objects.
    pub evidence: Vec<Value>,
}

impl Check {
    /// All is well.
    pub fn ok(check: &'static str, detail: impl Into<String>) -> Self {
        Self { check, status: CheckStatus::Ok, detail: detail.into(), fix: None, evidence: Vec::new() }
    }

    /// It cannot be looked at here.
    pub fn skipped(check: &'static str, detail: impl Into<String>) -> Self {
        Self { status: CheckStatus::Skipped, ..Self::ok(check, detail) }
    }

    /// Something is not as it should be.
    pub fn fault(
        check: &'static str,
        status: CheckStatus,
        detail: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self { status, fix: Some(fix.into()), ..Self::ok(check, detail) }
    }

    /// With what it was found by.
    #[must_use]
    pub fn with(self, evidence: Vec<Value>) -> Self {
        Self { evidence, ..self }
    }
}

/// From when on something is a warning or a failure; a section of the settings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DoctorPolicy {
    /// The age of a transaction that keeps dead rows: a warning, and a failure from six times as much on.
    pub snapshot_age: DurationMs,
    /// How far the clock of a machine is from the database's, likewise.
    pub clock_offset: DurationMs,
    /// How long after its end a lease should have been taken back: a failure.
    pub lease_overdue: DurationMs,
    /// How long after its cause a parked execution should have been woken: a failure.
    pub parked_overdue: DurationMs,
    /// Which part of the disk is used: a warning, and a failure at [`DISK_FAILS`].
    pub disk_used: f64,
}

impl Default for DoctorPolicy {
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

/// From this part of a disk on it is a failure.
pub const DISK_FAILS: f64 = 0.97;
/// A warning becomes a failure at so many times its threshold.
const FAILS_AT: i64 = 6;
/// A certificate or key that ends so soon is a warning.
const ENDS_SOON: DurationMs = DurationMs::from_secs(14 * 24 * 3_600);
/// A table with fewer dead rows, or a file with fewer free pages, is left alone.
const BLOAT_MIN: u64 = 10_000;
