//! What a process knows of its own broker connection.

use std::sync::atomic::{AtomicI64, Ordering};

use domain::time::Timestamp;

/// Since when the broker is away, for those who look at this process.
#[derive(Debug, Default)]
pub(crate) struct DispatchMemory {
    /// 0 where it is not.
    away_since: AtomicI64,
}

impl DispatchMemory {
    pub(crate) fn set_away(&self, since: Option<Timestamp>) {
        self.away_since.store(since.map_or(0, |since| since.0), Ordering::Relaxed);
    }

    pub(crate) fn away_since(&self) -> Option<Timestamp> {
        let since = self.away_since.load(Ordering::Relaxed);
        (since != 0).then_some(Timestamp(since))
    }
}
