//! What executions may take up.

use domain::time::DurationMs;
use serde::{Deserialize, Serialize};

use crate::values::ByteSize;

/// Bounds of workflows and their executions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WorkflowSettings {
    /// The most nodes that a definition lists.
    pub nodes_max: u32,
    /// How many levels of executions may start executions.
    pub child_depth_max: u32,
    /// The largest state of an execution, its outputs included.
    pub state_size: ByteSize,
    /// An execution that only waits gives its slot back, unless the clock lets it go on within this span.
    pub park_after: DurationMs,
}

impl Default for WorkflowSettings {
    fn default() -> Self {
        Self {
            nodes_max: 1_000,
            child_depth_max: 8,
            state_size: ByteSize::mebibytes(16),
            park_after: DurationMs(200),
        }
    }
}
