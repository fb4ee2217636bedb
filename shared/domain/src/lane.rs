//! Lanes: the jobs that wait in one line.

use crate::names::{CallerKey, JobType, TenantName, WorkflowName};
use crate::queue::{QueueName, Tier};

/// The workflow that a job counts against: a definition is shared by all tenants or owned by one, and a name
/// means different workflows for different owners.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WorkflowRef {
    /// The tenant that owns the definition; `None` for a shared one.
    pub owner: Option<TenantName>,
    /// The workflow's name.
    pub name: WorkflowName,
}

/// What decides where a job waits. Within a lane jobs are served in order of their position.
///
/// The job type is part of the key so that a worker that handles only some types never walks over the others;
/// jobs of one tenant, workflow and tier are still served in order of position over all types that a claim asks for. The rate
/// key is a part of it so that a key that has to wait keeps nobody else back; keys take turns, as workflows do.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LaneKey {
    /// The queue.
    pub queue: QueueName,
    /// The tier at which the job waits now (aging may have lifted it).
    pub tier: Tier,
    /// The tenant.
    pub tenant: TenantName,
    /// The workflow, where the job belongs to one.
    pub workflow: Option<WorkflowRef>,
    /// The job type.
    pub job_type: JobType,
    /// The key under which its starts are counted besides, within the tenant.
    pub rate_key: Option<CallerKey>,
}

/// The number that stands for a [`LaneKey`] in rows and in memory. Given by the store, never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LaneId(pub i32);
