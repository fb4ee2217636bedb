//! What the holder of a lease is answered, whether an outside caller may speak for it, and heartbeats.

mod heartbeats;

use std::sync::Arc;

use domain::access::{Permission, TenantScope};
use domain::queue::QueueName;
use domain::time::Timestamp;
use store::jobs::{LeaseAnswer, LeaseExtension, LeaseRef};

use crate::bounds::{Faults, check_batch};
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::jobs::reports::{Rejection, in_order_of, split};

pub(crate) use heartbeats::{HeartbeatSink, Shown};

impl Engine {
    /// Looks at leases that an outside caller shows. Jobs of executions are settled by their owner alone, whoever
    /// shows a token.
    pub(crate) async fn shown_leases(
        &self,
        caller: &Caller,
        leases: &[LeaseRef],
    ) -> Result<Vec<Shown>, EngineError> {
        let leased = self.store().leased_jobs(leases).await?;
        let mut shown = Vec::with_capacity(leases.len());
        for (lease, job) in leases.iter().zip(leased) {
            shown.push(match job {
                Some(job) if job.queue == QueueName::Execution || !caller.scope.allows(&job.tenant) => {
                    Shown::Foreign
                }
                Some(job) => Shown::Held(Box::new(job)),
                None if self.may_know(&caller.scope, *lease).await? => Shown::Past,
                None => Shown::Foreign,
            });
        }
        Ok(shown)
    }

    /// The leases that hold no more, of those that a worker on a stream holds.
    pub async fn ended_leases(&self, leases: &[LeaseRef]) -> Result<Vec<LeaseRef>, EngineError> {
        let leased = self.store().leased_jobs(leases).await?;
        Ok(leases.iter().zip(leased).filter(|(_, job)| job.is_none()).map(|(lease, _)| *lease).collect())
    }

    async fn may_know(&self, scope: &TenantScope, lease: LeaseRef) -> Result<bool, EngineError> {
        Ok(match scope {
            TenantScope::All => true,
            TenantScope::One(_) => self.store().job(scope, lease.id).await?.is_some(),
        })
    }
}

// Heartbeat: an outside worker renews its leases and says how far it is.

impl Engine {
    /// Renews leases and answers in order, with the new ends. A heartbeat that is out of bounds renews nothing and is
    /// rejected alone.
    pub async fn heartbeat(
        &self,
        caller: &Caller,
        items: Vec<LeaseExtension>,
    ) -> Result<Vec<Result<LeaseAnswer<Timestamp>, Rejection>>, EngineError> {
        caller.require(Permission::Work)?;
        check_batch(items.len(), self.policy().batch_max, "/jobs")?;
        let (items, order) = split(items, |item, faults| self.check_extension(item, faults));
        let is_held = self.may_renew(caller, &items).await?;
        let allowed: Vec<LeaseExtension> =
            items.into_iter().zip(&is_held).filter_map(|(item, &is_held)| is_held.then_some(item)).collect();
        let answers = self.extend(&allowed).await?;
        Ok(order.answers(in_order_of(is_held, answers)))
    }

    /// Renews leases of our own pools. Answers in order, with the new ends.
    pub async fn extend(&self, items: &[LeaseExtension]) -> Result<Vec<LeaseAnswer<Timestamp>>, EngineError> {
        match items {
            [] => Ok(Vec::new()),
            [item] => {
                let sink =
                    || HeartbeatSink { store: Arc::clone(self.store()), clock: Arc::clone(self.clock()) };
                Ok(vec![self.memory().heartbeats.commit(item.clone(), sink).await?])
            }
            items => Ok(self.store().extend_leases(items, self.now()).await?),
        }
    }

    async fn may_renew(&self, caller: &Caller, items: &[LeaseExtension]) -> Result<Vec<bool>, EngineError> {
        if caller.scope == TenantScope::All {
            return Ok(vec![true; items.len()]);
        }
        let leases: Vec<LeaseRef> = items.iter().map(|item| item.lease).collect();
        let shown = self.shown_leases(caller, &leases).await?;
        // A lease that holds no more is shown to the store as well: it may say that the job was cancelled.
        Ok(shown.iter().map(|shown| !matches!(shown, Shown::Foreign)).collect())
    }

    fn check_extension(&self, item: &LeaseExtension, faults: &mut Faults) {
        let policy = self.policy();
        if let Some(extend) = item.extend {
            faults.within("/extend", extend, policy.lease_min, policy.lease_max);
        }
        if let Some(progress) = &item.progress {
            faults.progress("/progress", progress);
        }
    }
}
