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

/// All quotas that somebody set, as they were read last.
#[derive(Default)]
pub(crate) struct QuotaCache(Mutex<Option<(Instant, Arc<SetQuotas>)>>);

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
        *self.0.lock() = None;
    }

    pub(super) fn get(&self) -> Option<Arc<SetQuotas>> {
        let kept = self.0.lock();
        kept.as_ref().filter(|(read_at, _)| read_at.elapsed() < BELIEVED).map(|(_, set)| Arc::clone(set))
    }

    pub(super) fn keep(&self, set: &Arc<SetQuotas>) {
        *self.0.lock() = Some((Instant::now(), Arc::clone(set)));
    }
}

pub(super) fn by_tenant(records: Vec<QuotaRecord>) -> HashMap<TenantName, Vec<(QuotaKind, Option<u64>)>> {
    let mut set: HashMap<TenantName, Vec<(QuotaKind, Option<u64>)>> = HashMap::new();
    for record in records {
        set.entry(record.tenant).or_default().push((record.kind, record.quota));
    }
    set
}
