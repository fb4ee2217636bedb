//! Bulk operations: one engine for all that is done to many objects. A batch is a row; its objects are listed first, each is
//! changed in one commit with its entry (dead letters many in one), at the pace asked for, and another process goes on where one
//! died.

mod change;
mod page;
mod request;
mod run;
mod start;
mod together;

use std::collections::HashMap;

use domain::access::{Permission, TenantScope};
use domain::bulk::BulkVerb;
use domain::id::{BatchId, Id};
use domain::job::JobStatus;
use domain::problem::ProblemCode;
use domain::webhook::DeliveryStatus;
use domain::workflow::execution::ExecutionStatus;
use store::batches::{BatchItem, BatchRecord, BatchStatus, ItemOutcome, OpenItem};
use uuid::Uuid;

use crate::audit::AuditedAction;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::erasure::ERASE_KIND;
use crate::error::EngineError;
use run::Running;

pub use request::{BulkAction, BulkAnswer, BulkRequest, BulkTarget, Samples};
// Look at bulk operations; pause, resume and abort them.

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
        let verb = BulkVerb::parse(&batch.kind);
        let items = self.store().batch_items(id, outcomes, after, limit).await?;
        Ok(items.into_iter().map(|item| BatchItemLine { item, verb }).collect())
    }

    /// Stops a bulk operation: what is done stays done. Whoever carries it out stops within a second.
    pub async fn abort_batch(&self, caller: &Caller, id: BatchId) -> Result<BatchRecord, EngineError> {
        if self.batch(caller, id).await?.kind == ERASE_KIND {
            let message = "The erasure of a tenant cannot be aborted: pause it instead.".to_owned();
            return Err(EngineError::Conflict { code: ProblemCode::BatchNotAbortable, message });
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
                code: ProblemCode::BatchNotRunning,
                message: format!("The bulk operation is {}: it cannot be {}.", now.as_str(), to.0.as_str()),
            });
        }
        self.recorded(recording).await;
        self.batch(caller, id).await
    }
}

// How what a batch started has ended.

/// How many are looked at at once.
const LOOKED_AT: u32 = 200;
/// How often in one step while nothing is changed; once while something is.
const LOOKS: u32 = 5;

impl Engine {
    /// Looks at the next of those whose outcome is not known, and at the first again after the last.
    async fn look_at_aftermath(&self, running: &mut Running) -> Result<(), EngineError> {
        let looks = if running.batch.status == BatchStatus::Running { 1 } else { LOOKS };
        for _ in 0..looks {
            if running.counts.pending > 0 {
                self.look_at_some(running).await?;
            }
            if running.looked_to == 0 {
                break;
            }
        }
        Ok(())
    }

    async fn look_at_some(&self, running: &mut Running) -> Result<(), EngineError> {
        let id = running.batch.id;
        let items = self.store().pending_items(id, running.looked_to, LOOKED_AT).await?;
        if items.is_empty() && running.looked_to == 0 {
            running.counts = self.store().count_items(id).await?;
            return Ok(());
        }
        running.looked_to =
            if items.len() < LOOKED_AT as usize { 0 } else { items.last().map_or(0, |item| item.position) };
        let ended = self.ended(running, &items).await?;
        let objects: Vec<(Uuid, bool)> =
            items.iter().filter_map(|item| Some((item.object, *ended.get(&item.result?)?))).collect();
        if objects.is_empty() {
            return Ok(());
        }
        self.store().resolve_items(id, &objects).await?;
        running.counts.pending = running.counts.pending.saturating_sub(objects.len() as u64);
        running.counts.ended_badly += objects.iter().filter(|(_, is_bad)| *is_bad).count() as u64;
        Ok(())
    }

    /// Which of these have ended, and whether badly. What is not kept any more has ended well.
    async fn ended(&self, running: &Running, items: &[OpenItem]) -> Result<HashMap<Uuid, bool>, EngineError> {
        let started: Vec<Uuid> = items.iter().filter_map(|item| item.result).collect();
        let mut ended: HashMap<Uuid, bool> = started.iter().map(|id| (*id, false)).collect();
        let (store, scope) = (self.store(), &running.scope);
        let mut look = |id: Uuid, is_ended: bool, is_bad: bool| {
            if is_ended {
                ended.insert(id, is_bad)
            } else {
                ended.remove(&id)
            };
        };
        match running.stored.verb {
            BulkVerb::RetryJobs | BulkVerb::RequeueDeadLetters => {
                for job in store.jobs_of(scope, &started).await? {
                    let is_bad = matches!(job.status, JobStatus::Failed | JobStatus::DeadLetter);
                    look(job.id.uuid(), job.status.is_terminal(), is_bad);
                }
            }
            BulkVerb::RetryExecutions | BulkVerb::RerunExecutions => {
                for execution in store.executions_of(scope, &started).await? {
                    let is_bad = execution.status == ExecutionStatus::Failed;
                    look(execution.id.uuid(), execution.status.is_terminal(), is_bad);
                }
            }
            BulkVerb::ReplayDeliveries => {
                for id in &started {
                    if let Some(delivery) = store.delivery(scope, Id::from_uuid(*id)).await? {
                        let is_open =
                            matches!(delivery.status, DeliveryStatus::Accepted | DeliveryStatus::Held);
                        look(*id, !is_open, delivery.status == DeliveryStatus::Parked);
                    }
                }
            }
            _ => {}
        }
        Ok(ended)
    }
}
