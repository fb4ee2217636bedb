//! The nodes of an execution, all that the definition has, in its order.

use std::collections::HashMap;

use domain::access::Verb;
use domain::failure::JobError;
use domain::id::ExecutionId;
use domain::names::NodeId;
use domain::time::Timestamp;
use domain::workflow::definition::Node;
use domain::workflow::execution::{ExecutionState, NodeStatus};
use store::StoreError;
use store::executions::NodeView;

use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

/// A node of an execution, for showing it.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeLine {
    /// The node.
    pub node_id: NodeId,
    /// Its type, such as `SERVICE_TASK`.
    pub node_type: String,
    /// Where it is.
    pub status: NodeStatus,
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

impl Engine {
    /// The nodes of an execution.
    pub async fn execution_nodes(
        &self,
        caller: &Caller,
        id: ExecutionId,
    ) -> Result<Vec<NodeLine>, EngineError> {
        caller.require(Verb::Read)?;
        let found = self.store().execution_detail(&caller.scope, id).await?;
        let detail = found.ok_or_else(|| EngineError::not_found("execution", &id))?;
        let definition = self.memory().definitions.get(&detail.definition, &id.to_string())?;
        let state = detail.state.as_deref().map(ExecutionState::from_snapshot).transpose();
        let state = state.map_err(|_error| corrupt(id))?;
        let mut views: HashMap<NodeId, NodeView> =
            detail.nodes.into_iter().map(|view| (view.node_id.clone(), view)).collect();
        Ok(definition.nodes.iter().map(|node| line(node, views.remove(&node.id), state.as_ref())).collect())
    }
}

fn corrupt(id: ExecutionId) -> EngineError {
    EngineError::Store(StoreError::Corrupt { table: "execution", column: "state", row: id.to_string() })
}

fn line(node: &Node, view: Option<NodeView>, state: Option<&ExecutionState>) -> NodeLine {
    let mut line = NodeLine {
        node_id: node.id.clone(),
        node_type: node.kind.type_name().to_owned(),
        status: NodeStatus::Pending,
        attempts: 0,
        input: None,
        output: None,
        error: None,
        started_at: None,
        finished_at: None,
    };
    if let Some(view) = view {
        line.status = view.status;
        line.attempts = view.attempts;
        line.input = view.input;
        line.output = view.output;
        line.error = view.error;
        line.started_at = view.started_at;
        line.finished_at = view.finished_at;
    } else if let Some(node) = state.and_then(|state| state.nodes.get(&node.id)) {
        line.status = node.status;
        line.attempts = node.attempts;
        line.error.clone_from(&node.error);
        line.started_at = node.started_at;
        line.finished_at = node.finished_at;
    }
    line
}
