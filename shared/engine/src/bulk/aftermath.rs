//! How what a batch started has ended.

use std::collections::HashMap;

use domain::bulk::BulkVerb;
use domain::id::Id;
use domain::job::JobStatus;
use domain::workflow::execution::ExecutionStatus;
use store::batches::OpenItem;
use store::webhooks::DeliveryStatus;
use uuid::Uuid;

use super::run::Running;
use crate::engine::Engine;
use crate::error::EngineError;

/// How many are looked at in one step.
const PAGE: u32 = 200;

impl Engine {
    /// Looks at the next of those whose outcome is not known, and at the first again after the last.
    pub(super) async fn look_at_aftermath(&self, running: &mut Running) -> Result<(), EngineError> {
        let id = running.batch.id;
        let items = self.store().pending_items(id, running.looked_to, PAGE).await?;
        if items.is_empty() && running.looked_to == 0 {
            running.counts = self.store().count_items(id).await?;
            return Ok(());
        }
        running.looked_to =
            if items.len() < PAGE as usize { 0 } else { items.last().map_or(0, |item| item.position) };
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
