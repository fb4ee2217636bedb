//! The condition of a node that waits for events: it sees the delivery beside the execution.
//!
//! What it sees of the execution is read once, however many deliveries it is checked against, and no output that it does not
//! read. Reading, waiting for a thread and evaluating all are at the cost of an allowance that many checks share.

use std::sync::Arc;

use domain::access::TenantScope;
use domain::event::{FilterAllowance, FilterCheck};
use domain::names::NodeId;
use domain::webhook::DeliveryEvent;
use domain::workflow::definition::{Definition, EventSpec, NodeKind};
use domain::workflow::execution::{ExecutionContext, ExecutionState, NodeStatus, Outputs};
use domain::workflow::expression::{Expression, Local, Scope};
use store::StoreError;
use store::events::WaitingNode;
use store::executions::{ExecutionRecord, NodeView};

use super::why::restore;
use crate::engine::Engine;
use crate::error::EngineError;

/// What the condition of a node sees of its execution.
pub(crate) struct FilterSubject {
    node: NodeId,
    definition: Arc<Definition>,
    context: ExecutionContext,
    state: ExecutionState,
    outputs: Outputs,
}

impl FilterSubject {
    fn check(&self, event: &DeliveryEvent) -> FilterCheck {
        let local = Local { event: Some(event.value()), ..Local::default() };
        let scope = Scope { context: &self.context, state: &self.state, outputs: &self.outputs, local };
        let filter = wait_of(&self.definition, &self.node).and_then(|spec| spec.filter.as_ref());
        filter.map_or(FilterCheck::Met, |filter| FilterCheck::of(&filter.test(&scope)))
    }
}

impl Engine {
    /// Whether a delivery meets the condition of a node, as far as the allowance lasts. One that cannot be evaluated is not
    /// met: the delivery is not what the node waits for.
    pub(crate) async fn check_event_filter(
        &self,
        node: &WaitingNode,
        event: &Arc<DeliveryEvent>,
        allowance: &mut FilterAllowance,
    ) -> Result<FilterCheck, EngineError> {
        if allowance.is_used_up() {
            return Ok(FilterCheck::Left);
        }
        let (begun, time) = (self.now(), allowance.time_left());
        let check = async {
            let Some(subject) = self.filter_subject(node, allowance).await? else {
                return Ok(FilterCheck::NotMet);
            };
            self.check_subject(&subject, event, allowance).await
        };
        let checked = tokio::time::timeout(time.to_std(), check).await;
        if let Ok(checked) = checked {
            allowance.take_time(self.now().since(begun));
            return checked;
        }
        // What is evaluated at the moment ends at its next step.
        allowance.end();
        Ok(FilterCheck::Left)
    }

    /// The same for what was read before. Whoever calls bounds the time.
    pub(crate) async fn check_subject(
        &self,
        subject: &Arc<FilterSubject>,
        event: &Arc<DeliveryEvent>,
        allowance: &mut FilterAllowance,
    ) -> Result<FilterCheck, EngineError> {
        let (shared, event) = (Arc::clone(subject), Arc::clone(event));
        let check = self.workbench().wait(&subject.context.tenant, move || shared.check(&event)).await?;
        Ok(allowance.checked(check))
    }

    /// Reads what the condition of a node sees; `None` where the node does not wait. Whoever calls bounds the time.
    pub(crate) async fn filter_subject(
        &self,
        node: &WaitingNode,
        allowance: &mut FilterAllowance,
    ) -> Result<Option<Arc<FilterSubject>>, EngineError> {
        let id = node.execution_id;
        let Some(head) = self.store().execution_head(&TenantScope::All, id).await? else {
            return Ok(None);
        };
        let (record, Some(snapshot)) = (head.record, head.state) else {
            return Ok(None);
        };
        let definition =
            self.definition_of_execution(&record.tenant, &head.definition, &id.to_string()).await?;
        let Some(spec) = wait_of(&definition, &node.node_id) else {
            return Ok(None);
        };
        let results = match spec.filter.as_ref().map(Expression::output_nodes) {
            Some(nodes) if !nodes.is_empty() => self.store().node_outputs(id, nodes).await?,
            _ => Vec::new(),
        };
        let outputs = results.iter().filter_map(|result| result.output.as_ref());
        let bytes = record.input.len() + snapshot.len() + outputs.map(String::len).sum::<usize>();
        allowance.take_bytes(bytes as u64);
        let (tenant, node_id) = (record.tenant.clone(), node.node_id.clone());
        let (callbacks, steps) = (self.callback_base().await?, allowance.steps().clone());
        let read = move || -> Result<FilterSubject, EngineError> {
            let state = restore(&snapshot, &definition, id)?;
            let outputs = outputs_of(results, &state);
            let context = ExecutionContext {
                id,
                input: input_of(&record)?,
                tenant: record.tenant,
                workflow: record.workflow.name,
                version: record.version,
                tier: record.tier,
                created_at: record.created_at,
                depth: record.parent.as_ref().map_or(0, |parent| parent.depth),
                callbacks,
                allowance: steps,
            };
            Ok(FilterSubject { node: node_id, definition, context, state, outputs })
        };
        // Large ones take many times as long, and as much memory, as their text.
        self.workbench().wait(&tenant, read).await?.map(|subject| Some(Arc::new(subject)))
    }
}

/// What a node waits for; `None` where it waits for no event.
fn wait_of<'a>(definition: &'a Definition, node: &NodeId) -> Option<&'a EventSpec> {
    match definition.node(node).map(|node| &node.kind) {
        Some(NodeKind::WaitEvent(spec)) => Some(spec),
        _ => None,
    }
}

fn input_of(record: &ExecutionRecord) -> Result<serde_json::Value, StoreError> {
    serde_json::from_str(&record.input).map_err(|_error| StoreError::Corrupt {
        table: "execution",
        column: "input",
        row: record.id.to_string(),
    })
}

fn outputs_of(results: Vec<NodeView>, state: &ExecutionState) -> Outputs {
    let output_of = |view: NodeView| {
        let is_done = view.status == NodeStatus::Completed && state.has_output(&view.node_id);
        let output = view.output.filter(|_| is_done)?;
        Some((view.node_id, serde_json::from_str(&output).ok()?))
    };
    results.into_iter().filter_map(output_of).collect()
}
