//! Triggers that were read and compiled already, for a second at most, so that a burst of events reads those of its
//! tenant once.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use domain::names::TenantName;
use domain::time::{DurationMs, Timestamp};
use domain::webhook::Trigger;
use parking_lot::Mutex;
use store::events::TriggerRecord;

/// How long triggers are believed without asking.
const TTL: DurationMs = DurationMs::from_secs(1);
/// Of how many tenants they are kept. Beyond it all are read again.
const TENANTS_MAX: usize = 1_000;

/// Triggers that were read already.
#[derive(Default)]
pub(crate) struct TriggerCache {
    kept: Mutex<HashMap<TenantName, Kept>>,
    /// Grows with each [`TriggerCache::expire`]: what was read before is not kept after it.
    pub(super) epoch: AtomicU64,
}

pub(super) struct Kept {
    /// `None` once they have to be read again.
    pub(super) read_at: Option<Timestamp>,
    pub(super) records: Vec<TriggerRecord>,
    pub(super) triggers: Arc<Vec<Trigger>>,
}

impl TriggerCache {
    /// Has triggers looked at again before they are used.
    pub(crate) fn expire(&self) {
        self.epoch.fetch_add(1, Ordering::SeqCst);
        self.kept.lock().values_mut().for_each(|kept| kept.read_at = None);
    }

    pub(super) fn fresh(&self, tenant: &TenantName, now: Timestamp) -> Option<Arc<Vec<Trigger>>> {
        let kept = self.kept.lock();
        let found = kept.get(tenant)?;
        let age = now.since(found.read_at?);
        (DurationMs::ZERO <= age && age < TTL).then(|| Arc::clone(&found.triggers))
    }

    /// Those that were compiled from the same rows.
    pub(super) fn same(&self, tenant: &TenantName, records: &[TriggerRecord]) -> Option<Arc<Vec<Trigger>>> {
        let kept = self.kept.lock();
        kept.get(tenant).filter(|kept| kept.records == records).map(|kept| Arc::clone(&kept.triggers))
    }

    pub(super) fn keep(&self, tenant: &TenantName, entry: Kept, epoch: u64) {
        let mut kept = self.kept.lock();
        if self.epoch.load(Ordering::SeqCst) != epoch {
            return;
        }
        if kept.len() >= TENANTS_MAX {
            kept.clear();
        }
        kept.insert(tenant.clone(), entry);
    }
}
