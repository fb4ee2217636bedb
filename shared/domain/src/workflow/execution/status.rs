//! The public statuses of executions and nodes.

words! {
    serde
    /// The public status of an execution.
    ExecutionStatus {
        /// Accepted, not yet started.
        Pending "PENDING",
        /// Under way.
        Running "RUNNING",
        /// Parked until a timer, a signal, a person or a child.
        Waiting "WAITING",
        /// Done.
        Completed "COMPLETED",
        /// Failed; can be retried from the failed nodes.
        Failed "FAILED",
        /// Cancelled.
        Cancelled "CANCELLED",
        /// Undoing what completed before it fails.
        Compensating "COMPENSATING",
    }
}

impl ExecutionStatus {
    /// Whether the execution has ended.
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

words! {
    serde
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

words! {
    /// Where a user task is.
    UserTaskStatus {
        /// Somebody has to do it.
        Open "open",
        /// Somebody completed it.
        Completed "completed",
        /// Nobody did it in time.
        TimedOut "timed_out",
        /// The execution went on, or ended, without it.
        Cancelled "cancelled",
    }
}
