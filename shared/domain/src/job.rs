//! The life of a job: its states, and what becomes of it after an attempt.

use crate::failure::{DeadReason, JobError};
use crate::retry::{Backoff, Jitter, retry_at};
use crate::time::{DurationMs, Timestamp};

/// How often a job may lose its worker without progress before it dies with reason `worker_lost`.
pub const CRASHES_MAX: u32 = 3;

/// Where a job is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JobStatus {
    /// Waits for its time.
    Scheduled,
    /// Can be claimed as soon as limits and turns allow.
    Queued,
    /// Leased to a worker.
    Processing,
    /// The job of a parked execution: not claimable until something comes.
    Waiting,
    /// Failed, waits for its next try.
    RetryWait,
    /// The last attempt completed.
    Completed,
    /// Failed for good without a dead letter (the job of a failed execution).
    Failed,
    /// Failed for good, waits for an operator.
    DeadLetter,
    /// A caller or the owner of its execution cancelled it.
    Cancelled,
}

impl JobStatus {
    /// All states.
    pub const ALL: [Self; 9] = [
        Self::Scheduled,
        Self::Queued,
        Self::Processing,
        Self::Waiting,
        Self::RetryWait,
        Self::Completed,
        Self::Failed,
        Self::DeadLetter,
        Self::Cancelled,
    ];

    /// The public name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Scheduled => "SCHEDULED",
            Self::Queued => "QUEUED",
            Self::Processing => "PROCESSING",
            Self::Waiting => "WAITING",
            Self::RetryWait => "RETRY_WAIT",
            Self::Completed => "COMPLETED",
            Self::Failed => "FAILED",
            Self::DeadLetter => "DEAD_LETTER",
            Self::Cancelled => "CANCELLED",
        }
    }

    /// The state with this public name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }

    /// Whether nothing more happens to the job by itself.
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::DeadLetter | Self::Cancelled)
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

#[cfg(test)]
mod tests {
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
}
