//! Fail jobs: what an outside worker reports after a failure.

use domain::access::Permission;
use domain::failure::{DeadReason, JobError};
use domain::job::{Disposition, Outcome};
use domain::time::{DurationMs, Timestamp};
use store::jobs::{LeaseRef, LeasedJob, Settlement};

use crate::attributes::GivenByJob;
use crate::bounds::{Faults, check_batch};
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::jobs::leases::{LeaseOutcome, Shown};
use crate::jobs::reports::{Rejection, split};

/// The largest error report, in bytes of JSON, its details included.
const ERROR_BYTES_MAX: usize = 64 * 1024;
/// The longest error code, in bytes.
const CODE_BYTES_MAX: usize = 200;

/// A failure.
#[derive(Debug, Clone, PartialEq)]
pub struct FailItem {
    /// The job and its token.
    pub lease: LeaseRef,
    /// What went wrong.
    pub error: JobError,
    /// Whether another try could help.
    pub retryable: bool,
    /// How long the worker wants to wait before the next try.
    pub retry_after: Option<DurationMs>,
}

impl Engine {
    /// Fails attempts in one commit: each is tried again or becomes a dead letter. Answers in order; an error that is
    /// out of bounds rejects its own report only.
    pub async fn fail(
        &self,
        caller: &Caller,
        items: Vec<FailItem>,
    ) -> Result<Vec<Result<LeaseOutcome, Rejection>>, EngineError> {
        caller.require(Permission::Work)?;
        check_batch(items.len(), self.policy().batch_max, "/jobs")?;
        let (items, order) = split(items, check_error);
        let leases: Vec<LeaseRef> = items.iter().map(|item| item.lease).collect();
        let shown = self.shown_leases(caller, &leases).await?;
        let now = self.now();
        let mut repeats = Vec::with_capacity(items.len());
        let mut batch = Vec::with_capacity(items.len());
        for (item, shown) in items.into_iter().zip(shown) {
            let (settlement, repeat) = match shown {
                Shown::Held(job) => (Some(self.decide_failure(item, &job, now)), None),
                Shown::Past => past(item, now),
                Shown::Foreign => (None, None),
            };
            batch.push(settlement);
            repeats.push(repeat);
        }
        let mut outcomes = self.commit_allowed(batch, &GivenByJob::new()).await?;
        self.recognize_deaths(repeats, &mut outcomes).await?;
        Ok(order.answers(outcomes))
    }

    /// Asks about reports that were made before whether the attempt was the job's last.
    async fn recognize_deaths(
        &self,
        repeats: Vec<Option<Settlement>>,
        outcomes: &mut [LeaseOutcome],
    ) -> Result<(), EngineError> {
        let mut indexes = Vec::new();
        let mut batch = Vec::new();
        for (index, repeat) in repeats.into_iter().enumerate() {
            if let Some(repeat) = repeat.filter(|_| outcomes[index] == LeaseOutcome::LeaseLost) {
                indexes.push(index);
                batch.push(repeat);
            }
        }
        let answers = self.commit_settlements(&batch, self.now()).await?;
        for (index, answer) in indexes.into_iter().zip(answers) {
            outcomes[index] = answer;
        }
        Ok(())
    }

    fn decide_failure(&self, item: FailItem, job: &LeasedJob, now: Timestamp) -> Settlement {
        let is_late = job.deadline_at.is_some_and(|deadline| deadline <= now);
        let outcome = if is_late {
            Outcome::TimedOut
        } else {
            outcome_of(item.error, item.retryable, item.retry_after)
        };
        self.decide(item.lease, &job.facts, outcome, now)
    }
}

/// The lease holds no more, so the store writes nothing whatever is asked of it. It only answers whether the attempt
/// was settled before in the same way: as a failure that is tried again, or as the last one.
fn past(item: FailItem, now: Timestamp) -> (Option<Settlement>, Option<Settlement>) {
    let settlement = |disposition| Some(Settlement { lease: item.lease, disposition });
    let error = item.error.bounded();
    let retried = Disposition::RetryAt { at: now, error: error.clone() };
    let died = Disposition::Die { reason: DeadReason::NonRetryable, error };
    (settlement(retried), settlement(died))
}

fn outcome_of(error: JobError, retryable: bool, retry_after: Option<DurationMs>) -> Outcome {
    Outcome::Failed { error: error.bounded(), retryable, retry_after }
}

fn check_error(item: &FailItem, faults: &mut Faults) {
    if item.error.message.contains('\0') {
        faults.add("/error/message", "expected text without NUL characters");
    }
    if item.error.code.as_ref().is_some_and(|code| code.len() > CODE_BYTES_MAX || code.contains('\0')) {
        faults.add("/error/code", format!("expected at most {CODE_BYTES_MAX} bytes without NUL characters"));
    }
    if let Some(details) = &item.error.details {
        faults.json("/error/details", &details.to_string(), ERROR_BYTES_MAX);
    }
    if item.retry_after.is_some_and(|wait| wait.0 < 0) {
        faults.add("/retryAfter", "expected a duration that is not negative");
    }
}
