//! The states that an execution went through, by its timeline: which node was where after each line.

use std::collections::{BTreeMap, BTreeSet};

use crate::names::NodeId;
use crate::workflow::compensation_key;
use crate::workflow::execution::{ExecutionStatus, NodeStatus, TimelineEventKind};

/// Where an execution and its nodes were after a line of the timeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastState {
    /// The execution.
    pub status: ExecutionStatus,
    /// Nodes that have started or ended, and compensations as `charge:compensate`. The others are PENDING.
    pub nodes: BTreeMap<NodeId, NodeStatus>,
}

impl Default for PastState {
    fn default() -> Self {
        Self { status: ExecutionStatus::Pending, nodes: BTreeMap::new() }
    }
}

impl PastState {
    /// Where an execution begins whose lines are these: PENDING, with the nodes that a rerun took over as they were. Those
    /// have ended and have no line.
    pub fn before<'a>(
        nodes: impl IntoIterator<Item = (&'a NodeId, NodeStatus)>,
        lines: impl IntoIterator<Item = &'a NodeId>,
    ) -> Self {
        let named: BTreeSet<&NodeId> = lines.into_iter().collect();
        let is_taken_over = |(node, status): &(&NodeId, NodeStatus)| {
            matches!(status, NodeStatus::Completed | NodeStatus::Skipped) && !named.contains(node)
        };
        let taken_over = nodes.into_iter().filter(is_taken_over);
        let nodes = taken_over.map(|(node, status)| (node.clone(), status)).collect();
        Self { nodes, ..Self::default() }
    }

    /// Goes on by a line. Words that say nothing of a status leave the state as it is.
    pub fn apply(&mut self, kind: &str, node: Option<&NodeId>) {
        let Some(kind) = TimelineEventKind::parse(kind) else {
            return;
        };
        match kind {
            TimelineEventKind::ExecutionStarted | TimelineEventKind::ExecutionRetried => {
                self.status = ExecutionStatus::Running;
            }
            TimelineEventKind::ExecutionCompensating => self.status = ExecutionStatus::Compensating,
            TimelineEventKind::ExecutionCompleted => self.status = ExecutionStatus::Completed,
            TimelineEventKind::ExecutionFailed => self.status = ExecutionStatus::Failed,
            TimelineEventKind::ExecutionCancelled => self.status = ExecutionStatus::Cancelled,
            _ => {}
        }
        if let (Some(node), Some(status)) = (node, node_status(kind)) {
            let is_of_compensation =
                matches!(kind, TimelineEventKind::NodeCompensated | TimelineEventKind::CompensationFailed);
            let key = if is_of_compensation { compensation_key(node) } else { node.clone() };
            self.nodes.insert(key, status);
        }
    }
}

/// Where a line leaves its node.
fn node_status(kind: TimelineEventKind) -> Option<NodeStatus> {
    Some(match kind {
        TimelineEventKind::NodeStarted
        | TimelineEventKind::NodeRepeated
        | TimelineEventKind::NodeRequeued => NodeStatus::Running,
        TimelineEventKind::NodeWaiting => NodeStatus::Waiting,
        TimelineEventKind::NodeCompleted | TimelineEventKind::NodeCompensated => NodeStatus::Completed,
        TimelineEventKind::NodeFailed | TimelineEventKind::CompensationFailed => NodeStatus::Failed,
        TimelineEventKind::NodeSkipped => NodeStatus::Skipped,
        TimelineEventKind::NodeCancelled => NodeStatus::Cancelled,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_rerun_took_over_is_there_from_the_beginning() {
        let (old, new) = (NodeId::trusted("old"), NodeId::trusted("new"));
        let nodes = [(&old, NodeStatus::Completed), (&new, NodeStatus::Completed)];
        let state = PastState::before(nodes, [&new]);
        assert_eq!(state.nodes, BTreeMap::from([(old, NodeStatus::Completed)]));
        assert_eq!(state.status, ExecutionStatus::Pending);
    }

    #[test]
    fn each_line_moves_the_state() {
        let node = NodeId::trusted("charge");
        let mut state = PastState::default();
        let mut seen = Vec::new();
        for (kind, of_node) in [
            ("execution_started", false),
            ("node_started", true),
            ("node_failed", true),
            ("execution_failed", true),
            ("execution_retried", false),
            ("node_requeued", true),
            ("signal_received", true),
            ("node_completed", true),
            ("execution_compensating", false),
            ("node_compensated", true),
            ("execution_cancelled", false),
        ] {
            state.apply(kind, of_node.then_some(&node));
            seen.push((state.status.as_str(), state.nodes.get(&node).map(|status| status.as_str())));
        }
        let expected = [
            ("RUNNING", None),
            ("RUNNING", Some("RUNNING")),
            ("RUNNING", Some("FAILED")),
            ("FAILED", Some("FAILED")),
            ("RUNNING", Some("FAILED")),
            ("RUNNING", Some("RUNNING")),
            ("RUNNING", Some("RUNNING")),
            ("RUNNING", Some("COMPLETED")),
            ("COMPENSATING", Some("COMPLETED")),
            ("COMPENSATING", Some("COMPLETED")),
            ("CANCELLED", Some("COMPLETED")),
        ];
        assert_eq!(seen, expected);
        assert_eq!(state.nodes.get(&compensation_key(&node)), Some(&NodeStatus::Completed));
    }
}
