//! Limits on how many jobs of a queue are processed at once: what is set, and which value is in force.
//!
//! A limit counts leased jobs. This module holds no counts.

use crate::names::{JobType, TenantName};
use crate::queue::{QueueName, WorkflowRef};

/// The largest limit that can be set.
pub const LIMIT_MAX: u32 = 1_000_000;

/// Whom a limit is for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LimitScope {
    /// All jobs of the queue together.
    Global,
    /// What each tenant gets that has no limit of its own.
    TenantDefault,
    /// What each workflow gets that has no limit of its own, neither set nor in its definition.
    WorkflowDefault,
    /// One tenant.
    Tenant(TenantName),
    /// One workflow, over all tenants that run it.
    Workflow(WorkflowRef),
    /// One job type, over all tenants.
    JobType(JobType),
    /// The jobs of one tenant that have one type.
    TenantJobType(TenantName, JobType),
}

/// One limit that an operator set at run time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimitOverride {
    /// The queue it is for.
    pub queue: QueueName,
    /// Whom it is for.
    pub scope: LimitScope,
    /// How many may be processed at once; `None` means that there is no limit, whatever the defaults say.
    pub max_concurrent: Option<u32>,
}

/// The three limits of a queue as the settings file gives them. `None` is unlimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QueueLimits {
    /// All jobs together.
    pub global: Option<u32>,
    /// Each tenant.
    pub tenant: Option<u32>,
    /// Each workflow.
    pub workflow: Option<u32>,
}

/// The defaults of the product: 100 / 10 / 5 on `workflow-execution`, none elsewhere.
pub const fn default_limits(queue: QueueName) -> QueueLimits {
    match queue {
        QueueName::Execution => QueueLimits { global: Some(100), tenant: Some(10), workflow: Some(5) },
        QueueName::Node | QueueName::Scheduled | QueueName::Webhook => {
            QueueLimits { global: None, tenant: None, workflow: None }
        }
    }
}

/// Where a limit in force comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitSource {
    /// Set over the API for this very tenant or workflow (or for the queue as a whole).
    Override,
    /// `limits.maxConcurrent` of the workflow's latest version.
    Definition,
    /// Set over the API as the default of all tenants or workflows.
    OverriddenDefault,
    /// The settings.
    Settings,
}

/// The limit in force for one scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EffectiveLimit {
    /// How many may be processed at once; `None` is unlimited.
    pub max_concurrent: Option<u32>,
    /// Where the number comes from.
    pub source: LimitSource,
}
