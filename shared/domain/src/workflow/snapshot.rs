//! The stored form of an execution's state: MessagePack with field names. Outputs are not part of it.
//!
//! Names, not positions: optional fields are left out where they are empty, and later versions may add fields, which are
//! passed over here. What a version cannot go on from has a later number ([`STATE_FORMAT`]): it is left to a version that
//! can. Nodes that nothing has happened to are left out as well: the definition says that they are PENDING.

use serde::Deserialize;

use crate::workflow::definition::Definition;
use crate::workflow::execution::{ExecutionState, STATE_FORMAT};

/// Why a snapshot could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// The state cannot be encoded.
    #[error("the execution's state cannot be encoded")]
    Encode(#[from] rmp_serde::encode::Error),
    /// A later version wrote it.
    #[error("the stored execution state has format {format}; this version reads up to {STATE_FORMAT}")]
    Later {
        /// Its number.
        format: u32,
    },
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
        let read: Result<Self, _> = rmp_serde::from_slice(bytes);
        let format = read.as_ref().map_or_else(|_| format_of(bytes), |state| state.format);
        if format > STATE_FORMAT {
            return Err(SnapshotError::Later { format });
        }
        Ok(Self { format: STATE_FORMAT, ..read? })
    }

    /// The state in stored bytes, with the nodes that were left out.
    pub fn restore(bytes: &[u8], definition: &Definition) -> Result<Self, SnapshotError> {
        let mut state = Self::from_snapshot(bytes)?;
        state.fill(definition);
        Ok(state)
    }
}

/// The number alone, of a state that cannot be read otherwise.
fn format_of(bytes: &[u8]) -> u32 {
    #[derive(Deserialize)]
    struct Head {
        #[serde(default)]
        format: u32,
    }
    rmp_serde::from_slice::<Head>(bytes).map_or(0, |head| head.format)
}
