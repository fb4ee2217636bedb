//! Following what changes, and who may know of what.

use std::collections::HashMap;

use domain::access::TenantScope;
use domain::id::{ExecutionId, JobId};
use domain::names::TenantName;
use store::StoreResult;
use tokio::sync::broadcast::Sender;

use super::{CAPACITY, Changed, Changes, Follower, gather};
use crate::caller::Caller;
use crate::engine::Engine;

impl Engine {
    /// Follows what changes from now on. Whoever shows it to a caller asks [`Engine::changed_for`] what the caller may know.
    pub fn follow_changes(&self) -> Follower {
        let followers = self.memory().changes.get_or_init(|| {
            let followers = Sender::new(CAPACITY);
            tokio::spawn(gather(self.wakeup().subscribe(), followers.clone(), self.closed()));
            followers
        });
        Follower(followers.subscribe())
    }

    /// The changed executions and jobs that a caller may know of. Where the store cannot tell whose they are, only those who are
    /// bound to no tenant know of them.
    pub async fn changed_for<'c>(&self, caller: &Caller, changes: &'c Changes) -> Option<&'c Changed> {
        match &caller.scope {
            TenantScope::All => Some(&changes.changed),
            TenantScope::One(_) if changes.changed.is_empty() => None,
            TenantScope::One(tenant) => {
                // The first one reads for all.
                let by_tenant = changes.by_tenant.get_or_init(|| self.by_tenant(&changes.changed)).await;
                by_tenant.get(tenant)
            }
        }
    }

    async fn by_tenant(&self, changed: &Changed) -> HashMap<TenantName, Changed> {
        let executions: Vec<ExecutionId> = changed.executions.keys().copied().collect();
        let jobs: Vec<JobId> = changed.logged.iter().copied().collect();
        let mut by_tenant: HashMap<TenantName, Changed> = HashMap::new();
        for (id, tenant) in known(self.store().tenants_of_executions(&executions).await) {
            if let Some(&ended) = changed.executions.get(&id) {
                by_tenant.entry(tenant).or_default().executions.insert(id, ended);
            }
        }
        for (id, tenant) in known(self.store().tenants_of_jobs(&jobs).await) {
            by_tenant.entry(tenant).or_default().logged.insert(id);
        }
        by_tenant
    }
}

fn known<T>(read: StoreResult<Vec<T>>) -> Vec<T> {
    read.unwrap_or_else(|error| {
        tracing::debug!(error = &error as &dyn std::error::Error, "changes were not passed on");
        Vec::new()
    })
}
