//! Jobs that ended for good: of nodes, of items, of compensations.

use crate::failure::JobError;
use crate::workflow::advance::transition::Transition;
use crate::workflow::definition::NodeKind;
use crate::workflow::execution::{NodeSettled, NodeStatus, Refusal};
use crate::workflow::key::NodeKey;

impl Transition<'_> {
    /// A duplicate, or the answer of an earlier round, changes nothing. A result that was accepted before its node was
    /// cancelled counts.
    pub(super) fn job_settled(&mut self, settled: NodeSettled) -> Result<(), Refusal> {
        let named = NodeKey::of(&settled.node);
        let index = self.definition.graph.index.get(named.node()).copied();
        let is_cancelled = self.state.nodes.get(&settled.node).is_some_and(|state| {
            state.status == NodeStatus::Cancelled && state.job_id == Some(settled.job_id)
        });
        if let (true, Some(index)) = (is_cancelled, index) {
            return self.late_job(index, settled);
        }
        let state = self.state.nodes.get_mut(&settled.node);
        let state =
            state.filter(|state| state.status == NodeStatus::Running && state.job_id == Some(settled.job_id));
        let (Some(index), Some(state)) = (index, state) else {
            return Err(Refusal::NotAwaited(settled.node));
        };
        state.attempts = settled.attempts;
        state.started_at = settled.started_at.or(state.started_at);
        match (named, settled.result.map_err(JobError::bounded)) {
            (NodeKey::Node(_), Ok(output)) => self.succeed(index, output),
            (NodeKey::Node(_), Err(error)) => self.fail_node(index, error),
            (NodeKey::Compensation(_), Ok(output)) => self.compensated(index, output),
            (NodeKey::Compensation(_), Err(error)) => self.compensation_failed(index, error),
            (NodeKey::Item { index: item, .. }, result) => {
                let NodeKind::Map(map) = &self.node(index).kind else { return Ok(()) };
                match result {
                    Ok(output) => self.settle_item(index, item, output, None),
                    Err(error) => self.fail_item(index, map, item, error),
                }
                self.continue_map(index, map);
            }
        }
        Ok(())
    }
}
