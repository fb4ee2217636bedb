//! What can happen to an execution, and why it may not apply.

use serde_json::Value;

use crate::failure::JobError;
use crate::id::{ExecutionId, JobId};
use crate::names::NodeId;
use crate::time::Timestamp;
use crate::workflow::execution::ExecutionError;

/// Something that happened to an execution. Applied in the order of the inbox.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The owner took the execution up for the first time.
    Started,
    /// A node's job ended for good. Ignored when the node no longer runs that job (a duplicate, or late).
    NodeSettled(NodeSettled),
    /// The dead letter of a node's job was requeued: the node runs again, and so does a failed execution.
    NodeRequeued {
        /// The node.
        node: NodeId,
        /// Its job.
        job_id: JobId,
    },
    /// A child that had failed goes on: a dead letter of it was requeued, or it was retried. The node waits for it again,
    /// and a failed execution goes on.
    ChildResumed {
        /// The node, or the item of a `MAP`, that started it.
        node: NodeId,
        /// The child.
        child_id: ExecutionId,
    },
    /// Somebody wants the execution to stop.
    Cancel {
        /// Why, for the timeline.
        reason: Option<String>,
        /// Whether what completed is undone first.
        compensate: bool,
    },
    /// Somebody wants a failed execution to go on from its failed nodes.
    Retry,
    /// A signal came. Goes to the first node (in the order of the definition) that waits for it; kept where none does.
    Signal {
        /// Its name.
        name: String,
        /// What it carries.
        payload: Value,
    },
    /// A person did a user task. The form was checked by whoever took it.
    UserTaskCompleted {
        /// The node.
        node: NodeId,
        /// The round that the person saw, to tell a late submission from one of the current round.
        round: Option<u32>,
        /// What was submitted.
        output: Value,
        /// Who did it.
        actor: String,
    },
    /// A request came to the callback address of a node. Kept where the node does not wait yet.
    Callback {
        /// The node.
        node: NodeId,
        /// The round that waited when it came; `None` where none did.
        round: Option<u32>,
        /// What was sent.
        payload: Value,
    },
    /// An event came that a node waits for.
    EventCame {
        /// The node.
        node: NodeId,
        /// The round in which it waits for it.
        round: u32,
        /// What came: the output of the node.
        output: Value,
    },
    /// A child could not be started.
    ChildRefused {
        /// The node, or the item of a `MAP`, that wanted it.
        node: NodeId,
        /// The child that there is not.
        child_id: ExecutionId,
        /// Why.
        error: JobError,
    },
    /// A child ended.
    ChildSettled {
        /// The node, or the item of a `MAP`, that started it.
        node: NodeId,
        /// The child, to tell one of an earlier round from the current one.
        child_id: ExecutionId,
        /// Its output, or why it failed.
        result: Result<Value, JobError>,
    },
    /// The clock passed something in the state: the execution's deadline, or the `due_at` of nodes. The function
    /// looks again at what has passed and applies all of it.
    Due,
    /// The shell found that the execution cannot go on: its state outgrew its bound, or its owner was lost too often.
    Broken(ExecutionError),
}

/// How a node's job ended.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeSettled {
    /// The node, the item of a `MAP`, or the compensation.
    pub node: NodeId,
    /// The job, to tell a late answer of an earlier round from the current one.
    pub job_id: JobId,
    /// The result, or why it failed.
    pub result: Result<Value, JobError>,
    /// The attempts it took.
    pub attempts: u32,
    /// When the job was first claimed.
    pub started_at: Option<Timestamp>,
}

/// Why an event was not applied. The state is unchanged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The execution has ended.
    #[error("the execution is already {0}")]
    Finished(&'static str),
    /// Only a failed execution can be retried.
    #[error("only a FAILED execution can be retried; this one is {0}")]
    NotFailed(&'static str),
    /// The node does not run this job (a duplicate or late answer).
    #[error("node {0} no longer waits for this result")]
    NotAwaited(NodeId),
    /// The node is no open user task.
    #[error("node {0} is not an open user task")]
    NotOpen(NodeId),
    /// The execution is undoing what completed.
    #[error("the execution is COMPENSATING")]
    Compensating,
    /// Too much is kept for nodes that do not wait yet.
    #[error("the execution already buffers {0} signals; it accepts no more until a node consumes one")]
    TooManyKept(usize),
    /// There is no such node to go on from.
    #[error("there is no node {0} to start from")]
    UnknownNode(NodeId),
}
