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
/// How many bytes of JSON of triggers are kept, of all tenants together. Compiled, they take up to a hundred times as much.
const BYTES_MAX: usize = 16 * 1024 * 1024;

/// Triggers that were read already.
#[derive(Default)]
pub(crate) struct TriggerCache {
    kept: Mutex<HashMap<TenantName, Kept>>,
    /// Grows with each [`TriggerCache::expire`]: what was read before is not kept after it.
    pub(super) epoch: AtomicU64,
}

pub(super) struct Kept {
    /// `None` once they have to be read again.
    read_at: Option<Timestamp>,
    records: Vec<TriggerRecord>,
    triggers: Arc<Vec<Trigger>>,
    bytes: usize,
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
        kept.remove(tenant);
        let bytes: usize = kept.values().map(|kept| kept.bytes).sum();
        if kept.len() >= TENANTS_MAX || bytes + entry.bytes > BYTES_MAX {
            kept.clear();
        }
        kept.insert(tenant.clone(), entry);
    }
}

impl Kept {
    pub(super) fn new(read_at: Timestamp, records: Vec<TriggerRecord>, triggers: Arc<Vec<Trigger>>) -> Self {
        let bytes = records.iter().map(|record| record.config.len()).sum();
        Self { read_at: Some(read_at), records, triggers, bytes }
    }
}

#[cfg(test)]
mod tests {
    use domain::id::TriggerId;
    use domain::names::TriggerName;
    use uuid::Uuid;

    use super::*;

    #[test]
    fn triggers_are_kept_up_to_so_many_bytes_of_all_tenants() {
        let (cache, now) = (TriggerCache::default(), Timestamp(0));
        let tenants: Vec<TenantName> =
            (0..20).map(|number| TenantName::trusted(format!("t{number}"))).collect();
        let records = |tenant: &TenantName| {
            let record = TriggerRecord {
                id: TriggerId::from_uuid(Uuid::nil()),
                tenant: tenant.clone(),
                name: TriggerName::trusted("t"),
                config: "x".repeat(BYTES_MAX / 16),
                is_paused: false,
                version: 1,
                created_at: now,
                updated_at: now,
            };
            vec![record]
        };
        let is_kept = |tenant: &&TenantName| cache.fresh(tenant, now).is_some();
        for tenant in &tenants[..16] {
            cache.keep(tenant, Kept::new(now, records(tenant), Arc::default()), 0);
            // The same once more takes no more.
            cache.keep(tenant, Kept::new(now, records(tenant), Arc::default()), 0);
        }
        assert_eq!(tenants.iter().filter(is_kept).count(), 16);
        cache.keep(&tenants[16], Kept::new(now, records(&tenants[16]), Arc::default()), 0);
        assert_eq!(tenants.iter().filter(is_kept).count(), 1, "the others are read again");
    }
}
