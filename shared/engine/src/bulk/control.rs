//! Look at bulk operations; pause, resume and abort them.

use domain::access::{Permission, TenantScope};
use domain::bulk::BulkVerb;
use domain::id::BatchId;
use store::batches::{BatchItem, BatchRecord, BatchStatus, ItemOutcome};

use crate::audit::AuditedAction;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::erasure::ERASE_KIND;
use crate::error::EngineError;

/// An object of a batch, and what its batch does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchItemLine {
    /// What became of it.
    pub item: BatchItem,
    /// What the batch does.
    pub verb: Option<BulkVerb>,
}

impl Engine {
    /// A bulk operation and how far it is.
    pub async fn batch(&self, caller: &Caller, id: BatchId) -> Result<BatchRecord, EngineError> {
        caller.require(Permission::Read)?;
        let found = self.store().batch(&caller.scope, id).await?;
        found.ok_or_else(|| EngineError::not_found("batch", &id))
    }

    /// Objects that have had their turn, in order, after a position.
    pub async fn batch_items(
        &self,
        caller: &Caller,
        id: BatchId,
        outcomes: &[ItemOutcome],
        after: i64,
        limit: u32,
    ) -> Result<Vec<BatchItemLine>, EngineError> {
        let batch = self.batch(caller, id).await?;
        let verb = BulkVerb::ALL.into_iter().find(|verb| verb.as_str() == batch.kind);
        let items = self.store().batch_items(id, outcomes, after, limit).await?;
        Ok(items.into_iter().map(|item| BatchItemLine { item, verb }).collect())
    }

    /// Stops a bulk operation: what is done stays done. Whoever carries it out stops within a second.
    pub async fn abort_batch(&self, caller: &Caller, id: BatchId) -> Result<BatchRecord, EngineError> {
        if self.batch(caller, id).await?.kind == ERASE_KIND {
            let message = "A tenant of which a part is erased cannot be kept: pause it instead.".to_owned();
            return Err(EngineError::Conflict { code: "batch_not_abortable", message });
        }
        let to = (BatchStatus::Aborted, Some("operator"));
        self.turn_batch(caller, id, (&BatchStatus::OPEN, to), "batch.abort").await
    }

    /// Holds a bulk operation until it is resumed. Whoever carries it out stops within a second.
    pub async fn pause_batch(&self, caller: &Caller, id: BatchId) -> Result<BatchRecord, EngineError> {
        let to = (BatchStatus::Paused, Some("operator"));
        self.turn_batch(caller, id, (&[BatchStatus::Running], to), "batch.pause").await
    }

    /// Lets a paused bulk operation go on, after its canary too. Whoever carries it out sees it within two seconds.
    pub async fn resume_batch(&self, caller: &Caller, id: BatchId) -> Result<BatchRecord, EngineError> {
        let to = (BatchStatus::Running, None);
        self.turn_batch(caller, id, (&[BatchStatus::Paused], to), "batch.resume").await
    }

    async fn turn_batch(
        &self,
        caller: &Caller,
        id: BatchId,
        (from, to): (&[BatchStatus], (BatchStatus, Option<&str>)),
        action: &'static str,
    ) -> Result<BatchRecord, EngineError> {
        caller.require(Permission::Operate)?;
        let batch = self.batch(caller, id).await?;
        let audited = AuditedAction::new(action, &id).of(batch.tenant.clone());
        let mut recording = self.recording(caller, audited);
        if !recording.of(self.store().move_batch(id, from, to, self.now())).await? {
            let now = self.store().batch(&TenantScope::All, id).await?.map_or(batch.status, |now| now.status);
            return Err(EngineError::Conflict {
                code: "batch_not_running",
                message: format!("The bulk operation is {}: it cannot be {}.", now.as_str(), to.0.as_str()),
            });
        }
        self.recorded(recording).await;
        self.batch(caller, id).await
    }
}
