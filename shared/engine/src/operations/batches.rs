//! Look at bulk operations and stop them.

use domain::access::Permission;
use domain::id::BatchId;
use store::operations::BatchRecord;

use crate::audit::AuditedAction;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

impl Engine {
    /// A bulk operation and how far it is.
    pub async fn batch(&self, caller: &Caller, id: BatchId) -> Result<BatchRecord, EngineError> {
        caller.require(Permission::Read)?;
        let found = self.store().batch(&caller.scope, id).await?;
        found.ok_or_else(|| EngineError::not_found("batch", &id))
    }

    /// Stops a bulk operation: what is done stays done. Whoever carries it out stops within a second.
    pub async fn abort_batch(&self, caller: &Caller, id: BatchId) -> Result<BatchRecord, EngineError> {
        caller.require(Permission::Operate)?;
        let batch = self.batch(caller, id).await?;
        let audited = AuditedAction::new("batch.abort", &id).of(batch.tenant.clone());
        let mut recording = self.recording(caller, audited);
        if !recording.of(self.store().end_batch(id, "aborted", self.now())).await? {
            return Err(EngineError::Conflict {
                code: "batch_not_running",
                message: format!("The bulk operation is {} and cannot be aborted.", batch.status),
            });
        }
        self.recorded(recording).await;
        self.batch(caller, id).await
    }
}
