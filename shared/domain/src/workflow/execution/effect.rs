//! What follows from an event: the effects that the shell carries out.

use serde_json::Value;

use crate::attribute::SetAttribute;
use crate::failure::JobError;
use crate::id::{ExecutionId, JobId};
use crate::names::{CallerKey, EventType, JobType, NodeId, WorkflowName};
use crate::queue::Tier;
use crate::retry::Backoff;
use crate::time::{DurationMs, Timestamp};
use crate::workflow::execution::{NodeStatus, TimelineEvent};

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
        /// The child to retry.
        child_id: ExecutionId,
    },
    /// Ask children to stop; those that have ended change nothing.
    CancelChildren {
        /// The children to cancel.
        children: Vec<ExecutionId>,
        /// Whether they undo first what they completed. Then each of them reports once more, by
        /// [`Event::ChildSettled`].
        undoes: bool,
    },
    /// A person has something to do.
    OpenUserTask(UserTask),
    /// A user task is escalated.
    EscalateUserTask {
        /// The node that opened the task.
        node: NodeId,
        /// The round of the node: each has a task of its own.
        round: u32,
        /// Who has it from now on.
        assignee: Option<String>,
        /// The group that has it from now on.
        group: Option<String>,
    },
    /// A user task is over.
    CloseUserTask {
        /// The node that opened the task.
        node: NodeId,
        /// The round of the node: each has a task of its own.
        round: u32,
        /// Whether it was completed, timed out or cancelled.
        end: UserTaskEnd,
    },
    /// A node waits for events.
    OpenEventWait(EventWait),
    /// A node waits for events no more.
    CloseEventWait {
        /// The node.
        node: NodeId,
        /// The round in which it waited.
        round: u32,
    },
    /// Append a settled node's result.
    RecordNode(NodeRecord),
    /// Append a line to the timeline.
    Emit(TimelineEvent),
    /// Have the execution found by these from now on.
    SetAttributes(Vec<SetAttribute>),
}

/// A child to start.
#[derive(Debug, Clone, PartialEq)]
pub struct ChildStart {
    /// Derived from (execution, node, round).
    pub id: ExecutionId,
    /// The node, or the item of a `MAP`.
    pub node: NodeId,
    /// The name of the child's workflow.
    pub workflow: WorkflowName,
    /// Its version; the latest where absent.
    pub version: Option<u32>,
    /// The evaluated input of the child.
    pub input: Value,
    /// The tier of the child's job.
    pub tier: Tier,
    /// How long it may wait for its start; `None` takes what its definition says.
    pub expires_in: Option<DurationMs>,
}

/// What a node waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventWait {
    /// The node.
    pub node: NodeId,
    /// The round in which it waits.
    pub round: u32,
    /// The types of the events.
    pub events: Vec<EventType>,
    /// Which parts of a body are compared: [`paths_text`](crate::event::paths_text).
    pub paths: String,
    /// What they have to be: [`values_digest`](crate::event::values_digest).
    pub digest: [u8; 32],
    /// Whether the definition has a condition besides.
    pub has_filter: bool,
    /// When the wait began.
    pub began_at: Timestamp,
    /// The earliest instant at which the event may have come.
    pub look_from: Timestamp,
}

/// A user task to open.
#[derive(Debug, Clone, PartialEq)]
pub struct UserTask {
    /// The node that opens it.
    pub node: NodeId,
    /// The round of the node: each has a task of its own.
    pub round: u32,
    /// The person who is to do it, where one is named.
    pub assignee: Option<String>,
    /// The group whose members may do it, where one is named.
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
    /// Somebody completed it.
    Completed {
        /// Who completed it.
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
    /// The tier of the job.
    pub tier: Tier,
    /// The evaluated input (for `HTTP` the evaluated request).
    pub data: Value,
    /// How often it is retried; `None` takes the queue's default.
    pub retries_max: Option<u32>,
    /// The node's backoff; `None` takes the queue's default.
    pub backoff: Option<Backoff>,
    /// How long one attempt may take; `None` is unlimited.
    pub timeout: Option<DurationMs>,
    /// How long it may wait for its start; `None` is unlimited.
    pub expires_in: Option<DurationMs>,
    /// At most one leased job of the tenant has this key, or as many as is declared for it.
    pub concurrency_key: Option<CallerKey>,
    /// Its starts are counted under this key of the tenant besides.
    pub rate_key: Option<CallerKey>,
}

/// The job type of `HTTP` nodes, which the node pool runs itself. The prefix is reserved.
pub const JOB_TYPE_HTTP: &str = "trunkline:http";

/// The job type of `HTTP` nodes whose headers hold secrets. Versions that know no secrets have no handler for it: they
/// leave such a request alone instead of sending it without its credentials.
pub const JOB_TYPE_HTTP_SECRETS: &str = "trunkline:http-secrets";

/// Job types with this prefix are ours; callers can neither enqueue nor poll them.
pub const JOB_TYPE_RESERVED_PREFIX: &str = "trunkline:";

/// The job type of executions on `workflow-execution`.
pub const JOB_TYPE_EXECUTION: &str = "trunkline:execution";

/// A settled node as it is stored: append-only.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeRecord {
    /// The node that was settled.
    pub node: NodeId,
    /// The round in which it was settled.
    pub round: u32,
    /// How it ended: never `Pending`, `Running`, `Waiting` or `RetryWait`.
    pub status: NodeStatus,
    /// The evaluated input, where the node ran in place (a job keeps its own).
    pub input: Option<Value>,
    /// What it returned; `None` where it failed or was skipped.
    pub output: Option<Value>,
    /// Why it failed; `None` where it did not.
    pub error: Option<JobError>,
    /// The attempts it took.
    pub attempts: u32,
    /// When it started; `None` if it never did.
    pub started_at: Option<Timestamp>,
    /// When it was settled.
    pub finished_at: Timestamp,
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
