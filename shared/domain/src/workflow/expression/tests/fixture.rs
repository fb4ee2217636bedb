//! A scope to evaluate in.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use uuid::Uuid;

use crate::id::ExecutionId;
use crate::names::{NodeId, TenantName, WorkflowName};
use crate::queue::Tier;
use crate::time::Timestamp;
use crate::workflow::execution::{
    ExecutionContext, ExecutionState, ExecutionStatus, NodeState, NodeStatus, Outputs,
};
use crate::workflow::expression::{EXPRESSION_BYTES_MAX, EvaluationError, Expression, Scope};

pub(super) fn context(input: Value) -> ExecutionContext {
    ExecutionContext {
        id: ExecutionId::from_uuid(Uuid::from_u128(7)),
        tenant: TenantName::trusted("acme"),
        workflow: WorkflowName::trusted("orders"),
        version: 3,
        tier: Tier::Normal,
        input,
        created_at: Timestamp(0),
    }
}

pub(super) fn state() -> ExecutionState {
    let node = |status| NodeState { status, ..NodeState::pending(0) };
    let nodes = BTreeMap::from([
        (NodeId::trusted("charge"), node(NodeStatus::Completed)),
        (NodeId::trusted("credit-score"), node(NodeStatus::Completed)),
        (NodeId::trusted("left"), node(NodeStatus::Skipped)),
    ]);
    ExecutionState {
        status: ExecutionStatus::Running,
        nodes,
        steps: 0,
        nodes_open: 0,
        started_at: Some(Timestamp(0)),
        deadline_at: None,
        error: None,
    }
}

pub(super) fn outputs() -> Outputs {
    BTreeMap::from([
        (
            NodeId::trusted("charge"),
            json!({"total": 1000.5, "whole": 1001, "lines": [{"sku": "a"}, {"sku": "b"}]}),
        ),
        (NodeId::trusted("credit-score"), json!(720)),
    ])
}

pub(super) fn evaluate_on(input: Value, source: &str) -> Result<Value, EvaluationError> {
    let (context, state, outputs) = (context(input), state(), outputs());
    let expression = Expression::compile(source, EXPRESSION_BYTES_MAX).expect(source);
    expression.evaluate(&Scope { context: &context, state: &state, outputs: &outputs })
}

pub(super) fn evaluate(source: &str) -> Result<Value, EvaluationError> {
    let input = json!({
        "name": "Ada", "count": 3, "big": u64::MAX, "price": 2.5, "yes": true, "none": null,
        "tags": ["x", "y"], "deep": {"a": {"b": [10, {"c": "end"}]}}, "a-b": 1, "ref": "refs/heads/main",
    });
    evaluate_on(input, source)
}
