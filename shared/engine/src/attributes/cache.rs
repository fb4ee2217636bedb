//! What is declared, read once for some seconds, so that jobs and executions are stored without a look at it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use domain::access::TenantScope;
use domain::attribute::{AttributeId, AttributeType, PathRoot, Searchable, TenantAttributes};
use domain::names::{AttributeName, TenantName};
use domain::time::{DurationMs, Timestamp};
use parking_lot::RwLock;

use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

/// How long declarations are believed without asking: hints say sooner that they changed.
const TTL: DurationMs = DurationMs::from_secs(5);

/// The most declarations that are read.
const DECLARATIONS_MAX: u32 = 100_000;

/// Declarations of all tenants.
#[derive(Debug, Default)]
pub(crate) struct Declarations {
    tenants: HashMap<TenantName, TenantAttributes>,
    by_id: HashMap<AttributeId, (AttributeName, AttributeType)>,
    reads: HashSet<PathRoot>,
}

impl Declarations {
    fn of(tenants: Vec<TenantAttributes>) -> Self {
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

    fn searchable(&self, scope: &TenantScope) -> Searchable {
        match scope.tenant() {
            Some(tenant) => Searchable::of(self.tenant(tenant)),
            None => Searchable::of(self.tenants.values()),
        }
    }
}

/// Declarations that were read already.
#[derive(Default)]
pub(crate) struct AttributeCache {
    kept: RwLock<Kept>,
    /// Held while they are read, so that one reads for all.
    reading: tokio::sync::Mutex<()>,
}

#[derive(Default, Clone)]
struct Kept {
    /// `None` once they have to be read again.
    read_at: Option<Timestamp>,
    declared: Arc<Declarations>,
    /// Grows with each [`AttributeCache::expire`]: what was read before is not fresh after it.
    epoch: u64,
}

impl AttributeCache {
    /// Has declarations read again before they are used.
    pub(crate) fn expire(&self) {
        let mut kept = self.kept.write();
        kept.read_at = None;
        kept.epoch += 1;
    }

    fn fresh(&self, now: Timestamp) -> Option<Arc<Declarations>> {
        let kept = self.kept.read();
        let age = now.since(kept.read_at?);
        (DurationMs::ZERO <= age && age < TTL).then(|| Arc::clone(&kept.declared))
    }
}

impl Engine {
    /// What is declared; some seconds old at most, and as of now where it was changed here.
    pub(crate) async fn attributes(&self) -> Result<Arc<Declarations>, EngineError> {
        self.listen();
        let cache = &self.memory().attributes;
        if let Some(found) = cache.fresh(self.now()) {
            return Ok(found);
        }
        let _reading = cache.reading.lock().await;
        let now = self.now();
        if let Some(found) = cache.fresh(now) {
            return Ok(found);
        }
        let epoch = cache.kept.read().epoch;
        let declared = Arc::new(Declarations::of(self.store().declared_attributes(DECLARATIONS_MAX).await?));
        let mut kept = cache.kept.write();
        let read_at = (kept.epoch == epoch).then_some(now);
        *kept = Kept { read_at, declared: Arc::clone(&declared), epoch: kept.epoch };
        Ok(declared)
    }

    /// What was declared when it was last read.
    pub(crate) fn known_attributes(&self) -> Arc<Declarations> {
        Arc::clone(&self.memory().attributes.kept.read().declared)
    }

    /// What queries of a caller may name. Nothing for one whose answers hold no payloads: what it finds would show them.
    pub async fn searchable(&self, caller: &Caller) -> Result<Searchable, EngineError> {
        if !caller.shows_payloads() {
            return Ok(Searchable::default());
        }
        Ok(self.attributes().await?.searchable(&caller.scope))
    }

    /// Has changes of declarations seen at once here, and within a moment on other nodes.
    pub(super) fn attributes_changed(&self) {
        self.memory().attributes.expire();
        self.wake(&[store::wakeup::Hint::Settings]);
    }
}
