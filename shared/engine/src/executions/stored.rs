//! States of executions as they are stored.

use domain::id::ExecutionId;
use domain::workflow::definition::Definition;
use domain::workflow::execution::ExecutionState;
use domain::workflow::snapshot::SnapshotError;
use store::StoreError;

use crate::error::EngineError;

/// Reads the state of an execution. Fails with [`StoreError::Later`] where a later version wrote it.
pub(super) fn restore(
    bytes: &[u8],
    definition: &Definition,
    id: ExecutionId,
) -> Result<ExecutionState, EngineError> {
    ExecutionState::restore(bytes, definition).map_err(|error| {
        let (table, column, row) = ("execution", "state", id.to_string());
        EngineError::Store(match error {
            SnapshotError::Later { .. } => StoreError::Later { table, column, row },
            SnapshotError::Encode(_) | SnapshotError::Decode(_) => StoreError::Corrupt { table, column, row },
        })
    })
}
