//! What the holder of a lease is answered, and whether an outside caller may speak for a lease.

use domain::access::TenantScope;
use domain::queue::QueueName;
use store::jobs::{LeaseAnswer, LeaseRef, LeasedJob};

use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

/// What became of a write that carries a lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeaseOutcome {
    /// Done.
    Ok,
    /// It was done before, in the same way.
    AlreadyDone,
    /// The job was cancelled under this lease. Nothing was written.
    Cancelled,
    /// The lease is gone. Nothing was written.
    LeaseLost,
}

impl LeaseOutcome {
    /// The public name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::AlreadyDone => "already_done",
            Self::Cancelled => "cancelled",
            Self::LeaseLost => "lease_lost",
        }
    }

    pub(crate) const fn of<T>(answer: &LeaseAnswer<T>) -> Self {
        match answer {
            LeaseAnswer::Ok(_) => Self::Ok,
            LeaseAnswer::AlreadyDone => Self::AlreadyDone,
            LeaseAnswer::Cancelled => Self::Cancelled,
            LeaseAnswer::LeaseLost => Self::LeaseLost,
        }
    }
}

/// What is known of a lease that an outside caller shows.
pub(crate) enum Shown {
    /// It holds, and the caller may speak for it.
    Held(Box<LeasedJob>),
    /// It holds no more, and the job is one that the caller may know of: the store answers whether this is a repeat.
    Past,
    /// The job is none of the caller's.
    Foreign,
}

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
