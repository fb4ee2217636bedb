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
    /// How many definitions, inputs and steps with expressions are worked on at once, those of calls and those of executions
    /// apart; 0 for as many as there are processors, and at least two.
    pub evaluation_threads: u32,
    /// How many of them may be of one tenant; 0 for half of them, and at least one.
    pub evaluation_threads_per_tenant: u32,
    /// How long a call waits for that, and how long the expressions of one step may take.
    pub evaluation_deadline: DurationMs,
    /// The most steps of one expression.
    pub expression_steps: u64,
    /// The most memory of the values that one expression makes.
    pub expression_memory: ByteSize,
    /// The most steps of all expressions of one step of an execution.
    pub step_expression_steps: u64,
    /// How much a step of an execution brings about before the rest is left to the next.
    pub step_size: ByteSize,
}

impl Default for WorkflowSettings {
    fn default() -> Self {
        Self {
            nodes_max: 1_000,
            child_depth_max: 8,
            state_size: ByteSize::mebibytes(16),
            park_after: DurationMs(200),
            evaluation_threads: 0,
            evaluation_threads_per_tenant: 0,
            evaluation_deadline: DurationMs::from_secs(10),
            expression_steps: 20_000_000,
            expression_memory: ByteSize::mebibytes(64),
            step_expression_steps: 100_000_000,
            step_size: ByteSize::mebibytes(8),
        }
    }
}
