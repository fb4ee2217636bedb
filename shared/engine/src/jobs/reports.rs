//! Reports of outside workers, each checked by itself: one that is out of bounds is rejected alone, and the others of its
//! call go on.

use domain::access::{Permission, TenantScope};
use domain::error::Fault;
use domain::failure::{DeadReason, JobError};
use domain::job::{Disposition, Outcome};
use domain::queue::QueueName;
use domain::time::{DURATION_MAX, DurationMs, Timestamp};
use store::jobs::{GiveBack, LeaseAnswer, LeaseRef, LeasedJob, Settlement};
use store::wakeup::Hint;

use super::request::CompleteItem;
use crate::attributes::{Given, GivenByJob};
use crate::bounds::{Faults, check_batch};
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::jobs::leases::Shown;
use crate::metrics;

/// Why a report was not looked at. Nothing was written, and the lease holds as before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    /// What is wrong, for people, with the field's name.
    pub reason: String,
}

/// Splits reports into those within their bounds and what puts their answers back into the order of the call. Faults
/// point below the report.
pub(super) fn split<T>(reports: Vec<T>, check: impl Fn(&T, &mut Faults)) -> (Vec<T>, Order) {
    let (mut accepted, mut rejected) = (Vec::with_capacity(reports.len()), Vec::with_capacity(reports.len()));
    for report in reports {
        let mut faults = Faults::default();
        check(&report, &mut faults);
        let rejection = rejection(&faults.into_vec());
        if rejection.is_none() {
            accepted.push(report);
        }
        rejected.push(rejection);
    }
    (accepted, Order(rejected))
}

/// For each report of a call, why it was rejected, if it was.
pub(super) struct Order(Vec<Option<Rejection>>);

impl Order {
    /// The answers of the accepted reports with the rejections among them.
    pub(super) fn answers<A>(self, accepted: Vec<A>) -> Vec<Result<A, Rejection>> {
        let mut accepted = accepted.into_iter();
        let answer = |rejected: Option<Rejection>| match rejected {
            Some(rejection) => Some(Err(rejection)),
            None => accepted.next().map(Ok),
        };
        self.0.into_iter().filter_map(answer).collect()
    }
}

/// The answers to a call of which only some writes were allowed, in its order. The others are answered as lost leases: the
/// answer must not say that the job of another tenant exists. Lost leases are counted.
pub(super) fn in_order_of<T>(is_allowed: Vec<bool>, allowed: Vec<LeaseAnswer<T>>) -> Vec<LeaseAnswer<T>> {
    let mut allowed = allowed.into_iter();
    let answer = |is_allowed: bool| {
        let answer = if is_allowed { allowed.next() } else { None };
        answer.unwrap_or(LeaseAnswer::LeaseLost)
    };
    let answers: Vec<LeaseAnswer<T>> = is_allowed.into_iter().map(answer).collect();
    metrics::lost(QueueName::Node, &answers);
    answers
}

fn rejection(faults: &[Fault]) -> Option<Rejection> {
    let reason = |fault: &Fault| {
        format!("{}: {}", fault.pointer.trim_start_matches('/').replace('/', "."), fault.message)
    };
    let reasons: Vec<String> = faults.iter().map(reason).collect();
    (!reasons.is_empty()).then(|| Rejection { reason: reasons.join("; ") })
}

// Complete jobs: what an outside worker reports after a success.

impl Engine {
    /// Completes jobs in one commit. Answers in order; a result that is too large or cannot be stored, or an attribute that
    /// is not declared or of another type, rejects its own report only.
    pub async fn complete(
        &self,
        caller: &Caller,
        items: Vec<CompleteItem>,
    ) -> Result<Vec<Result<LeaseAnswer, Rejection>>, EngineError> {
        caller.require(Permission::Work)?;
        check_batch(items.len(), self.policy().batch_max, "/jobs")?;
        let given = self.read_given(caller, &items).await?;
        let reports = items.into_iter().zip(given).collect();
        let (reports, order) = split(reports, |(item, given): &(CompleteItem, Given), faults| {
            if let Some(result) = &item.result {
                faults.json("/result", result, self.policy().payload_bytes_max);
            }
            faults.extend(given.clone().err().unwrap_or_default(), "");
        });
        let leases: Vec<LeaseRef> = reports.iter().map(|(item, _)| item.lease).collect();
        let is_allowed = self.may_settle(caller, &leases).await?;
        let mut given_by_job = GivenByJob::new();
        let mut batch = Vec::with_capacity(reports.len());
        for ((item, given), is_allowed) in reports.into_iter().zip(is_allowed) {
            let given = given.unwrap_or_default();
            if is_allowed && !given.is_empty() {
                given_by_job.insert(item.lease.id, given);
            }
            let settlement =
                Settlement { lease: item.lease, disposition: Disposition::Complete(item.result) };
            batch.push(is_allowed.then_some(settlement));
        }
        Ok(order.answers(self.commit_allowed(batch, &given_by_job).await?))
    }

    /// Whether the caller may speak for each lease. A caller that is bound to no tenant needs no look: the token
    /// alone guards the write, and tokens of executions are never shown to workers.
    pub(super) async fn may_settle(
        &self,
        caller: &Caller,
        leases: &[LeaseRef],
    ) -> Result<Vec<bool>, EngineError> {
        if caller.scope == TenantScope::All {
            return Ok(vec![true; leases.len()]);
        }
        let shown = self.shown_leases(caller, leases).await?;
        Ok(shown.iter().map(|shown| !matches!(shown, Shown::Foreign)).collect())
    }

    /// Carries out the settlements that are there, with the attributes that workers set; the others are answered with
    /// `LeaseLost`.
    pub(crate) async fn commit_allowed(
        &self,
        batch: Vec<Option<Settlement>>,
        given: &GivenByJob,
    ) -> Result<Vec<LeaseAnswer>, EngineError> {
        let is_allowed: Vec<bool> = batch.iter().map(Option::is_some).collect();
        let allowed: Vec<Settlement> = batch.into_iter().flatten().collect();
        self.set_result_attributes(allowed.iter(), given).await?;
        Ok(in_order_of(is_allowed, self.settle_all(allowed).await?))
    }
}

// Fail jobs: what an outside worker reports after a failure.

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
    ) -> Result<Vec<Result<LeaseAnswer, Rejection>>, EngineError> {
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
        let mut answers = self.commit_allowed(batch, &GivenByJob::new()).await?;
        self.recognize_deaths(repeats, &mut answers).await?;
        Ok(order.answers(answers))
    }

    /// Asks about reports that were made before whether the attempt was the job's last.
    async fn recognize_deaths(
        &self,
        repeats: Vec<Option<Settlement>>,
        answers: &mut [LeaseAnswer],
    ) -> Result<(), EngineError> {
        let mut indexes = Vec::new();
        let mut batch = Vec::new();
        for (index, repeat) in repeats.into_iter().enumerate() {
            if let Some(repeat) = repeat.filter(|_| answers[index] == LeaseAnswer::LeaseLost) {
                indexes.push(index);
                batch.push(repeat);
            }
        }
        let repeated = self.commit_settlements(&batch, self.now()).await?;
        for (index, answer) in indexes.into_iter().zip(repeated) {
            answers[index] = answer;
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

// Release leases: what a pool gives back when it drains, and what an outside worker gives back or puts off, without an
// attempt being consumed.

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
    ) -> Result<Vec<Result<LeaseAnswer, Rejection>>, EngineError> {
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
        let answers = self.give_back(&allowed).await?;
        Ok(order.answers(in_order_of(is_allowed, answers)))
    }

    async fn give_back(&self, held: &[GiveBack]) -> Result<Vec<LeaseAnswer>, EngineError> {
        if held.is_empty() {
            return Ok(Vec::new());
        }
        let answers = self.store().give_back(held, self.now()).await?;
        // The answers do not name the queues, and this is rare: all queues are woken.
        self.wake(&QueueName::ALL.map(Hint::Freed));
        Ok(answers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_come_in_the_order_of_the_reports() {
        let (accepted, order) = split(vec![1, -2, 3], |number, faults| {
            if *number < 0 {
                faults.add("/error/code", "expected a number that is not negative");
            }
        });
        assert_eq!(accepted, [1, 3]);
        let reason = "error.code: expected a number that is not negative".to_owned();
        assert_eq!(order.answers(vec!["a", "b"]), [Ok("a"), Err(Rejection { reason }), Ok("b")]);
    }
}
