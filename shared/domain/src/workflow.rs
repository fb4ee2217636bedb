//! Workflows: what a definition says, and how an execution of it moves on.
//!
//! `definition` holds the types, `parse` reads and checks text, `schema` is its form for editors, `graph_text` its
//! picture, `expression` evaluates CEL, `execution` holds the state of one run, `snapshot` its stored form, `states`
//! what it went through, `callback` makes and checks callback addresses, `rerun` begins another run where an earlier
//! one stood, `simulate` runs a definition on paper, `unique` decides about starts with a key, and `advance` is the one
//! function that moves it. Here are the names of what stands in a state besides nodes. Nothing here enqueues or stores
//! anything: the effects that `advance` returns are carried out by the shell.

pub mod advance;
pub mod callback;
pub mod definition;
pub mod execution;
pub mod expression;
pub mod graph_text;
pub mod parse;
pub mod rerun;
pub mod schema;
pub mod simulate;
pub mod snapshot;
pub mod states;
pub mod unique;

use crate::names::NodeId;

// The names of what an execution's state holds besides nodes: items of a `MAP`, and compensations.
//
// Node ids cannot contain brackets or colons, so these keys never collide with one. They are used wherever a node id
// is: in the state, in jobs, in results and in the inbox.

/// What a key names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeKey {
    /// A node.
    Node(NodeId),
    /// An item of a `MAP`: `notify[17]`.
    Item {
        /// The `MAP`.
        node: NodeId,
        /// Which item, from 0.
        index: u32,
    },
    /// The compensation of a node: `charge:compensate`.
    Compensation(NodeId),
}

/// What follows the id of a node in the key of its compensation.
const COMPENSATION: &str = ":compensate";

impl NodeKey {
    /// What this key names.
    pub fn of(key: &NodeId) -> Self {
        let text = key.as_str();
        if let Some(node) = text.strip_suffix(COMPENSATION) {
            return Self::Compensation(NodeId::trusted(node));
        }
        let item = text.strip_suffix(']').and_then(|text| text.split_once('['));
        match item.and_then(|(node, index)| Some((node, index.parse().ok()?))) {
            Some((node, index)) => Self::Item { node: NodeId::trusted(node), index },
            None => Self::Node(key.clone()),
        }
    }

    /// The node of the definition that this belongs to.
    pub fn node(&self) -> &NodeId {
        match self {
            Self::Node(node) | Self::Item { node, .. } | Self::Compensation(node) => node,
        }
    }
}

/// The key of an item of a `MAP`.
pub fn item_key(node: &NodeId, index: u32) -> NodeId {
    NodeId::trusted(format!("{node}[{index}]"))
}

/// The key of the compensation of a node.
pub fn compensation_key(node: &NodeId) -> NodeId {
    NodeId::trusted(format!("{node}{COMPENSATION}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_as_they_were_made() {
        let node = NodeId::trusted("credit-score");
        assert_eq!(NodeKey::of(&node), NodeKey::Node(node.clone()));
        let item = NodeKey::Item { node: node.clone(), index: 17 };
        assert_eq!(NodeKey::of(&item_key(&node, 17)), item);
        assert_eq!(NodeKey::of(&compensation_key(&node)), NodeKey::Compensation(node));
    }
}
