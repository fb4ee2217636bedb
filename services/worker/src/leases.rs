//! The leases that this process holds, judged on its own monotonic clock.
//!
//! A lease is here from its claim until its job is over for us. The heartbeat renews what is here; a lease that was
//! answered lost, or was not renewed in time, leaves and cancels its job. Makes no calls.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::id::LeaseToken;
use parking_lot::Mutex;
use store::jobs::LeaseRef;
use tokio_util::sync::CancellationToken;

/// How early before its end a lease is given up: a tenth of it, at most this long.
const MARGIN_MAX: Duration = Duration::from_secs(2);

/// All leases of the process.
#[derive(Debug, Default)]
pub(crate) struct Leases {
    held: Mutex<HashMap<LeaseToken, Entry>>,
}

#[derive(Debug)]
struct Entry {
    lease: LeaseRef,
    length: Duration,
    /// When the job is stopped unless the lease is renewed before.
    fence_at: Instant,
    renew_at: Instant,
    lost: CancellationToken,
}

/// A lease to renew.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Due {
    pub(crate) lease: LeaseRef,
    pub(crate) length: Duration,
}

/// A held lease. Dropping it takes it out: from then on answers about it are ignored.
#[derive(Debug)]
pub(crate) struct HeldLease {
    pub(crate) lease: LeaseRef,
    lost: CancellationToken,
    leases: Arc<Leases>,
}

impl Leases {
    /// Notes a lease of `length` that was asked for at `asked_at`. The instant of the question and not of the answer
    /// counts: the lease cannot have begun earlier.
    pub(crate) fn hold(self: &Arc<Self>, lease: LeaseRef, length: Duration, asked_at: Instant) -> HeldLease {
        let lost = CancellationToken::new();
        let entry = Entry {
            lease,
            length,
            fence_at: fence_at(asked_at, length),
            renew_at: asked_at + length / 3,
            lost: lost.clone(),
        };
        self.held.lock().insert(lease.token, entry);
        HeldLease { lease, lost, leases: Arc::clone(self) }
    }

    /// The leases that are to be renewed now. Each is due again a third of its length later, whether or not an answer
    /// has come by then.
    pub(crate) fn due(&self, now: Instant) -> Vec<Due> {
        let mut held = self.held.lock();
        held.values_mut()
            .filter(|entry| entry.renew_at <= now)
            .map(|entry| {
                entry.renew_at = now + entry.length / 3;
                Due { lease: entry.lease, length: entry.length }
            })
            .collect()
    }

    /// Notes that a lease was renewed by a call made at `asked_at`.
    pub(crate) fn renewed(&self, token: LeaseToken, asked_at: Instant) {
        if let Some(entry) = self.held.lock().get_mut(&token) {
            entry.fence_at = entry.fence_at.max(fence_at(asked_at, entry.length));
        }
    }

    /// Gives up a lease that is answered lost. Answers whether it was still held.
    pub(crate) fn lose(&self, token: LeaseToken) -> bool {
        let entry = self.held.lock().remove(&token);
        entry.inspect(|entry| entry.lost.cancel()).is_some()
    }

    /// Gives up all leases whose time is nearly over, and answers them.
    pub(crate) fn fence(&self, now: Instant) -> Vec<LeaseRef> {
        let mut fenced = Vec::new();
        self.held.lock().retain(|_, entry| {
            let is_over = entry.fence_at <= now;
            if is_over {
                entry.lost.cancel();
                fenced.push(entry.lease);
            }
            !is_over
        });
        fenced
    }

    /// Gives up all leases, and answers them.
    pub(crate) fn take_all(&self) -> Vec<LeaseRef> {
        let held = std::mem::take(&mut *self.held.lock());
        held.into_values()
            .map(|entry| {
                entry.lost.cancel();
                entry.lease
            })
            .collect()
    }

    /// Whether none is held.
    pub(crate) fn is_empty(&self) -> bool {
        self.held.lock().is_empty()
    }

    /// How many leases are held.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.held.lock().len()
    }
}

impl HeldLease {
    /// Resolves when the lease is lost.
    pub(crate) async fn lost(&self) {
        self.lost.cancelled().await;
    }

    /// Whether the lease is lost.
    pub(crate) fn is_lost(&self) -> bool {
        self.lost.is_cancelled()
    }
}

impl Drop for HeldLease {
    fn drop(&mut self) {
        self.leases.held.lock().remove(&self.lease.token);
    }
}

fn fence_at(asked_at: Instant, length: Duration) -> Instant {
    asked_at + length.saturating_sub((length / 10).min(MARGIN_MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::id::JobId;

    const LENGTH: Duration = Duration::from_secs(30);

    fn lease(number: u8) -> LeaseRef {
        let hex = format!("{number:032x}");
        LeaseRef {
            id: JobId::parse(&format!("job_{hex}")).expect("valid"),
            token: LeaseToken::parse(&hex).expect("valid"),
        }
    }

    #[test]
    fn a_lease_is_due_each_third_and_fenced_before_its_end() {
        let leases = Arc::new(Leases::default());
        let start = Instant::now();
        let held = leases.hold(lease(1), LENGTH, start);
        assert!(leases.due(start + LENGTH / 4).is_empty());
        assert_eq!(leases.due(start + LENGTH / 3).len(), 1);
        assert!(leases.due(start + LENGTH / 2).is_empty());
        assert_eq!(leases.due(start + LENGTH * 2 / 3).len(), 1);

        leases.renewed(held.lease.token, start + LENGTH / 3);
        assert!(leases.fence(start + LENGTH).is_empty());
        // An answer that was overtaken by a later one takes nothing back.
        leases.renewed(held.lease.token, start);
        assert!(leases.fence(start + LENGTH).is_empty());
        assert!(!held.is_lost());
        assert_eq!(leases.fence(start + LENGTH / 3 + LENGTH.saturating_sub(MARGIN_MAX)), [lease(1)]);
        assert!(held.is_lost());
        assert_eq!(leases.len(), 0);
    }

    #[test]
    fn answers_after_the_end_are_ignored() {
        let leases = Arc::new(Leases::default());
        let held = leases.hold(lease(1), LENGTH, Instant::now());
        let lost = held.lost.clone();
        let token = held.lease.token;
        drop(held);
        leases.renewed(token, Instant::now());
        assert!(!leases.lose(token));
        assert!(!lost.is_cancelled());
    }

    #[test]
    fn a_lost_lease_cancels_its_job_only() {
        let leases = Arc::new(Leases::default());
        let one = leases.hold(lease(1), LENGTH, Instant::now());
        let two = leases.hold(lease(2), LENGTH, Instant::now());
        assert!(leases.lose(one.lease.token));
        assert!(one.is_lost() && !two.is_lost());
        assert_eq!(leases.take_all(), [lease(2)]);
        assert!(two.is_lost());
    }
}
