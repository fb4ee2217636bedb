//! Jobs and outcomes as messages.

use domain::failure::JobError;
use domain::id::JobId;
use domain::time::Timestamp;
use engine::{LeaseOutcome, Rejection};
use store::jobs::{ClaimedJob, EarlierAttempts};

use crate::proto;

/// A leased job with what earlier attempts left.
pub(super) fn polled_job(
    job: ClaimedJob,
    earlier: EarlierAttempts,
    shows_payloads: bool,
) -> proto::PolledJob {
    let deadline = job.timeout.map(|timeout| job.started_at.plus(timeout));
    proto::PolledJob {
        id: job.id.to_string(),
        job_type: job.job_type.to_string(),
        workflow: job.workflow.map(|workflow| workflow.name.to_string()),
        attempt: job.attempt,
        data: job.data.into(),
        idempotency_key: job.id.to_string(),
        lease_expires_at: job.lease_until.to_string(),
        lease_token: job.token.to_string(),
        max_retries: job.facts.retries_max,
        tenant: job.tenant.to_string(),
        deadline: deadline.map(|at| at.to_string()),
        execution_id: job.execution_id.map(|id| id.to_string()),
        last_error: earlier.error.map(|error| job_error(error, shows_payloads)),
        node_id: job.node_id.map(|id| id.to_string()),
        progress: earlier.progress.unwrap_or_default().into(),
        traceparent: job.traceparent,
    }
}

fn job_error(error: JobError, shows_payloads: bool) -> proto::JobError {
    let details = error.details.filter(|_| shows_payloads);
    proto::JobError {
        message: error.message,
        code: error.code,
        details: details.map(|details| details.to_string()).unwrap_or_default().into(),
    }
}

/// The outcome of a report on a job.
pub(super) fn outcome(id: JobId, answer: Result<LeaseOutcome, Rejection>) -> proto::Outcome {
    let (outcome, reason) = match answer {
        Ok(outcome) => (outcome.as_str(), None),
        Err(Rejection { reason }) => ("rejected", Some(reason)),
    };
    proto::Outcome { id: id.to_string(), outcome: outcome.to_owned(), lease_expires_at: None, reason }
}

/// The outcome of a heartbeat, with the new end of the lease.
pub(super) fn renewed(
    id: JobId,
    answer: Result<(LeaseOutcome, Option<Timestamp>), Rejection>,
) -> proto::Outcome {
    let until = answer.as_ref().ok().and_then(|(_, until)| *until);
    let outcome = outcome(id, answer.map(|(outcome, _)| outcome));
    proto::Outcome { lease_expires_at: until.map(|at| at.to_string()), ..outcome }
}
