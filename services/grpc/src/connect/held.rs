//! Jobs that a worker has confirmed and not yet reported on. Now and then they are looked at: some may have been cancelled.

use std::collections::HashMap;

use domain::id::JobId;
use engine::{Caller, Engine, EngineError, LeaseOutcome};
use store::jobs::{LeaseExtension, LeaseRef};
use tokio::time::{Duration, Instant};

/// How many are looked at together.
const LOOKED_AT_ONCE: usize = 1_000;

/// Jobs of one worker.
#[derive(Default)]
pub(super) struct Held(HashMap<JobId, (LeaseRef, Instant)>);

/// A job that is not the worker's any more.
pub(super) struct Lost {
    pub(super) lease: LeaseRef,
    pub(super) reason: &'static str,
}

impl Held {
    pub(super) fn add(&mut self, lease: LeaseRef) {
        self.0.insert(lease.id, (lease, Instant::now()));
    }

    pub(super) fn remove(&mut self, id: JobId) {
        self.0.remove(&id);
    }

    /// Removes a job if it is held under this lease.
    pub(super) fn remove_lease(&mut self, lease: LeaseRef) -> bool {
        let is_same = self.0.get(&lease.id).is_some_and(|(held, _)| *held == lease);
        is_same && self.0.remove(&lease.id).is_some()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Those that were there for a while: most jobs end before anybody need look at them.
    pub(super) fn older_than(&self, age: Duration) -> Vec<LeaseRef> {
        let old = self.0.values().filter(|(_, since)| since.elapsed() >= age);
        old.map(|(lease, _)| *lease).take(LOOKED_AT_ONCE).collect()
    }
}

/// Which of these leases hold no more, and why.
pub(super) async fn lost(
    engine: &Engine,
    caller: &Caller,
    leases: &[LeaseRef],
) -> Result<Vec<Lost>, EngineError> {
    if leases.is_empty() {
        return Ok(Vec::new());
    }
    let ended = engine.ended_leases(leases).await?;
    if ended.is_empty() {
        return Ok(Vec::new());
    }
    // Nothing is renewed that has ended: the answer says why.
    let asked = ended.iter().map(|lease| LeaseExtension { lease: *lease, extend: None, progress: None });
    let outcomes = engine.heartbeat(caller, asked.collect()).await?;
    let lost = ended.into_iter().zip(outcomes).filter_map(|(lease, outcome)| match outcome {
        Ok((LeaseOutcome::Cancelled, _)) => Some(Lost { lease, reason: "cancelled" }),
        Ok((LeaseOutcome::LeaseLost, _)) => Some(Lost { lease, reason: "lease_lost" }),
        _ => None,
    });
    Ok(lost.collect())
}
