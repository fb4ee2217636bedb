//! Accept: a worker takes jobs that it received as offers, many in one call.

use std::collections::HashSet;

use domain::access::{Action, Permission, Subject, TenantScope};
use domain::dispatch::{AcceptOutcome, is_holder};
use domain::names::{JobType, TenantName, WorkerId};
use domain::queue::QueueName;
use domain::time::Timestamp;
use store::dispatch::{Acceptance, Accepted};
use store::jobs::LeaseRef;
use store::operations::WorkerRecord;

use crate::bounds::check_batch;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

/// What a worker received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcceptRequest {
    /// The worker's name.
    pub worker_id: WorkerId,
    /// The offers, each with the token of its message.
    pub offers: Vec<LeaseRef>,
}

/// What a worker is answered of one offer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcceptedJob {
    /// What became of it.
    pub outcome: AcceptOutcome,
    /// The worker's lease and its end, with [`AcceptOutcome::Ok`].
    pub lease: Option<(LeaseRef, Timestamp)>,
    /// What an earlier attempt reported as progress.
    pub progress: Option<String>,
}

impl From<Accepted> for AcceptedJob {
    fn from(accepted: Accepted) -> Self {
        Self { outcome: accepted.outcome, lease: accepted.lease, progress: accepted.progress }
    }
}

impl AcceptedJob {
    const fn without_lease(outcome: AcceptOutcome) -> Self {
        Self { outcome, lease: None, progress: None }
    }
}

impl Engine {
    /// Starts the leases of offers for a worker, under the lease of the queue. Answers in order. What is named again
    /// after it was taken is a duplicate.
    pub async fn accept(
        &self,
        caller: &Caller,
        request: AcceptRequest,
    ) -> Result<Vec<AcceptedJob>, EngineError> {
        caller.require(Permission::Work)?;
        let AcceptRequest { worker_id, offers } = request;
        check_batch(offers.len(), self.policy().batch_max, "/jobs")?;
        if is_holder(worker_id.as_str()) {
            return Err(EngineError::invalid("/workerId", "is reserved; choose another name"));
        }
        self.show_worker(caller, &worker_id)?;
        let is_allowed = self.may_accept(caller, &offers).await?;
        let mut seen = HashSet::with_capacity(offers.len());
        let (mut places, mut items) = (Vec::new(), Vec::new());
        let mut answers = vec![AcceptedJob::without_lease(AcceptOutcome::LeaseLost); offers.len()];
        for (place, offer) in offers.iter().enumerate() {
            if !is_allowed[place] {
                continue;
            }
            if seen.insert(*offer) {
                places.push(place);
                items.push(Acceptance { offer: *offer, worker_id: &worker_id });
            } else {
                answers[place] = AcceptedJob::without_lease(AcceptOutcome::Taken);
            }
        }
        let lease = self.policy().queue(QueueName::Node).lease;
        let accepted = self.store().accept_offers(&items, lease, self.now()).await?;
        // A message of an offer before may come with that of the present one: what counts is which of them is taken.
        let mut taken = HashSet::new();
        for (place, accepted) in places.into_iter().zip(accepted) {
            answers[place] = accepted.into();
            if answers[place].outcome == AcceptOutcome::Ok {
                taken.insert(offers[place].id);
            } else if taken.contains(&offers[place].id) {
                answers[place] = AcceptedJob::without_lease(AcceptOutcome::Taken);
            }
        }
        self.record_acceptance(caller, &worker_id);
        Ok(answers)
    }

    /// Whether the caller may take each job: one of its tenant, of a type that its key allows.
    async fn may_accept(&self, caller: &Caller, offers: &[LeaseRef]) -> Result<Vec<bool>, EngineError> {
        let has_limits = caller.limits.as_ref().is_some_and(|limits| limits.scopes.is_some());
        if caller.scope == TenantScope::All && !has_limits {
            return Ok(vec![true; offers.len()]);
        }
        let leased = self.store().leased_jobs(offers).await?;
        let mut allowed = Vec::with_capacity(offers.len());
        for (offer, leased) in offers.iter().zip(leased) {
            // An offer that was accepted has another token.
            let found: Option<(TenantName, JobType)> = if let Some(job) = leased {
                Some((job.tenant, job.job_type))
            } else {
                let job = self.store().job(&caller.scope, offer.id).await?;
                job.map(|job| (job.tenant, job.job_type))
            };
            let Some((tenant, job_type)) = found.filter(|(tenant, _)| caller.scope.allows(tenant)) else {
                allowed.push(false);
                continue;
            };
            let (job_type, tenant) = (Some(job_type.as_str()), Some(tenant.as_str()));
            caller.require_on(Action::JobsWork, &Subject { job_type, tenant, ..Subject::default() })?;
            allowed.push(true);
        }
        Ok(allowed)
    }

    fn record_acceptance(&self, caller: &Caller, worker_id: &WorkerId) {
        let now = self.now();
        self.record_worker(WorkerRecord {
            id: worker_id.clone(),
            kind: "external".to_owned(),
            tenant: caller.scope.tenant().cloned(),
            job_types: Vec::new(),
            first_seen_at: now,
            last_seen_at: now,
            leased: 0,
            build: None,
            draining_at: None,
            slots: None,
        });
    }
}
