//! Executions to create: what starts them, whose children they are, what they begin with.

use domain::attribute::StoredAttribute;
use domain::id::{CommandId, ExecutionId, JobId};
use domain::names::{CallerKey, NodeId, Tag, TenantName};
use domain::queue::WorkflowRef;
use domain::time::Timestamp;
use domain::workflow::execution::ExecutionStatus;
use domain::workflow::unique::UniquePolicy;

use super::inbox::InboxEntry;
use super::{ExecutionRecord, LoadedExecution, Parent, Trigger};
use crate::jobs::{Enqueued, NewJob};

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
    /// The execution that it is a child of. It is notified of the end in its inbox.
    pub parent: Option<Parent>,
    /// What it begins with, where it goes on from where another one stood.
    pub seed: Option<Seed>,
    /// Searchable attributes, stored with it where it is new.
    pub attributes: Vec<StoredAttribute>,
}

impl NewExecution {
    /// What is read of it before its first step, where it was created at this instant without a key.
    pub fn record(&self, created_at: Timestamp) -> ExecutionRecord {
        ExecutionRecord {
            id: self.id,
            job_id: self.job.id,
            tenant: self.job.tenant.clone(),
            workflow: self.workflow.clone(),
            version: self.version,
            status: ExecutionStatus::Pending,
            tier: self.job.tier,
            trigger: self.trigger.clone(),
            input: self.input.clone(),
            output: None,
            error: None,
            correlation_id: self.correlation_id.as_ref().map(ToString::to_string),
            tags: self.tags.iter().map(ToString::to_string).collect(),
            traceparent: self.job.traceparent.clone(),
            created_at,
            started_at: None,
            completed_at: None,
            parent: self.parent.clone(),
            unique_key: None,
            is_held: false,
            payload_dropped_at: None,
        }
    }

    /// What its first owner loads, where it begins with nothing: no seed.
    pub fn loaded(&self, definition: String, created_at: Timestamp) -> LoadedExecution {
        LoadedExecution {
            record: self.record(created_at),
            definition,
            state: None,
            step: 0,
            outputs: Vec::new(),
            has_held: false,
            evaluations_lost: 0,
            closed: None,
        }
    }
}

/// What a rerun begins with.
#[derive(Debug, Clone, PartialEq)]
pub struct Seed {
    /// The snapshot as MessagePack.
    pub state: Vec<u8>,
    /// Copies the latest results of these nodes.
    pub from: ExecutionId,
    /// The nodes, items of `MAP`s included.
    pub nodes: Vec<NodeId>,
}

// Executions with unique keys: what a start comes to while others with the same key are open.

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
    /// Whether the tenant may have no more executions: then it is answered by what is there, and nothing is created.
    pub is_over_quota: bool,
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
    /// An execution would have been created, and the tenant may have no more.
    OverQuota,
}
