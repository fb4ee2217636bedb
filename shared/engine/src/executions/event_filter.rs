//! The condition of a node that waits for events: it sees the delivery beside the execution.

use std::sync::Arc;

use domain::access::TenantScope;
use domain::names::NodeId;
use domain::webhook::DeliveryEvent;
use domain::workflow::definition::NodeKind;
use domain::workflow::execution::{ExecutionContext, NodeStatus, Outputs};
use domain::workflow::expression::{Allowance, Expression, Local, Scope};
use store::StoreError;
use store::events::WaitingNode;
use store::executions::NodeView;

use super::why::restore;
use crate::engine::Engine;
use crate::error::EngineError;

impl Engine {
    /// Whether a delivery meets the condition of a node. One that cannot be evaluated is not met: the delivery is not
    /// what the node waits for.
    pub(crate) async fn meets_event_filter(
        &self,
        node: &WaitingNode,
        event: &Arc<DeliveryEvent>,
    ) -> Result<bool, EngineError> {
        let id = node.execution_id;
        let Some(detail) = self.store().execution_detail(&TenantScope::All, id).await? else {
            return Ok(false);
        };
        let (record, Some(bytes)) = (detail.record, detail.state) else {
            return Ok(false);
        };
        let definition =
            self.definition_of_execution(&record.tenant, &detail.definition, &id.to_string()).await?;
        let state = restore(&bytes, &definition, id)?;
        let corrupt =
            |_error| StoreError::Corrupt { table: "execution", column: "input", row: id.to_string() };
        let tenant = record.tenant.clone();
        let context = ExecutionContext {
            id,
            tenant: record.tenant,
            workflow: record.workflow.name,
            version: record.version,
            tier: record.tier,
            input: serde_json::from_str(&record.input).map_err(corrupt)?,
            created_at: record.created_at,
            depth: record.parent.as_ref().map_or(0, |parent| parent.depth),
            callbacks: self.callback_base().await?,
            allowance: Allowance::metered(self.policy().evaluation),
        };
        let Some(NodeKind::WaitEvent(spec)) = definition.node(&node.node_id).map(|node| &node.kind) else {
            return Ok(false);
        };
        // Of large executions only what the condition reads is taken apart: it takes many times as much memory as its text.
        let read: &[NodeId] = spec.filter.as_ref().map_or(&[][..], Expression::nodes);
        let output_of = |view: NodeView| {
            let is_done = read.contains(&view.node_id)
                && view.status == NodeStatus::Completed
                && state.has_output(&view.node_id);
            let output = view.output.filter(|_| is_done)?;
            Some((view.node_id, serde_json::from_str(&output).ok()?))
        };
        let outputs: Outputs = detail.nodes.into_iter().filter_map(output_of).collect();
        let (node_id, event) = (node.node_id.clone(), Arc::clone(event));
        let test = move || {
            let Some(NodeKind::WaitEvent(spec)) = definition.node(&node_id).map(|node| &node.kind) else {
                return false;
            };
            let local = Local { event: Some(event.value()), ..Local::default() };
            let scope = Scope { context: &context, state: &state, outputs: &outputs, local };
            context.allowance.renew();
            spec.filter.as_ref().is_none_or(|filter| filter.test(&scope).unwrap_or(false))
        };
        self.workbench().wait(&tenant, test).await
    }
}
