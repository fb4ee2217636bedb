//! Fast paths that can be left out, so that load tests measure what each gains in one run. No setting does it.

use std::sync::atomic::{AtomicU8, Ordering};

/// A fast path beside which the general path is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FastPath {
    /// Last steps of executions as one statement.
    LastStep,
    /// Deliveries of webhooks as one statement.
    Deliveries,
}

impl FastPath {
    const fn bit(self) -> u8 {
        match self {
            Self::LastStep => 1,
            Self::Deliveries => 2,
        }
    }
}

/// Those that are left out.
#[derive(Debug, Default)]
pub(crate) struct LeftOut(AtomicU8);

impl LeftOut {
    /// Leaves this one out from now on.
    pub(crate) fn add(&self, path: FastPath) {
        self.0.fetch_or(path.bit(), Ordering::Relaxed);
    }

    /// Whether this one is.
    pub(crate) fn has(&self, path: FastPath) -> bool {
        self.0.load(Ordering::Relaxed) & path.bit() != 0
    }
}
