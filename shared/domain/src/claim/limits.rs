//! The limits in force for one queue, resolved once from settings, definitions and what operators set.

use std::collections::HashMap;

use super::rates::RateTable;
use crate::limits::{EffectiveLimit, LimitOverride, LimitScope, LimitSource, QueueLimits};
use crate::names::{JobType, TenantName};
use crate::queue::{LaneKey, WorkflowRef};

/// Limits in force for one queue. `None` is unlimited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimitTable {
    /// All jobs of the queue together.
    pub global: Option<u32>,
    global_source: LimitSource,
    tenant_default: EffectiveLimit,
    workflow_default: EffectiveLimit,
    tenants: HashMap<TenantName, Option<u32>>,
    workflows: HashMap<WorkflowRef, EffectiveLimit>,
    job_types: HashMap<JobType, Option<u32>>,
    /// Job types of one tenant.
    tenant_job_types: HashMap<TenantName, HashMap<JobType, Option<u32>>>,
    /// How many jobs may be started in a period.
    pub rates: RateTable,
}

impl LimitTable {
    /// Brings the sources together. `overrides` are those of this queue; `definitions` holds
    /// `limits.maxConcurrent` of the latest version of each workflow that sets it, and is empty for every queue but
    /// `workflow-execution`, where alone that limit applies.
    pub fn resolve(
        settings: QueueLimits,
        overrides: &[LimitOverride],
        definitions: &[(WorkflowRef, u32)],
    ) -> Self {
        let from_settings = |max_concurrent| EffectiveLimit { max_concurrent, source: LimitSource::Settings };
        let mut table = Self {
            global: settings.global,
            global_source: LimitSource::Settings,
            tenant_default: from_settings(settings.tenant),
            workflow_default: from_settings(settings.workflow),
            tenants: HashMap::new(),
            workflows: HashMap::new(),
            job_types: HashMap::new(),
            tenant_job_types: HashMap::new(),
            rates: RateTable::default(),
        };
        for (workflow, max_concurrent) in definitions {
            let limit =
                EffectiveLimit { max_concurrent: Some(*max_concurrent), source: LimitSource::Definition };
            table.workflows.insert(workflow.clone(), limit);
        }
        for LimitOverride { scope, max_concurrent, .. } in overrides {
            let default =
                EffectiveLimit { max_concurrent: *max_concurrent, source: LimitSource::OverriddenDefault };
            let own = EffectiveLimit { max_concurrent: *max_concurrent, source: LimitSource::Override };
            match scope {
                LimitScope::Global => (table.global, table.global_source) = (own.max_concurrent, own.source),
                LimitScope::TenantDefault => table.tenant_default = default,
                LimitScope::WorkflowDefault => table.workflow_default = default,
                LimitScope::Tenant(tenant) => drop(table.tenants.insert(tenant.clone(), *max_concurrent)),
                LimitScope::Workflow(workflow) => drop(table.workflows.insert(workflow.clone(), own)),
                LimitScope::JobType(job_type) => {
                    table.job_types.insert(job_type.clone(), *max_concurrent);
                }
                LimitScope::TenantJobType(tenant, job_type) => {
                    let of_tenant = table.tenant_job_types.entry(tenant.clone()).or_default();
                    of_tenant.insert(job_type.clone(), *max_concurrent);
                }
            }
        }
        table
    }

    /// The same with rates.
    #[must_use]
    pub fn with_rates(self, rates: RateTable) -> Self {
        Self { rates, ..self }
    }

    /// Whether jobs of a lane are started under a rate, or under a limit of their job type: then a claim has to count
    /// under the lock.
    pub fn is_counted(&self, lane: &LaneKey) -> bool {
        // A key has a limit only beside a rate.
        self.job_type(&lane.job_type).is_some()
            || self.tenant_job_type(&lane.tenant, &lane.job_type).is_some()
            || self.rates.applies_to(lane)
    }

    /// Whether every job may be started at once, however many are leased.
    pub fn limits_nothing(&self) -> bool {
        let own =
            self.tenants.values().copied().chain(self.workflows.values().map(|limit| limit.max_concurrent));
        let defaults =
            [self.global, self.tenant_default.max_concurrent, self.workflow_default.max_concurrent];
        own.chain(defaults).all(|limit| limit.is_none()) && !self.has_counted()
    }

    /// Whether any lane may be one of those.
    pub fn has_counted(&self) -> bool {
        self.limits_job_types() || !self.rates.is_empty()
    }

    /// Whether any job type may have a limit.
    pub(super) fn limits_job_types(&self) -> bool {
        !self.job_types.is_empty() || !self.tenant_job_types.is_empty() || self.rates.has_job_types()
    }

    /// How many jobs of this type may be leased at once, over all tenants.
    pub fn job_type(&self, job_type: &JobType) -> Option<u32> {
        self.job_types.get(job_type).copied().flatten()
    }

    /// How many jobs of this tenant with this type may be leased at once.
    pub fn tenant_job_type(&self, tenant: &TenantName, job_type: &JobType) -> Option<u32> {
        self.tenant_job_types.get(tenant)?.get(job_type).copied().flatten()
    }

    /// The limit in force for a scope and where it comes from.
    pub fn effective(&self, scope: &LimitScope) -> EffectiveLimit {
        match scope {
            LimitScope::Global => EffectiveLimit { max_concurrent: self.global, source: self.global_source },
            LimitScope::TenantDefault => self.tenant_default,
            LimitScope::WorkflowDefault => self.workflow_default,
            LimitScope::Tenant(tenant) => {
                self.tenants.get(tenant).map_or(self.tenant_default, |&max_concurrent| EffectiveLimit {
                    max_concurrent,
                    source: LimitSource::Override,
                })
            }
            LimitScope::Workflow(workflow) => {
                self.workflows.get(workflow).copied().unwrap_or(self.workflow_default)
            }
            LimitScope::JobType(job_type) => of_type(self.job_types.get(job_type)),
            LimitScope::TenantJobType(tenant, job_type) => {
                of_type(self.tenant_job_types.get(tenant).and_then(|types| types.get(job_type)))
            }
        }
    }

    /// How many jobs of this tenant may be leased at once.
    pub fn tenant(&self, tenant: &TenantName) -> Option<u32> {
        // Hashing a name for each tenant of a plan is saved where no tenant has a limit of its own.
        if self.tenants.is_empty() {
            return self.tenant_default.max_concurrent;
        }
        self.tenants.get(tenant).copied().unwrap_or(self.tenant_default.max_concurrent)
    }

    /// How many jobs of this workflow may be leased at once, over all tenants.
    pub fn workflow(&self, workflow: &WorkflowRef) -> Option<u32> {
        if self.workflows.is_empty() {
            return self.workflow_default.max_concurrent;
        }
        self.workflows.get(workflow).unwrap_or(&self.workflow_default).max_concurrent
    }
}

/// The limit in force for a job type, for which this was set.
fn of_type(set: Option<&Option<u32>>) -> EffectiveLimit {
    match set {
        Some(&max_concurrent) => EffectiveLimit { max_concurrent, source: LimitSource::Override },
        // The settings have none for job types.
        None => EffectiveLimit { max_concurrent: None, source: LimitSource::Settings },
    }
}
