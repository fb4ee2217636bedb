//! The ids of what an execution spawns.

use crate::id::{ExecutionId, JobId};
use crate::names::NodeId;

/// The id of the job that runs a node, an item or a compensation in a round. Deriving it makes enqueueing twice insert
/// one job.
pub fn node_job_id(execution: ExecutionId, key: &NodeId, round: u32) -> JobId {
    JobId::derive(execution.uuid(), &["node", key.as_str(), &round.to_string()])
}

/// The id of the child that a node or an item starts in a round.
pub fn child_execution_id(execution: ExecutionId, key: &NodeId, round: u32) -> ExecutionId {
    ExecutionId::derive(execution.uuid(), &["child", key.as_str(), &round.to_string()])
}
