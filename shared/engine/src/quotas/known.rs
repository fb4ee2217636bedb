//! The quotas that operators set, as this process read them last.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::names::TenantName;
use domain::quota::QuotaKind;
use parking_lot::Mutex;
use store::usage::QuotaRecord;

/// How long quotas are believed without asking. Other nodes are notified of a change, and find it after this at the
/// latest.
const BELIEVED: Duration = Duration::from_secs(5);

/// Age from which they are refreshed in the background, so that enqueues do not wait for it.
const OLD: Duration = Duration::from_secs(3);

/// All quotas that somebody set, as they were read last.
#[derive(Default)]
pub(crate) struct QuotaCache(Mutex<Known>);

#[derive(Default)]
struct Known {
    kept: Option<Kept>,
    /// How often they were asked to be read again.
    clears: u64,
}

struct Kept {
    read_at: Instant,
    set: Arc<SetQuotas>,
    /// Whether a refresh was already requested.
    is_read_again: bool,
}

/// When quotas began to be read.
#[derive(Debug, Clone, Copy)]
pub(super) struct QuotaReading {
    at: Instant,
    clears: u64,
}

/// What is known of tenants.
#[derive(Default)]
pub(super) struct SetQuotas {
    /// By tenant; what is absent is as the policy says.
    pub(super) by_tenant: HashMap<TenantName, Vec<(QuotaKind, Option<u64>)>>,
    /// Tenants that are being erased: nothing of them fits.
    pub(super) erasing: HashSet<TenantName>,
}

impl QuotaCache {
    /// Has them asked for again.
    pub(crate) fn clear(&self) {
        let mut known = self.0.lock();
        known.kept = None;
        known.clears += 1;
    }

    /// The cached quotas, and whether they should be refreshed, which is true only once.
    pub(super) fn get(&self) -> Option<(Arc<SetQuotas>, bool)> {
        let mut known = self.0.lock();
        let kept = known.kept.as_mut()?;
        let age = kept.read_at.elapsed();
        (age < BELIEVED).then(|| {
            let is_old = age >= OLD && !std::mem::replace(&mut kept.is_read_again, true);
            (Arc::clone(&kept.set), is_old)
        })
    }

    /// Must be called before they are read.
    pub(super) fn begin_reading(&self) -> QuotaReading {
        QuotaReading { at: Instant::now(), clears: self.0.lock().clears }
    }

    /// Caches the values read, unless quotas were changed since the read started.
    pub(super) fn keep(&self, set: &Arc<SetQuotas>, reading: QuotaReading) {
        let mut known = self.0.lock();
        if known.clears == reading.clears {
            known.kept = Some(Kept { read_at: reading.at, set: Arc::clone(set), is_read_again: false });
        }
    }
}

pub(super) fn by_tenant(records: Vec<QuotaRecord>) -> HashMap<TenantName, Vec<(QuotaKind, Option<u64>)>> {
    let mut set: HashMap<TenantName, Vec<(QuotaKind, Option<u64>)>> = HashMap::new();
    for record in records {
        set.entry(record.tenant).or_default().push((record.kind, record.quota));
    }
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_before_a_change_is_not_kept_after_it() {
        let (cache, set) = (QuotaCache::default(), Arc::new(SetQuotas::default()));
        let before = cache.begin_reading();
        cache.clear();
        cache.keep(&set, before);
        assert!(cache.get().is_none());
        cache.keep(&set, cache.begin_reading());
        assert!(cache.get().is_some());
    }
}
