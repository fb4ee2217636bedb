//! A worker reports and polls in one call: the trip of a poll is spared, and often its commit.
//!
//! The poll waits in line while the report is carried out. Where the report completes a node whose workflow goes on
//! with a job that this worker takes, the commit that ends the one leases the other.

use domain::queue::QueueName;

use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::jobs::eager::PollPlace;
use crate::jobs::polled::PolledJobs;
use crate::jobs::request::{Claim, PollRequest};

/// A poll that waits in line while its worker reports. Dropped, it is given up.
#[must_use]
pub struct NextPoll {
    engine: Engine,
    claim: Claim,
    /// None for a worker that is drained.
    place: Option<PollPlace>,
    request: PollRequest,
}

impl Engine {
    /// Lets a poll wait in line while its worker reports; `wait` is not looked at. To be called before the report, so
    /// that a poll which is refused leaves the report undone.
    ///
    /// # Errors
    /// What [`Engine::poll`] refuses.
    pub fn poll_next(&self, caller: &Caller, request: PollRequest) -> Result<NextPoll, EngineError> {
        let (request, tenant) = self.admit_poll(caller, request)?;
        let claim = self.claim_of(&request, tenant);
        let is_drained = self.memory().drains.knows(claim.tenant.as_ref(), &request.worker_id);
        let place = (!is_drained).then(|| self.memory().eager.polls.join(self.return_path(), claim.clone()));
        Ok(NextPoll { engine: self.clone(), claim, place, request: PollRequest { wait: None, ..request } })
    }
}

impl NextPoll {
    /// What there is once the report is committed; nobody waits for more. The outcome of the report has to be answered,
    /// so a store that is away by now means no jobs, not an error.
    pub async fn jobs(self) -> PolledJobs {
        let Self { engine, claim, place, request } = self;
        let found = match place {
            Some(place) => place.leave_settled().await,
            None => None,
        };
        let polled = match found {
            Some(polled) => Ok(polled),
            None if engine.is_drained(&request, claim.tenant.as_ref()).await => {
                return PolledJobs::drained(engine.return_path());
            }
            None => engine.claim_next(claim).await,
        };
        let polled = match polled {
            Ok(polled) => engine.with_history(polled).await,
            Err(error) => Err(error),
        };
        polled.unwrap_or_else(|error| {
            let error = &error as &dyn std::error::Error;
            tracing::warn!(error, "a worker's report is committed, but its poll failed");
            PolledJobs::new(engine.return_path(), Vec::new())
        })
    }
}

impl Engine {
    async fn claim_next(&self, claim: Claim) -> Result<PolledJobs, EngineError> {
        let job_types = claim.pool.job_types.as_deref().unwrap_or_default();
        let is_known_empty = self.store().is_known_without(QueueName::Node, claim.tenant.as_ref(), job_types);
        if is_known_empty || self.shutdown_started() {
            return Ok(PolledJobs::new(self.return_path(), Vec::new()));
        }
        self.claim_together(claim).await
    }
}
