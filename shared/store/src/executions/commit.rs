//! What the owner of an execution takes up and commits.

use domain::attribute::StoredAttribute;
use domain::failure::JobError;
use domain::id::{ExecutionId, JobId};
use domain::names::{NodeId, TenantName};
use domain::time::Timestamp;
use domain::workflow::execution::{
    ExecutionError, ExecutionStatus, NodeRecord, NodeStatus, UserTask, UserTaskEnd,
};

use super::create::NewExecution;
use super::inbox::InboxResult;
use super::{EventLine, ExecutionRecord};
use crate::events::EventWaitChange;
use crate::jobs::{ClaimedJob, Enqueued, LeaseAnswer, LeaseRef, NewJob};

/// What the owner's job does with a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OwnerNext {
    /// The owner keeps the lease and goes on.
    Keep,
    /// The execution ended: its job is settled (COMPLETED, FAILED or CANCELLED, by the status) and its slot free. If
    /// it has a parent, the same commit appends [`InboxEntry::ChildSettled`] to the parent's inbox.
    Finish,
    /// The execution only waits: its job becomes WAITING, the lease ends and gives its attempt back, the slot is free.
    /// An entry in the inbox or the passing of `due_at` puts the job back into `workflow-execution`, in the same
    /// transaction as the entry. Not carried out where an entry that this commit does not settle is in the inbox
    /// already: then the lease goes on (see [`Committed::parked`]).
    Park {
        /// When it is taken up again whatever happens; `None`: only by the inbox.
        due_at: Option<Timestamp>,
    },
}

/// One step of an execution, in one commit: node results, state, jobs, inbox.
#[derive(Debug, Clone, PartialEq)]
pub struct ExecutionCommit {
    /// The execution that the step belongs to.
    pub id: ExecutionId,
    /// The tenant of the execution.
    pub tenant: TenantName,
    /// The lease of its job. Without it nothing is written.
    pub lease: LeaseRef,
    /// How many steps were committed before the state was loaded or last committed. Where the store counts another
    /// number, the step rests on an old state and the commit is refused as a whole, see
    /// [`StoreError::Outdated`](crate::StoreError::Outdated). The commit adds one.
    pub step: i64,
    /// The status after the step.
    pub status: ExecutionStatus,
    /// The new snapshot as MessagePack.
    pub state: Vec<u8>,
    /// When the execution started, from its first step on.
    pub started_at: Option<Timestamp>,
    /// Settled nodes to append.
    pub records: Vec<SettledNode>,
    /// Lines of the timeline to append.
    pub events: Vec<EventLine>,
    /// Jobs of nodes to enqueue; those that are there already change nothing.
    pub enqueue: Vec<NewJob>,
    /// Jobs of nodes to cancel; those that have ended change nothing. Makes no inbox entries.
    pub cancel: Vec<JobId>,
    /// Children to create; those that are there already change nothing.
    pub children: Vec<NewExecution>,
    /// Children to cancel, by an entry in their inbox or at once, as [`ExecutionStore::append_command`] does it.
    pub cancel_children: Vec<ExecutionId>,
    /// Children to cancel so that they undo first what they completed. For each of them [`InboxEntry::ChildSettled`]
    /// comes into this execution's inbox, with this commit for those that end at once.
    pub undo_children: Vec<ExecutionId>,
    /// Children that failed and go on from their failed nodes, each with the node that waits for it. For one that
    /// cannot, [`InboxEntry::ChildSettled`] comes into this execution's inbox with this commit.
    pub retry_children: Vec<(NodeId, ExecutionId)>,
    /// What becomes of user tasks, in order.
    pub user_tasks: Vec<UserTaskChange>,
    /// What becomes of its nodes' waits for events.
    pub event_waits: Vec<EventWaitChange>,
    /// What it is found by from now on: these values take the place of those that the same attributes had.
    pub attributes: Vec<StoredAttribute>,
    /// What became of inbox entries.
    pub inbox: Vec<InboxResult>,
    /// Jobs of its nodes that were completed and end with the step, without entries in the inbox. Each is named once.
    /// If one of them is not leased under its token any more, the step is refused as a whole, see
    /// [`StoreError::Outdated`](crate::StoreError::Outdated).
    pub completed: Vec<CompletedJob>,
    /// The output as raw JSON text.
    pub output: Option<String>,
    /// Why it failed.
    pub error: Option<ExecutionError>,
    /// Whether the jobs of its nodes become claimable that steps without a slot have held.
    pub releases_held: bool,
    /// What the owner's job does.
    pub next: OwnerNext,
    /// Whether another execution has started it. A hint: the store looks by itself where it matters.
    pub is_child: bool,
}

impl ExecutionCommit {
    /// The records with which earlier rounds of their nodes go, each with the last round that does.
    pub fn trimmed(&self) -> impl Iterator<Item = (&SettledNode, u32)> {
        let is_turn = |round: u32| round > ROUNDS_KEPT && round.is_multiple_of(ROUNDS_TRIMMED);
        self.records
            .iter()
            .filter(move |record| is_turn(record.round))
            .map(|record| (record, record.round - ROUNDS_KEPT))
    }

    /// Whether it touches nothing but its execution, new jobs of its nodes, and those that were completed. Such steps
    /// are most of all, and may be cheaper where no other step is committed along with them.
    pub fn is_plain(&self) -> bool {
        self.next == OwnerNext::Keep && self.concerns_nobody_else()
    }

    /// Whether it ends its execution as COMPLETED and nothing else is notified of it. Such steps may be cheaper where
    /// no other step is committed along with them.
    pub fn is_plain_end(&self) -> bool {
        self.next == OwnerNext::Finish
            && self.status == ExecutionStatus::Completed
            && !self.is_child
            && self.enqueue.is_empty()
            && self.concerns_nobody_else()
    }

    /// What is read of the execution after this commit, where it ends as COMPLETED, which nothing that comes at the last
    /// moment changes, and has no key. `record` is what was read of it before.
    pub fn completes(&self, record: &ExecutionRecord, ended_at: Timestamp) -> Option<ExecutionRecord> {
        let is_completed = self.next == OwnerNext::Finish && self.status == ExecutionStatus::Completed;
        let is_end = is_completed && record.unique_key.is_none();
        is_end.then(|| ExecutionRecord {
            status: self.status,
            output: self.output.clone().or_else(|| record.output.clone()),
            error: self.error.clone(),
            started_at: self.started_at.or(record.started_at),
            completed_at: Some(ended_at),
            ..record.clone()
        })
    }

    /// Whether it cancels no job, changes no child, no user task, no wait for events and no attribute, and makes no earlier
    /// round go.
    fn concerns_nobody_else(&self) -> bool {
        self.cancel.is_empty()
            && self.trimmed().next().is_none()
            && self.children.is_empty()
            && self.cancel_children.is_empty()
            && self.undo_children.is_empty()
            && self.retry_children.is_empty()
            && !self.releases_held
            && self.user_tasks.is_empty()
            && self.event_waits.is_empty()
            && self.attributes.is_empty()
    }
}

/// A settled node as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct SettledNode {
    /// The node.
    pub node: NodeId,
    /// The round in which it was settled.
    pub round: u32,
    /// How it ended.
    pub status: NodeStatus,
    /// The evaluated input as raw JSON text, where the node ran in place (a job keeps its own).
    pub input: Option<String>,
    /// What it returned, as raw JSON text; `None` where it failed or was skipped.
    pub output: Option<String>,
    /// Why it failed; `None` where it did not.
    pub error: Option<JobError>,
    /// The attempts it took.
    pub attempts: u32,
    /// When it started; `None` if it never did.
    pub started_at: Option<Timestamp>,
    /// When it was settled.
    pub finished_at: Timestamp,
}

impl From<NodeRecord> for SettledNode {
    fn from(record: NodeRecord) -> Self {
        let text = |value: Option<serde_json::Value>| value.map(|value| value.to_string());
        Self {
            node: record.node,
            round: record.round,
            status: record.status,
            input: text(record.input),
            output: text(record.output),
            error: record.error,
            attempts: record.attempts,
            started_at: record.started_at,
            finished_at: record.finished_at,
        }
    }
}

/// So many results of a node that is repeated are kept; earlier rounds go, once in [`ROUNDS_TRIMMED`].
pub const ROUNDS_KEPT: u32 = 100;

/// In which rounds of a node earlier ones are removed: each that is a multiple of this.
pub const ROUNDS_TRIMMED: u32 = 50;

/// The job of a node that ends with a step of its execution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompletedJob {
    /// The lease of its last attempt.
    pub lease: LeaseRef,
    /// The result as raw JSON text.
    pub result: Option<String>,
}

/// What an owner's commit did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    /// The enqueued node jobs, in order.
    pub enqueued: Vec<Enqueued>,
    /// Whether jobs of nodes may have ended, so that slots of `workflow-node` became free.
    pub freed_node_slots: bool,
    /// Whether the execution was parked; the lease is gone then.
    pub parked: bool,
    /// Whether the execution goes on although it was to end: something came between the owner's last look and the commit that
    /// was answered already. Its job has ended with the lease and is back in its queue.
    pub goes_on: bool,
    /// The parent, where this was the end of a child: its owner, if it has one, is to be notified of its inbox.
    pub parent: Option<ExecutionId>,
    /// Children that were cancelled at once, or have an entry in their inbox now.
    pub touched_children: Vec<ExecutionId>,
}

/// What commits did, and which of the new jobs are leased already.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EagerlyCommitted {
    /// The answers, in order.
    pub answers: Vec<LeaseAnswer<Committed>>,
    /// The leased jobs, in the order in which to start them.
    pub leased: Vec<ClaimedJob>,
}

/// A user task as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenedTask {
    /// The node that opens it.
    pub node: NodeId,
    /// The round of the node: each has a task of its own.
    pub round: u32,
    /// The person who is to do it, where one is named.
    pub assignee: Option<String>,
    /// The group whose members may do it, where one is named.
    pub group: Option<String>,
    /// The JSON Schema of what is submitted, as raw JSON text.
    pub form: Option<String>,
    /// What the person is shown with the task, as raw JSON text.
    pub input: Option<String>,
    /// When it should be done.
    pub due_at: Option<Timestamp>,
    /// When it was opened.
    pub opened_at: Timestamp,
}

impl From<UserTask> for OpenedTask {
    fn from(task: UserTask) -> Self {
        let text = |value: Option<serde_json::Value>| value.map(|value| value.to_string());
        Self {
            node: task.node,
            round: task.round,
            assignee: task.assignee,
            group: task.group,
            form: text(task.form),
            input: text(task.input),
            due_at: task.due_at,
            opened_at: task.opened_at,
        }
    }
}

/// What becomes of a user task.
#[derive(Debug, Clone, PartialEq)]
pub enum UserTaskChange {
    /// It is opened. One that is there already (same execution, node and round) is not changed.
    Open(OpenedTask),
    /// It is escalated.
    ///
    /// Without a new person or group the old ones keep it.
    Escalate {
        /// The node that opened it.
        node_id: NodeId,
        /// The round of the node.
        round: u32,
        /// Who has it from now on.
        assignee: Option<String>,
        /// The group that has it from now on.
        group: Option<String>,
    },
    /// It is closed.
    Close {
        /// The node that opened it.
        node_id: NodeId,
        /// The round of the node.
        round: u32,
        /// Whether it was completed, timed out or cancelled.
        end: UserTaskEnd,
    },
}
