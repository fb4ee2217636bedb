//! Release leases: what a pool gives back when it drains, and what an outside worker gives back or puts off, without an
//! attempt being consumed.

use domain::access::Permission;
use domain::queue::QueueName;
use domain::time::{DURATION_MAX, DurationMs};
use store::jobs::{GiveBack, LeaseRef};
use store::wakeup::Hint;

use crate::bounds::check_batch;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::jobs::leases::LeaseOutcome;
use crate::jobs::reports::{Rejection, split};
use crate::metrics;

/// A job that an outside worker gives back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReleaseItem {
    /// The job and its token.
    pub lease: LeaseRef,
    /// How long it waits before it may run again; not at all where absent.
    pub delay: Option<DurationMs>,
}

impl Engine {
    /// Gives leases back. Those that are gone already change nothing.
    pub async fn release(&self, leases: Vec<LeaseRef>) -> Result<(), EngineError> {
        let held: Vec<GiveBack> = leases.into_iter().map(GiveBack::from).collect();
        self.give_back(&held).await.map(|_| ())
    }

    /// The same for jobs that cannot be done now: each runs again after a while.
    pub async fn release_later(&self, leases: Vec<(LeaseRef, DurationMs)>) -> Result<(), EngineError> {
        let now = self.now();
        let back =
            |(lease, delay): (LeaseRef, DurationMs)| GiveBack { due: Some(now.plus(delay)), ..lease.into() };
        let held: Vec<GiveBack> = leases.into_iter().map(back).collect();
        self.give_back(&held).await.map(|_| ())
    }

    /// Gives back what an outside worker holds, in one commit. Answers in order; a delay that is out of bounds rejects its
    /// own item only.
    pub async fn release_jobs(
        &self,
        caller: &Caller,
        items: Vec<ReleaseItem>,
    ) -> Result<Vec<Result<LeaseOutcome, Rejection>>, EngineError> {
        caller.require(Permission::Work)?;
        check_batch(items.len(), self.policy().batch_max, "/jobs")?;
        let (items, order) = split(items, |item: &ReleaseItem, faults| {
            if let Some(delay) = item.delay {
                faults.within("/delay", delay, DurationMs::ZERO, DURATION_MAX);
            }
        });
        let leases: Vec<LeaseRef> = items.iter().map(|item| item.lease).collect();
        let is_allowed = self.may_settle(caller, &leases).await?;
        let now = self.now();
        let due = |delay: DurationMs| (delay > DurationMs::ZERO).then(|| now.plus(delay));
        let allowed: Vec<GiveBack> = items
            .iter()
            .zip(&is_allowed)
            .filter(|(_, is_allowed)| **is_allowed)
            .map(|(item, _)| GiveBack { due: item.delay.and_then(due), ..item.lease.into() })
            .collect();
        let mut answers = self.give_back(&allowed).await?.into_iter();
        let outcomes: Vec<LeaseOutcome> = is_allowed
            .into_iter()
            .map(|is_allowed| {
                if is_allowed { answers.next() } else { None }.unwrap_or(LeaseOutcome::LeaseLost)
            })
            .collect();
        metrics::lost(QueueName::Node, &outcomes);
        Ok(order.answers(outcomes))
    }

    async fn give_back(&self, held: &[GiveBack]) -> Result<Vec<LeaseOutcome>, EngineError> {
        if held.is_empty() {
            return Ok(Vec::new());
        }
        let answers = self.store().give_back(held, self.now()).await?;
        // The answers do not name the queues, and this is rare: all queues are woken.
        self.wake(&QueueName::ALL.map(Hint::Freed));
        Ok(answers.iter().map(LeaseOutcome::of).collect())
    }
}
