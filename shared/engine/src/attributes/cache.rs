//! What is declared, read once for some seconds, so that jobs and executions are stored without a look at it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use domain::access::TenantScope;
use domain::attribute::{AttributeId, AttributeType, PathRoot, Searchable, TenantAttributes};
use domain::names::{AttributeName, TenantName};
use domain::time::{DurationMs, Timestamp};
use parking_lot::RwLock;

/// How long declarations are believed without asking: hints say sooner that they changed.
const TTL: DurationMs = DurationMs::from_secs(5);

/// Age from which they are refreshed in the background, so that enqueues do not wait for it.
const OLD: DurationMs = DurationMs::from_secs(3);

/// Declarations of all tenants.
#[derive(Debug, Default)]
pub(crate) struct Declarations {
    tenants: HashMap<TenantName, TenantAttributes>,
    by_id: HashMap<AttributeId, (AttributeName, AttributeType)>,
    reads: HashSet<PathRoot>,
}

impl Declarations {
    pub(super) fn of(tenants: Vec<TenantAttributes>) -> Self {
        let mut all = Self::default();
        for tenant in tenants {
            for one in &tenant.declared {
                let id = AttributeId::of(&tenant.tenant, &one.name, one.kind);
                all.by_id.insert(id, (one.name.clone(), one.kind));
                all.reads.extend(one.path.as_ref().map(|path| path.root));
            }
            all.tenants.insert(tenant.tenant.clone(), tenant);
        }
        all
    }

    /// Those of a tenant, if it has any.
    pub(crate) fn tenant(&self, tenant: &TenantName) -> Option<&TenantAttributes> {
        self.tenants.get(tenant)
    }

    /// What an id stands for.
    pub(crate) fn by_id(&self, id: AttributeId) -> Option<&(AttributeName, AttributeType)> {
        self.by_id.get(&id)
    }

    /// Whether a path goes into these payloads.
    pub(crate) fn reads(&self, root: PathRoot) -> bool {
        self.reads.contains(&root)
    }

    /// Whether nobody declares anything.
    pub(crate) fn is_empty(&self) -> bool {
        self.tenants.is_empty()
    }

    pub(super) fn searchable(&self, scope: &TenantScope) -> Searchable {
        match scope.tenant() {
            Some(tenant) => Searchable::of(self.tenant(tenant)),
            None => Searchable::of(self.tenants.values()),
        }
    }
}

/// Declarations that were read already.
#[derive(Default)]
pub(crate) struct AttributeCache {
    pub(super) kept: RwLock<Kept>,
    /// Held while they are read, so that one reads for all.
    pub(super) reading: tokio::sync::Mutex<()>,
}

#[derive(Default, Clone)]
pub(super) struct Kept {
    /// `None` once they have to be read again.
    pub(super) read_at: Option<Timestamp>,
    pub(super) declared: Arc<Declarations>,
    /// Grows with each [`AttributeCache::expire`]: what was read before is not fresh after it.
    pub(super) epoch: u64,
    /// Whether a refresh was already requested.
    pub(super) is_read_again: bool,
}

impl Kept {
    fn is_to_be_read(&self, now: Timestamp) -> bool {
        !self.is_read_again && self.read_at.is_some_and(|read_at| now.since(read_at) >= OLD)
    }
}

impl AttributeCache {
    /// Has declarations read again before they are used.
    pub(crate) fn expire(&self) {
        let mut kept = self.kept.write();
        kept.read_at = None;
        kept.epoch += 1;
    }

    pub(super) fn fresh(&self, now: Timestamp) -> Option<Arc<Declarations>> {
        let kept = self.kept.read();
        let age = now.since(kept.read_at?);
        (DurationMs::ZERO <= age && age < TTL).then(|| Arc::clone(&kept.declared))
    }

    /// Whether declarations should be refreshed although they are still fresh; true only once.
    pub(super) fn is_to_be_read(&self, now: Timestamp) -> bool {
        if !self.kept.read().is_to_be_read(now) {
            return false;
        }
        let mut kept = self.kept.write();
        let is_first = kept.is_to_be_read(now);
        kept.is_read_again |= is_first;
        is_first
    }
}
