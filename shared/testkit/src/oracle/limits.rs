//! The limits in force, looked up afresh every time.

use std::collections::BTreeMap;

use domain::lane::WorkflowRef;
use domain::limits::{LimitOverride, LimitScope, QueueLimits};
use domain::names::TenantName;
use domain::queue::QueueName;
use store::limits::LimitChange;

/// The settings of a queue and what operators set on top of them. `None` is no limit.
#[derive(Debug, Clone)]
pub struct MemLimits {
    settings: QueueLimits,
    overrides: BTreeMap<LimitScope, Option<u32>>,
}

impl MemLimits {
    /// Nothing but the settings.
    pub fn new(settings: QueueLimits) -> Self {
        Self { settings, overrides: BTreeMap::new() }
    }

    /// Sets or removes an override.
    pub(super) fn change(&mut self, change: LimitChange) {
        match change.max_concurrent {
            Some(limit) => drop(self.overrides.insert(change.scope, limit)),
            None => drop(self.overrides.remove(&change.scope)),
        }
    }

    /// How many jobs may be leased at once in all.
    pub fn global(&self) -> Option<u32> {
        self.overrides.get(&LimitScope::Global).copied().unwrap_or(self.settings.global)
    }

    /// The same for a tenant.
    pub fn tenant(&self, tenant: &TenantName) -> Option<u32> {
        let own = self.overrides.get(&LimitScope::Tenant(tenant.clone()));
        let default = self.overrides.get(&LimitScope::TenantDefault);
        own.or(default).copied().unwrap_or(self.settings.tenant)
    }

    /// The same for a workflow.
    pub fn workflow(&self, workflow: &WorkflowRef) -> Option<u32> {
        let own = self.overrides.get(&LimitScope::Workflow(workflow.clone()));
        let default = self.overrides.get(&LimitScope::WorkflowDefault);
        own.or(default).copied().unwrap_or(self.settings.workflow)
    }

    /// What operators set, sorted by scope.
    pub fn overrides(&self, queue: QueueName) -> Vec<LimitOverride> {
        let of = |(scope, &max_concurrent): (&LimitScope, &Option<u32>)| LimitOverride {
            queue,
            scope: scope.clone(),
            max_concurrent,
        };
        self.overrides.iter().map(of).collect()
    }
}
