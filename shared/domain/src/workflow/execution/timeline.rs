//! The timeline of an execution: what happened to it, in stable words.

use crate::names::NodeId;
use crate::time::Timestamp;

words! {
    serde
    /// What a line of the timeline says. Items of a `MAP` have no lines of their own, except failures.
    TimelineEventKind {
        /// The execution has started.
        ExecutionStarted "execution_started",
        /// Its failed nodes run again.
        ExecutionRetried "execution_retried",
        /// What completed is undone before it ends.
        ExecutionCompensating "execution_compensating",
        /// It has completed.
        ExecutionCompleted "execution_completed",
        /// It has failed.
        ExecutionFailed "execution_failed",
        /// It is cancelled.
        ExecutionCancelled "execution_cancelled",
        /// The work of a node has begun.
        NodeStarted "node_started",
        /// A node waits for something outside.
        NodeWaiting "node_waiting",
        /// A node starts its next round.
        NodeRepeated "node_repeated",
        /// A node runs again after its dead letter was requeued.
        NodeRequeued "node_requeued",
        /// A node has completed.
        NodeCompleted "node_completed",
        /// A node was not run.
        NodeSkipped "node_skipped",
        /// A node has failed for good.
        NodeFailed "node_failed",
        /// A child of a node has failed.
        NodeChildFailed "node_child_failed",
        /// A node is cancelled.
        NodeCancelled "node_cancelled",
        /// A node is undone.
        NodeCompensated "node_compensated",
        /// A node cannot be undone.
        CompensationFailed "compensation_failed",
        /// A signal has come in.
        SignalReceived "signal_received",
        /// A user task was not completed in time and has gone to others.
        UserTaskEscalated "user_task_escalated",
    }
}

/// A line of the timeline.
#[derive(Debug, Clone, PartialEq)]
pub struct TimelineEvent {
    /// What happened.
    pub kind: TimelineEventKind,
    /// The node it is about.
    pub node: Option<NodeId>,
    /// A sentence more, where it helps.
    pub detail: Option<String>,
    /// When it happened.
    pub at: Timestamp,
}
