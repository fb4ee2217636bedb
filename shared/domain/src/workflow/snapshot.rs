//! The stored form of an execution's state: MessagePack with field names. Outputs are not part of it.
//!
//! Names, not positions: optional fields are left out where they are empty, and later versions may add fields.

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

    /// The state in stored bytes.
    pub fn from_snapshot(bytes: &[u8]) -> Result<Self, SnapshotError> {
        Ok(rmp_serde::from_slice(bytes)?)
    }
}
