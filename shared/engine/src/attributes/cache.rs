//! What is declared, read once for some seconds, so that jobs and executions are stored without a look at it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use domain::access::TenantScope;
use domain::attribute::{AttributeId, AttributeType, PathRoot, Searchable, TenantAttributes};
use domain::names::{AttributeName, TenantName};
use domain::time::{DurationMs, Timestamp};

use crate::believed::{Believed, Terms};

/// How long declarations are believed: hints say sooner that they changed.
const TERMS: Terms = Terms { expires: DurationMs::from_secs(5), refreshes: DurationMs::from_secs(3) };

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
pub(crate) struct AttributeCache {
    pub(super) believed: Believed<Arc<Declarations>, Timestamp>,
    /// Held while they are read, so that one reads for all.
    pub(super) reading: tokio::sync::Mutex<()>,
}

impl Default for AttributeCache {
    fn default() -> Self {
        Self { believed: Believed::new(TERMS), reading: tokio::sync::Mutex::default() }
    }
}

impl AttributeCache {
    /// Has declarations read again before they are used.
    pub(crate) fn expire(&self) {
        self.believed.forget();
    }
}
