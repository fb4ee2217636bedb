//! Starts that this process took and could not open.

use std::collections::{HashMap, HashSet};

use domain::time::{DurationMs, Timestamp};
use parking_lot::Mutex;
use uuid::Uuid;

/// For so long they are left to other processes.
const LEFT_FOR: DurationMs = DurationMs::from_secs(300);

/// How many are known. Of more some are taken again, as those that are left for long enough.
pub(crate) const LEFT_MAX: usize = 1_000;

/// Starts that this process took and could not open, because it has not their keys. Otherwise it might take them again and again
/// before a process that has.
#[derive(Debug, Default)]
pub(crate) struct ClosedStarts(pub(super) Mutex<HashMap<Uuid, Timestamp>>);

impl ClosedStarts {
    /// Those that are left to others at an instant.
    pub(super) fn left_at(&self, now: Timestamp) -> HashSet<Uuid> {
        let mut closed = self.0.lock();
        closed.retain(|_, until| *until > now);
        closed.keys().copied().collect()
    }

    pub(super) fn add(&self, ids: impl Iterator<Item = Uuid>, now: Timestamp) {
        let mut closed = self.0.lock();
        let room = LEFT_MAX.saturating_sub(closed.len());
        closed.extend(ids.take(room).map(|id| (id, now.plus(LEFT_FOR))));
    }
}
