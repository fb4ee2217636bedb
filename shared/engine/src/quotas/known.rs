//! The quotas that operators set, as this process read them last.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Instant;

use domain::names::TenantName;
use domain::quota::QuotaKind;
use domain::time::DurationMs;
use store::usage::QuotaRecord;

use crate::believed::{Believed, Terms};

/// How long quotas are believed. Other nodes are notified of a change, and find it after this at the latest.
const TERMS: Terms = Terms { expires: DurationMs::from_secs(5), refreshes: DurationMs::from_secs(3) };

/// All quotas that somebody set, as they were read last.
pub(crate) struct QuotaCache(pub(super) Believed<Arc<SetQuotas>, Instant>);

impl Default for QuotaCache {
    fn default() -> Self {
        Self(Believed::new(TERMS))
    }
}

impl QuotaCache {
    /// Has them asked for again.
    pub(crate) fn clear(&self) {
        self.0.forget();
    }
}

/// What is known of tenants.
#[derive(Default)]
pub(super) struct SetQuotas {
    /// By tenant; what is absent is as the policy says.
    pub(super) by_tenant: HashMap<TenantName, Vec<(QuotaKind, Option<u64>)>>,
    /// Tenants that are being erased: nothing of them fits.
    pub(super) erasing: HashSet<TenantName>,
}

pub(super) fn by_tenant(records: Vec<QuotaRecord>) -> HashMap<TenantName, Vec<(QuotaKind, Option<u64>)>> {
    let mut set: HashMap<TenantName, Vec<(QuotaKind, Option<u64>)>> = HashMap::new();
    for record in records {
        set.entry(record.tenant).or_default().push((record.kind, record.quota));
    }
    set
}
