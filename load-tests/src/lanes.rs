//! How jobs are spread over lanes.

use domain::names::{CallerKey, TenantName, WorkflowName};
use domain::queue::WorkflowRef;

/// Workflows of each tenant, where there are several lanes.
const WORKFLOWS: usize = 5;

/// So many lanes: tenants with five workflows each.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lanes(pub(crate) usize);

/// One lane.
#[derive(Debug, Clone)]
pub(crate) struct LaneOf {
    pub(crate) tenant: TenantName,
    pub(crate) workflow: Option<WorkflowRef>,
    pub(crate) rate_key: Option<CallerKey>,
}

impl Lanes {
    /// The lane of the job with this number: neighbors belong to different tenants.
    pub(crate) fn of(self, number: usize) -> LaneOf {
        let tenants = self.0.div_ceil(WORKFLOWS);
        let place = number % self.0;
        LaneOf::new(&format!("tenant-{}", place % tenants), place / tenants)
    }
}

impl LaneOf {
    /// The lane of a tenant and one of its workflows.
    pub(crate) fn new(tenant: &str, workflow: usize) -> Self {
        Self {
            tenant: TenantName::trusted(tenant),
            workflow: Some(WorkflowRef {
                owner: None,
                name: WorkflowName::trusted(format!("workflow-{workflow}")),
            }),
            rate_key: None,
        }
    }
}
