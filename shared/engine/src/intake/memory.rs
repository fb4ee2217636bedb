//! What a process remembers of the lease on the intake.

use domain::time::Timestamp;
use parking_lot::Mutex;

/// What a process remembers of the lease.
#[derive(Debug, Default)]
pub(crate) struct IntakeMemory(Mutex<Held>);

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
        *self.0.lock()
    }

    /// Somebody else has it from now on. Answers who had it.
    pub(super) fn hold(&self, held: Held) -> Held {
        std::mem::replace(&mut *self.0.lock(), held)
    }
}
