//! A checked workflow definition: what `parse` makes and `advance` follows. Holds no text and no checks.

use std::collections::HashMap;

use serde_json::Value;

use crate::names::{JobType, NodeId, WorkflowName};
use crate::queue::Tier;
use crate::retry::Backoff;
use crate::time::DurationMs;
use crate::workflow::expression::{Expression, InputSchema, Template};

/// A definition that passed every check. Immutable; share it behind an `Arc`.
#[derive(Debug)]
pub struct Definition {
    /// Its name.
    pub name: WorkflowName,
    /// Its number; content never changes under one.
    pub version: u32,
    /// The JSON Schema of its input (draft 2020-12).
    pub input_schema: Option<Value>,
    /// The same, compiled; see [`check_input`](crate::workflow::expression::check_input).
    pub input_check: Option<InputSchema>,
    /// How many executions of it may be under way, where the definition says so.
    pub max_concurrent: Option<u32>,
    /// How long an execution may take.
    pub timeout: Option<DurationMs>,
    /// The retries of nodes that say nothing themselves.
    pub retry: Option<RetrySpec>,
    /// The nodes, in the order of the text.
    pub nodes: Vec<Node>,
    /// The output; without one, the outputs of the completed leaf nodes by id.
    pub output: Option<Template>,
    /// What runs when an execution fails. Always empty in this version.
    pub on_failure: Vec<Node>,
    /// The canonical text that the content hash is of.
    pub canonical_json: String,
    /// Who waits for whom, by index into `nodes`.
    pub graph: Graph,
}

impl Definition {
    /// The node with this id.
    pub fn node(&self, id: &NodeId) -> Option<&Node> {
        self.graph.index.get(id).map(|&index| &self.nodes[index])
    }
}

/// The dependencies, compiled for `advance`: everything by index into [`Definition::nodes`].
#[derive(Debug, Default)]
pub struct Graph {
    /// The index of each node.
    pub index: HashMap<NodeId, usize>,
    /// The nodes that each node waits for.
    pub dependencies: Vec<Vec<usize>>,
    /// The nodes that wait for each node, ascending.
    pub dependents: Vec<Vec<usize>>,
    /// The nodes that wait for none.
    pub roots: Vec<usize>,
    /// The nodes that none waits for.
    pub leaves: Vec<usize>,
}

/// Retries as a definition spells them; what is absent comes from the queue.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RetrySpec {
    /// How often a failed job is tried again.
    pub retries_max: Option<u32>,
    /// The waits in between.
    pub backoff: Option<Backoff>,
}

/// A node.
#[derive(Debug)]
pub struct Node {
    /// Its id, unique in the definition.
    pub id: NodeId,
    /// What it does.
    pub kind: NodeKind,
    /// The nodes it waits for.
    pub depends_on: Vec<NodeId>,
    /// Skips the node when it is false.
    pub when: Option<Expression>,
    /// Its retries, the definition's filled in where the node says nothing.
    pub retry: Option<RetrySpec>,
    /// The longest attempt.
    pub timeout: Option<DurationMs>,
    /// Its tier; `None` takes the execution's.
    pub priority: Option<Tier>,
    /// What happens when it fails for good.
    pub on_error: OnError,
}

/// What a node that is out of retries does to its execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnError {
    /// The execution fails.
    #[default]
    Fail,
    /// The node counts as COMPLETED with the output `{"error": …}`.
    Continue,
}

/// What a node does.
#[derive(Debug)]
pub enum NodeKind {
    /// A handler chosen by job type does it.
    ServiceTask {
        /// The handler's name.
        job_type: JobType,
        /// What it gets; an empty object where absent.
        input: Option<Template>,
    },
    /// The node pool sends a request.
    Http {
        /// An object with `method`, `url`, `headers` and, where the definition has one, `body`.
        request: Template,
        /// The status codes that count as success; empty means any 2xx.
        expect: Vec<u16>,
    },
    /// Evaluated in place.
    Transform {
        /// The output.
        output: Template,
    },
}

impl NodeKind {
    /// The public name of the type.
    pub const fn type_name(&self) -> &'static str {
        match self {
            Self::ServiceTask { .. } => "SERVICE_TASK",
            Self::Http { .. } => "HTTP",
            Self::Transform { .. } => "TRANSFORM",
        }
    }
}
