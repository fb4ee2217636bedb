//! Executions to create: what starts them, whose children they are, what they begin with.

use domain::attribute::StoredAttribute;
use domain::id::ExecutionId;
use domain::lane::WorkflowRef;
use domain::names::{CallerKey, NodeId, Tag};

use crate::jobs::NewJob;

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

/// What started an execution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trigger {
    /// `user`, `schedule`, `webhook`, `event` or `parent`.
    pub kind: String,
    /// What more there is to say, as raw JSON text of an object.
    pub detail: Option<String>,
}
