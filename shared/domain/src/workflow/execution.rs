//! The state of one execution, what can happen to it, and what follows from it. Data only; see `advance`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::failure::JobError;
use crate::id::{ExecutionId, JobId};
use crate::names::{JobType, NodeId, TenantName, WorkflowName};
use crate::queue::Tier;
use crate::retry::Backoff;
use crate::time::{DurationMs, Timestamp};

/// The public status of an execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum ExecutionStatus {
    /// Accepted, not yet started.
    Pending,
    /// Under way.
    Running,
    /// Parked until a timer, a signal, a person or a child.
    Waiting,
    /// Done.
    Completed,
    /// Failed; can be retried from the failed nodes.
    Failed,
    /// Cancelled.
    Cancelled,
    /// Undoing what completed before it fails.
    Compensating,
}

impl ExecutionStatus {
    /// All states.
    pub const ALL: [Self; 7] = [
        Self::Pending,
        Self::Running,
        Self::Waiting,
        Self::Completed,
        Self::Failed,
        Self::Cancelled,
        Self::Compensating,
    ];

    /// The public and stored name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "PENDING",
            Self::Running => "RUNNING",
            Self::Waiting => "WAITING",
            Self::Completed => "COMPLETED",
            Self::Failed => "FAILED",
            Self::Cancelled => "CANCELLED",
            Self::Compensating => "COMPENSATING",
        }
    }

    /// The status with this name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }

    /// Whether the execution has ended.
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

/// The public status of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum NodeStatus {
    /// Waits for its dependencies.
    Pending,
    /// Its job is queued or processed.
    Running,
    /// Waits for something outside.
    Waiting,
    /// Its job waits for its next try. Never stored in the state: read from the job.
    RetryWait,
    /// Done.
    Completed,
    /// Not run.
    Skipped,
    /// Failed for good.
    Failed,
    /// Cancelled with the execution, or because a sibling failed.
    Cancelled,
}

impl NodeStatus {
    /// The public and stored name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "PENDING",
            Self::Running => "RUNNING",
            Self::Waiting => "WAITING",
            Self::RetryWait => "RETRY_WAIT",
            Self::Completed => "COMPLETED",
            Self::Skipped => "SKIPPED",
            Self::Failed => "FAILED",
            Self::Cancelled => "CANCELLED",
        }
    }

    /// Whether the node is done with, for those that depend on it.
    pub const fn is_settled(self) -> bool {
        matches!(self, Self::Completed | Self::Skipped | Self::Failed | Self::Cancelled)
    }
}

/// What of an execution never changes while it runs. In scope of every expression.
#[derive(Debug, Clone, PartialEq)]
pub struct ExecutionContext {
    /// Its id; ids of its jobs are derived from it.
    pub id: ExecutionId,
    /// Its tenant.
    pub tenant: TenantName,
    /// The workflow's name.
    pub workflow: WorkflowName,
    /// The version it was started on and finishes on.
    pub version: u32,
    /// The tier of the execution; nodes without a priority of their own take it.
    pub tier: Tier,
    /// The input.
    pub input: Value,
    /// When it was accepted.
    pub created_at: Timestamp,
}

/// The state of one execution without the outputs, which are stored append-only beside it. This is the snapshot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExecutionState {
    /// Where the execution is.
    pub status: ExecutionStatus,
    /// Each node's state, by its id.
    pub nodes: BTreeMap<NodeId, NodeState>,
    /// How many nodes were started so far, retries from failure included; bounded.
    pub steps: u32,
    /// How many nodes are neither COMPLETED nor SKIPPED; the execution is done when none is left.
    pub nodes_open: u32,
    /// When the execution started.
    pub started_at: Option<Timestamp>,
    /// When it fails by its own timeout.
    pub deadline_at: Option<Timestamp>,
    /// Why it failed.
    pub error: Option<ExecutionError>,
}

/// The state of one node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodeState {
    /// Where the node is.
    pub status: NodeStatus,
    /// How often the node was started; part of its job's id, so that a retry from failure makes another job. A
    /// requeued dead letter counts as well, although its job stays the same: (node, round) names one result.
    pub round: u32,
    /// How many of the nodes that it waits for are neither COMPLETED nor SKIPPED.
    pub waits_for: u32,
    /// The job that runs it, where one does.
    pub job_id: Option<JobId>,
    /// The attempts of its job when it was settled; 1 for a node that ran in place.
    pub attempts: u32,
    /// When it started.
    pub started_at: Option<Timestamp>,
    /// When it was settled.
    pub finished_at: Option<Timestamp>,
    /// Why it failed.
    pub error: Option<JobError>,
}

/// Why an execution failed; `error` in the scope of `onFailure`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExecutionError {
    /// The node that failed, where one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<NodeId>,
    /// For people.
    pub message: String,
    /// For programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

/// The outputs of completed nodes, by node id. Loaded from the append-only node results.
pub type Outputs = BTreeMap<NodeId, Value>;

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
    /// Somebody wants the execution to stop.
    Cancel {
        /// Why, for the timeline.
        reason: Option<String>,
    },
    /// Somebody wants a failed execution to go on from its failed nodes.
    Retry,
    /// The clock passed the deadline in the state (the function checks it again).
    DeadlinePassed,
    /// The shell found that the execution cannot go on: its state outgrew its bound, or its owner was lost too often.
    Broken(ExecutionError),
}

/// How a node's job ended.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeSettled {
    /// The node.
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

/// What the shell has to carry out, in the same transaction as the new state.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Enqueue the job of a node.
    EnqueueNode(NodeJob),
    /// Cancel the jobs of nodes that need not run any more.
    CancelJobs(Vec<JobId>),
    /// Append a settled node's result.
    RecordNode(NodeRecord),
    /// Append a line to the timeline.
    Emit(TimelineEvent),
}

/// The job of a node.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeJob {
    /// Derived from (execution, node, round).
    pub id: JobId,
    /// The node.
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
    /// A stable word: `execution_started`, `node_started`, `node_completed`, `node_failed`, `node_skipped`,
    /// `node_cancelled`, `node_requeued`, `execution_completed`, `execution_failed`, `execution_cancelled`,
    /// `execution_retried`.
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
}
