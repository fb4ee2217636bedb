//! The limits and rates that operators set for individual tenants, workflows and job types.

use std::collections::BTreeMap;

use domain::access::Permission;
use domain::limits::{LimitOverride, LimitScope};
use domain::names::{JobType, TenantName, WorkflowName};
use domain::queue::{QueueName, WorkflowRef};
use domain::rate::{Rate, RateOverride, RateScope};

use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

/// The values set for one tenant, workflow or job type, or for a job type of one tenant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnLimit {
    /// The queue.
    pub queue: QueueName,
    /// The tenant; for a workflow, the tenant that owns it.
    pub tenant: Option<TenantName>,
    /// The workflow.
    pub workflow: Option<WorkflowName>,
    /// The job type.
    pub job_type: Option<JobType>,
    /// Maximum number of concurrent jobs, if set; `Some(None)` is unlimited.
    pub max_concurrent: Option<Option<u32>>,
    /// Starts per period, if set.
    pub rate: Option<Rate>,
}

/// Tenant, workflow and job type.
type Whose = (Option<TenantName>, Option<WorkflowName>, Option<JobType>);

impl Engine {
    /// The limits and rates set for individual tenants, workflows and job types that the caller may see, by queue and name.
    pub async fn own_limits(&self, caller: &Caller) -> Result<Vec<OwnLimit>, EngineError> {
        caller.require(Permission::Read)?;
        let mut found = BTreeMap::new();
        for LimitOverride { queue, scope, max_concurrent } in self.store().limit_overrides().await? {
            if let Some(whose) = whose_limit(scope) {
                entry(&mut found, queue, whose).max_concurrent = Some(max_concurrent);
            }
        }
        for RateOverride { queue, scope, rate } in self.store().rate_overrides().await? {
            if let Some(whose) = whose_rate(scope) {
                entry(&mut found, queue, whose).rate = Some(rate);
            }
        }
        let is_seen =
            |limit: &OwnLimit| limit.tenant.as_ref().is_none_or(|tenant| caller.scope.allows(tenant));
        Ok(found.into_values().filter(is_seen).collect())
    }
}

fn entry(found: &mut BTreeMap<(i16, Whose), OwnLimit>, queue: QueueName, whose: Whose) -> &mut OwnLimit {
    found.entry((queue.code(), whose.clone())).or_insert_with(|| {
        let (tenant, workflow, job_type) = whose;
        OwnLimit { queue, tenant, workflow, job_type, max_concurrent: None, rate: None }
    })
}

/// `None` for what counts for all.
fn whose_limit(scope: LimitScope) -> Option<Whose> {
    match scope {
        LimitScope::Global | LimitScope::TenantDefault | LimitScope::WorkflowDefault => None,
        LimitScope::Tenant(tenant) => Some((Some(tenant), None, None)),
        LimitScope::Workflow(WorkflowRef { owner, name }) => Some((owner, Some(name), None)),
        LimitScope::JobType(job_type) => Some((None, None, Some(job_type))),
        LimitScope::TenantJobType(tenant, job_type) => Some((Some(tenant), None, Some(job_type))),
    }
}

/// `None` for what counts for all.
fn whose_rate(scope: RateScope) -> Option<Whose> {
    match scope {
        RateScope::Global
        | RateScope::TenantDefault
        | RateScope::WorkflowDefault
        | RateScope::JobTypeDefault => None,
        RateScope::Tenant(tenant) => Some((Some(tenant), None, None)),
        RateScope::Workflow(WorkflowRef { owner, name }) => Some((owner, Some(name), None)),
        RateScope::JobType(job_type) => Some((None, None, Some(job_type))),
        RateScope::TenantJobType(tenant, job_type) => Some((Some(tenant), None, Some(job_type))),
    }
}
