//! The state of one execution, what can happen to it, and what follows from it. Data only; see `advance`.

mod effect;
mod event;
mod fresh;
mod status;
mod timeline;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::callback::CallbackBase;
use crate::failure::JobError;
use crate::id::{ExecutionId, JobId};
use crate::names::{EventType, NodeId, TenantName, WorkflowName};
use crate::queue::Tier;
use crate::time::Timestamp;
use crate::workflow::expression::Allowance;
use fresh::{stored_nodes, stored_requeued};

pub use effect::{
    ChildStart, Decision, Effect, EventWait, JOB_TYPE_EXECUTION, JOB_TYPE_HTTP, JOB_TYPE_HTTP_SECRETS,
    JOB_TYPE_RESERVED_PREFIX, NodeJob, NodeRecord, UserTask, UserTaskEnd,
};
pub use event::{Event, NodeSettled, Refusal};
pub use fresh::{Activity, ChildStanding};
pub use status::{ExecutionStatus, NodeStatus, UserTaskStatus};
pub use timeline::{TimelineEvent, TimelineEventKind};

// The state of one execution: what its snapshot holds.

/// The form of stored states, which versions before the first number wrote as 0. A version that adds fields which others may
/// pass over keeps the number; one whose states others must not go on from takes the next.
pub const STATE_FORMAT: u32 = 1;

/// The state of one execution without the outputs, which are stored append-only beside it. This is the snapshot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExecutionState {
    /// The form that it is stored in: [`STATE_FORMAT`], whatever it was read from.
    #[serde(default)]
    pub format: u32,
    /// Where the execution is.
    pub status: ExecutionStatus,
    /// Each node's state, by its id. Items of a `MAP` that are under way or failed stand here as well, as
    /// `notify[17]`, and compensations as `charge:compensate`; see [`NodeKey`](crate::workflow::NodeKey).
    #[serde(with = "stored_nodes")]
    pub nodes: BTreeMap<NodeId, NodeState>,
    /// How many nodes were started so far, retries from failure included; bounded.
    pub steps: u32,
    /// How many nodes, without those of `onFailure`, are neither COMPLETED nor SKIPPED; the execution is done when none
    /// is left.
    pub nodes_open: u32,
    /// When the execution started.
    pub started_at: Option<Timestamp>,
    /// When it fails by its own timeout.
    pub deadline_at: Option<Timestamp>,
    /// Why it failed.
    pub error: Option<ExecutionError>,
    /// How many nodes have completed so far; numbers them for undoing them in reverse.
    #[serde(default)]
    pub completions: u32,
    /// What came before a node waited for it, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<Kept>,
    /// How the execution ends once what completed is undone; set while it is COMPENSATING.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ending: Option<Ending>,
    /// Completed nodes whose compensation has not started, the next one last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undo: Vec<NodeId>,
    /// Dead letters that were requeued while the execution was COMPENSATING: it goes on from them instead of ending.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "stored_requeued")]
    pub requeued: Vec<(NodeId, JobId)>,
    /// How many compensations run right now: one, and those whose dead letters were requeued meanwhile.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub undoing: u32,
    /// Children that were asked to stop and to undo what they did. An execution that fails, or is cancelled so that it
    /// undoes what completed, undoes its own work after theirs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stopping: Vec<ExecutionId>,
    /// Whether a result that comes after its node was cancelled is undone like the others: the execution failed, or was
    /// cancelled so that it undoes what completed.
    #[serde(default, skip_serializing_if = "is_false")]
    pub undoes_late: bool,
    /// How many items of `MAP`s were started so far; bounded apart from `steps`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub items_started: u32,
}

/// Something that came before a node waited for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Kept {
    /// A signal.
    Signal {
        /// Its name.
        name: String,
        /// What it carried.
        payload: Value,
    },
    /// A request to the callback address of a node.
    Callback {
        /// The node.
        node: NodeId,
        /// What was sent.
        payload: Value,
    },
}

/// How an execution ends once what completed is undone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Ending {
    /// FAILED, after `onFailure`.
    Failed(ExecutionError),
    /// CANCELLED, and why; `onFailure` does not run.
    Cancelled(Option<String>),
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job_id: Option<JobId>,
    /// The attempts of its job when it was settled; 1 for a node that ran in place.
    pub attempts: u32,
    /// When it started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// When it was settled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<Timestamp>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<JobError>,
    /// Its number among those that completed; `None` until it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_as: Option<u32>,
    /// What it waits for, while it is WAITING.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<Wait>,
    /// When the clock does something to it: its timer, its timeout, the delay before its next round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_at: Option<Timestamp>,
    /// The child that it started last, until that completed or was cancelled. One that failed can go on: a retry goes on
    /// with it instead of starting another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub child_id: Option<ExecutionId>,
    /// How many rounds of `repeat` are behind it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub repeats: u32,
    /// The items of a `MAP`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items: Option<MapState>,
    /// Whether its compensation has run: what it did is undone, and a retry runs it again.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_undone: bool,
    /// Whether its result is that of another execution, which a rerun began with, and which the rerun does not undo.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_taken_over: bool,
    /// Whether it has to start again after a round that left no output: that of an earlier round does not count any more.
    #[serde(default, skip_serializing_if = "is_false")]
    pub has_lost_output: bool,
}

/// What a node waits for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Wait {
    /// Its `due_at`, which completes it.
    Timer,
    /// A signal.
    Signal {
        /// Its name.
        name: String,
    },
    /// A person.
    UserTask {
        /// When it is handed on; `None` once it was, or where it never is.
        escalate_at: Option<Timestamp>,
    },
    /// A child.
    Child {
        /// The child.
        execution_id: ExecutionId,
    },
    /// A request to its callback address.
    Callback,
    /// An event of one of these types.
    Event {
        /// Their names.
        events: Vec<EventType>,
    },
    /// Its `due_at`, which starts it again: the delay of `repeat`.
    Delay,
    /// Its items: a `MAP` none of whose items is a job right now. Items that wait have states of their own.
    Items,
}

/// The items of a `MAP` node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MapState {
    /// How many items there are.
    pub total: u32,
    /// The next item to start.
    pub next: u32,
    /// How many items have completed, collected failures included.
    pub done: u32,
    /// A bit for each item, lowest first: whether it has completed. Their outputs stand in [`Outputs`] as `notify[17]`.
    #[serde(with = "serde_bytes")]
    pub completed: Vec<u8>,
    /// How many bytes of JSON their outputs take.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub bytes: u32,
    /// The round in which an item is started for the first time in this round of the `MAP`: above all rounds that any
    /// item had before, so that (item, round) names one result.
    pub round_first: u32,
    /// The highest round that any item had.
    pub round_last: u32,
    /// Whether items could start that were left to the next event, which is due at once.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_paused: bool,
    /// The evaluated items, so that they are not evaluated for each; made again after a load.
    #[serde(skip)]
    pub values: Option<std::sync::Arc<Vec<Value>>>,
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
    /// How deep it is among children of children; 0 for one that no execution started.
    pub depth: u32,
    /// What callback addresses are made of.
    pub callbacks: CallbackBase,
    /// What is left for the expressions of the present step. It is renewed from outside, and changes nothing but where a step
    /// ends and which expressions are refused.
    pub allowance: Allowance,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes what it asks about by reference")]
const fn is_zero(number: &u32) -> bool {
    *number == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes what it asks about by reference")]
const fn is_false(flag: &bool) -> bool {
    !*flag
}
