//! The inbox of an execution: what happened to it, in the order in which its owner applies it.

use domain::failure::JobError;
use domain::id::{ExecutionId, JobId};
use domain::names::NodeId;
use domain::time::Timestamp;

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
    /// A child that had failed goes on.
    ChildResumed {
        /// The node, or the item of a `MAP`, that started it.
        node_id: NodeId,
        /// The child.
        child_id: ExecutionId,
    },
    /// Somebody wants it to stop.
    Cancel {
        /// Why.
        reason: Option<String>,
        /// Whether what completed is undone first.
        compensate: bool,
    },
    /// Somebody wants it to go on from its failed nodes.
    Retry,
    /// A signal.
    Signal {
        /// Its name.
        name: String,
        /// What it carries, as raw JSON text.
        payload: String,
    },
    /// A person did a user task.
    UserTaskCompleted {
        /// The node.
        node_id: NodeId,
        /// The round of the node whose task was open; `None` in entries of versions that did not write it.
        round: Option<u32>,
        /// What was submitted, as raw JSON text.
        output: String,
        /// Who did it.
        actor: String,
    },
    /// A request came to the callback address of a node.
    Callback {
        /// The node.
        node_id: NodeId,
        /// The round of the node that waited when it came; `None` where none did yet.
        round: Option<u32>,
        /// What was sent, as raw JSON text.
        payload: String,
    },
    /// An event came that a node waits for.
    Event {
        /// The node.
        node_id: NodeId,
        /// The round in which it waits.
        round: u32,
        /// The output of the node, as raw JSON text.
        output: String,
    },
    /// A child ended.
    ChildSettled {
        /// The node, or the item of a `MAP`, that started it.
        node_id: NodeId,
        /// The child.
        child_id: ExecutionId,
        /// The child's output as raw JSON text (`null` for none), or why it failed.
        result: Result<String, JobError>,
    },
}

impl InboxEntry {
    /// About how many bytes of text it holds: what it carries, without names and ids.
    pub fn bytes(&self) -> usize {
        let result_bytes = |result: &Result<String, JobError>| match result {
            Ok(text) => text.len(),
            Err(error) => {
                let details = error.details.as_ref().map_or(0, |details| details.to_string().len());
                error.message.len() + details
            }
        };
        match self {
            Self::NodeSettled { result, .. } | Self::ChildSettled { result, .. } => result_bytes(result),
            Self::Signal { payload, .. } | Self::Callback { payload, .. } => payload.len(),
            Self::UserTaskCompleted { output, .. } | Self::Event { output, .. } => output.len(),
            Self::Cancel { reason, .. } => reason.as_ref().map_or(0, String::len),
            Self::NodeRequeued { .. } | Self::ChildResumed { .. } | Self::Retry => 0,
        }
    }

    /// The stored and public name of the intent.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::NodeSettled { .. } => "node_settled",
            // A child that goes on is to its node what a requeued dead letter is.
            Self::NodeRequeued { .. } | Self::ChildResumed { .. } => "node_requeued",
            Self::Cancel { .. } => "cancel",
            Self::Retry => "retry",
            Self::Signal { .. } => "signal",
            Self::UserTaskCompleted { .. } => "user_task_completed",
            Self::Callback { .. } => "callback",
            Self::Event { .. } => "event",
            Self::ChildSettled { .. } => "child_settled",
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

/// How many entries that were not applied yet an inbox takes from outside. What the execution itself has started, a cancel and
/// a retry are always taken.
pub const INBOX_MAX: u32 = 10_000;

/// How many bytes of such entries an inbox holds before it takes no more from outside; the last may reach beyond.
pub const INBOX_PENDING_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// How many bytes of entries of one inbox are read at once, with the entry that reaches beyond them.
pub const INBOX_BYTES_MAX: usize = 2 * 1024 * 1024;

/// What an append to an inbox did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Appended {
    /// It is there, at this position.
    At(i64),
    /// The inbox holds as many entries as it takes, [`INBOX_MAX`], or as many bytes, [`INBOX_PENDING_BYTES_MAX`]. Nothing was
    /// written.
    Full,
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
    /// The step of the execution that applied or refused it; `None` while it is pending, and of one that was decided
    /// before steps were numbered.
    pub step: Option<i64>,
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

impl CommandStatus {
    /// The public names of all of them.
    pub const NAMES: [&str; 3] = ["pending", "applied", "refused"];

    /// The public name.
    pub const fn as_str(&self) -> &'static str {
        let [pending, applied, refused] = Self::NAMES;
        match self {
            Self::Pending => pending,
            Self::Applied => applied,
            Self::Refused(_) => refused,
        }
    }
}
