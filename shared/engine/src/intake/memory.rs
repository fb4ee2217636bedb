//! What a process remembers of the intake: who has the lease, and whose rows it cannot take.

use std::collections::HashMap;

use domain::names::TenantName;
use domain::time::Timestamp;
use parking_lot::Mutex;

/// What a process remembers of the intake.
#[derive(Debug, Default)]
pub(crate) struct IntakeMemory {
    held: Mutex<Held>,
    /// Tenants whose rows are left to others, and until when.
    left: Mutex<HashMap<TenantName, Timestamp>>,
}

/// Until when who has the lease.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Held {
    /// Nobody that we know of.
    #[default]
    Unknown,
    /// This process.
    Here(Timestamp),
    /// Another one.
    Elsewhere(Timestamp),
}

impl IntakeMemory {
    /// Who has it.
    pub(super) fn held(&self) -> Held {
        *self.held.lock()
    }

    /// Somebody else has it from now on. Answers who had it.
    pub(super) fn hold(&self, held: Held) -> Held {
        std::mem::replace(&mut *self.held.lock(), held)
    }

    /// Tenants whose rows are left to others now.
    pub(super) fn left(&self, now: Timestamp) -> Vec<TenantName> {
        let mut left = self.left.lock();
        left.retain(|_, until| *until > now);
        left.keys().cloned().collect()
    }

    /// Rows of a tenant are left to others until then.
    pub(super) fn leave(&self, tenant: TenantName, until: Timestamp) {
        self.left.lock().insert(tenant, until);
    }
}
