//! The stored form of an execution's state: MessagePack with field names. Outputs are not part of it.
//!
//! Names, not positions: optional fields are left out where they are empty, and later versions may add fields. Nodes
//! that nothing has happened to are left out as well: the definition says that they are PENDING.

use crate::workflow::definition::Definition;
use crate::workflow::execution::ExecutionState;

/// Why a snapshot could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// The state cannot be encoded.
    #[error("the execution's state cannot be encoded")]
    Encode(#[from] rmp_serde::encode::Error),
    /// The bytes are no snapshot.
    #[error("the stored execution state cannot be read")]
    Decode(#[from] rmp_serde::decode::Error),
}

impl ExecutionState {
    /// The bytes to store.
    pub fn to_snapshot(&self) -> Result<Vec<u8>, SnapshotError> {
        Ok(rmp_serde::to_vec_named(self)?)
    }

    /// What stands in stored bytes: enough to be shown. Nodes that are not there are PENDING; an execution goes on
    /// from [`restore`](Self::restore).
    pub fn from_snapshot(bytes: &[u8]) -> Result<Self, SnapshotError> {
        Ok(rmp_serde::from_slice(bytes)?)
    }

    /// The state in stored bytes, with the nodes that were left out.
    pub fn restore(bytes: &[u8], definition: &Definition) -> Result<Self, SnapshotError> {
        let mut state = Self::from_snapshot(bytes)?;
        state.fill(definition);
        Ok(state)
    }
}
