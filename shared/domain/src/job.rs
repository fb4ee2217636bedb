//! The life of a job: its states, what becomes of it after an attempt, and when it expires.

use serde_json::{Value, json};

use crate::failure::{DeadReason, JobError};
use crate::retry::{Backoff, Jitter, retry_at};
use crate::time::{DURATION_MAX, DurationMs, Timestamp};

/// How often a job may lose its worker without progress before it dies with reason `worker_lost`.
pub const CRASHES_MAX: u32 = 3;

words! {
    /// Where a job is in its life.
    JobStatus {
        /// Waits for its time.
        Scheduled "SCHEDULED",
        /// Can be claimed as soon as limits and turns allow.
        Queued "QUEUED",
        /// Leased to a worker.
        Processing "PROCESSING",
        /// The job of a parked execution: not claimable until something comes.
        Waiting "WAITING",
        /// Failed, waits for its next try.
        RetryWait "RETRY_WAIT",
        /// The last attempt completed.
        Completed "COMPLETED",
        /// Failed for good without a dead letter (the job of a failed execution).
        Failed "FAILED",
        /// Failed for good, waits for an operator.
        DeadLetter "DEAD_LETTER",
        /// A caller or the owner of its execution cancelled it.
        Cancelled "CANCELLED",
    }
}

impl JobStatus {
    /// Whether nothing more happens to the job by itself.
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::DeadLetter | Self::Cancelled)
    }
}

words! {
    /// How an attempt ended.
    AttemptStatus {
        /// The handler returned a result.
        Completed "COMPLETED",
        /// The handler returned an error.
        Failed "FAILED",
        /// Its lease expired.
        WorkerLost "WORKER_LOST",
        /// It ran out of time.
        TimedOut "TIMED_OUT",
        /// The job was cancelled under it.
        Cancelled "CANCELLED",
    }
}

/// How an attempt ended, as the worker or the reaper saw it.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The handler returned a result (raw JSON text).
    Completed(Option<String>),
    /// The handler returned an error.
    Failed {
        /// The handler's error.
        error: JobError,
        /// Whether another try could help.
        retryable: bool,
        /// How long the handler wants to wait before the next try.
        retry_after: Option<DurationMs>,
    },
    /// The attempt ran longer than the job's timeout.
    TimedOut,
    /// The lease expired: the worker neither reported nor sent a heartbeat.
    WorkerLost,
}

/// What the decision after an attempt depends on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AttemptFacts {
    /// The attempts so far, this one included.
    pub attempt: u32,
    /// How many retries the job has.
    pub retries_max: u32,
    /// How often in a row the job lost its worker, this time included if it did.
    pub crashes: u32,
    /// How long the job waits between attempts.
    pub backoff: Backoff,
}

/// What becomes of a job after an attempt.
#[derive(Debug, Clone, PartialEq)]
pub enum Disposition {
    /// Done, with the result as raw JSON text.
    Complete(Option<String>),
    /// Tried again at an instant that may be now.
    RetryAt {
        /// When the job becomes claimable.
        at: Timestamp,
        /// The error of this attempt.
        error: JobError,
    },
    /// Becomes a dead letter.
    Die {
        /// Why no further attempt is made.
        reason: DeadReason,
        /// The error of this attempt.
        error: JobError,
    },
}

/// Decides what becomes of a job after an attempt.
///
/// A lost worker is tried again at once: the job did nothing wrong, and the wait for the lease was the backoff.
/// It still consumes an attempt, and after [`CRASHES_MAX`] in a row the job is taken for the cause.
pub fn after_attempt(facts: &AttemptFacts, outcome: Outcome, now: Timestamp, jitter: Jitter) -> Disposition {
    let is_last = facts.attempt > facts.retries_max;
    match outcome {
        Outcome::Completed(result) => Disposition::Complete(result),
        Outcome::Failed { error, retryable: false, .. } => {
            Disposition::Die { reason: DeadReason::NonRetryable, error: error.bounded() }
        }
        Outcome::Failed { error, .. } if is_last => {
            Disposition::Die { reason: DeadReason::RetriesExhausted, error: error.bounded() }
        }
        Outcome::Failed { error, retry_after, .. } => Disposition::RetryAt {
            at: retry_at(&facts.backoff, facts.attempt, retry_after, now, jitter),
            error: error.bounded(),
        },
        Outcome::TimedOut => {
            let error = JobError::coded("timeout", "The attempt ran longer than the job's timeout.");
            if is_last {
                Disposition::Die { reason: DeadReason::Timeout, error }
            } else {
                Disposition::RetryAt { at: retry_at(&facts.backoff, facts.attempt, None, now, jitter), error }
            }
        }
        Outcome::WorkerLost => {
            let error = JobError::coded("worker_lost", "The worker stopped renewing its lease.");
            if is_last || facts.crashes >= CRASHES_MAX {
                Disposition::Die { reason: DeadReason::WorkerLost, error }
            } else {
                Disposition::RetryAt { at: now, error }
            }
        }
    }
}

// Jobs and executions that nobody started in time.

/// The code of what ended because nobody started it in time.
pub const CODE_EXPIRED: &str = "expired";

/// Whether a job may wait this long for its start: longer than zero, and at most [`DURATION_MAX`].
pub const fn is_valid(expires_in: DurationMs) -> bool {
    expires_in.0 > 0 && expires_in.0 <= DURATION_MAX.0
}

/// Until when something may be started that is due at `run_at` and accepted at `now`: the time counts from when it may
/// run, so that a delay does not use it up.
pub fn expires_at(expires_in: Option<DurationMs>, run_at: Timestamp, now: Timestamp) -> Option<Timestamp> {
    expires_in.map(|expires_in| run_at.max(now).plus(expires_in))
}

/// The error of a job that nobody started in time.
pub fn job_error() -> JobError {
    error("job")
}

/// The error of an execution that nobody started in time.
pub fn execution_error() -> JobError {
    error("execution")
}

fn error(what: &str) -> JobError {
    let details = Some(json!({ "started": false }));
    JobError { details, ..JobError::coded(CODE_EXPIRED, format!("Nobody started the {what} in time.")) }
}

/// Whether an error says that nobody started it in time. A child that failed because something of its own expired was
/// started, and can go on.
pub fn is_unstarted(error: &JobError) -> bool {
    let started = error.details.as_ref().and_then(|details| details.get("started"));
    error.code.as_deref() == Some(CODE_EXPIRED) && started == Some(&Value::Bool(false))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: Timestamp = Timestamp(1_000_000);

    fn facts(attempt: u32, retries_max: u32, crashes: u32) -> AttemptFacts {
        AttemptFacts {
            attempt,
            retries_max,
            crashes,
            backoff: Backoff { jitter: false, ..Backoff::default() },
        }
    }

    fn failed(retryable: bool) -> Outcome {
        Outcome::Failed { error: JobError::coded("boom", "boom"), retryable, retry_after: None }
    }

    /// One row a case: facts, outcome, expected wait in ms or reason of death.
    #[test]
    fn table_of_ends() {
        let table: [(AttemptFacts, Outcome, Result<i64, DeadReason>); 9] = [
            (facts(1, 3, 0), failed(true), Ok(1_000)),
            (facts(3, 3, 0), failed(true), Ok(4_000)),
            (facts(4, 3, 0), failed(true), Err(DeadReason::RetriesExhausted)),
            (facts(1, 3, 0), failed(false), Err(DeadReason::NonRetryable)),
            (facts(1, 0, 0), Outcome::TimedOut, Err(DeadReason::Timeout)),
            (facts(2, 3, 0), Outcome::TimedOut, Ok(2_000)),
            (facts(1, 3, 1), Outcome::WorkerLost, Ok(0)),
            (facts(3, 9, 3), Outcome::WorkerLost, Err(DeadReason::WorkerLost)),
            (facts(1, 0, 1), Outcome::WorkerLost, Err(DeadReason::WorkerLost)),
        ];
        for (facts, outcome, expected) in table {
            let seen = match after_attempt(&facts, outcome.clone(), NOW, Jitter(1.0)) {
                Disposition::RetryAt { at, .. } => Ok(at.since(NOW).0),
                Disposition::Die { reason, .. } => Err(reason),
                Disposition::Complete(_) => panic!("{outcome:?} is no success"),
            };
            assert_eq!(seen, expected, "{facts:?} {outcome:?}");
        }
    }

    proptest! {
        #[test]
        fn the_time_counts_from_when_it_may_run(run_at in 0_i64..1 << 50, now in 0_i64..1 << 50, wait in 1_i64..1 << 40) {
            let (run_at, now, wait) = (Timestamp(run_at), Timestamp(now), DurationMs(wait));
            let end = expires_at(Some(wait), run_at, now).expect("there is an end");
            prop_assert!(end > now && end > run_at);
            prop_assert_eq!(end.since(now.max(run_at)), wait);
            prop_assert_eq!(expires_at(None, run_at, now), None);
        }
    }

    #[test]
    fn what_was_started_is_distinguished_from_what_was_not() {
        assert!(is_unstarted(&job_error()) && is_unstarted(&execution_error()));
        assert!(!is_unstarted(&JobError::coded(CODE_EXPIRED, "a node of a child")));
        assert!(!is_unstarted(&JobError { code: None, ..job_error() }));
    }

    #[test]
    fn no_time_and_too_much_are_refused() {
        for (wait, expected) in
            [(0, false), (-1, false), (1, true), (DURATION_MAX.0, true), (DURATION_MAX.0 + 1, false)]
        {
            assert_eq!(is_valid(DurationMs(wait)), expected, "{wait}");
        }
    }
}
