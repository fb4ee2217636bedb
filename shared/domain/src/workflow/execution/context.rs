//! What of an execution never changes while it runs.

use serde_json::Value;

use crate::id::ExecutionId;
use crate::names::{TenantName, WorkflowName};
use crate::queue::Tier;
use crate::time::Timestamp;
use crate::workflow::expression::Allowance;

/// What of an execution never changes while it runs. In scope of every expression.
#[derive(Debug, Clone, PartialEq)]
pub struct ExecutionContext {
    /// Its id; ids of its jobs are derived from it.
    pub id: ExecutionId,
    /// Its tenant.
    pub tenant: TenantName,
    /// The workflow's name.
    pub workflow: WorkflowName,
    /// The version it was started on and finishes on.
    pub version: u32,
    /// The tier of the execution; nodes without a priority of their own take it.
    pub tier: Tier,
    /// The input.
    pub input: Value,
    /// When it was accepted.
    pub created_at: Timestamp,
    /// How deep it is among children of children; 0 for one that no execution started.
    pub depth: u32,
    /// What callback addresses are made of.
    pub callbacks: CallbackBase,
    /// What is left for the expressions of the present step. It is renewed from outside, and changes nothing but where a step
    /// ends and which expressions are refused.
    pub allowance: Allowance,
}

/// What the callback addresses of `WAIT_WEBHOOK` nodes are made of.
#[derive(Clone, PartialEq, Eq)]
pub struct CallbackBase {
    /// The public address of the server without a slash at the end; empty for addresses that are only a path.
    pub url: String,
    /// The cluster's secret key: an address carries a MAC, so that none can be guessed.
    pub key: [u8; 32],
}

impl std::fmt::Debug for CallbackBase {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("CallbackBase").field("url", &self.url).finish_non_exhaustive()
    }
}
