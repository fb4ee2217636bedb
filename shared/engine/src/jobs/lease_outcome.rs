//! What became of a lease that a worker names.

use store::jobs::LeaseAnswer;

/// What became of a write that carries a lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeaseOutcome {
    /// Done.
    Ok,
    /// It was done before, in the same way.
    AlreadyDone,
    /// The job was cancelled under this lease. Nothing was written.
    Cancelled,
    /// The lease is gone. Nothing was written.
    LeaseLost,
}

impl LeaseOutcome {
    /// The public name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::AlreadyDone => "already_done",
            Self::Cancelled => "cancelled",
            Self::LeaseLost => "lease_lost",
        }
    }

    pub(crate) const fn of<T>(answer: &LeaseAnswer<T>) -> Self {
        match answer {
            LeaseAnswer::Ok(_) => Self::Ok,
            LeaseAnswer::AlreadyDone => Self::AlreadyDone,
            LeaseAnswer::Cancelled => Self::Cancelled,
            LeaseAnswer::LeaseLost => Self::LeaseLost,
        }
    }
}
