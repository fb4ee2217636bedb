//! Claims: the store says what it chose, the oracle says whether that was legal.

use std::collections::BTreeSet;

use domain::id::{JobId, LeaseToken};
use domain::job::JobStatus;
use domain::limits::LimitScope;
use domain::names::WorkerId;
use store::jobs::{ClaimRequest, ClaimedJob};
use store::queues::QueueMode;

use super::job::{MemAttempt, MemJob, MemLease};
use super::queue::MemQueue;

impl MemQueue {
    /// Checks what a claim answered, job by job in that order, and leases those jobs.
    pub fn claimed(&mut self, request: &ClaimRequest, claimed: &[ClaimedJob]) -> Result<(), Fault> {
        let want = request.tokens.len().min(request.jobs_max as usize);
        if claimed.len() > want {
            return Err(Fault::TooMany { asked: want, got: claimed.len() });
        }
        let mut offered: BTreeSet<LeaseToken> = request.tokens.iter().copied().collect();
        for got in claimed {
            if !offered.remove(&got.token) {
                return Err(Fault::ForeignToken(got.id));
            }
            self.check_turn(request, got)?;
            self.lease(request, got)?;
        }
        if claimed.len() < want
            && let Some(left) = self.jobs().find(|job| self.admissible(request, job).is_ok())
        {
            return Err(Fault::LeftBehind(left.asked.id));
        }
        Ok(())
    }

    /// Whether a job could be leased now by this claim.
    fn admissible(&self, request: &ClaimRequest, job: &MemJob) -> Result<(), Fault> {
        let id = job.asked.id;
        if self.mode == QueueMode::Paused {
            return Err(Fault::Paused(id));
        }
        in_line(request, job)?;
        let mut levels = vec![
            (LimitScope::Global, self.limits.global()),
            (LimitScope::Tenant(job.asked.tenant.clone()), self.limits.tenant(&job.asked.tenant)),
        ];
        if let Some(workflow) = &job.asked.workflow {
            levels.push((LimitScope::Workflow(workflow.clone()), self.limits.workflow(workflow)));
        }
        for (scope, limit) in levels {
            if limit.is_some_and(|limit| self.running(&scope) >= limit) {
                return Err(Fault::OverLimit(id, scope));
            }
        }
        Ok(())
    }

    /// Whether it is this job's turn, or may be.
    fn check_turn(&self, request: &ClaimRequest, got: &ClaimedJob) -> Result<(), Fault> {
        let job = self.job(got.id).ok_or(Fault::Unknown(got.id))?;
        self.admissible(request, job)?;
        for other in self.jobs().filter(|other| other.asked.id != got.id) {
            let is_same_line = other.tier == job.tier
                && other.asked.tenant == job.asked.tenant
                && other.asked.workflow == job.asked.workflow;
            if is_same_line && other.place < job.place && in_line(request, other).is_ok() {
                return Err(Fault::OutOfOrder { got: got.id, first: other.asked.id });
            }
            // Tiers are ordered as they are served.
            if other.tier < job.tier && self.admissible(request, other).is_ok() {
                return Err(Fault::LowerTierFirst { got: got.id, higher: other.asked.id });
            }
        }
        Ok(())
    }

    fn lease(&mut self, request: &ClaimRequest, got: &ClaimedJob) -> Result<(), Fault> {
        let job = self.jobs.get_mut(&got.id).ok_or(Fault::Unknown(got.id))?;
        let deadline_at = job.asked.timeout.map(|timeout| request.now.plus(timeout));
        let until = request.now.plus(request.lease);
        let until = deadline_at.map_or(until, |deadline| deadline.min(until));
        job.status = JobStatus::Processing;
        job.attempt += 1;
        job.settled = None;
        job.lease = Some(MemLease {
            token: got.token,
            worker_id: worker_of(request, got.token).clone(),
            length: request.lease,
            until,
            deadline_at,
        });
        job.attempts.push(MemAttempt {
            number: job.attempt,
            status: None,
            started_at: request.now.max(job.queued_at),
            finished_at: None,
        });
        let expected = handed_out(job, got, (request.now, until));
        if expected == *got {
            Ok(())
        } else {
            Err(Fault::Differs { expected: Box::new(expected), got: Box::new(got.clone()) })
        }
    }
}

/// Whose token this is.
fn worker_of(request: &ClaimRequest, token: LeaseToken) -> &WorkerId {
    let place = request.tokens.iter().position(|own| *own == token);
    place.map_or(&request.worker_id, |place| request.worker_of(place))
}

/// Whether a job waits for a claim such as this one, limits apart.
fn in_line(request: &ClaimRequest, job: &MemJob) -> Result<(), Fault> {
    let id = job.asked.id;
    if job.status != JobStatus::Queued {
        return Err(Fault::NotQueued(id, job.status));
    }
    if !job.is_admitted {
        return Err(Fault::KeyTaken(id));
    }
    let is_tenant = request.tenant.as_ref().is_none_or(|tenant| *tenant == job.asked.tenant);
    let is_type = request.job_types.as_ref().is_none_or(|types| types.contains(&job.asked.job_type));
    if is_tenant && is_type { Ok(()) } else { Err(Fault::NotAskedFor(id)) }
}

/// A leased job as a claim has to answer it. The position is the store's own number, the token its choice.
fn handed_out(
    job: &MemJob,
    got: &ClaimedJob,
    (now, lease_until): (domain::time::Timestamp, domain::time::Timestamp),
) -> ClaimedJob {
    let asked = job.asked.clone();
    ClaimedJob {
        id: asked.id,
        queue: asked.queue,
        job_type: asked.job_type,
        tenant: asked.tenant,
        workflow: asked.workflow,
        tier: job.tier,
        position: got.position,
        data: asked.data,
        attempt: job.attempt,
        facts: job.facts(),
        timeout: asked.timeout,
        token: got.token,
        lease_until,
        started_at: now.max(job.queued_at),
        created_at: job.created_at,
        queued_at: job.queued_at,
        traceparent: asked.traceparent,
        execution_id: asked.execution_id,
        node_id: asked.node_id,
    }
}

// What can be wrong with a claim.

/// Why a claim was not legal.
#[derive(Debug, Clone, PartialEq)]
pub enum Fault {
    /// More jobs than were asked for.
    TooMany {
        /// How many were asked for.
        asked: usize,
        /// How many came.
        got: usize,
    },
    /// The lease has a token that was not offered, or one that another job of this claim has.
    ForeignToken(JobId),
    /// Nobody enqueued it.
    Unknown(JobId),
    /// The queue is paused.
    Paused(JobId),
    /// It was not there to be claimed: leased already, not due, or ended.
    NotQueued(JobId, JobStatus),
    /// Another job has its concurrency key.
    KeyTaken(JobId),
    /// It is of another tenant or type.
    NotAskedFor(JobId),
    /// One more than this limit allows.
    OverLimit(JobId, LimitScope),
    /// A job of the same tier, tenant and workflow came first.
    OutOfOrder {
        /// What was served.
        got: JobId,
        /// What should have been.
        first: JobId,
    },
    /// A job of a higher tier could have been served.
    LowerTierFirst {
        /// What was served.
        got: JobId,
        /// What should have been.
        higher: JobId,
    },
    /// Fewer than asked for, although this one could have been served.
    LeftBehind(JobId),
    /// It was claimed with other contents than it has.
    Differs {
        /// What it is.
        expected: Box<ClaimedJob>,
        /// What came.
        got: Box<ClaimedJob>,
    },
}
