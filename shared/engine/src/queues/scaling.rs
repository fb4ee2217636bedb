//! How many slots would be of use on a queue, for those who start and stop workers.

use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::access::{Permission, TenantScope};
use domain::names::{JobType, TenantName};
use domain::queue::{LaneKey, QueueName};
use domain::scaling::{QueueLoad, Scaling, Selection};
use domain::time::{DurationMs, Timestamp};
use domain::workflow::execution::JOB_TYPE_RESERVED_PREFIX;
use store::operations::WorkerRecord;

use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

/// How long what was read is shown. Whoever asks meanwhile waits for the reading that is under way.
const SHOWN_FOR: Duration = Duration::from_millis(800);

/// A worker that was seen within this span counts as there.
const WORKER_SEEN_WITHIN: DurationMs = DurationMs::from_secs(60);
/// A worker that holds jobs may be too busy to poll, and counts as there for longer.
const WORKER_BUSY_WITHIN: DurationMs = DurationMs::from_secs(3_600);
/// How many workers are looked through.
const WORKERS_MAX: u32 = 1_000;

/// How many slots would be of use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScalingView {
    /// The queue.
    pub queue: QueueName,
    /// What waits and runs.
    pub scaling: Scaling,
    /// Jobs that wait without a worker that takes their type.
    pub no_worker: u64,
    /// Workers that take jobs of these types. Our own pools are not among them.
    pub workers: u64,
    /// Whether everything that waits was counted.
    pub is_exact: bool,
    /// When it was read.
    pub as_of: Timestamp,
}

impl Engine {
    /// How many slots would be of use on a queue, for jobs of a tenant and of some types, or of all that the caller sees.
    pub async fn scaling(
        &self,
        caller: &Caller,
        queue: QueueName,
        mut selection: Selection,
    ) -> Result<ScalingView, EngineError> {
        caller.require(Permission::Read)?;
        if let Some(tenant) = selection.tenant.as_ref().or(caller.scope.tenant())
            && !caller.scope.allows(tenant)
        {
            return Err(EngineError::not_found("tenant", tenant));
        }
        selection.tenant = selection.tenant.or_else(|| caller.scope.tenant().cloned());
        let load = self.queue_load(queue).await?;
        let workers = if queue == QueueName::Node { self.present_workers().await? } else { Vec::new() };
        let selected = load.lanes.iter().filter(|lane| selection.has(&lane.key));
        let without = selected.filter(|lane| !self.is_taken(queue, &lane.key, &workers));
        Ok(ScalingView {
            queue,
            scaling: load.scaling(&selection),
            no_worker: without.map(|lane| lane.queued + lane.blocked).sum(),
            workers: workers.iter().filter(|worker| takes_any(worker, &selection)).count() as u64,
            is_exact: load.is_exact,
            as_of: load.as_of,
        })
    }

    /// What waits and runs in a queue of all tenants, at most a second old.
    pub async fn queue_load(&self, queue: QueueName) -> Result<Arc<QueueLoad>, EngineError> {
        let mut kept = self.memory().loads.0[queue.code() as usize].lock().await;
        if let Some((read_at, load)) = &*kept
            && read_at.elapsed() < SHOWN_FOR
        {
            return Ok(Arc::clone(load));
        }
        let read_at = Instant::now();
        let load = Arc::new(self.store().queue_load(queue, self.now()).await?);
        *kept = Some((read_at, Arc::clone(&load)));
        Ok(load)
    }

    /// Workers that were seen lately, or hold jobs, and are not drained.
    pub async fn present_workers(&self) -> Result<Vec<WorkerRecord>, EngineError> {
        let (since, busy_since) =
            (self.now().minus(WORKER_SEEN_WITHIN), self.now().minus(WORKER_BUSY_WITHIN));
        let mut workers = self.store().list_workers(&TenantScope::All, busy_since, WORKERS_MAX).await?;
        workers.retain(|worker| {
            worker.draining_at.is_none() && (worker.last_seen_at >= since || worker.leased > 0)
        });
        Ok(workers)
    }

    /// Lanes of `workflow-node` whose jobs nobody takes, and since when the oldest has waited.
    pub(crate) async fn lanes_without_worker(
        &self,
        load: &QueueLoad,
    ) -> Result<Vec<(LaneKey, Timestamp)>, EngineError> {
        let workers = self.present_workers().await?;
        let waiting = load.lanes.iter().filter(|lane| lane.queued > 0);
        let without = waiting.filter(|lane| !self.is_taken(QueueName::Node, &lane.key, &workers));
        Ok(without.filter_map(|lane| Some((lane.key.clone(), lane.oldest_at?))).collect())
    }

    /// Whether somebody takes the jobs of a lane: our own pools take every job of their queues, and on `workflow-node` our own
    /// job types. `workers` are those that are stored: all nodes answer alike, whoever saw a worker. Where jobs are pushed,
    /// workers name their types to the broker alone: who takes none shows in the offers that return.
    fn is_taken(&self, queue: QueueName, key: &LaneKey, workers: &[WorkerRecord]) -> bool {
        queue != QueueName::Node
            || self.policy().dispatch.is_some()
            || key.job_type.as_str().starts_with(JOB_TYPE_RESERVED_PREFIX)
            || workers.iter().any(|worker| takes(worker, &key.tenant, &key.job_type))
    }
}

fn takes(worker: &WorkerRecord, tenant: &TenantName, job_type: &JobType) -> bool {
    worker.job_types.contains(job_type) && worker.tenant.as_ref().is_none_or(|bound| bound == tenant)
}

fn takes_any(worker: &WorkerRecord, selection: &Selection) -> bool {
    let of_tenant = match (&worker.tenant, &selection.tenant) {
        (Some(bound), Some(wanted)) => bound == wanted,
        _ => true,
    };
    let of_type = |types: &Vec<JobType>| types.iter().any(|job_type| worker.job_types.contains(job_type));
    worker.kind == "external" && of_tenant && selection.job_types.as_ref().is_none_or(of_type)
}
