//! What a process remembers of the lease on the intake.

use std::collections::HashMap;

use domain::names::TenantName;
use domain::time::Timestamp;
use parking_lot::Mutex;

/// What a process remembers of the lease, and of rows that it cannot take.
#[derive(Debug, Default)]
pub(crate) struct IntakeMemory {
    held: Mutex<Held>,
    /// Tenants whose rows only another process can take, and until when that is believed.
    aside: Mutex<HashMap<TenantName, Timestamp>>,
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

    /// Leaves the rows of a tenant to other processes until then.
    pub(super) fn set_aside(&self, tenant: TenantName, until: Timestamp) {
        self.aside.lock().insert(tenant, until);
    }

    /// The tenants whose rows are left to other processes.
    pub(super) fn aside(&self, now: Timestamp) -> Vec<TenantName> {
        let mut aside = self.aside.lock();
        aside.retain(|_, until| *until > now);
        aside.keys().cloned().collect()
    }
}
