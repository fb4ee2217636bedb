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

/// How soon a lease is renewed again after a call that failed, at most.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// How soon a lease is renewed again while a call has no answer, at most.
const UNANSWERED: Duration = Duration::from_secs(3);

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
    /// Records a lease of `length` that was asked for at `asked_at`. The instant of the question and not of the answer
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

    /// The leases that are to be renewed now. Each is due again a little later unless an answer comes before: a call
    /// that hangs is not waited for while the lease runs out.
    pub(crate) fn due(&self, now: Instant) -> Vec<Due> {
        let mut held = self.held.lock();
        held.values_mut()
            .filter(|entry| entry.renew_at <= now)
            .map(|entry| {
                entry.renew_at = now + (entry.length / 3).min(UNANSWERED);
                Due { lease: entry.lease, length: entry.length }
            })
            .collect()
    }

    /// Records that a lease was renewed by a call made at `asked_at`: it is due again a third of its length later.
    pub(crate) fn renewed(&self, token: LeaseToken, asked_at: Instant) {
        if let Some(entry) = self.held.lock().get_mut(&token) {
            entry.fence_at = entry.fence_at.max(fence_at(asked_at, entry.length));
            entry.renew_at = entry.renew_at.max(asked_at + entry.length / 3);
        }
    }

    /// Records that a call to renew these leases failed: they are due again within a second.
    pub(crate) fn failed(&self, batch: &[Due], now: Instant) {
        let mut held = self.held.lock();
        for due in batch {
            if let Some(entry) = held.get_mut(&due.lease.token) {
                entry.renew_at = entry.renew_at.min(now + (entry.length / 10).min(RETRY_AFTER));
            }
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
        leases.renewed(held.lease.token, start + LENGTH / 3);
        assert!(leases.due(start + LENGTH / 2).is_empty());
        assert_eq!(leases.due(start + LENGTH * 2 / 3).len(), 1);

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
    fn an_outage_that_is_shorter_than_the_lease_costs_no_job() {
        let leases = Arc::new(Leases::default());
        let start = Instant::now();
        let held = leases.hold(lease(1), LENGTH, start);
        // The store is away from the first renewal on, for fifteen seconds.
        let (mut now, back) = (start + LENGTH / 3, start + LENGTH / 3 + Duration::from_secs(15));
        let mut tries = 0;
        while now < back {
            let due = leases.due(now);
            tries += due.len();
            leases.failed(&due, now);
            now += Duration::from_millis(250);
        }
        assert!((10..=20).contains(&tries), "about one a second: {tries}");
        let after = (0..5).map(|step| now + Duration::from_millis(250) * step);
        let renewed = after.clone().find(|&at| !leases.due(at).is_empty());
        let renewed = renewed.expect("it is tried within a second after the outage");
        leases.renewed(held.lease.token, renewed);
        assert!(leases.fence(start + LENGTH).is_empty() && !held.is_lost());
    }

    #[test]
    fn a_call_that_hangs_is_not_waited_for() {
        let leases = Arc::new(Leases::default());
        let start = Instant::now();
        let _held = leases.hold(lease(1), LENGTH, start);
        assert_eq!(leases.due(start + LENGTH / 3).len(), 1);
        assert!(leases.due(start + LENGTH / 3 + UNANSWERED / 2).is_empty());
        assert_eq!(leases.due(start + LENGTH / 3 + UNANSWERED).len(), 1);
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
