//! Which workers are drained, as this process knows it.

use domain::names::{TenantName, WorkerId};
use domain::time::{DurationMs, Timestamp};
use parking_lot::Mutex;
use tokio::sync::watch;

/// How long the list is good for.
const FRESH_FOR: DurationMs = DurationMs::from_secs(5);

/// What this process knows of workers that are drained.
#[derive(Debug)]
pub(crate) struct Drains {
    known: Mutex<Known>,
    changes: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct Known {
    workers: Vec<Draining>,
    /// When the list was read; `None` where it has to be read again.
    read_at: Option<Timestamp>,
    is_read_under_way: bool,
}

#[derive(Debug)]
struct Draining {
    tenant: Option<TenantName>,
    id: WorkerId,
    /// Whether this process has asked it to end.
    is_asked: bool,
}

impl Default for Drains {
    fn default() -> Self {
        Self { known: Mutex::default(), changes: watch::Sender::new(0) }
    }
}

impl Drains {
    /// The list may be another one.
    pub(crate) fn expire(&self) {
        self.known.lock().read_at = None;
        self.changes.send_modify(|number| *number += 1);
    }

    /// Whether the caller has to read the list. One at a time is asked to.
    pub(super) fn begin_read(&self, now: Timestamp) -> bool {
        let mut known = self.known.lock();
        let is_fresh = known.read_at.is_some_and(|at| now.since(at) < FRESH_FOR);
        if is_fresh || known.is_read_under_way {
            return false;
        }
        known.is_read_under_way = true;
        // Whatever changes from here on is not in what is read.
        known.read_at = Some(now);
        true
    }

    pub(super) fn end_read(&self, listed: Option<Vec<(Option<TenantName>, WorkerId)>>) {
        let mut known = self.known.lock();
        known.is_read_under_way = false;
        if known.read_at.is_none() {
            // It changed while it was read, and whoever looked meanwhile saw the list of before.
            self.changes.send_modify(|number| *number += 1);
        }
        let Some(listed) = listed else { return };
        let before = std::mem::take(&mut known.workers);
        let was_asked = |tenant: &Option<TenantName>, id: &WorkerId| {
            before.iter().any(|of| of.is_asked && of.tenant == *tenant && of.id == *id)
        };
        known.workers = listed
            .into_iter()
            .map(|(tenant, id)| Draining { is_asked: was_asked(&tenant, &id), tenant, id })
            .collect();
    }

    /// Whether a worker is drained; and whether it was asked to end before, which it is from now on.
    pub(super) fn ask(&self, tenant: Option<&TenantName>, id: &WorkerId) -> Option<bool> {
        let mut known = self.known.lock();
        let of = known.workers.iter_mut().find(|of| of.id == *id && of.tenant.as_ref() == tenant)?;
        Some(std::mem::replace(&mut of.is_asked, true))
    }

    /// Whether a worker is drained, as far as this process knows.
    pub(crate) fn knows(&self, tenant: Option<&TenantName>, id: &WorkerId) -> bool {
        self.known.lock().workers.iter().any(|of| of.id == *id && of.tenant.as_ref() == tenant)
    }

    /// Is notified when the list has changed.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }
}
