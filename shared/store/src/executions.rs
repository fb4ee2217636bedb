//! Executions: created with their job, moved on by the one owner that holds the job's lease.

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::failure::JobError;
use domain::id::{ExecutionId, JobId};
use domain::lane::WorkflowRef;
use domain::names::{CallerKey, NodeId, Tag, TenantName, WorkflowName};
use domain::queue::Tier;
use domain::time::Timestamp;
use domain::workflow::execution::{ExecutionError, ExecutionStatus, NodeRecord, NodeStatus};

use crate::error::StoreResult;
use crate::jobs::{Enqueued, LeaseAnswer, LeaseRef, NewJob};
use crate::page::{Page, PageRequest};

/// An execution to create.
#[derive(Debug, Clone, PartialEq)]
pub struct NewExecution {
    /// Its id. Creating an id that is there already changes nothing.
    pub id: ExecutionId,
    /// Its job on `workflow-execution`: same tenant, tier and workflow; carries `execution_id`.
    pub job: NewJob,
    /// The definition.
    pub workflow: WorkflowRef,
    /// The version it runs on to its end.
    pub version: u32,
    /// What started it.
    pub trigger: Trigger,
    /// The input as raw JSON text.
    pub input: String,
    /// Whatever the caller knows it by.
    pub correlation_id: Option<CallerKey>,
    /// Tags.
    pub tags: Vec<Tag>,
}

/// What started an execution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trigger {
    /// `user`, `schedule`, `webhook`, `event` or `parent`.
    pub kind: String,
    /// What more there is to say, as raw JSON text of an object.
    pub detail: Option<String>,
}

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
}

/// Which executions a list shows. Empty fields match everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExecutionFilter {
    /// The workflow's name.
    pub workflow: Option<WorkflowName>,
    /// The version.
    pub version: Option<u32>,
    /// The status.
    pub status: Option<ExecutionStatus>,
    /// The tenant.
    pub tenant: Option<TenantName>,
    /// The tier.
    pub tier: Option<Tier>,
    /// The correlation id.
    pub correlation_id: Option<String>,
    /// A tag.
    pub tag: Option<Tag>,
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
    /// The latest output of each COMPLETED node, as raw JSON text.
    pub outputs: Vec<(NodeId, String)>,
}

/// What is appended to an execution's inbox.
#[derive(Debug, Clone, PartialEq)]
pub enum InboxEntry {
    /// A node's job ended for good.
    NodeSettled {
        /// The node.
        node_id: NodeId,
        /// The job.
        job_id: JobId,
        /// The result as raw JSON text (`null` for none), or why it failed.
        result: Result<String, JobError>,
        /// The attempts it took.
        attempts: u32,
        /// When the last attempt started.
        started_at: Option<Timestamp>,
    },
    /// The dead letter of a node's job was requeued.
    NodeRequeued {
        /// The node.
        node_id: NodeId,
        /// The job.
        job_id: JobId,
    },
    /// Somebody wants it to stop.
    Cancel {
        /// Why.
        reason: Option<String>,
    },
    /// Somebody wants it to go on from its failed nodes.
    Retry,
}

impl InboxEntry {
    /// The stored and public name of the intent.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::NodeSettled { .. } => "node_settled",
            Self::NodeRequeued { .. } => "node_requeued",
            Self::Cancel { .. } => "cancel",
            Self::Retry => "retry",
        }
    }
}

/// An entry that was not applied yet.
#[derive(Debug, Clone, PartialEq)]
pub struct InboxRow {
    /// Its position: entries are applied in this order.
    pub position: i64,
    /// What it says.
    pub entry: InboxEntry,
}

/// What became of an applied entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxResult {
    /// Which entry.
    pub position: i64,
    /// `None`: applied; otherwise why it was refused.
    pub refused: Option<String>,
}

/// What an append to an inbox did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Appended {
    /// It is there, at this position.
    At(i64),
    /// There is no such execution in this scope.
    NotFound,
}

/// A command that somebody sent to an execution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandRecord {
    /// Its position.
    pub position: i64,
    /// The execution.
    pub execution_id: ExecutionId,
    /// What it asks for.
    pub intent: String,
    /// Where it is.
    pub status: CommandStatus,
}

/// Where a command is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandStatus {
    /// Not applied yet.
    Pending,
    /// Applied.
    Applied,
    /// Refused, and why.
    Refused(String),
}

/// What the owner's job does with a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OwnerNext {
    /// The owner keeps the lease and goes on.
    Keep,
    /// The execution ended: its job is settled (COMPLETED, FAILED or CANCELLED, by the status) and its slot free.
    Finish,
}

/// One step of an execution, in one commit: node results, state, jobs, inbox.
#[derive(Debug, Clone, PartialEq)]
pub struct ExecutionCommit {
    /// The execution.
    pub id: ExecutionId,
    /// The lease of its job. Without it nothing is written.
    pub lease: LeaseRef,
    /// The new status.
    pub status: ExecutionStatus,
    /// The new snapshot as MessagePack.
    pub state: Vec<u8>,
    /// When it started.
    pub started_at: Option<Timestamp>,
    /// Settled nodes to append.
    pub records: Vec<NodeRecord>,
    /// Lines of the timeline to append.
    pub events: Vec<EventLine>,
    /// Jobs of nodes to enqueue; those that are there already change nothing.
    pub enqueue: Vec<NewJob>,
    /// Jobs of nodes to cancel; those that have ended change nothing. Makes no inbox entries.
    pub cancel: Vec<JobId>,
    /// What became of inbox entries.
    pub inbox: Vec<InboxResult>,
    /// The output as raw JSON text.
    pub output: Option<String>,
    /// Why it failed.
    pub error: Option<ExecutionError>,
    /// What the owner's job does.
    pub next: OwnerNext,
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

/// What an owner's commit did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    /// The enqueued node jobs, in order.
    pub enqueued: Vec<Enqueued>,
    /// The queues whose slots or jobs changed besides `workflow-execution`.
    pub freed_node_slots: bool,
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
    /// Settled nodes (latest record of each) and nodes with an unfinished job, in no order. Nodes that are not
    /// listed here have not started.
    pub nodes: Vec<NodeView>,
}

/// The store's verbs on executions.
#[async_trait]
pub trait ExecutionStore {
    /// Creates executions and their jobs in one commit, all or nothing. Answers in order, with the job's place.
    async fn create_executions(
        &self,
        executions: &[NewExecution],
        now: Timestamp,
    ) -> StoreResult<Vec<Enqueued>>;

    /// Takes an execution up: what its owner needs to go on. `LeaseLost` without the lease.
    async fn load_execution(
        &self,
        id: ExecutionId,
        lease: LeaseRef,
    ) -> StoreResult<LeaseAnswer<LoadedExecution>>;

    /// Entries that were not applied yet, in order, at most `limit`.
    async fn inbox(&self, id: ExecutionId, limit: u32) -> StoreResult<Vec<InboxRow>>;

    /// Commits one step, gated by the lease. A commit is progress: it resets the job's crash count.
    async fn commit_execution(
        &self,
        commit: &ExecutionCommit,
        now: Timestamp,
    ) -> StoreResult<LeaseAnswer<Committed>>;

    /// Appends a command (`Cancel`, `Retry`). A cancel of an execution that was never taken up is applied in the
    /// same commit (its job and itself become CANCELLED); a retry of a FAILED one puts its job back into
    /// `workflow-execution`. A command to an execution in a status that cannot take it is recorded as refused.
    async fn append_command(
        &self,
        scope: &TenantScope,
        id: ExecutionId,
        entry: &InboxEntry,
        now: Timestamp,
    ) -> StoreResult<Appended>;

    /// A command by its position.
    async fn command(&self, scope: &TenantScope, position: i64) -> StoreResult<Option<CommandRecord>>;

    /// An execution.
    async fn execution(&self, scope: &TenantScope, id: ExecutionId) -> StoreResult<Option<ExecutionRecord>>;

    /// Executions, newest first. Inputs and outputs are left empty (`"null"`, `None`) in lists.
    async fn list_executions(
        &self,
        scope: &TenantScope,
        filter: &ExecutionFilter,
        page: PageRequest,
    ) -> StoreResult<Page<ExecutionRecord>>;

    /// An execution with its nodes.
    async fn execution_detail(
        &self,
        scope: &TenantScope,
        id: ExecutionId,
    ) -> StoreResult<Option<ExecutionDetail>>;

    /// The timeline, oldest first, after a position.
    async fn execution_events(
        &self,
        scope: &TenantScope,
        id: ExecutionId,
        after: i64,
        limit: u32,
    ) -> StoreResult<Option<Vec<EventRecord>>>;

    /// Fails an execution whose own job died (its owner crashed again and again): status FAILED with `error`.
    /// The reaper calls it for each such job. Does nothing if it has ended.
    async fn fail_execution(
        &self,
        id: ExecutionId,
        error: &ExecutionError,
        now: Timestamp,
    ) -> StoreResult<bool>;
}
