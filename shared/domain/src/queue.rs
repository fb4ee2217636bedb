//! The four queues, the three tiers, and lanes.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use uuid::Uuid;

use crate::names::{CallerKey, JobType, TenantName, WorkerId, WorkflowName};

words! {
    serde
    /// One of the four queues, each with its own worker pool, in the order of their codes.
    #[derive(PartialOrd, Ord)]
    QueueName {
        /// Executions: one job is one run of a workflow.
        Execution "workflow-execution",
        /// Nodes of executions and stand-alone jobs.
        Node "workflow-node",
        /// The minute check of schedules.
        Scheduled "workflow-scheduled",
        /// Received webhook deliveries.
        Webhook "workflow-webhook",
    }
}

impl QueueName {
    /// The number stored in rows. Never changes.
    pub const fn code(self) -> i16 {
        match self {
            Self::Execution => 0,
            Self::Node => 1,
            Self::Scheduled => 2,
            Self::Webhook => 3,
        }
    }

    /// The queue with this code.
    pub fn from_code(code: i16) -> Option<Self> {
        Self::ALL.into_iter().find(|queue| queue.code() == code)
    }
}

impl fmt::Display for QueueName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

words! {
    serde
    /// A priority tier, in the order in which they are served: a higher tier with an admissible job is always first.
    #[derive(PartialOrd, Ord)]
    Tier {
        /// Served first.
        High "high",
        /// Served when no high job is admissible.
        Normal "normal",
        /// Served last.
        Low "low",
    }
}

impl Tier {
    /// The number stored in rows; lower is served first. Never changes.
    pub const fn code(self) -> i16 {
        match self {
            Self::High => 0,
            Self::Normal => 1,
            Self::Low => 2,
        }
    }

    /// The tier with this code.
    pub fn from_code(code: i16) -> Option<Self> {
        Self::ALL.into_iter().find(|tier| tier.code() == code)
    }

    /// The next higher tier, for aging.
    #[must_use]
    pub const fn promoted(self) -> Self {
        match self {
            Self::High | Self::Normal => Self::High,
            Self::Low => Self::Normal,
        }
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

// Lanes: the jobs that wait in one line.

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
    /// The tier at which the job waits now (aging may have promoted it).
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

impl WorkerId {
    /// The name of one of our own pools: its queue and the last 64 bits of the nonce of its process, of which 62 are
    /// random. Every job has it in its row and in its history, so that it is short.
    pub fn of_pool(queue: QueueName, process: Uuid) -> Self {
        let queue = queue.as_str().trim_start_matches("workflow-");
        Self::trusted(format!("pool-{queue}-{}", URL_SAFE_NO_PAD.encode(&process.as_bytes()[8..])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_has_a_short_name_of_its_queue_and_its_process() {
        let one = Uuid::from_u128(0x0193_a1b2_c3d4_7000_8000_0000_0000_0001);
        let other = Uuid::from_u128(0x0193_a1b2_c3d4_7000_8000_0000_0000_0002);
        let name = WorkerId::of_pool(QueueName::Node, one);
        assert_eq!(name.as_str(), "pool-node-gAAAAAAAAAE");
        assert_eq!(WorkerId::parse(name.as_str()), Ok(name.clone()));
        assert_ne!(name, WorkerId::of_pool(QueueName::Node, other));
        assert_ne!(name, WorkerId::of_pool(QueueName::Webhook, one));
    }
}
