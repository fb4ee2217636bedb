//! A scope to evaluate in.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use uuid::Uuid;

use crate::id::ExecutionId;
use crate::names::{NodeId, TenantName, WorkflowName};
use crate::queue::Tier;
use crate::time::Timestamp;
use crate::workflow::callback::CallbackBase;
use crate::workflow::execution::{ExecutionContext, ExecutionState, Outputs};
use crate::workflow::expression::{
    Allowance, EXPRESSION_BYTES_MAX, EvaluationError, Expression, Local, Scope, Variables,
};

pub(super) fn context(input: Value) -> ExecutionContext {
    ExecutionContext {
        id: ExecutionId::from_uuid(Uuid::from_u128(7)),
        tenant: TenantName::trusted("acme"),
        workflow: WorkflowName::trusted("orders"),
        version: 3,
        tier: Tier::Normal,
        input,
        created_at: Timestamp(0),
        depth: 0,
        callbacks: CallbackBase { url: "https://jobs.example".to_owned(), key: [7; 32] },
        allowance: Allowance::default(),
    }
}

pub(super) fn state() -> ExecutionState {
    let state = json!({
        "status": "RUNNING", "nodes": {}, "steps": 0, "nodes_open": 0, "started_at": "1970-01-01T00:00:00Z",
    });
    let mut state: ExecutionState = serde_json::from_value(state).expect("a state");
    for (id, status) in [("charge", "COMPLETED"), ("credit-score", "COMPLETED"), ("left", "SKIPPED")] {
        let node = json!({"status": status, "round": 1, "waits_for": 0, "attempts": 1});
        state.nodes.insert(NodeId::trusted(id), serde_json::from_value(node).expect("a node's state"));
    }
    state
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

/// Evaluates where `item`, `index` and `error` are in scope.
pub(super) fn evaluate_local(local: Local<'_>, source: &str) -> Result<Value, EvaluationError> {
    let (context, state, outputs) = (context(json!({"n": 2})), state(), outputs());
    let variables = Variables { item: true, error: true, ..Variables::default() };
    let expression = Expression::compile_with(source, EXPRESSION_BYTES_MAX, variables).expect(source);
    expression.evaluate(&Scope { context: &context, state: &state, outputs: &outputs, local })
}

pub(super) fn evaluate_on(input: Value, source: &str) -> Result<Value, EvaluationError> {
    let (context, state, outputs) = (context(input), state(), outputs());
    let expression = Expression::compile(source, EXPRESSION_BYTES_MAX).expect(source);
    expression.evaluate(&Scope {
        context: &context,
        state: &state,
        outputs: &outputs,
        local: Local::default(),
    })
}

pub(super) fn evaluate(source: &str) -> Result<Value, EvaluationError> {
    let input = json!({
        "name": "Ada", "count": 3, "big": u64::MAX, "price": 2.5, "yes": true, "none": null,
        "tags": ["x", "y"], "deep": {"a": {"b": [10, {"c": "end"}]}}, "a-b": 1, "ref": "refs/heads/main",
    });
    evaluate_on(input, source)
}
