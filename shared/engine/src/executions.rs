//! Executions: start, wait, read, signal, cancel, retry, rerun, and own.

mod callback;
mod commands;
mod event_filter;
mod fresh;
mod items;
mod own;
mod request;
mod rerun;
mod start;
mod start_unique;
mod states;
mod user_tasks;
mod wait;
mod why;

use std::collections::HashMap;

use domain::access::{Action, Permission};
use domain::failure::JobError;
use domain::id::ExecutionId;
use domain::names::NodeId;
use domain::time::Timestamp;
use domain::workflow::callback::{CallbackBase, callback_url};
use domain::workflow::definition::{Definition, Node, NodeKind};
use domain::workflow::execution::{ExecutionState, ExecutionStatus, NodeStatus};
use domain::workflow::{NodeKey, compensation_key};
use store::executions::{EventRecord, ExecutionRecord, NodeView};

use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use why::{restore, wait_of};

pub(crate) use event_filter::FilterSubject;
pub(crate) use fresh::{FreshStarts, StartSink};
pub(crate) use own::{Apart, DeliveredResult, OwnerBatches};
pub use own::{OwnerEnd, own_execution};
pub use request::{CreatedExecution, ExecutionRequest};
pub(crate) use start::{Lookups, job_id, refuse_when_paused};
pub(crate) use start_unique::unique_of;
pub use states::StateLine;
pub use wait::AwaitedStart;
pub use why::{ExecutionWhy, NodeWait};

// Look at executions.

impl Engine {
    /// An execution.
    pub async fn execution(&self, caller: &Caller, id: ExecutionId) -> Result<ExecutionRecord, EngineError> {
        caller.require(Permission::Read)?;
        self.known_execution(caller, id).await
    }

    /// An execution that the caller may know of, whatever its role.
    pub(crate) async fn known_execution(
        &self,
        caller: &Caller,
        id: ExecutionId,
    ) -> Result<ExecutionRecord, EngineError> {
        let found = self.store().execution(&caller.scope, id).await?;
        found.ok_or_else(|| EngineError::not_found("execution", &id))
    }
}

// The nodes of an execution, all that the definition has, in its order, and the compensations that have started.
// Items of a `MAP` are listed with their node.

/// How many items of a `MAP` are listed.
const ITEMS_MAX: usize = 1_000;

/// A node of an execution, for showing it.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeLine {
    /// The node, or a compensation as `charge:compensate`.
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
    /// What it waits for, while it is WAITING.
    pub waits_for: Option<NodeWait>,
    /// The address that a `WAIT_WEBHOOK` takes one request at; only while that could still be, and only for callers
    /// who may steer executions.
    pub callback_url: Option<String>,
    /// The items of a `MAP` that has started.
    pub map: Option<MapLine>,
}

/// The items of a `MAP`, for showing them.
#[derive(Debug, Clone, PartialEq)]
pub struct MapLine {
    /// How many there are.
    pub total: u32,
    /// How many were started.
    pub started: u32,
    /// How many have completed, collected failures included.
    pub completed: u32,
    /// Items that were started, in their order; at most 1,000, those under way and those that failed before the others.
    pub items: Vec<NodeLine>,
}

impl Engine {
    /// A node of an execution, or an item of a `MAP` that is listed with its node or has settled.
    pub async fn execution_node(
        &self,
        caller: &Caller,
        id: ExecutionId,
        node: &str,
    ) -> Result<NodeLine, EngineError> {
        let lines = self.execution_nodes(caller, id).await?;
        let with_items = lines.into_iter().flat_map(|mut line| {
            let items = line.map.as_mut().map(|map| std::mem::take(&mut map.items)).unwrap_or_default();
            std::iter::once(line).chain(items)
        });
        let mut named = with_items.filter(|line| line.node_id.as_str() == node);
        match named.next() {
            Some(line) => Ok(line),
            None => self.settled_item(caller, id, node).await,
        }
    }

    /// The nodes of an execution.
    pub async fn execution_nodes(
        &self,
        caller: &Caller,
        id: ExecutionId,
    ) -> Result<Vec<NodeLine>, EngineError> {
        caller.require(Permission::Read)?;
        let found = self.store().execution_detail(&caller.scope, id).await?;
        let detail = found.ok_or_else(|| EngineError::not_found("execution", &id))?;
        let definition =
            self.definition(Some(&detail.record.tenant), &detail.definition, &id.to_string()).await?;
        let state = detail.state.as_deref().map(|bytes| restore(bytes, &definition, id)).transpose()?;
        let is_callable = caller.allows(Action::ExecutionsSignal) && !detail.record.status.is_terminal();
        let callbacks = if is_callable { Some(self.callback_base().await?) } else { None };
        let mut table = Table {
            record: &detail.record,
            definition: &definition,
            state: state.as_ref(),
            callbacks,
            views: detail.nodes.into_iter().map(|view| (view.node_id.clone(), view)).collect(),
        };
        Ok(table.lines())
    }
}

/// What lines are made of.
struct Table<'a> {
    record: &'a ExecutionRecord,
    definition: &'a Definition,
    state: Option<&'a ExecutionState>,
    callbacks: Option<CallbackBase>,
    views: HashMap<NodeId, NodeView>,
}

impl Table<'_> {
    fn lines(&mut self) -> Vec<NodeLine> {
        let mut lines = Vec::with_capacity(self.definition.nodes.len());
        for node in &self.definition.nodes {
            lines.push(self.node(node));
            let Some(task) = &node.compensate else {
                continue;
            };
            let key = compensation_key(&node.id);
            if self.views.contains_key(&key) || has_begun(self.state, &key) {
                lines.push(self.line(key, task.kind.type_name()));
            }
        }
        lines
    }

    fn node(&mut self, node: &Node) -> NodeLine {
        let mut line = self.line(node.id.clone(), node.kind.type_name());
        match &node.kind {
            NodeKind::WaitWebhook if !line.status.is_settled() => {
                let url = |base: &CallbackBase| callback_url(base, self.record.id, &node.id);
                line.callback_url = self.callbacks.as_ref().map(url);
            }
            NodeKind::Map(map) => line.map = self.map(&node.id, map.task.kind.type_name()),
            _ => {}
        }
        line
    }

    fn map(&mut self, map: &NodeId, item_type: &str) -> Option<MapLine> {
        let counts = self.state?.nodes.get(map)?.items.clone()?;
        let index_of = |key: &NodeId| match NodeKey::of(key) {
            NodeKey::Item { node, index } if node == *map => Some((index, key.clone())),
            _ => None,
        };
        let under_way = self.state.into_iter().flat_map(|state| state.nodes.keys());
        let mut keys: Vec<(u32, NodeId)> = self.views.keys().chain(under_way).filter_map(index_of).collect();
        keys.sort_unstable();
        keys.dedup();
        keys.truncate(ITEMS_MAX);
        Some(MapLine {
            total: counts.total,
            // The next one is forgotten once all are done.
            started: counts.next.max(counts.done),
            completed: counts.done,
            items: keys.into_iter().map(|(_, key)| self.line(key, item_type)).collect(),
        })
    }

    fn line(&mut self, key: NodeId, node_type: &str) -> NodeLine {
        let view = self.views.remove(&key);
        let mut line = line(key, node_type, view, self.state);
        // An execution that was cancelled without an owner has a snapshot of before.
        if self.record.status == ExecutionStatus::Cancelled && is_under_way(line.status) {
            line.status = NodeStatus::Cancelled;
            line.finished_at = self.record.completed_at;
        }
        if line.status == NodeStatus::Waiting {
            let state = self.state.and_then(|state| state.nodes.get(&line.node_id));
            let wait = state.and_then(|state| wait_of(&line.node_id, state, self.definition));
            line.waits_for = wait.map(|(_, wait)| wait);
        }
        line
    }
}

const fn is_under_way(status: NodeStatus) -> bool {
    matches!(status, NodeStatus::Running | NodeStatus::Waiting | NodeStatus::RetryWait)
}

fn has_begun(state: Option<&ExecutionState>, key: &NodeId) -> bool {
    state.is_some_and(|state| state.nodes.contains_key(key))
}

fn line(
    node_id: NodeId,
    node_type: &str,
    view: Option<NodeView>,
    state: Option<&ExecutionState>,
) -> NodeLine {
    let state = state.and_then(|state| state.nodes.get(&node_id));
    let mut line = NodeLine {
        node_id,
        node_type: node_type.to_owned(),
        status: NodeStatus::Pending,
        attempts: 0,
        input: None,
        output: None,
        error: None,
        started_at: None,
        finished_at: None,
        waits_for: None,
        callback_url: None,
        map: None,
    };
    if let Some(view) = view {
        line.status = view.status;
        line.attempts = view.attempts;
        line.input = view.input;
        line.output = view.output;
        line.error = view.error;
        line.started_at = view.started_at;
        line.finished_at = view.finished_at;
        // What is stored may be of an earlier round.
        let is_again = state.is_some_and(|state| !state.status.is_settled() && line.status.is_settled());
        if let Some(state) = state.filter(|_| is_again) {
            line.status = state.status;
            line.finished_at = None;
        }
    } else if let Some(node) = state {
        line.status = node.status;
        line.attempts = node.attempts;
        line.error.clone_from(&node.error);
        line.started_at = node.started_at;
        line.finished_at = node.finished_at;
    }
    line
}

// The timeline of an execution.

impl Engine {
    /// The timeline after a position, oldest first.
    pub async fn execution_events(
        &self,
        caller: &Caller,
        id: ExecutionId,
        after: i64,
        limit: u32,
    ) -> Result<Vec<EventRecord>, EngineError> {
        caller.require(Permission::Read)?;
        let found = self.store().execution_events(&caller.scope, id, after, limit).await?;
        found.ok_or_else(|| EngineError::not_found("execution", &id))
    }
}
