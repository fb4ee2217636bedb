//! Triggers that were read and compiled already, for a second at most, so that a burst of events reads those of its
//! tenant once.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use domain::names::TenantName;
use domain::time::{DurationMs, Timestamp};
use domain::webhook::{Trigger, TriggerConfig};
use parking_lot::Mutex;
use store::events::TriggerRecord;

use super::{TRIGGERS_MAX, stored_config};
use crate::engine::Engine;
use crate::error::EngineError;

/// How long triggers are believed without asking.
const TTL: DurationMs = DurationMs::from_secs(1);
/// Of how many tenants they are kept. Beyond it all are read again.
const TENANTS_MAX: usize = 1_000;

/// Triggers that were read already.
#[derive(Default)]
pub(crate) struct TriggerCache {
    kept: Mutex<HashMap<TenantName, Kept>>,
    /// Grows with each [`TriggerCache::expire`]: what was read before is not kept after it.
    epoch: AtomicU64,
}

struct Kept {
    /// `None` once they have to be read again.
    read_at: Option<Timestamp>,
    records: Vec<TriggerRecord>,
    triggers: Arc<Vec<Trigger>>,
}

impl TriggerCache {
    /// Has triggers looked at again before they are used.
    pub(crate) fn expire(&self) {
        self.epoch.fetch_add(1, Ordering::SeqCst);
        self.kept.lock().values_mut().for_each(|kept| kept.read_at = None);
    }

    fn fresh(&self, tenant: &TenantName, now: Timestamp) -> Option<Arc<Vec<Trigger>>> {
        let kept = self.kept.lock();
        let found = kept.get(tenant)?;
        let age = now.since(found.read_at?);
        (DurationMs::ZERO <= age && age < TTL).then(|| Arc::clone(&found.triggers))
    }

    /// Those that were compiled from the same rows.
    fn same(&self, tenant: &TenantName, records: &[TriggerRecord]) -> Option<Arc<Vec<Trigger>>> {
        let kept = self.kept.lock();
        kept.get(tenant).filter(|kept| kept.records == records).map(|kept| Arc::clone(&kept.triggers))
    }

    fn keep(&self, tenant: &TenantName, entry: Kept, epoch: u64) {
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

impl Engine {
    /// The triggers of a tenant that are not paused, compiled; at most a second old.
    pub(crate) async fn event_triggers(&self, tenant: &TenantName) -> Result<Arc<Vec<Trigger>>, EngineError> {
        self.listen();
        let cache = &self.memory().triggers;
        let now = self.now();
        if let Some(found) = cache.fresh(tenant, now) {
            return Ok(found);
        }
        let epoch = cache.epoch.load(Ordering::SeqCst);
        let records = self.store().triggers_of(tenant, TRIGGERS_MAX).await?;
        let triggers = cache.same(tenant, &records).unwrap_or_else(|| Arc::new(compiled(&records)));
        let entry = Kept { read_at: Some(now), records, triggers: Arc::clone(&triggers) };
        cache.keep(tenant, entry, epoch);
        Ok(triggers)
    }

    /// Has changes of triggers seen at once here, and within a moment on other nodes.
    pub(super) fn triggers_changed(&self) {
        self.memory().triggers.expire();
        self.wake(&[store::wakeup::Hint::Settings]);
    }
}

/// One that does not compile any more is left out: it was checked when it was saved.
fn compiled(records: &[TriggerRecord]) -> Vec<Trigger> {
    let compile = |record: &TriggerRecord| {
        let config = stored_config(record).ok()?;
        let config = TriggerConfig { id: Some(record.id.to_string()), ..config };
        match Trigger::compile(&config) {
            Ok(trigger) => Some(trigger),
            Err(faults) => {
                tracing::error!(trigger.id = %record.id, ?faults, "a trigger cannot be read");
                None
            }
        }
    };
    records.iter().filter_map(compile).collect()
}
