//! Executions: created with their job, moved on by the one owner that holds the job's lease.

mod commit;
mod create;
mod inbox;
mod verbs;

use domain::failure::JobError;
use domain::id::{ExecutionId, JobId};
use domain::names::{CallerKey, NodeId, TenantName};
use domain::queue::{Tier, WorkflowRef};
use domain::time::Timestamp;
use domain::workflow::execution::{ExecutionError, ExecutionStatus, NodeStatus};

use crate::error::Closed;

pub use commit::{
    Committed, CompletedJob, EagerlyCommitted, ExecutionCommit, OpenedTask, OwnerNext, ROUNDS_KEPT,
    ROUNDS_TRIMMED, SettledNode, UserTaskChange,
};
pub use create::{NewExecution, Seed, UniqueKey, UniqueStart, UniqueStarted};
pub use inbox::{
    Appended, CommandRecord, CommandStatus, INBOX_BYTES_MAX, INBOX_MAX, INBOX_PENDING_BYTES_MAX, InboxEntry,
    InboxResult, InboxRow,
};
pub use verbs::{ExecutionStore, LostExecution};

// What is shown of executions: records, filters, nodes and timelines.

/// Everything about an execution, for showing it.
#[derive(Debug, Clone, PartialEq)]
pub struct ExecutionRecord {
    /// Its id.
    pub id: ExecutionId,
    /// Its job.
    pub job_id: JobId,
    /// Its tenant.
    pub tenant: TenantName,
    /// The definition.
    pub workflow: WorkflowRef,
    /// The version.
    pub version: u32,
    /// Where it is.
    pub status: ExecutionStatus,
    /// The tier.
    pub tier: Tier,
    /// What started it.
    pub trigger: Trigger,
    /// The input as raw JSON text.
    pub input: String,
    /// The output as raw JSON text.
    pub output: Option<String>,
    /// Why it failed.
    pub error: Option<ExecutionError>,
    /// Whatever the caller knows it by.
    pub correlation_id: Option<String>,
    /// Tags.
    pub tags: Vec<String>,
    /// W3C trace context, carried on to the jobs of its nodes.
    pub traceparent: Option<String>,
    /// When it was accepted.
    pub created_at: Timestamp,
    /// When it was first taken up.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub completed_at: Option<Timestamp>,
    /// The execution that it is a child of.
    pub parent: Option<Parent>,
    /// Its unique key.
    pub unique_key: Option<CallerKey>,
    /// Whether it waits until others with its key ended.
    pub is_held: bool,
    /// When retention dropped its input, its output and those of its nodes.
    pub payload_dropped_at: Option<Timestamp>,
}

/// A node of an execution, for showing it: the latest settled record, or its running job.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeView {
    /// The node.
    pub node_id: NodeId,
    /// Where it is.
    pub status: NodeStatus,
    /// Its job.
    pub job_id: Option<JobId>,
    /// Attempts so far.
    pub attempts: u32,
    /// The evaluated input as raw JSON text.
    pub input: Option<String>,
    /// The output as raw JSON text.
    pub output: Option<String>,
    /// Why it failed.
    pub error: Option<JobError>,
    /// When it started.
    pub started_at: Option<Timestamp>,
    /// When it was settled.
    pub finished_at: Option<Timestamp>,
}

/// An execution with what is needed to show its nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct ExecutionDetail {
    /// What is shown of it.
    pub record: ExecutionRecord,
    /// The definition as canonical JSON.
    pub definition: String,
    /// The snapshot as MessagePack.
    pub state: Option<Vec<u8>>,
    /// Settled nodes (latest record of each) and nodes with an unfinished job, in no order. Items of a `MAP` and
    /// compensations stand here under their keys; of items at most 1,000, those under way and those that failed before
    /// the others, of the newest 20,000 results ([`ExecutionStore::execution_items`] has all). Nodes that are not listed here have not started, or wait without a job.
    pub nodes: Vec<NodeView>,
}

/// Items of a `MAP` that have settled.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemPage {
    /// The execution.
    pub execution_id: ExecutionId,
    /// The items, in the order in which they settled. What an item that ran as a job was given is the data of its job, and not
    /// here.
    pub items: Vec<NodeView>,
    /// The position of results behind which there may be more.
    pub next: Option<i64>,
}

/// A line of the timeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventLine {
    /// A stable word.
    pub kind: String,
    /// The node it is about.
    pub node_id: Option<NodeId>,
    /// A sentence more.
    pub detail: Option<String>,
    /// When.
    pub at: Timestamp,
}

/// A line of the timeline with its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventRecord {
    /// Its position.
    pub position: i64,
    /// The line.
    pub line: EventLine,
}

/// An execution as its owner takes it up.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadedExecution {
    /// What is shown of it.
    pub record: ExecutionRecord,
    /// The definition as canonical JSON.
    pub definition: String,
    /// The snapshot as MessagePack; `None` before the first commit.
    pub state: Option<Vec<u8>>,
    /// How many steps were committed so far.
    pub step: i64,
    /// The latest output of each COMPLETED node, as raw JSON text.
    pub outputs: Vec<(NodeId, String)>,
    /// Whether jobs of its nodes are held until it has a slot, see [`ExecutionCommit::releases_held`].
    pub has_held: bool,
    /// How often in a row an evaluation of its expressions ended with its process.
    pub evaluations_lost: u32,
    /// Why its payloads cannot be read, if they cannot. Nothing else of it is of use then.
    pub closed: Option<Closed>,
}

/// Who started a child.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parent {
    /// The execution.
    pub execution_id: ExecutionId,
    /// The node, or the item of a `MAP`.
    pub node_id: NodeId,
    /// How deep the child is; 1 for the child of an execution that has no parent.
    pub depth: u32,
}

/// What started an execution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trigger {
    /// `user`, `schedule`, `webhook`, `event` or `parent`.
    pub kind: String,
    /// What more there is to say, as raw JSON text of an object.
    pub detail: Option<String>,
}
