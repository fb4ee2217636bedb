//! How parts of the state are stored: keys that are no node ids, and what is left out.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::id::JobId;
use crate::names::NodeId;
use crate::workflow::execution::{NodeState, NodeStatus};

/// `nodes`: their keys can name items and compensations, which are no valid ids. Nodes that nothing has happened to
/// are left out; [`ExecutionState::restore`](crate::workflow::execution::ExecutionState::restore) makes them again.
pub(super) mod stored_nodes {
    use super::{BTreeMap, Deserialize, Deserializer, NodeId, NodeState, NodeStatus, Serializer};

    pub(in super::super) fn serialize<S: Serializer>(
        nodes: &BTreeMap<NodeId, NodeState>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let is_fresh = |state: &NodeState| state.status == NodeStatus::Pending && state.round == 0;
        // Collected, because MessagePack writes how many there are first.
        let kept: Vec<(&NodeId, &NodeState)> = nodes.iter().filter(|(_, state)| !is_fresh(state)).collect();
        serializer.collect_map(kept)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BTreeMap<NodeId, NodeState>, D::Error> {
        let nodes = BTreeMap::<String, NodeState>::deserialize(deserializer)?;
        Ok(nodes.into_iter().map(|(key, state)| (NodeId::trusted(key), state)).collect())
    }
}

/// `requeued`: its keys can name items.
pub(super) mod stored_requeued {
    use super::{Deserialize, Deserializer, JobId, NodeId, Serialize, Serializer};

    pub(in super::super) fn serialize<S: Serializer>(
        requeued: &[(NodeId, JobId)],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        requeued.serialize(serializer)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<(NodeId, JobId)>, D::Error> {
        let requeued = Vec::<(String, JobId)>::deserialize(deserializer)?;
        Ok(requeued.into_iter().map(|(key, job)| (NodeId::trusted(key), job)).collect())
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes what it asks about by reference")]
pub(super) const fn is_zero(number: &u32) -> bool {
    *number == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes what it asks about by reference")]
pub(super) const fn is_false(flag: &bool) -> bool {
    !*flag
}
