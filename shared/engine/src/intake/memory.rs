//! What this process knows of the intake: what it holds of it, and what it left.

use std::collections::{HashMap, HashSet};

use domain::id::ServerId;
use domain::names::TenantName;
use domain::time::{DurationMs, Timestamp};
use parking_lot::Mutex;

/// What a process remembers of the intake.
#[derive(Debug, Default)]
pub(crate) struct IntakeMemory {
    held: Mutex<Held>,
    /// Tenants whose rows this process cannot take.
    left: Mutex<HashMap<TenantName, Left>>,
}

/// What is remembered of a tenant whose rows this process cannot take.
#[derive(Debug)]
struct Left {
    /// Until when its rows are not tried again.
    until: Timestamp,
    /// Processes that had a turn at its rows, and when the last of them got it.
    offered: HashSet<ServerId>,
    offered_at: Timestamp,
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
        left.retain(|_, left| now.since(left.until) < OFFERED_FOR);
        left.iter().filter(|(_, left)| left.until > now).map(|(tenant, _)| tenant.clone()).collect()
    }

    /// Rows of a tenant are left to others for a while.
    pub(super) fn leave(&self, tenant: TenantName, now: Timestamp, left_for: DurationMs) {
        let mut left = self.left.lock();
        let left = left.entry(tenant).or_insert_with(|| Left {
            until: now,
            offered: HashSet::new(),
            offered_at: now,
        });
        left.until = now.plus(left_for);
    }

    /// Whether one of these processes had no turn at the rows of one of the tenants for a while. All of them have it then: what
    /// a process can take does not change while it runs, so that giving way to the same ones again and again would only
    /// hold up everybody's rows.
    pub(super) fn offer(&self, tenants: &HashSet<TenantName>, others: &[ServerId], now: Timestamp) -> bool {
        let mut left = self.left.lock();
        let mut is_worth = false;
        for tenant in tenants {
            let Some(left) = left.get_mut(tenant) else { continue };
            if now.since(left.offered_at) >= OFFERED_FOR {
                left.offered.clear();
            }
            if others.iter().any(|other| !left.offered.contains(other)) {
                left.offered.extend(others);
                left.offered_at = now;
                is_worth = true;
            }
        }
        is_worth
    }
}

/// After so long another process has a turn at such rows once more.
const OFFERED_FOR: DurationMs = DurationMs::from_secs(15 * 60);
