//! Another run of an execution that has ended, from a chosen node on.
//!
//! Completed nodes never run again: a rerun is an execution of its own that begins with the results of the nodes that
//! do not come after the chosen one.

use crate::names::NodeId;
use crate::workflow::definition::Definition;
use crate::workflow::execution::{ExecutionState, NodeState, NodeStatus, Refusal};

/// The state that a rerun begins with, and the nodes whose latest results it takes over.
#[derive(Debug, Clone, PartialEq)]
pub struct Rerun {
    /// PENDING; the nodes that are taken over are settled as they were, all others PENDING.
    pub state: ExecutionState,
    /// The COMPLETED nodes whose results are taken over.
    pub kept: Vec<NodeId>,
}

/// Plans a rerun from `from` on: it and all that come after it start again, and so does whatever had not completed or
/// was undone, with all that comes after that. Nodes of `onFailure` cannot be chosen, and none of them is taken over.
///
/// Should the rerun fail, it undoes what it did itself, and with `undoes_original` what it took over as well.
pub fn plan_rerun(
    definition: &Definition,
    ended: &ExecutionState,
    from: &NodeId,
    undoes_original: bool,
) -> Result<Rerun, Refusal> {
    let chosen = definition.graph.index.get(from).copied().filter(|&index| !definition.is_on_failure(index));
    let Some(chosen) = chosen else {
        return Err(Refusal::UnknownNode(from.clone()));
    };
    let starts_again = starting_again(definition, ended, chosen);
    let mut state = ExecutionState::new(definition);
    state.completions = ended.completions;
    let mut kept = Vec::new();
    for (index, node) in definition.nodes.iter().enumerate() {
        let Some(old) = ended.nodes.get(&node.id).filter(|_| !starts_again[index]) else {
            continue;
        };
        if old.status == NodeStatus::Completed {
            kept.push(node.id.clone());
        }
        let taken = NodeState {
            status: old.status,
            round: old.round,
            attempts: old.attempts,
            started_at: old.started_at,
            finished_at: old.finished_at,
            error: old.error.clone(),
            completed_as: old.completed_as,
            is_taken_over: !undoes_original && old.status == NodeStatus::Completed,
            ..NodeState::pending(0)
        };
        state.nodes.insert(node.id.clone(), taken);
    }
    state.recount(definition);
    Ok(Rerun { state, kept })
}

/// For each node whether it starts again.
fn starting_again(definition: &Definition, ended: &ExecutionState, chosen: usize) -> Vec<bool> {
    let is_done = |index: usize| {
        let state = ended.nodes.get(&definition.nodes[index].id);
        state.is_some_and(|state| match state.status {
            NodeStatus::Completed => !state.is_undone,
            status => status == NodeStatus::Skipped,
        })
    };
    let mut starts_again = vec![false; definition.nodes.len()];
    let mut next: Vec<usize> = (0..definition.nodes.len())
        .filter(|&index| index == chosen || definition.is_on_failure(index) || !is_done(index))
        .collect();
    while let Some(index) = next.pop() {
        if !std::mem::replace(&mut starts_again[index], true) {
            next.extend(&definition.graph.dependents[index]);
        }
    }
    starts_again
}
