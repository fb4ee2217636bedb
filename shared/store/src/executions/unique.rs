//! Executions with unique keys: what a start comes to while others with the same key are open.

use domain::id::{CommandId, ExecutionId, JobId};
use domain::lane::WorkflowRef;
use domain::names::{CallerKey, TenantName};
use domain::workflow::unique::UniquePolicy;

use super::create::NewExecution;
use super::inbox::InboxEntry;
use crate::jobs::Enqueued;

/// A key of executions: one of a tenant and a workflow.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct UniqueKey {
    /// The tenant.
    pub tenant: TenantName,
    /// The workflow, whatever its version is.
    pub workflow: WorkflowRef,
    /// The key.
    pub key: CallerKey,
}

/// An execution to start with a key.
#[derive(Debug, Clone, PartialEq)]
pub struct UniqueStart {
    /// The execution. It has no parent and no seed.
    pub execution: NewExecution,
    /// Its key.
    pub key: CallerKey,
    /// What is done while an execution with the key is open.
    pub policy: UniquePolicy,
    /// A signal for the open execution, or else for the new one.
    pub signal: Option<(CommandId, InboxEntry)>,
}

/// What a start with a key came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UniqueStarted {
    /// The execution is there.
    Started {
        /// Its job.
        job: Enqueued,
        /// Whether it waits until others ended.
        is_held: bool,
        /// Those that were cancelled for it, the one that was under way first.
        replaces: Vec<ExecutionId>,
        /// The position of the signal.
        command_position: Option<i64>,
    },
    /// Another one is open, and is the answer.
    Joined {
        /// Which.
        id: ExecutionId,
        /// Its job.
        job_id: JobId,
        /// The place of its job.
        position: i64,
        /// The position of the signal.
        command_position: Option<i64>,
    },
    /// Another one is open, and the start is refused.
    Exists(ExecutionId),
    /// As many wait as may.
    QueueFull,
    /// The open one takes no more signals.
    InboxFull,
}
