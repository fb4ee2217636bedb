//! The public statuses of executions and nodes.

use serde::{Deserialize, Serialize};

/// The public status of an execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum ExecutionStatus {
    /// Accepted, not yet started.
    Pending,
    /// Under way.
    Running,
    /// Parked until a timer, a signal, a person or a child.
    Waiting,
    /// Done.
    Completed,
    /// Failed; can be retried from the failed nodes.
    Failed,
    /// Cancelled.
    Cancelled,
    /// Undoing what completed before it fails.
    Compensating,
}

impl ExecutionStatus {
    /// All states.
    pub const ALL: [Self; 7] = [
        Self::Pending,
        Self::Running,
        Self::Waiting,
        Self::Completed,
        Self::Failed,
        Self::Cancelled,
        Self::Compensating,
    ];

    /// The public and stored name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "PENDING",
            Self::Running => "RUNNING",
            Self::Waiting => "WAITING",
            Self::Completed => "COMPLETED",
            Self::Failed => "FAILED",
            Self::Cancelled => "CANCELLED",
            Self::Compensating => "COMPENSATING",
        }
    }

    /// The status with this name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }

    /// Whether the execution has ended.
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

words! {
    /// The public status of a node.
    NodeStatus {
        /// Waits for its dependencies.
        Pending "PENDING",
        /// Its job is queued or processed.
        Running "RUNNING",
        /// Waits for something outside.
        Waiting "WAITING",
        /// Its job waits for its next try. Never stored in the state: read from the job.
        RetryWait "RETRY_WAIT",
        /// Done.
        Completed "COMPLETED",
        /// Not run.
        Skipped "SKIPPED",
        /// Failed for good.
        Failed "FAILED",
        /// Cancelled with the execution, or because a sibling failed.
        Cancelled "CANCELLED",
    }
}

impl NodeStatus {
    /// Whether the node is done with, for those that depend on it.
    pub const fn is_settled(self) -> bool {
        matches!(self, Self::Completed | Self::Skipped | Self::Failed | Self::Cancelled)
    }
}
