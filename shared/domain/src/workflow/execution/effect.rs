//! What follows from an event: the effects that the shell carries out.

use serde_json::Value;

use crate::failure::JobError;
use crate::id::{ExecutionId, JobId};
use crate::names::{JobType, NodeId, WorkflowName};
use crate::queue::Tier;
use crate::retry::Backoff;
use crate::time::{DurationMs, Timestamp};
use crate::workflow::execution::NodeStatus;

/// What the shell has to carry out, in the same transaction as the new state.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Enqueue the job of a node.
    EnqueueNode(NodeJob),
    /// Cancel the jobs of nodes that need not run any more.
    CancelJobs(Vec<JobId>),
    /// Start a child. Where that cannot be done, the shell answers with [`Event::ChildRefused`] at once.
    StartChild(ChildStart),
    /// Let a child that failed go on from its failed nodes. Where it cannot, the shell answers with
    /// [`Event::ChildSettled`].
    RetryChild {
        /// The node, or the item of a `MAP`, that waits for it.
        node: NodeId,
        /// The child.
        child_id: ExecutionId,
    },
    /// Ask children to stop; those that have ended change nothing.
    CancelChildren {
        /// The children.
        children: Vec<ExecutionId>,
        /// Whether they undo first what they completed. Then each of them is heard of once more, by
        /// [`Event::ChildSettled`].
        undoes: bool,
    },
    /// A person has something to do.
    OpenUserTask(UserTask),
    /// A user task is handed on.
    EscalateUserTask {
        /// The node.
        node: NodeId,
        /// Its round.
        round: u32,
        /// The new person.
        assignee: Option<String>,
        /// The new group.
        group: Option<String>,
    },
    /// A user task is over.
    CloseUserTask {
        /// The node.
        node: NodeId,
        /// Its round.
        round: u32,
        /// How it ended.
        end: UserTaskEnd,
    },
    /// Append a settled node's result.
    RecordNode(NodeRecord),
    /// Append a line to the timeline.
    Emit(TimelineEvent),
}

/// A child to start.
#[derive(Debug, Clone, PartialEq)]
pub struct ChildStart {
    /// Derived from (execution, node, round).
    pub id: ExecutionId,
    /// The node, or the item of a `MAP`.
    pub node: NodeId,
    /// Its workflow.
    pub workflow: WorkflowName,
    /// Its version; the latest where absent.
    pub version: Option<u32>,
    /// Its input.
    pub input: Value,
    /// Its tier.
    pub tier: Tier,
}

/// A user task.
#[derive(Debug, Clone, PartialEq)]
pub struct UserTask {
    /// The node.
    pub node: NodeId,
    /// Its round.
    pub round: u32,
    /// The person.
    pub assignee: Option<String>,
    /// The group.
    pub group: Option<String>,
    /// The JSON Schema of what is submitted.
    pub form: Option<Value>,
    /// What the person is shown with the task.
    pub input: Option<Value>,
    /// When it should be done.
    pub due_at: Option<Timestamp>,
    /// When it was opened.
    pub opened_at: Timestamp,
}

/// How a user task ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UserTaskEnd {
    /// Somebody did it.
    Completed {
        /// Who.
        actor: String,
    },
    /// Nobody did it in time.
    TimedOut,
    /// The execution went on without it.
    Cancelled,
}

/// The job of a node.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeJob {
    /// Derived from (execution, node, round).
    pub id: JobId,
    /// The node, the item of a `MAP`, or the compensation.
    pub node: NodeId,
    /// `SERVICE_TASK`: the definition's `jobType`; built-in nodes: [`JOB_TYPE_HTTP`].
    pub job_type: JobType,
    /// The tier.
    pub tier: Tier,
    /// The evaluated input (for `HTTP` the evaluated request).
    pub data: Value,
    /// How often it is retried; `None` takes the queue's default.
    pub retries_max: Option<u32>,
    /// The node's backoff; `None` takes the queue's default.
    pub backoff: Option<Backoff>,
    /// The longest attempt.
    pub timeout: Option<DurationMs>,
}

/// The job type of `HTTP` nodes, which the node pool runs itself. The prefix is reserved.
pub const JOB_TYPE_HTTP: &str = "trunkline:http";

/// Job types with this prefix are ours; callers can neither enqueue nor poll them.
pub const JOB_TYPE_RESERVED_PREFIX: &str = "trunkline:";

/// The job type of executions on `workflow-execution`.
pub const JOB_TYPE_EXECUTION: &str = "trunkline:execution";

/// A settled node as it is stored: append-only.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeRecord {
    /// The node.
    pub node: NodeId,
    /// The round in which it was settled.
    pub round: u32,
    /// How it ended: never `Pending`, `Running`, `Waiting` or `RetryWait`.
    pub status: NodeStatus,
    /// The evaluated input, where the node ran in place (a job keeps its own).
    pub input: Option<Value>,
    /// What it returned.
    pub output: Option<Value>,
    /// Why it failed.
    pub error: Option<JobError>,
    /// The attempts it took.
    pub attempts: u32,
    /// When it started.
    pub started_at: Option<Timestamp>,
    /// When it was settled.
    pub finished_at: Timestamp,
}

/// A line of the timeline.
#[derive(Debug, Clone, PartialEq)]
pub struct TimelineEvent {
    /// A stable word: `execution_started`, `node_started`, `node_waiting`, `node_repeated`, `node_completed`,
    /// `node_failed`, `node_child_failed`, `node_skipped`, `node_cancelled`, `node_requeued`, `node_compensated`,
    /// `compensation_failed`, `signal_received`, `user_task_escalated`, `execution_compensating`,
    /// `execution_completed`, `execution_failed`, `execution_cancelled`, `execution_retried`. Items of a `MAP` have no
    /// lines of their own, except failures.
    pub kind: &'static str,
    /// The node it is about.
    pub node: Option<NodeId>,
    /// A sentence more, where it helps.
    pub detail: Option<String>,
    /// When.
    pub at: Timestamp,
}

/// What follows from an event.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// What the shell carries out, in order.
    pub effects: Vec<Effect>,
    /// The execution's output, once it is COMPLETED.
    pub output: Option<Value>,
    /// How many bytes of JSON the inputs and outputs take that the effects hold.
    pub bytes: usize,
}
