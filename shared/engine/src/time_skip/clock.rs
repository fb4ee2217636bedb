//! The clock that skips, and what of this process holds it.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};

use domain::id::ExecutionId;
use domain::time::{DurationMs, Timestamp};
use parking_lot::Mutex;
use store::Clock;
use tokio::sync::watch;

/// The clock of a development server: another one's time, and what was skipped.
pub struct TimeSkip {
    base: Arc<dyn Clock>,
    skipped_ms: AtomicI64,
    /// Whether time jumps by itself.
    pub(super) is_on: AtomicBool,
    /// Requests that change something and are not answered.
    pub(super) requests: AtomicU64,
    /// Executions whose owner waits, with when the clock does something to them.
    pub(super) idle_owners: Mutex<HashMap<ExecutionId, Option<Timestamp>>>,
    /// Counts what changes here, so that two looks can tell whether anything did in between.
    pub(super) changes: AtomicU64,
    /// Counts jumps.
    jumps: watch::Sender<u64>,
    /// Held by whoever moves the time on.
    pub(super) turn: tokio::sync::Mutex<()>,
}

impl std::fmt::Debug for TimeSkip {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TimeSkip").field("skipped_ms", &self.skipped_ms).finish_non_exhaustive()
    }
}

impl Clock for TimeSkip {
    fn now(&self) -> Timestamp {
        self.base.now().plus(DurationMs(self.skipped_ms.load(Ordering::Acquire)))
    }
}

impl TimeSkip {
    /// A clock that has skipped nothing yet.
    pub fn new(base: Arc<dyn Clock>) -> Self {
        Self {
            base,
            skipped_ms: AtomicI64::new(0),
            is_on: AtomicBool::new(true),
            requests: AtomicU64::new(0),
            idle_owners: Mutex::default(),
            changes: AtomicU64::new(0),
            jumps: watch::Sender::new(0),
            turn: tokio::sync::Mutex::new(()),
        }
    }

    /// A request that changes something begins; it is answered when this is dropped.
    pub fn begin_request(self: &Arc<Self>) -> RequestInWork {
        self.requests.fetch_add(1, Ordering::AcqRel);
        self.changed();
        RequestInWork(Arc::clone(self))
    }

    /// The owner of an execution waits, until this is dropped.
    pub(crate) fn owner_waits(self: &Arc<Self>, id: ExecutionId, due_at: Option<Timestamp>) -> WaitingOwner {
        self.idle_owners.lock().insert(id, due_at);
        self.changed();
        WaitingOwner { skip: Arc::clone(self), id, jumps: self.jumps.subscribe() }
    }

    fn changed(&self) {
        self.changes.fetch_add(1, Ordering::AcqRel);
    }

    /// It becomes this instant, unless it is later already.
    pub(super) fn jump(&self, to: Timestamp) {
        let ahead = to.since(self.now());
        self.skipped_ms.fetch_add(ahead.0, Ordering::AcqRel);
        self.changed();
    }

    /// Wakes owners that wait for the clock.
    pub(super) fn wake_owners(&self) {
        self.jumps.send_modify(|number| *number += 1);
    }
}

/// A request that is not answered yet.
#[derive(Debug)]
pub struct RequestInWork(Arc<TimeSkip>);

impl Drop for RequestInWork {
    fn drop(&mut self) {
        self.0.changed();
        self.0.requests.fetch_sub(1, Ordering::AcqRel);
    }
}

/// An owner that waits.
pub(crate) struct WaitingOwner {
    skip: Arc<TimeSkip>,
    id: ExecutionId,
    jumps: watch::Receiver<u64>,
}

impl WaitingOwner {
    /// Resolves when time has jumped.
    pub(crate) async fn time_jumped(&mut self) {
        // The sender is part of what this holds.
        let _ = self.jumps.changed().await;
    }
}

impl Drop for WaitingOwner {
    fn drop(&mut self) {
        self.skip.changed();
        self.skip.idle_owners.lock().remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    struct Still;

    impl Clock for Still {
        fn now(&self) -> Timestamp {
            Timestamp(1_000)
        }
    }

    #[test]
    fn time_jumps_forward_only() {
        let skip = TimeSkip::new(Arc::new(Still));
        skip.jump(Timestamp(5_000));
        assert_eq!(skip.now(), Timestamp(5_000));
        skip.jump(Timestamp(2_000));
        assert_eq!(skip.now(), Timestamp(5_000), "it never goes back");
        skip.jump(Timestamp(6_000));
        assert_eq!(skip.now(), Timestamp(6_000));
    }

    #[test]
    fn what_begins_and_ends_is_counted() {
        let skip = Arc::new(TimeSkip::new(Arc::new(Still)));
        let request = skip.begin_request();
        let id = ExecutionId::from_uuid(Uuid::from_u128(1));
        let owner = skip.owner_waits(id, Some(Timestamp(7)));
        assert_eq!(skip.requests.load(Ordering::Acquire), 1);
        assert_eq!(skip.idle_owners.lock().get(&id), Some(&Some(Timestamp(7))));
        let before = skip.changes.load(Ordering::Acquire);
        drop((request, owner));
        assert_eq!(skip.requests.load(Ordering::Acquire), 0);
        assert!(skip.idle_owners.lock().is_empty());
        assert!(skip.changes.load(Ordering::Acquire) > before);
    }
}
